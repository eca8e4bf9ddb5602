"""Waits in a few megabytes for messages of a folder queue, then becomes the worker that reads them.

It is run as a file, without the service's packages. The worker ends once it has nothing to do, and
the process manager starts this again. Where there is no such folder it becomes the worker at once.
"""

from __future__ import annotations

import os
import sys
import time

_PAUSE_SECONDS = 0.2


def wait_for_messages(folder: str, queues: list[str]) -> None:
    """Return once the folder has a message of one of the queues, or does not exist."""
    endings = tuple(f".{queue}.msg" for queue in queues)
    while os.path.isdir(folder) and not any(name.endswith(endings) for name in os.listdir(folder)):
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    _, folder, queues, *words = sys.argv
    wait_for_messages(folder, queues.split(","))
    os.execvp(words[0], words)  # noqa: S606 -- our own words
