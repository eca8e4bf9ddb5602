"""A folder as message queue, for a service without Redis.

The queue library has such a transport, but there a worker can see a message before it is written,
reads nothing and ends. Here a message or table of routes gets its name only when it is complete;
one that cannot be read (a full disk, a foreign file) is dropped with a warning, because the queue
is only a doorbell. For the same reason, a folder that is away for a while is an empty queue: the
library would end the worker.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)

SCHEME = "folder"


class Channel(filesystem.Channel):
    """Sends and receives messages as files of one folder."""

    _is_away = False

    # The library's own classes disagree about the name of the message.
    def _put(self, queue: str, payload: Any, **options: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        _write_whole(Path(self.data_folder_out), name, dumps(payload))

    def _get(self, queue: str, timeout: Any = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in self._messages(folder):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{name}.taken-{os.getpid()}"
            try:
                (folder / name).rename(taken)
            except (FileNotFoundError, NotADirectoryError):
                continue  # another worker was first, or the folder is away
            try:
                return loads(taken.read_text())
            except (OSError, ValueError):
                log.warning("A message that cannot be read was dropped: %s", name)
            finally:
                with suppress(OSError):
                    taken.unlink()
        raise Empty

    def _messages(self, folder: Path) -> list[str]:
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            if not self._is_away:
                log.warning("The queue is away: %s", error)
            self._is_away = True
            return []
        self._is_away = False
        return names

    def _restore(self, message: Any) -> None:
        """Return an unprocessed message to the queue; one that does not fit on the disk is lost.

        If the error were raised, the message would count as in progress forever, and the worker,
        which takes one at a time, would take no other.
        """
        try:
            super()._restore(message)
        except OSError as error:
            log.warning("A message could not be returned to the queue: %s", error)

    def get_table(self, exchange: str) -> list[Any]:
        """Return the routes of an exchange."""
        try:
            routes = loads(self._exchange_file(exchange).read_text())
        except FileNotFoundError:
            return []
        return [filesystem.exchange_queue_t(*route) for route in routes]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        route = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        file = self._exchange_file(exchange)
        with _locked(file.parent):
            routes = self.get_table(exchange)
            if route not in routes:
                _write_whole(file.parent, file.name, dumps([route, *routes]))


class Transport(filesystem.Transport):
    """The transport of addresses that begin with `folder://`."""

    Channel = Channel
    # A separate state: otherwise this transport would share that of the library's.
    global_state = filesystem.virtual.BrokerState()
    driver_type = driver_name = SCHEME


def register() -> None:
    """Register the transport under its scheme."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"


def _write_whole(folder: Path, name: str, content: str) -> None:
    part = folder / f".part-{uuid.uuid4()}"
    try:
        part.write_text(content)
        part.replace(folder / name)
    except OSError:  # a full disk: the partial file would stay forever
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as file:
        filesystem.lock(file, filesystem.LOCK_EX)
        try:
            yield
        finally:
            filesystem.unlock(file)
