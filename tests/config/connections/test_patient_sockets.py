"""Callers may be slow within limits, and whoever waits for one leaves its place."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.connections import patient_sockets
from config.connections.patient_sockets import CallerStalled, PatientSocket
from config.connections.places import Places

SECONDS = 10


@dataclass
class Line:
    """A connection: the service's side and the caller's, and how often the database was let go."""

    ours: PatientSocket
    caller: socket.socket
    places: Places
    released: list[int] = field(default_factory=list)


@pytest.fixture
def line() -> Iterator[Line]:
    ours, caller = socket.socketpair()
    places = Places(1, threads=5, at_end=int)
    released: list[int] = []
    line = Line(PatientSocket(ours, places, lambda: released.append(1)), caller, places, released)
    yield line
    line.ours.close()
    caller.close()
    places.shutdown()


def read_on(line: Line) -> None:
    for _ in range(1000):
        line.places.submit(line.ours.recv, 100).result(SECONDS)


def test_bytes_arrive_whole_in_both_directions(line: Line) -> None:
    body = os.urandom(3_000_000)
    sender = threading.Thread(target=line.caller.sendall, args=(body,))
    sender.start()
    read = b""
    while len(read) < len(body):
        read += line.places.submit(line.ours.recv, 1 << 16).result(SECONDS)
    sender.join()
    assert read == body

    answer = line.places.submit(line.ours.sendall, body)
    back = b""
    while len(back) < len(body):
        back += line.caller.recv(1 << 16)
    answer.result(SECONDS)
    assert back == body


@pytest.mark.parametrize(("offset", "count"), [(0, None), (5, None), (100_000, 1_500_000)])
def test_a_file_is_sent_from_an_offset_up_to_a_length(
    line: Line, tmp_path: Path, offset: int, count: int | None
) -> None:
    content = os.urandom(2_000_000)
    (tmp_path / "file").write_bytes(content)
    expected = content[offset:][:count]
    with (tmp_path / "file").open("rb") as file:
        answer = line.places.submit(line.ours.sendfile, file, offset, count)
        back = b""
        while len(back) < len(expected):
            back += line.caller.recv(1 << 16)
        assert answer.result(SECONDS) == len(expected)
    assert back == expected


def test_whoever_waits_for_a_caller_leaves_its_place(line: Line) -> None:
    reading = line.places.submit(line.ours.recv, 10)
    assert line.places.submit(lambda: "another request").result(SECONDS) == "another request"
    assert not reading.done()
    line.caller.sendall(b"late")
    assert reading.result(SECONDS) == b"late"


def test_a_long_wait_gives_up_the_database_and_a_short_one_keeps_it(line: Line) -> None:
    reading = line.places.submit(line.ours.recv, 10)
    time.sleep(0.1)
    line.caller.sendall(b"soon")
    assert reading.result(SECONDS) == b"soon"
    assert line.released == []
    reading = line.places.submit(line.ours.recv, 10)
    time.sleep(patient_sockets.BRIEF_SECONDS + 0.3)
    line.caller.sendall(b"late")
    assert reading.result(SECONDS) == b"late"
    assert line.released == [1]


def test_rows_that_are_read_while_they_are_sent_keep_the_database(line: Line) -> None:
    line.ours.may_release = False
    sending = line.places.submit(line.ours.sendall, b"x" * 10_000_000)
    time.sleep(patient_sockets.BRIEF_SECONDS + 0.3)
    assert not sending.done()
    assert line.released == []
    line.caller.close()
    with pytest.raises(OSError, match=r"Broken pipe|reset"):
        sending.result(SECONDS)


def test_a_caller_that_is_silent_is_given_up(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_sockets, "SILENCE_SECONDS", 0.3)
    begin = time.monotonic()
    with pytest.raises(CallerStalled, match="0 bytes"):
        line.places.submit(line.ours.recv, 10).result(SECONDS)
    assert 0.25 < time.monotonic() - begin < 5


def test_a_caller_that_reads_nothing_is_given_up(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_sockets, "SILENCE_SECONDS", 0.3)
    with pytest.raises(CallerStalled):
        line.places.submit(line.ours.sendall, b"x" * 10_000_000).result(SECONDS)


def test_a_proxy_may_pause_while_its_caller_reads_and_a_caller_may_not(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_sockets, "SILENCE_SECONDS", 0.2)
    monkeypatch.setattr(patient_sockets, "GRACE_SECONDS", 0.2)
    ours, proxy = socket.socketpair()
    patient = PatientSocket(ours, line.places, int, is_proxy=True)
    body = b"x" * 3_000_000
    with patient, proxy:
        sending = line.places.submit(patient.sendall, body)
        time.sleep(1)
        assert not sending.done()
        read = 0
        while read < len(body):
            read += len(proxy.recv(1 << 16))
        sending.result(SECONDS)
        with pytest.raises(CallerStalled):  # a body that it passes on is no slower than any other
            line.places.submit(patient.recv, 10).result(SECONDS)


@contextmanager
def dripping(line: Line, content: bytes, *, every: float) -> Iterator[None]:
    """A caller sends some bytes now and then."""
    over = threading.Event()

    def drip() -> None:
        while not over.wait(every):
            line.caller.send(content)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_headers_have_a_time_in_all_however_often_a_byte_comes(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_sockets, "HEAD_SECONDS", 0.5)
    line.ours.begin_head()
    with dripping(line, b"x", every=0.05), pytest.raises(CallerStalled):
        read_on(line)


def test_a_body_has_a_least_speed_after_a_time_of_grace(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_sockets, "GRACE_SECONDS", 0.3)
    line.ours.begin_body()
    # 250 bytes a second
    with dripping(line, b"x" * 5, every=0.02), pytest.raises(CallerStalled):
        read_on(line)


def test_a_time_limit_that_is_set_holds_as_for_any_socket(line: Line) -> None:
    line.ours.settimeout(0.1)
    assert line.ours.gettimeout() == 0.1
    with pytest.raises(TimeoutError):
        line.ours.recv(10)
    line.ours.setblocking(True)
    assert line.ours.gettimeout() is None


def test_a_caller_that_has_gone_ends_the_body(line: Line) -> None:
    line.caller.close()
    assert line.ours.recv(10) == b""
