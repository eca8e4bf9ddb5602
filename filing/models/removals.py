"""Removal of stored files: what waits for it, and legal holds."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.operations import StaffAction
from filing.models.panel import Filing


class PostponedRemoval(models.Model):
    """A stored folder that no row names any more, to be removed when no backup needs it."""

    folder = models.CharField(max_length=200, unique=True, help_text="Folder in storage.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.folder


class LegalHold(StaffAction):
    """A legal hold: nothing of an institution, or of one of its filings, is removed under it."""

    lei = models.CharField("LEI", max_length=20, db_index=True)
    filing = models.ForeignKey(
        Filing,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="legal_holds",
        help_text="Blank: all filings of the institution.",
    )
    lifted_at = models.DateTimeField(
        null=True, blank=True, help_text="Blank while the hold is in force."
    )
    lifted_by = models.CharField(max_length=255, blank=True)
    lifted_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["lei"],
                condition=Q(filing=None, lifted_at=None),
                name="one_legal_hold_per_institution",
            ),
            models.UniqueConstraint(
                fields=["filing"],
                condition=Q(filing__isnull=False, lifted_at=None),
                name="one_legal_hold_per_filing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="legal_hold_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"legal hold on {self.filing or self.lei}"
