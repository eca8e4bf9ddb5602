"""The audit log: what was done or refused, by whom and from where. Entries are never changed."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.fingerprints import FingerprintField
from filing.models.mail_domain import MailDomain
from filing.models.registered import RegisteredField
from filing.registries import events


class AuditEvent(StrEnum):
    """The events of filing and of users in the audit log. Areas above register their own."""

    SIGNED_IN = "signed in"
    SIGNED_OUT = "signed out"
    SIGN_IN_REFUSED = "sign-in refused"
    ACCOUNT_MADE = "account made"
    ACCOUNT_DISABLED = "account disabled"
    ACCOUNT_ENABLED = "account enabled"
    EMAIL_CONFIRMED = "e-mail address confirmed"
    PASSWORD_CHANGED = "password changed"
    PASSWORD_SET = "password set for a user"
    TOKEN_ISSUED = "token issued"
    TOKEN_REFUSED = "token refused"
    PERSONAL_TOKEN_MADE = "personal token made"
    PERSONAL_TOKEN_CHANGED = "personal token changed"
    PERSONAL_TOKEN_REVOKED = "personal token revoked"
    ACCESS_REFUSED = "access refused"
    PROFILE_CHANGED = "profile changed"
    MEMBERSHIP_ADDED = "membership added"
    MEMBERSHIP_REMOVED = "membership removed"
    ROLES_CHANGED = "roles changed"
    KEY_MADE = "signing key made"
    FILING_STARTED = "filing started"
    FILING_COMPLETED = "filing completed"
    FILING_CANCELLED = "filing cancelled"
    FILING_REINSTATED = "filing reinstated"
    RECORD_ADDED = "added by staff"
    RECORD_CHANGED = "changed by staff"
    RECORD_DELETED = "deleted by staff"
    FILING_DELETED = "filing deleted"
    SEASON_OPENED = "season opened"
    SEASON_UNDONE = "season opening undone"
    WINDOW_CHANGED = "filing window changed"
    YEAR_PREPARED = "filing year prepared"
    YEAR_CHANGED = "filing year changed"
    EDIT_WITHDRAWN = "edit withdrawn"
    EDIT_PUT_BACK = "edit put back"
    SIGNED_FILE_CHECKED = "edits run on a signed file"
    PANEL_IMPORTED = "panel imported"
    PANEL_CARRIED_OVER = "panel carried over"
    REFERENCE_DATA_LOADED = "reference data loaded"
    REFERENCE_DATA_RESTORED = "reference data restored"
    FILE_DOWNLOADED = "file downloaded"
    FILE_INFECTED = "infected file refused"
    RECEIPT_SENT_AGAIN = "receipt sent again"
    RECORDS_VIEWED = "records viewed"
    VIEWED_AS_FILER = "submission viewed as the filer sees it"
    CASE_OPENED = "case opened"
    CASE_CLOSED = "case closed"
    BACKUP_MADE = "backup made"
    BACKUP_RESTORED = "backup restored"
    LEGAL_HOLD_PLACED = "legal hold placed"
    LEGAL_HOLD_LIFTED = "legal hold lifted"
    FILES_REMOVED = "files removed"
    PRIVACY_REPORT_DOWNLOADED = "privacy report downloaded"
    AUDIT_LOG_SHORTENED = "audit log entries removed"
    ENTRIES_ADOPTED = "entries of a former release accepted"
    RECEIPT_KEY_ADDED = "receipt key added"
    WEBHOOK_ADDED = "webhook added"
    WEBHOOK_DELETED = "webhook deleted"
    WEBHOOK_DISABLED = "webhook disabled"
    WEBHOOK_ENABLED = "webhook enabled"
    WEBHOOK_SECRET_ROTATED = "webhook secret rotated"
    WEBHOOK_TESTED = "webhook tested"
    WEBHOOK_REPLAYED = "webhook delivery replayed"
    UNEXPECTED_ERROR = "unexpected error"

    @property
    def label(self) -> str:
        """The event as pages call it; the stored value never changes."""
        return _LABELS.get(self, self.value)


_LABELS = {
    AuditEvent.ACCOUNT_MADE: "account created",
    AuditEvent.EMAIL_CONFIRMED: "email address confirmed",
    AuditEvent.PERSONAL_TOKEN_MADE: "personal token created",
    AuditEvent.KEY_MADE: "signing key created",
}
events.register(AuditEvent)


class Unchangeable(models.QuerySet[Any]):
    """Rows that can only be read and added."""

    def update(self, **values: Any) -> int:
        raise TypeError(f"{self.model.__name__} is never changed.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError(f"{self.model.__name__} is never deleted.")


class WrittenOnce(models.Model):
    """A table whose rows are never changed or deleted. Triggers in the database refuse both."""

    objects = Unchangeable.as_manager()

    class Meta:
        abstract = True

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        raise TypeError(f"{type(self).__name__} is never deleted.")


class TrailEntry(WrittenOnce):
    """One entry of the audit log."""

    CONTENT: ClassVar = {
        1: (
            "at", "event", "actor_id", "actor_username", "actor_email", "address",
            "request_id", "lei", "about", "reason",
        )
    }  # fmt: skip

    at = models.DateTimeField(default=timezone.now, db_index=True)
    event = RegisteredField("event", max_length=events.LONGEST, choices=events.choices)
    actor_id = models.CharField(max_length=255, blank=True, help_text="Blank: unknown.")
    actor_username = models.CharField(max_length=255, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)
    address = models.CharField(max_length=45, blank=True, help_text="Where the request came from.")
    request_id = models.CharField(max_length=64, blank=True)
    lei = models.CharField("LEI", max_length=20, blank=True)
    about = models.CharField(max_length=255, blank=True, help_text="What it was done to.")
    reason = models.TextField(blank=True)
    fingerprint = FingerprintField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "audit log entry"
        verbose_name_plural = "audit log entries"
        indexes = [
            models.Index(fields=["request_id"], name="trail_request"),
            models.Index(fields=["lei", "at"], name="trail_lei"),
            models.Index(fields=["event", "at"], name="trail_event"),
            models.Index(MailDomain("actor_email"), name="trail_mail_domain"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.about}".strip()


class Repetition(models.Model):
    """How often the event of an entry happened in its minute, from the same address."""

    entry = models.OneToOneField(TrailEntry, models.CASCADE, related_name="repetition")
    key = models.CharField(
        max_length=32, unique=True, help_text="Events with the same key are counted together."
    )
    minute = models.DateTimeField()
    network = models.CharField(
        max_length=49, blank=True, help_text="An address, or an IPv6 network."
    )
    times = models.PositiveIntegerField(default=1)
    last_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["minute", "network"], name="repetition_network")]
        constraints = [
            models.CheckConstraint(condition=Q(times__gte=1), name="repetition_counts_from_one")
        ]

    def __str__(self) -> str:
        return f"{self.times} times: {self.entry}"
