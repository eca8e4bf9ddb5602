"""Sessions in the database: under the hash of their key, with encrypted data.

The key itself is only in the cookie of the browser, so a row opens no session. The data have tokens
of the identity provider, which signing out and the profile page need again.
"""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.encoding import force_str

from filing.stored_secrets import UnreadableSecret, decrypt_secret, encrypt_secret, hash_secret

_HASH_LENGTH = 40  # hexadecimal digits, the width of the column: 160 bits, as many as a key has


class SessionStore(db.SessionStore):
    """Django's sessions in the database, which store no key and no readable data."""

    def encode(self, session_dict: dict[str, Any]) -> str:
        """Return the data as they are stored."""
        return encrypt_secret(self.serializer().dumps(session_dict).decode("latin-1"))

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """Return stored data; none that were written with another SECRET_KEY."""
        try:
            data: dict[str, Any] = self.serializer().loads(
                decrypt_secret(force_str(session_data)).encode("latin-1")
            )
        except (UnreadableSecret, ValueError):
            return {}
        return data

    def exists(self, session_key: str) -> bool:
        """Return whether there is a session with this key."""
        return Session.objects.filter(pk=_hash_key(session_key)).exists()

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session with this key, by default this one."""
        if key := session_key or self.session_key:
            Session.objects.filter(pk=_hash_key(key)).delete()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row of this session."""
        return Session(
            session_key=_hash_key(self._get_or_create_session_key()),  # type: ignore[attr-defined]
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
        )

    def _get_session_from_db(self) -> Session | None:
        rows = Session.objects.filter(expire_date__gt=timezone.now())
        row = rows.filter(pk=_hash_key(self.session_key or "")).first()
        if row is None:
            self._session_key = None
        return row

    # Those of the parent would look up and store the key itself.
    async def aexists(self, session_key: str) -> bool:
        """Return whether there is a session with this key."""
        return await sync_to_async(self.exists)(session_key)

    async def adelete(self, session_key: str | None = None) -> None:
        """Delete the session with this key, by default this one."""
        await sync_to_async(self.delete)(session_key)

    async def acreate_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row of this session."""
        return await sync_to_async(self.create_model_instance)(data)

    async def _aget_session_from_db(self) -> Session | None:
        return await sync_to_async(self._get_session_from_db)()


def _hash_key(key: str) -> str:
    return hash_secret(key)[:_HASH_LENGTH]
