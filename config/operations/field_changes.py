"""Records what staff change in the admin, field by field: by whom, from where, in which request.

The library's own middleware trusts the first address that a client claims, reads the session of
every request and connects a signal for each. This one only remembers the request, and reads its
user when something changes.
"""

from __future__ import annotations

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

from config.requests.middleware import Handler
from databrowser.models import Change, FreezeDay
from filing import audit
from filing.access import Caller, find_user_of_caller
from filing.models import (
    Announcement,
    ColumnHeading,
    Filing,
    FilingPeriod,
    FilingYear,
    Institution,
    ListSchedule,
    Membership,
    Organization,
    PersonalToken,
)

# Fields that are never recorded: secrets, and what changes with every sign-in.
UNRECORDED = {"password", "last_login", "client_secret", "sha256", "last_used_at", "checked_at"}
# The tables, each with its many-to-many fields. Submissions and jobs have histories of their own.
RECORDED: dict[type[Model], set[str]] = {
    Institution: set(),
    FilingYear: set(),
    FilingPeriod: set(),
    Filing: set(),
    Membership: set(),
    Organization: set(),
    Announcement: set(),
    ColumnHeading: set(),
    ListSchedule: {"recipients"},
    Change: set(),
    FreezeDay: set(),
    PersonalToken: set(),
    User: {"groups", "user_permissions"},
    Group: {"permissions"},
    Application: set(),
}

_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def start_recording() -> None:
    """Start recording. Changes of many rows by one statement are not recorded here.

    Code that makes such changes writes the entries and sends the signal that completes them.
    """
    for model, relations in RECORDED.items():
        fields = [field.name for field in model._meta.concrete_fields if not field.primary_key]
        auditlog.register(
            model,
            include_fields=[name for name in fields if name not in UNRECORDED],
            m2m_fields=relations,
        )
    pre_save.connect(_complete, sender=LogEntry, dispatch_uid="origin of a change")


def remember_request(get_response: Handler) -> Handler:
    """Remember the request for the user of a change (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        token = _request.set(request)
        try:
            return get_response(request)
        finally:
            _request.reset(token)

    return respond


def request_id() -> str | None:
    """Return the request id, which the library calls a correlation id."""
    return audit.current_origin().request_id or None


def _complete(sender: type[LogEntry], instance: LogEntry, **options: Any) -> None:
    """Add to an entry who made the change, from where and why."""
    instance.remote_addr = audit.current_origin().address or None
    user: Any = getattr(_request.get(), "user", None)
    if isinstance(user, User):
        instance.actor = user
        instance.actor_email = user.email
    elif isinstance(user, Caller):  # with a token: not necessarily a user in our database
        # Who added an email domain, also by a program, may not file by it.
        instance.actor = find_user_of_caller(user)
        instance.actor_email = user.email
        instance.additional_data = {"subject": user.id, "issuer": user.issuer}
    if reason := audit.current_reason():
        instance.additional_data = {**(instance.additional_data or {}), "reason": reason}
