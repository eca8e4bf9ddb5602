"""The current announcements. Every request needs them, so they are cached for a few seconds."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any
from urllib.parse import quote

from django.db import Error
from django.db.models import Q
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from filing.models import Announcement

log = logging.getLogger(__name__)
CACHE_SECONDS = 4  # after which other processes notice a change
MAX_ANNOUNCEMENTS = 50
ANNOUNCEMENT_HEADER = "Announcement"
LONGEST_HEADER = 3900  # characters, below the limit of common proxies
_URGENCY = {"maintenance": 0, "warning": 1, "info": 2}


class _Cache:
    """The announcements as they were read last, kept for a number of seconds.

    While one thread reads them again, the other threads get the previous ones.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._value: list[Announcement] | None = None
        self._until = float("-inf")

    def get(self) -> list[Announcement]:
        """Return the announcements, from the cache while it is current."""
        value = self._value
        if value is not None and time.monotonic() < self._until:
            return value
        if not self._guard.acquire(blocking=value is None):
            assert value is not None
            return value
        try:
            if self._value is None or time.monotonic() >= self._until:
                self.keep(_read())
            assert self._value is not None
            return self._value
        finally:
            self._guard.release()

    def keep(self, value: list[Announcement], *, seconds: float = CACHE_SECONDS) -> None:
        """Keep announcements as if they had just been read."""
        self._value, self._until = value, time.monotonic() + seconds

    def forget(self) -> None:
        """Drop the announcements; the next call of `get` reads them again."""
        self._value, self._until = None, float("-inf")


def list_current_announcements() -> list[Announcement]:
    """Return the announcements to show now, the most urgent first, then the newest."""
    now = timezone.now()
    return [announcement for announcement in _cache.get() if announcement.is_current(now)]


def list_planned_maintenance() -> list[Announcement]:
    """Return the announcements of maintenance that has not begun, the first one first."""
    now = timezone.now()
    planned = [each for each in _cache.get() if each.level == "maintenance" and each.begins > now]
    return sorted(planned, key=lambda announcement: announcement.begins)


def build_announcement_header() -> str:
    """Return the value of the `Announcement` header for programs; blank without announcements.

    A list of levels, each with its text as a parameter: `maintenance; text="Closed on Sunday."`.
    Text that is not plain ASCII is encoded as in RFC 8187. Items that make the header too long are
    left out.
    """
    value = ""
    for announcement in list_current_announcements():
        item = _as_item(announcement)
        longer = f"{value}, {item}" if value else item
        if len(longer) <= LONGEST_HEADER:
            value = longer
    return value


def preset_announcements(
    announcements: list[Announcement], *, seconds: float = CACHE_SECONDS
) -> None:
    """Use these announcements, without reading the database, for a number of seconds."""
    _cache.keep(announcements, seconds=seconds)


def forget_announcements(**options: Any) -> None:
    """Read the database at the next request."""
    _cache.forget()


def watch_announcements() -> None:
    """Clear the cache when this process changes an announcement."""
    for signal in (post_save, post_delete):
        signal.connect(forget_announcements, sender=Announcement, dispatch_uid="announcements")


def _read() -> list[Announcement]:
    """Return announcements that have not ended; none if the database is down, so pages still work.

    Sorted by urgency, the newest first within a level.
    """
    not_ended = Announcement.objects.filter(Q(ends__isnull=True) | Q(ends__gt=timezone.now()))
    try:
        newest = list(not_ended.order_by("-begins", "-pk")[:MAX_ANNOUNCEMENTS])
    except Error as error:
        log.warning("Announcements cannot be read: %s", error)
        return []
    return sorted(newest, key=lambda announcement: _URGENCY[announcement.level])


def _as_item(announcement: Announcement) -> str:
    text = " ".join(announcement.text.split())
    if text.isascii() and text.isprintable():
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'{announcement.level}; text="{escaped}"'
    return f"{announcement.level}; text*=UTF-8''{quote(text, safe='')}"


_cache = _Cache()
