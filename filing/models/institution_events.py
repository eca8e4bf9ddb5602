"""The life of institutions: what happened to one on a day, and which periods it does not owe."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.text import capfirst

from filing.models.operations import StaffAction


class InstitutionEvent(StaffAction):
    """Something that happened to an institution, worked by staff as one thing.

    facts: what was chosen, and what the event changed, so that it can be taken back.
    """

    class Kind(models.TextChoices):
        """What happened."""

        NAME = "name", "new name"
        LEI = "lei", "new LEI"
        MERGER = "merger", "merger"
        CLOSING = "closing", "closing"
        EXTENSION = "extension", "extension"
        QUARTERLY = "quarterly", "duty to file quarterly"
        QUARTERLY_END = "quarterly-end", "end of the duty to file quarterly"

    kind = models.CharField(max_length=13, choices=Kind.choices)
    lei = models.CharField(
        "LEI", max_length=20, help_text="Of a merger, the institution that is absorbed."
    )
    other_lei = models.CharField(
        "other LEI",
        max_length=20,
        blank=True,
        help_text="The new LEI, or that of the institution that survives a merger.",
    )
    effective_on = models.DateField("day", help_text="The first day on which it applies.")
    facts = models.JSONField(default=dict, blank=True)
    undone_at = models.DateTimeField("taken back at", null=True, blank=True)
    undone_by = models.CharField("taken back by", max_length=255, blank=True)
    undo_reason = models.TextField("reason for taking it back", blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "institution event"
        indexes = [
            models.Index(fields=["lei"], name="institution_event_lei"),
            models.Index(fields=["other_lei"], name="institution_event_other_lei"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        *("name", "lei", "merger", "closing", "extension"),
                        *("quarterly", "quarterly-end"),
                    ]
                ),
                name="institution_event_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{capfirst(self.get_kind_display())} of {self.lei}, {self.effective_on}"

    @property
    def leis(self) -> list[str]:
        """The LEIs that it is about: one, or two."""
        return [lei for lei in (self.lei, self.other_lei) if lei]


class DutyRelease(models.Model):
    """The periods that an institution does not owe because of an event: by the day they begin."""

    event = models.ForeignKey(InstitutionEvent, models.CASCADE, related_name="releases")
    lei = models.CharField("LEI", max_length=20)
    is_quarterly = models.BooleanField(help_text="Quarters; otherwise years.")
    first_day = models.DateField(help_text="Periods that begin on this day or later …")
    last_day = models.DateField(
        null=True, blank=True, help_text="… and on this day at the latest; blank: all later ones."
    )

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["lei", "is_quarterly"], name="duty_release_lei"),
        ]

    def __str__(self) -> str:
        return f"{self.lei} from {self.first_day}"
