"""Log lines: readable by machines or by people, and nothing in them that opens a door."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest
import structlog

from config.running import log_settings

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl"


def line(form: str, message: str, *args: Any, fails: bool = False) -> str:
    """Return a record as it stands in the log."""
    chosen = dict(log_settings.log_configuration(form, "INFO")["formatters"]["line"])
    formatter: logging.Formatter = chosen.pop("()")(**chosen)
    info = None
    if fails:
        try:
            password = "in a local name"
            raise RuntimeError(f"Could not ask https://ann:{password[:2]}xyz@id.example/")
        except RuntimeError:
            info = sys.exc_info()
    return formatter.format(
        logging.LogRecord("some.library", logging.WARNING, __file__, 1, message, args, info)
    )


def test_an_exception_is_an_object_without_what_names_held() -> None:
    entry = json.loads(line("json", "It failed", fails=True))
    (raised,) = entry["exception"]
    assert raised["exc_type"] == "RuntimeError"
    assert raised["exc_value"] == "Could not ask https://[hidden]@id.example/"
    assert raised["frames"][0]["name"] == "line"
    assert "in a local name" not in json.dumps(entry)


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (f"sent Authorization: Bearer {TOKEN} to us", "sent Authorization: Bearer [hidden] to us"),
        (f"token {TOKEN} is bad", "token [hidden] is bad"),
        ("bearer 0123456789abcdef is bad", "bearer [hidden] is bad"),
        ("token hmda_pat_Ab-c_1 is bad", "token [hidden] is bad"),
        ("redis://:word@127.0.0.1/0 is down", "redis://[hidden]@127.0.0.1/0 is down"),
        (
            "GET /done?code=abc&state=xyz&year=2024",
            "GET /done?code=[hidden]&state=[hidden]&year=2024",
        ),
        ("Cookie: a=b; sessionid=abc; c=d", "Cookie: a=b; sessionid=[hidden]; c=d"),
        (
            "Cookie: __Host-session=abc; __Host-csrf=abc; __Host-signing-in=abc; c=d",
            "Cookie: __Host-session=[hidden]; __Host-csrf=[hidden]; "
            "__Host-signing-in=[hidden]; c=d",
        ),
        ("POST /forgotten/MQ/c9-ab1f/ took long", "POST /forgotten/MQ/[hidden]/ took long"),
        ("POST /sign-up/7/c9-ab1f took long", "POST /sign-up/7/[hidden] took long"),
        ("POST /sign-up/sent/ took long", "POST /sign-up/sent/ took long"),
        ("GET /filing/invitation/Ab-c_1/ fails", "GET /filing/invitation/[hidden]/ fails"),
        ("GET /filing/administrator/Ab-c_1/ fails", "GET /filing/administrator/[hidden]/ fails"),
        ("A bearer token was refused", "A bearer token was refused"),
        ("https://id.example:8443/a@b", "https://id.example:8443/a@b"),
        ("state=4 of the job", "state=4 of the job"),
    ],
)
def test_secrets_are_hidden(message: str, result: str) -> None:
    assert json.loads(line("json", message))["event"] == result
    assert result in line("text", message)


def test_what_is_called_a_secret_is_hidden_however_deep() -> None:
    entry = {"headers": {"Authorization": "x", "Cookie": "y", "Accept": "z"}, "tried": ["a", TOKEN]}
    with structlog.contextvars.bound_contextvars(entry=entry, access_token="abc", caller="ann"):
        result = json.loads(line("json", "Something"))
    assert result["entry"] == {
        "headers": {"Authorization": "[hidden]", "Cookie": "[hidden]", "Accept": "z"},
        "tried": ["a", "[hidden]"],
    }
    assert (result["access_token"], result["caller"]) == ("[hidden]", "ann")
