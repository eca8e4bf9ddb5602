"""The audit log, and the seals of its entries. Entries are never changed.

The log has what was done or refused, by whom and from where. A seal binds the entries since the one
before, and all before them. There is also what was removed under a retention rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from filing import registries
from filing.models.columns import FINGERPRINT_LENGTH, FingerprintField, RegisteredField
from filing.models.database import MailDomain


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
    SECOND_FACTOR_ADDED = "second factor added"
    SECOND_FACTOR_REMOVED = "second factor removed"
    SECOND_FACTOR_RESET = "second factor reset"
    RECOVERY_CODES_MADE = "recovery codes created"
    RECOVERY_CODE_USED = "recovery code used"
    TOKEN_ISSUED = "token issued"
    TOKEN_REFUSED = "token refused"
    PERSONAL_TOKEN_MADE = "personal token made"
    PERSONAL_TOKEN_CHANGED = "personal token changed"
    PERSONAL_TOKEN_REVOKED = "personal token revoked"
    ACCESS_REFUSED = "access refused"
    PROFILE_CHANGED = "profile changed"
    MEMBERSHIP_ADDED = "membership added"
    MEMBERSHIP_REMOVED = "membership removed"
    MEMBERSHIP_CHANGED = "membership changed"
    ROLES_CHANGED = "roles changed"
    PERSON_INVITED = "person invited"
    INVITATION_ACCEPTED = "invitation accepted"
    INVITATION_DECLINED = "invitation declined"
    INVITATION_WITHDRAWN = "invitation withdrawn"
    ACCESS_REQUESTED = "access requested"
    ACCESS_REQUEST_GRANTED = "request for access granted"
    ACCESS_REQUEST_REFUSED = "request for access refused"
    ACCESS_REQUEST_WITHDRAWN = "request for access withdrawn"
    PEOPLE_CONFIRMED = "list of people confirmed"
    JOINING_CHANGED = "who can join changed"
    ORGANIZATION_REGISTERED = "organization registered"
    ORGANIZATION_RENAMED = "organization renamed"
    ORGANIZATION_ENDED = "organization ended"
    ORGANIZATION_PERSON_CHANGED = "person of an organization changed"
    ORGANIZATION_PERSON_ENDED = "person of an organization ended"
    DELEGATION_AGREED = "delegation agreed"
    DELEGATION_CHANGED = "delegation changed"
    DELEGATION_ENDED = "delegation ended"
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
    SUBSCRIPTIONS_CHANGED = "subscriptions changed"
    LIST_REQUESTED = "list requested"
    LIST_DOWNLOADED = "list downloaded"
    REMINDER_SENT = "reminder sent"
    PANEL_IMPORTED = "panel imported"
    PANEL_CARRIED_OVER = "panel carried over"
    INSTITUTION_EVENT_RECORDED = "institution event recorded"
    INSTITUTION_EVENT_UNDONE = "institution event taken back"
    REFERENCE_DATA_LOADED = "reference data loaded"
    REFERENCE_DATA_RESTORED = "reference data restored"
    REFERENCE_DATA_LEFT_OUT = "reference data left out"
    DEMO_REMOVED = "made-up data removed"
    FILE_DOWNLOADED = "file downloaded"
    LIST_EXPORTED = "list exported"
    EXPORT_DOWNLOADED = "export downloaded"
    FILE_INFECTED = "infected file refused"
    EDIT_REVIEWED = "edit reviewed"
    EDIT_REVIEW_REMOVED = "review of an edit removed"
    REASONS_KEPT = "reasons of a former submission kept"
    RECEIPT_SENT_AGAIN = "receipt sent again"
    FOLLOW_UP_REPEATED = "follow-up of a signature repeated"
    RECORDS_VIEWED = "records viewed"
    VIEWED_AS_FILER = "submission viewed as the filer sees it"
    CASE_OPENED = "case opened"
    CASE_CLOSED = "case closed"
    RECORD_PROPOSED = "record proposed"
    PROPOSAL_ACCEPTED = "record proposal accepted"
    PROPOSAL_REFUSED = "record proposal refused"
    PROPOSAL_WITHDRAWN = "record proposal withdrawn"
    LEI_LIST_LOADED = "LEI list loaded"
    BACKUP_MADE = "backup made"
    BACKUP_RESTORED = "backup restored"
    LEGAL_HOLD_PLACED = "legal hold placed"
    LEGAL_HOLD_LIFTED = "legal hold lifted"
    FILES_REMOVED = "files removed"
    PRIVACY_REPORT_DOWNLOADED = "privacy report downloaded"
    AUDIT_LOG_SHORTENED = "audit log entries removed"
    ENTRIES_ADOPTED = "entries of a former release accepted"
    TASK_REQUESTED = "task requested"
    TASK_ENDED = "task ended"
    KEY_ROTATION_REQUESTED = "receipt key rotation requested"
    KEY_ROTATION_APPROVED = "receipt key rotation approved"
    KEY_ROTATION_REJECTED = "receipt key rotation rejected"
    RECEIPT_KEY_ADDED = "receipt key added"
    UNCONFIRMED_RECEIPT_ISSUED = "receipt issued from the database alone"
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
    AuditEvent.FILING_CANCELLED: "filing canceled",
    AuditEvent.PERSONAL_TOKEN_MADE: "personal token created",
    AuditEvent.KEY_MADE: "signing key created",
}
registries.register_audit_events(AuditEvent)


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

    EVIDENCE: ClassVar = "log"
    CONTENT: ClassVar = {
        1: (
            "at", "event", "actor_id", "actor_username", "actor_email", "address",
            "request_id", "lei", "about", "reason",
        )
    }  # fmt: skip

    at = models.DateTimeField(default=timezone.now, db_index=True)
    event = RegisteredField(
        "event", max_length=registries.LONGEST_NAME, choices=registries.list_audit_events
    )
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
        return f"{self.get_event_display()} {self.about}".strip()


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


class Seal(WrittenOnce):
    """A signed statement on the entries that were written since the seal before.

    The entries are rows of the audit log, status changes, signatures, attempts and removals. The
    hash covers all columns and the hash of the seal before; the key that signs receipts signs it.
    """

    number = models.BigIntegerField(primary_key=True, help_text="1 for the first, without gaps.")
    sealed_at = models.DateTimeField()
    entries = models.BigIntegerField(
        db_index=True, help_text="Entries under this seal and those before."
    )
    keys = models.JSONField(help_text="By table, ranges of the primary keys of the entries.")
    totals = models.JSONField(help_text="By table, entries under this seal and those before.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the hashes of the entries.")
    adopted = models.BooleanField(
        default=False, help_text="The entries were not authenticated: see docs/evidence.md."
    )
    kid = models.CharField("key ID", max_length=43)
    hash = models.CharField(max_length=64, db_index=True)
    signature = models.CharField(max_length=86, help_text="Ed25519, base64url.")

    class Meta:
        ordering = ["-number"]
        verbose_name = "audit seal"

    def __str__(self) -> str:
        return f"{self.number}: {self.entries} entries"

    def list_keys(self, table: str) -> Iterator[int]:
        """Yield the primary keys of the entries of a table."""
        for first, last in self.keys.get(table, ()):
            yield from range(first, last + 1)

    @property
    def size(self) -> int:
        """How many entries are under it."""
        return sum(last - first + 1 for ranges in self.keys.values() for first, last in ranges)


class UnsealedEntry(models.Model):
    """An entry that is not sealed yet. The database adds it with the entry; sealing removes it."""

    table = models.CharField(max_length=9)
    entry = models.BigIntegerField(help_text="Its primary key.")
    refused = models.BooleanField(
        default=False, db_default=False, help_text="The service did not write it, or it is gone."
    )

    class Meta:
        ordering = ["id"]
        verbose_name = "unsealed entry"
        verbose_name_plural = "unsealed entries"

    def __str__(self) -> str:
        return f"{self.table} {self.entry}"


class ChainLink(WrittenOnce):
    """One entry in the audit chain of release 1.0.0. Receipts of then name positions of it."""

    position = models.BigIntegerField(primary_key=True, help_text="1 for the first, without gaps.")
    table = models.CharField(max_length=9)
    entry = models.BigIntegerField(help_text="Its primary key.")
    fingerprint = models.CharField(
        max_length=FINGERPRINT_LENGTH, help_text="Revision and SHA-256 of the content of the entry."
    )
    submission = models.BigIntegerField(null=True, blank=True)
    submission_position = models.PositiveIntegerField(
        default=0, help_text="In the chain of its submission; 0 if it has none."
    )
    submission_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)
    sealed_at = models.DateTimeField()
    adopted = models.BooleanField(
        default=False, help_text="Written by a release without fingerprints."
    )

    class Meta:
        ordering = ["-position"]
        verbose_name = "audit chain link"
        constraints = [
            models.UniqueConstraint(fields=["table", "entry"], name="one_link_per_entry"),
            models.UniqueConstraint(
                fields=["submission", "submission_position"],
                condition=Q(submission__isnull=False),
                name="one_link_per_place_in_submission",
            ),
            models.CheckConstraint(condition=Q(position__gte=1), name="links_begin_at_one"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.table} {self.entry}"


class ChainState(models.Model):
    """Its one row is locked by the process that seals.

    Processes of release 1.0.0 also keep in its columns where their sealing goes on.
    """

    seen = models.JSONField(default=dict)
    gaps = models.JSONField(default=dict)
    adopted_up_to = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"state {self.pk}"


class EntryRemoval(WrittenOnce):
    """Entries that were removed under a retention rule. It is evidence itself."""

    EVIDENCE: ClassVar = "removal"
    CONTENT: ClassVar = {
        1: ("at", "table", "entries", "rule"),
        2: ("at", "table", "entries", "hashes", "rule"),
    }

    at = models.DateTimeField(default=timezone.now)
    table = models.CharField(max_length=9)
    entries = models.JSONField(help_text="Their primary keys.")
    hashes = models.JSONField(
        default=list, db_default=Value([], models.JSONField()), help_text="Of these entries."
    )
    rule = models.CharField(max_length=200)
    fingerprint = FingerprintField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "removal of entries"
        verbose_name_plural = "removals of entries"

    def __str__(self) -> str:
        return f"{len(self.entries):,} entries of {self.table}: {self.rule}"


class RemovalPermit(models.Model):
    """Permits the current transaction to delete from a table that retention shortens.

    It is deleted before the transaction ends, so no other transaction ever sees one.
    """

    table = models.CharField(max_length=63, help_text="In the database.")

    def __str__(self) -> str:
        return self.table


class ChainCheck(WrittenOnce):
    """One verification of the audit log, and its result. It counts if the service wrote it."""

    CONTENT: ClassVar = {
        1: (
            "began_at", "ended_at", "is_full", "after", "entries", "head", "finding_count",
            "findings",
        )
    }  # fmt: skip

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(default=timezone.now)
    is_full = models.BooleanField("complete", default=False)
    after = models.BigIntegerField(help_text="Entries up to this one were verified before.")
    entries = models.BigIntegerField(help_text="Sealed entries.")
    head = models.CharField(max_length=64, help_text="Hash of the last seal.")
    finding_count = models.PositiveIntegerField("findings")
    findings = models.JSONField(default=list, help_text="The first of them, as sentences.")
    fingerprint = FingerprintField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "audit log verification"

    def __str__(self) -> str:
        findings = f"{self.finding_count:,} findings" if self.finding_count else "no findings"
        return f"{self.entries:,} entries, {findings}"
