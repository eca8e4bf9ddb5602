"""Static files: from the code on a laptop, collected and compressed on a site."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client

STYLES = "/static/vendor/uswds/css/uswds.min.css"
SOURCE = Path(__file__).parents[3] / "config" / STYLES[1:]


def test_collected_files_are_sent_compressed(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT, settings.WHITENOISE_USE_FINDERS = str(tmp_path), False
    settings.WHITENOISE_AUTOREFRESH = False
    call_command("collectstatic", interactive=False, verbosity=0)
    answer = Client().get(STYLES, headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.getvalue()) == SOURCE.read_bytes()


def test_without_collecting_they_come_from_the_code(settings: Any) -> None:
    settings.WHITENOISE_AUTOREFRESH = False
    answer = Client().get(STYLES)
    assert answer.getvalue() == SOURCE.read_bytes()


def test_a_no_in_a_list_of_the_admin_is_not_red_and_an_error_message_still_is() -> None:
    def picture(name: str) -> str:
        return Client().get(f"/static/admin/img/{name}.svg").getvalue().decode()

    reds = ("#dd4646", "#b50909")
    assert not any(red in picture("icon-no") for red in reds)
    assert any(red in picture("icon-wrong") for red in reds)
    styles = Client().get("/static/admin.css").getvalue().decode()
    assert "li.error { background-image: url(admin/img/icon-wrong.svg); }" in styles
