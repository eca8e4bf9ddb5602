"""Waits in a few megabytes for messages of a folder queue, then becomes the worker that reads them.

It is run as a file, without the service's packages. The worker ends once it has nothing to do, and
the process manager starts this again. Where there is no such folder it becomes the worker at once.
"""

from __future__ import annotations

import os
import sys
import time

_PAUSE_SECONDS = 0.2
_START_SECONDS = 10  # in which other workers may still start: what they leave then says nothing
_BROKER = ("CELERY_BROKER_URL", "CELERY_BROKER_URL_FILE")
WAITED = "WAITED_FOR_MESSAGES"  # in the environment of a worker whose place this takes again


def wait_for_messages(
    folder: str, queues: dict[str, float], *, start_seconds: float = _START_SECONDS
) -> None:
    """Return once the folder has a message of one of the queues, or does not exist.

    queues: each with the seconds for which another worker may leave a message, 0 if there is none.
    """
    started = time.time()
    while os.path.isdir(folder):
        now = time.time()
        for name in os.listdir(folder):
            # As `config.backends.folder_queue` names them: 0176..._UUID.large.msg
            nanoseconds, _, rest = name.partition("_")
            queue = rest.partition(".")[2].removesuffix(".msg")
            if not rest.endswith(".msg") or queue not in queues:
                continue
            is_left = now - int(nanoseconds) / 1e9 >= queues[queue]
            if not queues[queue] or (is_left and now - started >= start_seconds):
                return
        time.sleep(_PAUSE_SECONDS)


def parse_queues(text: str) -> dict[str, float]:
    """Return the queues of a text such as `large,small:1`."""
    parts = (word.partition(":") for word in text.split(","))
    return {queue: float(seconds or 0) for queue, _, seconds in parts}


if __name__ == "__main__":
    _, folder, text, *words = sys.argv
    # The folder may be left from a time before the site had another queue.
    if os.path.isdir(folder) and not any(map(os.environ.get, _BROKER)):
        os.environ[WAITED] = "1"
        wait_for_messages(folder, parse_queues(text))
    os.execvp(words[0], words)  # noqa: S606 -- our own words
