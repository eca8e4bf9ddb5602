"""A worker that sleeps until there are messages for it, on a machine of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

from config.running import wait_for_messages

AWAKE = [sys.executable, "-c", f"import os; print(os.environ.get('{wait_for_messages.WAITED}'))"]


def asleep(folder: Path, **settings: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-I", wait_for_messages.__file__, str(folder), "large,small:1"]
    environment = {name: value for name, value in os.environ.items() if "CELERY_BROKER" not in name}
    return subprocess.Popen(
        [*words, *AWAKE], env=environment | settings, stdout=subprocess.PIPE, text=True
    )


def send(folder: Path, queue: str) -> Path:
    """Leave a message as the folder queue names it."""
    message = folder / f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
    message.touch()
    return message


def test_it_becomes_the_worker_once_a_message_is_there(tmp_path: Path) -> None:
    with asleep(tmp_path) as worker:
        send(tmp_path, "other")
        time.sleep(0.5)
        assert worker.poll() is None
        send(tmp_path, "large")
        assert worker.communicate(timeout=30)[0] == "1\n"


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


def test_it_is_the_worker_at_once_where_the_queue_is_no_folder(tmp_path: Path) -> None:
    """The folder may be left from a time before the site had Redis."""
    for folder, settings in (
        (tmp_path / "none", {}),
        (tmp_path, {"CELERY_BROKER_URL": "redis://127.0.0.1:6379/15"}),
    ):
        with asleep(folder, **settings) as worker:
            assert worker.communicate(timeout=30)[0] == "None\n"
