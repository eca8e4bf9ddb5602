"""The pool of a worker: a child that is killed holds up nothing."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own: a pool starts threads and children, and leaves files open.
KILL_A_CHILD = """
import os, signal

from config.running.worker_pool import ChildPool

pool = ChildPool(1, lost_worker_timeout=3600)  # so long the library would wait for the result
child = pool.apply_async(os.getpid).get(timeout=60)
killed = pool.apply_async(os.kill, (child, signal.SIGKILL))
killed.wait(timeout=60)
print("given back" if killed.ready() and not killed.successful() else "waits")
print("goes on" if pool.apply_async(os.getpid).get(timeout=60) != child else "was not killed")
pool.terminate()
pool.join()
"""


def test_the_work_of_a_killed_child_is_given_back_at_once_and_another_child_goes_on():
    command = [sys.executable, "-c", KILL_A_CHILD]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.stdout.split("\n") == ["given back", "goes on", ""], ran.stderr
