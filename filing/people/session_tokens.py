"""The access token that a session was given at sign-in. It stays on the server with the session."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.sessions.backends.base import SessionBase

KEY = "access_token"  # where the session has it


@dataclass(frozen=True)
class SessionToken:
    """An access token as the profile page shows it."""

    text: str
    expires_at: datetime

    @property
    def is_expired(self) -> bool:
        return self.expires_at.timestamp() <= time.time()


def keep(session: SessionBase, text: str, *, expires: int) -> None:
    """Keep an access token with a session; a blank one where the provider's are of no use here.

    Units: expires is in seconds since 1970-01-01 UTC.
    """
    session[KEY] = {"text": text, "expires": expires}


def of(session: SessionBase) -> SessionToken | None:
    """Return what was kept, or nothing where nobody signed in through a provider."""
    kept = session.get(KEY)
    if kept is None:
        return None
    return SessionToken(kept["text"], datetime.fromtimestamp(kept["expires"], UTC))
