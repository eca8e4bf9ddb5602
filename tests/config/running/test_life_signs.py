"""Processes that are stopped and go on: those that were stopped together do not end each other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.pure

LIMIT_SECONDS = 4  # of silence
STOPPED_SECONDS = 4.2
LATER_SECONDS = 1.0  # the child goes on after the main process has looked for it

# A main process with one child, both with their signs of life, as in a worker.
MAIN = f"""
import os, time
from types import SimpleNamespace
from config.running import life_signs
if not (child := os.fork()):
    life_signs.give_signs(0)
    time.sleep(600)
life_signs.end_silent(lambda: [SimpleNamespace(pid=child, index=0)], seconds={LIMIT_SECONDS})
print(child, flush=True)
os.waitpid(child, 0)
"""


@pytest.fixture
def processes() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The main process, which ends with its child, and the child."""
    with subprocess.Popen([sys.executable, "-c", MAIN], stdout=subprocess.PIPE, text=True) as main:
        assert main.stdout is not None
        child = int(main.stdout.readline())
        time.sleep(LIMIT_SECONDS)  # in which both give signs of life
        yield main, child
        for process in (child, main.pid):
            if main.poll() is None:
                os.kill(process, signal.SIGKILL)


def test_a_child_that_was_stopped_with_its_main_process_is_not_ended(processes):
    main, child = processes
    for process in (main.pid, child):
        os.kill(process, signal.SIGSTOP)
    time.sleep(STOPPED_SECONDS)
    os.kill(main.pid, signal.SIGCONT)
    time.sleep(LATER_SECONDS)
    os.kill(child, signal.SIGCONT)
    with pytest.raises(subprocess.TimeoutExpired):
        main.wait(LIMIT_SECONDS * 2)


def test_a_child_that_is_stopped_alone_is_ended(processes):
    main, child = processes
    os.kill(child, signal.SIGSTOP)
    assert main.wait(60) == 0
