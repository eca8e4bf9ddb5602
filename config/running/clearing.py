"""Removes what has expired and is of no more use: sessions, tokens, counters, leftover files.

The record of who did what stays: attempts at jobs, emails, revoked personal tokens, and the audit
log but for what a site lets go (`config.running.retention`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Max, Model
from django.utils import timezone
from oauth2_provider import models as provider

from config.limits import buckets
from config.running import retention
from databrowser.publication.modified_lars import lar_builder
from filing import exports, idempotency, storage
from filing.emails import subscriptions
from filing.jobs import sweeper
from filing.lists import schedules
from filing.submissions import comparison_jobs, removed_files, resumable_uploads
from filing.webhooks import deliveries

log = logging.getLogger(__name__)

AT_ONCE = 1000  # rows per statement: other writers must not wait long
_PROVIDER_TABLES: tuple[type[Model], ...] = (
    provider.Grant,
    provider.AccessToken,
    provider.RefreshToken,
    provider.IDToken,
)


@dataclass(frozen=True)
class Cleared:
    """The result for one kind: how many were removed, or why none could be."""

    kind: str
    removed: int = 0
    error: str = ""


def clear_sessions() -> int:
    """Delete the sessions that have expired; return how many."""
    store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
    rows = store.get_model_class().objects  # type: ignore[attr-defined]
    removed = 0
    expired = rows.filter(expire_date__lt=timezone.now()).values_list("pk", flat=True)
    while keys := list(expired[:AT_ONCE]):
        removed += rows.filter(pk__in=keys).delete()[0]
    return removed


def clear_grants_and_tokens() -> int:
    """Delete codes and tokens of the embedded provider that have expired; return how many.

    A used refresh token stays until it would have expired: if it is used again, its successors are
    revoked.
    """
    last = {
        model: model._default_manager.aggregate(last=Max("pk"))["last"]
        for model in _PROVIDER_TABLES
    }
    count_before = _count(last)
    provider.clear_expired()
    return count_before - _count(last)


def _count(last: dict[type[Model], int | None]) -> int:
    """Return the number of rows up to the given last ones, without newer ones."""
    return sum(model._default_manager.filter(pk__lte=pk or 0).count() for model, pk in last.items())


# In the order in which they are reported.
KINDS: dict[str, Callable[[], int]] = {
    "expired sessions": clear_sessions,
    "expired codes and tokens of the identity provider": clear_grants_and_tokens,
    "counters of limits that are back to zero": buckets.delete_full_buckets,
    "idempotency keys that have expired": idempotency.clear_expired_keys,
    "stored folders of attempts that did not succeed": sweeper.clear_failed_attempts,
    "uploads in parts that have ended": resumable_uploads.clear_ended_uploads,
    "stored folders of public rows that were not made": lar_builder.clear_lar_leftovers,
    "submissions whose files are no longer needed": removed_files.remove_unneeded_files,
    "comparisons of large files": comparison_jobs.clear_old_comparisons,
    "exports of lists": exports.clear_old_exports,
    "stored folders that were discarded long enough ago": storage.remove_discarded,
    "entries of the audit log beyond their limit": retention.clear_audit_log,
    "notices of events to staff": subscriptions.remove_old_notices,
    "files of lists on a schedule": schedules.remove_old_lists,
    "deliveries of webhooks": deliveries.clear_old_deliveries,
    **retention.FOLDER_KINDS,
}


def clear_expired() -> Iterator[Cleared]:
    """Clear each kind and yield its result; one that fails does not stop the others."""
    for kind, remove in KINDS.items():
        try:
            cleared = Cleared(kind, removed=remove())
        except Exception as error:
            log.exception("Could not remove %s", kind)
            cleared = Cleared(kind, error=f"{type(error).__name__}: {error}")
        if cleared.removed:
            log.info("Removed %s %s", cleared.removed, kind)
        yield cleared
