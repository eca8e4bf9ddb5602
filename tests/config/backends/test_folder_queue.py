"""The folder as queue: many processes at once, and what a killed one leaves behind."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from kombu import Connection, Queue

from config import server_addresses
from config.backends import folder_queue
from config.running.supervisor import ROOT

folder_queue.register_transport()
QUEUE = Queue("small", routing_key="small")
SENDER = """
import sys
from kombu import Connection, Queue
from config import server_addresses
from config.backends import folder_queue
folder_queue.register_transport()
url, options = server_addresses.broker_settings(sys.argv[1])
with Connection(url, transport_options=options) as connection:
    queue = connection.SimpleQueue(Queue("small", routing_key="small"))
    for number in range(int(sys.argv[3])):
        queue.put(f"{sys.argv[2]}-{number}")
"""


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"filesystem://{tmp_path / 'queue'}"


def connection(address: str) -> Connection:
    url, options = server_addresses.broker_settings(address)
    return Connection(url, transport_options=options)


def senders(address: str, *, processes: int, messages: int) -> list[subprocess.Popen[bytes]]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", SENDER, address, str(process), str(messages)], cwd=ROOT
        )
        for process in range(processes)
    ]


def received(address: str, expected: int) -> list[str]:
    found = []
    until = time.monotonic() + 30
    with connection(address) as open_connection:
        queue = open_connection.SimpleQueue(QUEUE)
        while len(found) < expected and time.monotonic() < until:
            try:
                message = queue.get(timeout=0.2)
            except queue.Empty:
                continue
            found.append(message.payload)
            message.ack()
    return found


def test_what_many_processes_send_arrives_once_and_whole(address):
    sending = senders(address, processes=3, messages=100)
    found = received(address, 300)
    assert [process.wait() for process in sending] == [0, 0, 0]
    assert sorted(found) == sorted(f"{p}-{n}" for p in range(3) for n in range(100))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"body": '])
def test_a_message_that_cannot_be_read_is_dropped_and_the_others_arrive(address, content, caplog):
    senders(address, processes=1, messages=2)[0].wait()
    messages = Path(address.removeprefix("filesystem://")) / "messages"
    (messages / "-1_broken.small.msg").write_bytes(content)
    assert received(address, 2) == ["0-0", "0-1"]
    assert "-1_broken.small.msg" in caplog.text
    assert list(messages.iterdir()) == []


def test_what_does_not_fit_on_a_full_disk_leaves_nothing_behind(address):
    """A limit of the process stands for the disk: it may write files of 40 bytes, no more."""
    senders(address, processes=1, messages=1)[0].wait()
    folder = Path(address.removeprefix("filesystem://"))
    before = set(folder.rglob("*"))
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))\n" + SENDER
    words = [sys.executable, "-c", limited, address, "0", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert set(folder.rglob("*")) == before
