"""What stands between a service and its callers or servers: passes on, and survives both."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.resilience.between import Between


@pytest.fixture
def line() -> Iterator[Between]:
    line = Between()
    yield line
    line.close()


def echo(listener: socket.socket, connections: int) -> None:
    for _ in range(connections):
        end, _ = listener.accept()
        with end:
            while read := end.recv(100):
                end.sendall(read)


def answer(port: int, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as end:
        end.sendall(sent)
        try:
            return end.recv(100)
        except ConnectionError:
            return b""


def test_a_server_that_was_away_is_reached_again(line, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        here = probe.getsockname()
    port = int(line(f"http://127.0.0.1:{here[1]}", tmp_path).rpartition(":")[2])
    assert [answer(port, b"lost") for _ in range(3)] == [b""] * 3
    with socket.create_server(here) as listener:
        thread = threading.Thread(target=echo, args=(listener, 2))
        thread.start()
        assert answer(port, b"first") == b"first"
        line.close()
        with pytest.raises(ConnectionRefusedError):
            answer(port, b"refused")
        line.open()
        assert answer(port, b"second") == b"second"
        thread.join()
