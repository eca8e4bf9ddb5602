import pytest

from config.templatetags.prose import marked


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("ending in `.txt`, `Q1`", "ending in <code>.txt</code>, <code>Q1</code>"),
        ("<b> & `<i>`", "&lt;b&gt; &amp; <code>&lt;i&gt;</code>"),
        ("one\n\ntwo", "one<br><br>two"),
        ("a ` alone", "a ` alone"),
    ],
)
def test_backticks_become_code_and_all_else_is_escaped(text, html):
    assert marked(text) == html
