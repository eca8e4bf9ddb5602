"""LEIs are marked wherever they stand in a text, and nothing else is."""

import pytest
from django.utils.safestring import mark_safe

from filing.templatetags.lei import leis

LEI = "529900TESTBANK000042"
WHOLE = f'<span class="lei">{LEI}</span>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (f"LEI {LEI}, <b>", f"LEI {WHOLE}, &lt;b&gt;"),
        (mark_safe(f"<b>{LEI}</b>"), f"<b>{WHOLE}</b>"),
        (f"{LEI}1234", f"{LEI}1234"),
        ("a" * 64, "a" * 64),
        (2024, "2024"),
    ],
)
def test_each_lei_is_kept_on_one_line(text, html):
    assert leis(text) == html
