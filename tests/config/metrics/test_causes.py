"""Causes: the errors that jobs store, each in its class."""

from __future__ import annotations

import pytest

from config.metrics.causes import CAUSES, cause_of


@pytest.mark.parametrize(
    ("stage", "error", "cause"),
    [
        ("edits", "OperationalError: database is locked", "database"),
        ("parse", "OSError: [Errno 28] No space left on device", "disk full"),
        ("parse", "FileNotFoundError: raw/1", "storage"),
        ("publish", "EndpointConnectionError: Could not connect to the endpoint URL", "storage"),
        ("mail", "ConnectionRefusedError: [Errno 111] Connection refused", "mail server"),
        ("mail", "SMTPServerDisconnected: Connection unexpectedly closed", "mail server"),
        ("mail", "The mail server refuses ann@bank.example: 550 no", "mail server"),
        ("edits", "MemoryError: ", "memory"),
        ("edits", "SoftTimeLimitExceeded: SoftTimeLimitExceeded()", "time limit"),
        ("edits", "Stopped by ann.", "staff"),
        ("edits", "ZeroDivisionError: division by zero", "other"),
        ("edits", "", "other"),
        (
            "edits",
            "The check could not finish. Upload the file again. If it happens again, tell the help "
            "desk the reference 0a1b2c3d4e. MemoryError: ",
            "memory",
        ),
    ],
)
def test_an_error_has_a_cause(stage: str, error: str, cause: str) -> None:
    assert cause_of(stage, error) == cause
    assert cause in CAUSES
