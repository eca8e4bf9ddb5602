"""The access token of a session, stored at sign-in on the server."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.sessions.backends.base import SessionBase

KEY = "access_token"  # in the session


@dataclass(frozen=True)
class SessionToken:
    """An access token as the profile page shows it."""

    text: str
    expires_at: datetime

    @property
    def is_expired(self) -> bool:
        return self.expires_at.timestamp() <= time.time()


def store(session: SessionBase, text: str, *, expires: int) -> None:
    """Store an access token in a session; a blank one where those of the provider cannot be used.

    Units: expires is in seconds since 1970-01-01 UTC.
    """
    session[KEY] = {"text": text, "expires": expires}


def of(session: SessionBase) -> SessionToken | None:
    """Return the stored token; none if the user did not sign in through a provider."""
    stored = session.get(KEY)
    if stored is None:
        return None
    return SessionToken(stored["text"], datetime.fromtimestamp(stored["expires"], UTC))
