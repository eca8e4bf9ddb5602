"""Proposals for the panel: changes of a record, and new institutions, until staff answer them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q

from filing.models.operations import Case, StaffAction


class RecordProposal(StaffAction):
    """What someone outside staff proposes for the panel, and why.

    Its case with the help desk has the number that both sides quote, and is closed with the answer.
    """

    class Kind(models.TextChoices):
        CHANGE = "change", "change of a record"
        NEW = "new", "new institution"

    class State(models.TextChoices):
        OPEN = "open", "waiting for staff"
        ACCEPTED = "accepted", "accepted"
        CHANGED = "changed", "accepted with changes"
        REFUSED = "refused", "refused"
        WITHDRAWN = "withdrawn", "withdrawn"

    kind = models.CharField(max_length=6, choices=Kind.choices, default=Kind.CHANGE)
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    case = models.OneToOneField(Case, models.PROTECT, related_name="record_proposal")
    user = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="record_proposals",
        help_text="The account of the person; a new institution gives it the first right.",
    )
    lei = models.CharField("LEI", max_length=20)
    activity_year = models.PositiveSmallIntegerField(
        help_text="The year of the record; of a new institution, the first year it files for."
    )
    changes = models.JSONField(
        default=dict, help_text="Of each field, the value before and the one proposed."
    )
    accepted = models.JSONField(
        default=dict, blank=True, help_text="What staff wrote, in the same form."
    )
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.CharField(max_length=255, blank=True)
    log_entries = models.JSONField(
        default=list, blank=True, help_text="Their entries in the history of the institution."
    )

    class Meta:
        ordering = ["-at", "-id"]
        verbose_name = "record proposal"
        permissions = [("answer_recordproposal", "Can accept and refuse a record proposal")]
        indexes = [
            models.Index(fields=["lei", "state"], name="record_proposal_lei"),
            models.Index(fields=["state", "at"], name="record_proposal_state"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["lei"],
                condition=Q(kind="new", state="open"),
                name="one_new_institution_waits_per_lei",
            ),
            models.CheckConstraint(
                condition=Q(state="open", answered_at=None)
                | (~Q(state="open") & Q(answered_at__isnull=False)),
                name="record_proposal_is_answered_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} for {self.lei}"

    @property
    def number(self) -> str:
        """The number of its case."""
        return f"CASE-{self.case_id}"

    @property
    def is_open(self) -> bool:
        """Whether it waits for staff."""
        return self.state == self.State.OPEN

    @property
    def is_new(self) -> bool:
        """Whether it registers a new institution."""
        return self.kind == self.Kind.NEW

    @property
    def proposed(self) -> dict[str, Any]:
        """The proposed values, by field."""
        return {name: after for name, (_, after) in self.changes.items()}
