"""A kept connection is closed when its time is over, but not with a request in it."""

from __future__ import annotations

import selectors
import socket
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from config.web_worker import Worker

OVER, LATER = -1.0, 1e12  # seconds, on the clock of the web server


@dataclass(eq=False)
class Kept:
    """A kept connection, as the web server lists it."""

    sock: socket.socket
    caller: socket.socket
    timeout: float
    data_ready: bool = False

    def close(self) -> None:
        self.sock.close()


@pytest.fixture
def connections() -> Iterator[list[Kept]]:
    made = [Kept(*socket.socketpair(), timeout) for timeout in (OVER, OVER, OVER, LATER)]
    made[1].caller.send(b"GET / HTTP/1.1\r\n")
    made[2].caller.close()
    made[3].caller.send(b"GET / HTTP/1.1\r\n")
    yield made
    for each in made:
        each.sock.close()
        each.caller.close()


class Listing(Worker):
    """A worker that lists the requests that it would work on."""

    def __init__(self, connections: list[Kept], kind: str, *, seconds: float = 0) -> None:
        """Prepare it with connections that are kept or new. seconds: to begin with a request."""
        self.keepalived_conns: Any = deque(connections if kind == "kept" else [])
        self.pending_conns: Any = deque(connections if kind == "new" else [])
        self.seconds = seconds
        self.poller: Any = selectors.DefaultSelector()
        self.nr_conns, self.requests = len(connections), list[Any]()
        for each in connections:
            self.poller.register(each.sock, selectors.EVENT_READ)

    def enqueue_req(self, conn: Any) -> None:
        time.sleep(self.seconds)
        self.requests.append(conn)


@pytest.mark.parametrize("kind", ["kept", "new"])
def test_a_request_that_came_at_the_last_moment_is_answered(connections, kind):
    worker = Listing(connections, kind)
    end = worker.murder_keepalived if kind == "kept" else worker.murder_pending
    end()
    idle, asked, gone, later = connections
    assert idle.sock.fileno() == -1
    assert worker.requests == [asked, gone]
    assert list(worker.keepalived_conns) + list(worker.pending_conns) == [later]
    assert worker.nr_conns == 3
    assert asked.sock.recv(100) == b"GET / HTTP/1.1\r\n"
    worker.poller.close()


def test_what_takes_long_here_does_not_end_others(connections):
    for each in connections:
        each.timeout = time.monotonic() + 0.2
    connections[0].timeout = OVER
    connections[0].caller.send(b"GET / HTTP/1.1\r\n")
    worker = Listing(connections, "kept", seconds=0.3)
    worker.murder_keepalived()
    assert worker.requests == connections[:1]
    assert list(worker.keepalived_conns) == connections[1:]
    worker.poller.close()


def test_all_connections_are_closed_when_the_worker_ends(connections):
    worker = Listing(connections, "kept")
    worker.murder_keepalived(force=True)
    assert (worker.requests, worker.nr_conns) == ([], 0)
    assert [each.sock.fileno() for each in connections] == [-1] * 4
    worker.poller.close()
