"""Guessed passwords: after some wrong ones a user name has to wait, whether or not anybody has it.

This comes on top of the limit by address, which many addresses together get around. The wrong ones
are counted in the trail, where they stand anyway.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.crypto import salted_hmac

from filing import trail
from filing.models import Happening, TrailEntry

MOST = 10
WITHIN = timedelta(minutes=15)
WRONG = "wrong user name or password"


def has_to_wait(name: str, *, now: datetime | None = None) -> bool:
    """Tell whether there have been too many wrong passwords for this user name of late."""
    wrong = TrailEntry.objects.filter(
        at__gt=(now or timezone.now()) - WITHIN,
        happening=Happening.SIGN_IN_REFUSED,
        about=_about(name),
        reason=WRONG,
    )
    return wrong.count() >= MOST


def note_wrong(name: str) -> None:
    """Count a wrong password."""
    trail.record(Happening.SIGN_IN_REFUSED, by=None, about=_about(name), reason=WRONG)


def note_waiting(name: str) -> None:
    """Tell the trail that a password was not even looked at. It does not make the wait longer."""
    trail.record(
        Happening.SIGN_IN_REFUSED, by=None, about=_about(name), reason="too many wrong passwords"
    )


def _about(name: str) -> str:
    """Return how the trail calls a user name. One that nobody has may be a mistyped password."""
    if User.objects.filter(username=name).exists():
        return f"user {name}"
    return f"unknown user {salted_hmac('guesses', name).hexdigest()[:16]}"
