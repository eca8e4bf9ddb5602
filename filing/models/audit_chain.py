"""The audit chain: links that bind entries to all entries before them, and what was removed."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.audit_log import WrittenOnce
from filing.models.fingerprints import LENGTH, FingerprintField


class ChainLink(WrittenOnce):
    """One entry in the audit chain, with the hash of it and of all links before.

    The entry is a row of the audit log, a status change, a signature, an attempt or a removal. An
    entry about a submission also has its place in the chain of that submission.
    """

    position = models.BigIntegerField(primary_key=True, help_text="1 for the first, without gaps.")
    table = models.CharField(max_length=9)
    entry = models.BigIntegerField(help_text="Its primary key.")
    fingerprint = models.CharField(
        max_length=LENGTH, help_text="Revision and SHA-256 of the content of the entry."
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
    """Where sealing goes on. It has one row, which a process locks while it seals.

    All are by table. seen: the last entry that was looked at. gaps: ranges of keys before it that
    were missing, each with the time when that was noticed (seconds since 1970). adopted_up_to: the
    last entry of a release without fingerprints.
    """

    seen = models.JSONField(default=dict)
    gaps = models.JSONField(default=dict)
    adopted_up_to = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"seen up to {self.seen}"


class EntryRemoval(WrittenOnce):
    """Entries that were removed under a retention rule. It is an entry of the chain itself."""

    CONTENT: ClassVar = {1: ("at", "table", "entries", "rule")}

    at = models.DateTimeField(default=timezone.now)
    table = models.CharField(max_length=9)
    entries = models.JSONField(help_text="Their primary keys.")
    rule = models.CharField(max_length=200)
    fingerprint = FingerprintField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "removal of entries"
        verbose_name_plural = "removals of entries"

    def __str__(self) -> str:
        return f"{len(self.entries):,} entries of {self.table}: {self.rule}"


class RemovalPermit(models.Model):
    """Permits the current transaction to delete from a table that refuses it otherwise.

    It is deleted before the transaction ends, so no other transaction ever sees one.
    """

    table = models.CharField(max_length=63, help_text="In the database.")

    def __str__(self) -> str:
        return self.table


class ChainCheck(WrittenOnce):
    """One verification of the audit log, and its result."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(default=timezone.now)
    is_full = models.BooleanField("complete", default=False)
    after = models.BigIntegerField(help_text="Links up to this one were verified before.")
    entries = models.BigIntegerField(help_text="Links of the chain, and the place of its head.")
    head = models.CharField(max_length=64, help_text="Hash of the last link.")
    finding_count = models.PositiveIntegerField("findings")
    findings = models.JSONField(default=list, help_text="The first of them, as sentences.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "audit log verification"

    def __str__(self) -> str:
        found = f"{self.finding_count:,} findings" if self.finding_count else "no findings"
        return f"{self.entries:,} entries, {found}"
