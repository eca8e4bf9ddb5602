"""A folder as message queue, for a service on one machine without Redis.

Kombu has such a transport. Here a message gets its name only when it is complete, since a worker
would otherwise read the beginning of it and end; and one that cannot be read is dropped with a
warning. A lost message costs seconds: the sweeper sends others.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads

from config.backends.queue_addresses import FOLDER_SCHEME

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Sends and receives messages as files of one folder."""

    # The library's own classes disagree about the name of the message.
    def _put(self, queue: str, payload: Any, **options: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        part = folder / f".part-{uuid.uuid4()}"
        try:
            part.write_text(dumps(payload))
            part.replace(folder / f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg")
        except OSError:  # a full disk: the partial file would stay forever
            part.unlink(missing_ok=True)
            raise

    def _get(self, queue: str, timeout: Any = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{name}.taken-{os.getpid()}"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:
                continue  # another worker was first
            try:
                return loads(taken.read_text())
            except (OSError, ValueError):
                log.warning("A message that cannot be read was dropped: %s", name)
            finally:
                with suppress(OSError):
                    taken.unlink()
        raise Empty


class Transport(filesystem.Transport):
    """The transport of addresses that begin with `folder://`."""

    Channel = Channel
    # A separate state: otherwise this transport would share that of the library's.
    global_state = filesystem.virtual.BrokerState()
    driver_type = driver_name = FOLDER_SCHEME


def register_transport() -> None:
    """Register the transport under its scheme."""
    TRANSPORT_ALIASES[FOLDER_SCHEME] = f"{__name__}:Transport"
