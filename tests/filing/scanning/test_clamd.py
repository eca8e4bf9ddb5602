"""The protocol of the scanner: only the whole file, read and found clean, is clean."""

from __future__ import annotations

import io
import socket
import time
import tracemalloc

import pytest

from filing import scanning
from filing.scanning import NoVerdict, ScannerFault
from tests.filing.scanning.scanners import (
    CLEAN,
    FOUND,
    LIMIT,
    SIGNATURE,
    Server,
    scanner,
)

__all__ = ["scanner"]

MUCH = b"1|2|3\n" * 2_000_000


def signature_in(content: bytes, scanner: Server, seconds: float = 5) -> str:
    return scanning.find_signature(io.BytesIO(content), scanner.address, seconds=seconds)


@pytest.mark.parametrize("content", [b"", b"1", MUCH])
def test_a_clean_file_is_sent_whole_in_pieces(scanner: Server, content: bytes) -> None:
    assert signature_in(content, scanner, seconds=30) == ""
    assert scanner.sizes == [len(content)]
    assert scanner.most <= scanning.PIECE_BYTES


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (b"", ScannerFault.CLOSED),
        (CLEAN[:-1], ScannerFault.CLOSED),  # cut off: it may have gone on
        (LIMIT, ScannerFault.TOO_LARGE),
        (b"stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0", ScannerFault.IN_PART),
        (b"stream: Can't allocate memory ERROR\0", ScannerFault.UNKNOWN),
        (b"OK\0", ScannerFault.UNKNOWN),
        (b"stream: OK FOUND ERROR\0", ScannerFault.UNKNOWN),
        (b"stream: OK\nstream: OK\0", ScannerFault.UNKNOWN),
        (b"stream:  FOUND\0", ScannerFault.UNKNOWN),
        (b"stream: \x1b[2J FOUND\0", ScannerFault.UNKNOWN),
        (b"\xff\xfe\0", ScannerFault.UNKNOWN),
        (b"HTTP/1.1 200 OK\r\n\r\n\0", ScannerFault.UNKNOWN),
        (b"x" * 100_000, ScannerFault.UNKNOWN),
    ],
)
def test_anything_else_is_no_verdict(scanner: Server, answer: bytes, trouble: ScannerFault) -> None:
    scanner.answer = answer
    with pytest.raises(NoVerdict) as caught:
        signature_in(b"1|2", scanner)
    assert caught.value.trouble is trouble


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [(LIMIT, ScannerFault.TOO_LARGE), (CLEAN, ScannerFault.UNKNOWN), (b"", ScannerFault.CLOSED)],
)
def test_an_answer_before_the_end_is_no_verdict(
    scanner: Server, answer: bytes, trouble: ScannerFault
) -> None:
    scanner.gives_up, scanner.answer = 1000, answer
    with pytest.raises(NoVerdict) as caught:
        signature_in(MUCH, scanner)
    assert caught.value.trouble is trouble


def test_a_signature_before_the_end_counts(scanner: Server) -> None:
    scanner.gives_up, scanner.answer = 1000, FOUND
    assert signature_in(MUCH, scanner) == SIGNATURE


@pytest.mark.parametrize("pause", [10.0, 0.4])
def test_a_scanner_that_is_silent_or_slow_is_late(scanner: Server, pause: float) -> None:
    def say(own, said) -> None:
        for byte in said:
            time.sleep(pause)
            own.sendall(bytes([byte]))

    scanner.says = say
    began = time.monotonic()
    with pytest.raises(NoVerdict) as caught:
        signature_in(b"1|2", scanner, seconds=1)
    assert caught.value.trouble is ScannerFault.LATE
    assert time.monotonic() - began < 3


def test_a_scanner_that_reads_nothing_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()[:2]
        with pytest.raises(NoVerdict) as caught:
            scanning.find_signature(io.BytesIO(MUCH), address, seconds=1)
    assert caught.value.trouble is ScannerFault.LATE


@pytest.mark.parametrize("address", [("127.0.0.1", 1), "/nowhere/clamd.ctl", ("host.invalid", 1)])
def test_a_scanner_that_is_not_there_is_away(address: scanning.ScannerAddress) -> None:
    for call in (scanning.ping_scanner, scanning.read_scanner_version):
        with pytest.raises(NoVerdict) as caught:
            call(address, seconds=3)
        assert caught.value.trouble is ScannerFault.AWAY


def test_a_large_file_takes_little_memory(scanner: Server, tmp_path) -> None:
    path, size = tmp_path / "large", 1 << 26
    with path.open("wb") as file:
        file.truncate(size)
    tracemalloc.start()
    with path.open("rb") as file:
        assert scanning.find_signature(file, scanner.address, seconds=60) == ""
    most = tracemalloc.get_traced_memory()[1]  # of both sides
    tracemalloc.stop()
    assert scanner.sizes == [size]
    assert most < 20 * scanning.PIECE_BYTES
