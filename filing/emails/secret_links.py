"""Links in emails that work like a password: written when the email is sent, and not stored.

The stored text of such an email has `LEFT_OUT` in their place. The secret of a link is derived from
a random seed, so that an email which is sent again has the same link; a table of links stores the
hash.
"""

from __future__ import annotations

import base64
import hmac
import uuid
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from django.urls import reverse

from filing.derived_keys import derive_keys
from filing.emails.requested import LEFT_OUT, WrittenEmail
from filing.errors import NotFound
from filing.models import Mail
from filing.stored_secrets import hash_secret

_Row = TypeVar("_Row", bound=Model)
_PURPOSE = b"filing.emails.secret_links"
LINKS: dict[str, Callable[[int], str]] = {}


def register_secret_links(kind: str, make_link: Callable[[int], str]) -> None:
    """Register the function that makes the link of a kind of email.

    It takes the number of the row that the email is about, the second part of the email's key, and
    returns the address; blank where the link no longer works.
    """
    LINKS[kind] = make_link


def hash_new_link(seed: uuid.UUID) -> str:
    """Return the hash of the secret of a new link."""
    return hash_secret(_derive_secret(derive_keys(_PURPOSE)[0], seed))


def build_link(page: str, seed: uuid.UUID, sha256: str) -> str:
    """Return the address of a page for the secret of a hash; blank if its key is gone."""
    secrets = (_derive_secret(key, seed) for key in derive_keys(_PURPOSE))
    secret = next((secret for secret in secrets if hash_secret(secret) == sha256), "")
    return f"{settings.PUBLIC_URL}{reverse(page, args=[secret])}" if secret else ""


def find_linked_row(rows: QuerySet[_Row], secret: str) -> _Row:
    """Return the row of a table of links that a secret opens. Raises: NotFound."""
    row = rows.filter(sha256=hash_secret(secret)).first()
    if row is None:
        raise NotFound(
            "This link is not complete. Open the link in the email again, or copy all of it."
        )
    return row


def write_email_with_link(mail: Mail) -> WrittenEmail | None:
    """Return an email with its link; None for a kind without one."""
    if (make_link := LINKS.get(mail.kind)) is None:
        return None
    link = make_link(int(mail.key.split(":")[1]))
    text = mail.text.replace(LEFT_OUT, link) if link else mail.text
    return WrittenEmail(mail.to, mail.subject, text, secrets=(link,) if link else ())


def _derive_secret(key: bytes, seed: uuid.UUID) -> str:
    digest = hmac.digest(key, seed.bytes, "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
