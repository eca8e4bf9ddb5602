"""What staff change in the admin, kept field by field: by whom, from where, in which request.

The log's own middleware takes the first address that a client claims, reads the session of every
request and joins a signal for its time. This one only remembers the request, and asks it for the
user where something is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from auditlog.models import LogEntry
from auditlog.registry import auditlog
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.db.models.signals import pre_save
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from oauth2_provider.models import Application

from filing import audit
from filing.access import Caller
from filing.models import (
    Announcement,
    Filing,
    FilingPeriod,
    Institution,
    Membership,
    PersonalToken,
)

# Fields that no entry ever holds: secrets, and what changes with every sign-in.
LEFT_OUT = {"password", "last_login", "client_secret", "sha256", "last_used_at", "checked_at"}
# Each with its relations to many that are followed. What the service moves (submissions, jobs) has
# its own history, and is not slowed down.
FOLLOWED: dict[type[Model], set[str]] = {
    Institution: set(),
    FilingPeriod: set(),
    Filing: set(),
    Membership: set(),
    Announcement: set(),
    PersonalToken: set(),
    User: {"groups", "user_permissions"},
    Group: {"permissions"},
    Application: set(),
}

_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def follow() -> None:
    """Begin to keep what is changed. Changes of many rows by one statement are not seen here.

    Whoever makes such changes writes the entries, and sends the signal that completes them.
    """
    for model, many in FOLLOWED.items():
        fields = [field.name for field in model._meta.concrete_fields if not field.primary_key]
        auditlog.register(
            model,
            include_fields=[name for name in fields if name not in LEFT_OUT],
            m2m_fields=many,
        )
    pre_save.connect(_complete, sender=LogEntry, dispatch_uid="origin of a change")


def acting(
    answer: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Remember the request that is answered, so that a change knows who makes it (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        before = _request.set(request)
        try:
            return answer(request)
        finally:
            _request.reset(before)

    return respond


def request_id() -> str | None:
    """Return what the log calls a correlation id."""
    return audit.origin().request_id or None


def _complete(sender: type[LogEntry], instance: LogEntry, **options: Any) -> None:
    """Say in an entry who made the change, from where and why."""
    instance.remote_addr = audit.origin().address or None
    user: Any = getattr(_request.get(), "user", None)
    if isinstance(user, User):
        instance.actor = user
        instance.actor_email = user.email
    elif isinstance(user, Caller):  # by token: it need not be a user of our database
        instance.actor_email = user.email
        instance.additional_data = {"subject": user.id, "issuer": user.issuer}
    if reason := audit.reason():
        instance.additional_data = {**(instance.additional_data or {}), "reason": reason}
