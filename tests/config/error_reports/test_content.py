"""The content of a report: what is on the list, whatever else an event has."""

from __future__ import annotations

from typing import Any

from config.error_reports.content import report

EVENT: dict[str, Any] = {
    "event_id": "1",
    "level": "error",
    "release": "1.0.0",
    "server_name": "host",
    "message": "secret",
    "logentry": {"message": "secret"},
    "request": {"url": "secret", "headers": {"Authorization": "secret"}},
    "user": {"email": "secret"},
    "extra": {"sys.argv": ["secret"]},
    "breadcrumbs": {"values": [{"message": "secret"}]},
    "contexts": {"trace": {"data": "secret"}},
    "of a later release of the library": "secret",
    "exception": {
        "values": [
            {
                "type": "ValueError",
                "module": None,
                "value": "secret",
                "mechanism": {"data": "secret"},
                "stacktrace": {
                    "frames": [
                        {
                            "filename": "filing/lar/parse.py",
                            "function": "parse",
                            "lineno": 12,
                            "in_app": True,
                            "vars": {"line": "secret"},
                            "context_line": "secret",
                            "pre_context": ["secret"],
                            "abs_path": "/secret",
                        }
                    ]
                },
            },
            {"type": "KeyError", "value": "secret"},
        ]
    },
}


def test_a_report_is_what_is_on_the_list() -> None:
    frame = {
        "filename": "filing/lar/parse.py",
        "function": "parse",
        "lineno": 12,
        "in_app": True,
    }
    assert report(EVENT, {}) == {
        "event_id": "1",
        "level": "error",
        "release": "1.0.0",
        "transaction": "",
        "tags": {},
        "exception": {
            "values": [
                {"type": "ValueError", "stacktrace": {"frames": [frame]}},
                {"type": "KeyError", "stacktrace": {"frames": []}},
            ]
        },
    }


def test_an_event_without_an_exception_is_not_reported() -> None:
    assert report({"message": "secret"}, {}) is None
