"""A worker that sleeps until there are messages for it, on a machine of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("queue", ["large", "small"])
def test_it_becomes_the_worker_once_a_message_is_there_that_no_other_takes(
    tmp_path: Path, queue: str
) -> None:
    with asleep(tmp_path) as worker:
        send(tmp_path, queue)
        assert worker.communicate(timeout=30)[0] == "1\n"


def test_it_sleeps_on_beside_messages_that_others_take(tmp_path: Path) -> None:
    with asleep(tmp_path) as worker:
        for _ in range(10):
            taken, _of_others = send(tmp_path, "small"), send(tmp_path, "other")
            time.sleep(0.15)
            taken.unlink()
        assert worker.poll() is None
        worker.kill()


def test_it_is_the_worker_at_once_where_the_queue_is_no_folder(tmp_path: Path) -> None:
    """The folder may be left from a time before the site had Redis."""
    for folder, settings in (
        (tmp_path / "none", {}),
        (tmp_path, {"CELERY_BROKER_URL": "redis://127.0.0.1:6379/15"}),
    ):
        with asleep(folder, **settings) as worker:
            assert worker.communicate(timeout=30)[0] == "None\n"
