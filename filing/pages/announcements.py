"""What the site tells everybody now. Asked with every request, so it is kept for some seconds."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

from django.db import Error
from django.db.models import Q
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from filing.models import Announcement
from filing.pages.briefly import Briefly

log = logging.getLogger(__name__)

KEPT_SECONDS = 4  # until the other processes know of a change
AT_MOST = 50
HEADER = "Announcement"
LONGEST_HEADER = 3900  # characters, below what the usual proxies take
_URGENCY = {"maintenance": 0, "warning": 1, "info": 2}


def current() -> list[Announcement]:
    """Return what is to be told at this moment, the most urgent first, then the newest."""
    now = timezone.now()
    return [each for each in _coming.get() if each.is_current(now)]


def header() -> str:
    """Return the value of the header that tells programs; blank when there is nothing to tell.

    A list of levels, each with its text as a parameter, which is written as RFC 8187 says where it
    is not plain ASCII: `maintenance; text="Closed on Sunday."`. What makes it too long is left out.
    """
    told = ""
    for each in current():
        longer = f"{told}, {_as_item(each)}" if told else _as_item(each)
        if len(longer) <= LONGEST_HEADER:
            told = longer
    return told


def preset(announcements: list[Announcement], *, seconds: float = KEPT_SECONDS) -> None:
    """Take these for what the database holds, and do not ask it for so many seconds."""
    _coming.keep(announcements, seconds=seconds)


def forget(**options: Any) -> None:
    """Ask the database when next asked."""
    _coming.forget()


def follow() -> None:
    """Let this process know at once of what it has changed itself."""
    for signal in (post_save, post_delete):
        signal.connect(forget, sender=Announcement, dispatch_uid="announcements")


def _read() -> list[Announcement]:
    """Return what has not ended yet. A database that is away must not take the pages with it."""
    found = Announcement.objects.filter(Q(ends__isnull=True) | Q(ends__gt=timezone.now()))
    try:
        # Those that begin last are the newest; the sort below keeps them so within a level.
        newest = list(found.order_by("-begins", "-pk")[:AT_MOST])
    except Error as error:
        log.warning("Announcements cannot be read: %s", error)
        return []
    return sorted(newest, key=lambda each: _URGENCY[each.level])


def _as_item(announcement: Announcement) -> str:
    text = " ".join(announcement.text.split())
    if text.isascii() and text.isprintable():
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'{announcement.level}; text="{escaped}"'
    return f"{announcement.level}; text*=UTF-8''{quote(text, safe='')}"


_coming = Briefly(_read, seconds=KEPT_SECONDS)
