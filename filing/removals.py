"""When stored files may be removed: not while a backup runs. What has to wait is listed.

A backup first takes a snapshot of the database, and then copies the files that its rows name. A row
stops naming a folder before the folder is removed. So if no pause is in force when a removal
begins, no later snapshot names the folder.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import Error, IntegrityError, connection, transaction
from django.utils import timezone

from filing.models import PostponedRemoval, RemovalPause

log = logging.getLogger(__name__)

PAUSE = timedelta(minutes=10)  # after which a pause that is not extended has ended
_EXTENDED_EVERY = 60.0  # seconds
_BACKUP = "backup"


class AlreadyPaused(Exception):
    """Another process has paused removals; the message names it and what to do."""


def are_paused() -> bool:
    """Tell whether stored files must stay for now."""
    return RemovalPause.objects.filter(until__gt=timezone.now()).exists()


def postpone(folder: str) -> None:
    """List a stored folder to be removed later."""
    PostponedRemoval.objects.get_or_create(folder=folder)


@contextmanager
def paused() -> Iterator[None]:
    """Pause all removals while the block runs; a thread extends the pause.

    Raises: AlreadyPaused.
    """
    owner = f"process {os.getpid()} of {socket.gethostname()}"
    pause = _begin(owner)
    stop = threading.Event()
    thread = threading.Thread(target=_extend_until, args=(pause.pk, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        RemovalPause.objects.filter(pk=pause.pk).delete()


def forget_pauses() -> None:
    """End all pauses: after a restore, that of its backup is in the database."""
    RemovalPause.objects.all().delete()


def _begin(owner: str) -> RemovalPause:
    now = timezone.now()
    RemovalPause.objects.filter(until__lte=now).delete()
    try:
        with transaction.atomic():
            return RemovalPause.objects.create(purpose=_BACKUP, owner=owner, until=now + PAUSE)
    except IntegrityError:
        other = RemovalPause.objects.filter(purpose=_BACKUP).first()
        raise AlreadyPaused(
            f"Another backup is running: {other}. If it was killed, try again after that time."
        ) from None


def _extend_until(pause: int, stop: threading.Event) -> None:
    try:
        while not stop.wait(_EXTENDED_EVERY):
            try:
                RemovalPause.objects.filter(pk=pause).update(until=timezone.now() + PAUSE)
            except Error as error:  # the next turn tries again
                log.warning("The pause of removals was not extended: %s", error)
    finally:
        connection.close()
