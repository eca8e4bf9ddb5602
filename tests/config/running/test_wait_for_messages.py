"""A worker that sleeps until there are messages for it, on a machine of its own."""

from __future__ import annotations

import threading
import time
import uuid
from pathlib import Path

from config.running import wait_for_messages


def send(folder: Path, queue: str) -> Path:
    """Leave a message as the folder queue names it."""
    message = folder / f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
    message.touch()
    return message


def test_it_stands_in_for_a_worker_that_leaves_messages(tmp_path: Path) -> None:
    queues = wait_for_messages.parse_queues("large,small:1")
    awake = threading.Thread(
        target=wait_for_messages.wait_for_messages,
        args=(str(tmp_path), queues),
        kwargs={"start_seconds": 0},
        daemon=True,
    )
    awake.start()
    for _ in range(10):
        taken = send(tmp_path, "small")
        time.sleep(0.15)
        taken.unlink()
    assert awake.is_alive()
    send(tmp_path, "small")
    awake.join(timeout=30)
    assert not awake.is_alive()
