"""What the doctor says of the virus scanner."""

from __future__ import annotations

import time
from typing import Any

import pytest

from config.doctor.parts.scanner import scanner as look
from filing.scanning import clamd
from tests.config.doctor.parts.looking import bad, texts
from tests.filing.scanning.scanners import SIGNATURE, Server, scanner

__all__ = ["scanner"]


def test_without_a_scanner_nothing_is_wrong(settings: Any) -> None:
    settings.SCAN_ADDRESS = None
    assert bad(look) == []
    assert "SCAN_URL is not set: uploads are not scanned" in texts(look)


def test_a_scanner_that_works(scanner: Server) -> None:
    assert bad(look) == []
    assert f"It finds the EICAR test file ({SIGNATURE})." in texts(look)
    assert "files of up to 2,147,483,645 bytes are scanned" in texts(look)


def test_a_scanner_that_finds_nothing(scanner: Server) -> None:
    scanner.answer = b"stream: OK\0"
    (error,) = bad(look)
    assert error.startswith("error: It takes the EICAR test file for clean. Load the signatures")


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (f"ClamAV 1.4.3/27800/{time.asctime(time.gmtime(0))}", "of January 1, 1970. Let freshclam"),
        ("ClamAV 1.4.3", "does not say how old its signatures are. Let freshclam"),
    ],
)
def test_old_signatures_are_a_warning(scanner: Server, version: str, words: str) -> None:
    scanner.version = version
    (warning,) = bad(look)
    assert warning.startswith("warning: ClamAV 1.4.3 answers")
    assert words in warning


@pytest.mark.parametrize("trouble", [clamd.Trouble.AWAY, clamd.Trouble.CLOSED])
def test_a_scanner_that_is_away(scanner: Server, trouble: clamd.Trouble) -> None:
    if trouble is clamd.Trouble.AWAY:
        scanner.close()
    scanner.is_up = False
    (error,) = bad(look)
    assert error.startswith(f"error: No upload is accepted: {trouble.value}")
    assert "Start clamd, or correct SCAN_URL." in error
