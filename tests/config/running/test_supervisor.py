"""Starting the whole service where something stands in its way."""

from __future__ import annotations

import gzip
import socket
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config.running.supervisor import DidNotStart, Supervisor, free_port


def test_a_port_that_is_in_use_is_named_at_once_with_the_way_out(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        stack = Supervisor(data_dir=tmp_path, port=port)
        with pytest.raises(DidNotStart, match=rf"Port {port} .* in use.*make run PORT="):
            stack.start()
        assert stack.process is None


def test_a_web_process_that_ends_before_it_answers_is_named_with_its_last_words(tmp_path):
    stack = Supervisor(data_dir=tmp_path, port=free_port())
    stack.environment["DATABASE_URL"] = "nonsense"
    with pytest.raises(DidNotStart, match="DATABASE_URL='nonsense' must begin with"):
        stack.start()
    assert stack.process is not None
    assert stack.process.poll() is not None  # all others ended with it


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
