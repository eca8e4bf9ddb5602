"""The watch over the main process of a worker, which is a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.running import main_watch

pytestmark = pytest.mark.pure

PATIENCE_SECONDS = main_watch.SILENT_SECONDS + main_watch.STEADY_SECONDS + 30

# A main process that is still loading: it gives signs of life and does nothing else yet.
MAIN = """
import time
from config.running import main_watch
main_watch.begin()
time.sleep(600)
"""


@pytest.fixture
def main() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", MAIN], stderr=subprocess.PIPE, text=True) as main:
        yield main
        main.kill()


def watches(main: subprocess.Popen[str]) -> list[int]:
    """Return the processes that watch over a main process."""
    found = Path(f"/proc/{main.pid}/task").glob("*/children")
    return [int(child) for file in found for child in file.read_text().split()]


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def the_watch(main: subprocess.Popen[str]) -> int:
    wait_until(lambda: len(watches(main)) == 1)
    (watch,) = watches(main)
    wait_until(lambda: ignores(watch, signal.SIGTERM))
    return watch


def ignores(process: int, number: signal.Signals) -> bool:
    """Tell whether a process ignores a signal, which the watch does from its beginning."""
    status = Path(f"/proc/{process}/status").read_text()
    ignored = int(re.search(r"^SigIgn:\t(\w+)", status, re.M)[1], 16)  # type: ignore[index]
    return bool(ignored >> (number - 1) & 1)


def test_a_main_process_that_is_stopped_is_ended_and_the_log_says_so(main):
    the_watch(main)
    main.send_signal(signal.SIGSTOP)
    _, errors = main.communicate(timeout=PATIENCE_SECONDS)
    assert main.returncode == -signal.SIGKILL
    assert f"The main process of this worker, {main.pid}, gave no sign for 1" in errors


def test_one_that_gives_signs_goes_on_and_takes_its_watch_along_when_it_ends(main):
    watch = the_watch(main)
    os.kill(watch, signal.SIGTERM)  # as to a whole group, which the main process handles
    with pytest.raises(subprocess.TimeoutExpired):
        main.wait(main_watch.SILENT_SECONDS + 3)
    assert watches(main) == [watch]
    main.kill()
    wait_until(lambda: not Path(f"/proc/{watch}").exists())


def test_a_watch_that_is_killed_is_replaced(main):
    first = the_watch(main)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: watches(main) != [first])
    assert the_watch(main) != first
    main.send_signal(signal.SIGSTOP)
    assert main.wait(PATIENCE_SECONDS) == -signal.SIGKILL


def test_a_main_process_that_was_stopped_with_its_watch_goes_on(main):
    watch = the_watch(main)
    for process in (main.pid, watch):
        os.kill(process, signal.SIGSTOP)
    time.sleep(main_watch.SILENT_SECONDS + 1)
    os.kill(watch, signal.SIGCONT)
    time.sleep(2)  # the main process goes on after the watch has looked for it
    main.send_signal(signal.SIGCONT)
    with pytest.raises(subprocess.TimeoutExpired):
        main.wait(main_watch.STEADY_SECONDS + 3)
