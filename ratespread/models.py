"""Tables of average prime offer rates (APOR) by week, and of their loads.

Rates are never changed: a correction adds a row and names it in the one it replaces, so that past
answers can be explained.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

TERMS = 50  # years: a week has a rate for each whole number of them


class AporKind(models.TextChoices):
    """The two tables: fixed and variable rates."""

    FIXED = "fixed", "fixed rate"
    VARIABLE = "variable", "variable rate"


class AporLoad(models.Model):
    """One load of a table: its source, and what it changed."""

    kind = models.CharField(max_length=8, choices=AporKind.choices)
    source = models.CharField(max_length=500, help_text="File name or address it came from.")
    sha256 = models.CharField("SHA-256", max_length=64)
    rows = models.PositiveIntegerField(help_text="Weeks in the file.")
    added = models.PositiveIntegerField(help_text="Weeks that were new.")
    changed = models.PositiveIntegerField(help_text="Weeks whose rates were corrected.")
    is_demo = models.BooleanField("demo", default=False, help_text="Made up, to try the tool with.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was loaded by hand.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "APOR load"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=AporKind.values), name="apor_load_kind_known"
            )
        ]

    def __str__(self) -> str:
        return f"load {self.pk} of {timezone.localdate(self.loaded_at)} from {self.source}"


class AporWeek(models.Model):
    """The rates of one week from one load."""

    kind = models.CharField(max_length=8, choices=AporKind.choices)
    week = models.DateField(help_text="The Monday.")
    rates = models.JSONField(help_text="In percent, for terms of 1 to 50 years, as texts.")
    load = models.ForeignKey(AporLoad, models.PROTECT, related_name="weeks")
    replaced_by = models.ForeignKey(
        AporLoad,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="replaced",
        help_text="The load that corrected this week; blank while these rates count.",
    )

    class Meta:
        ordering = ["-week", "kind", "-id"]
        verbose_name = "APOR week"
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "week"],
                condition=Q(replaced_by=None),
                name="one_row_counts_for_each_apor_week",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=AporKind.values), name="apor_week_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, week of {self.week}"


class AporTable(models.Model):
    """One of the two tables as a whole: its last load, and its last check for new rates.

    A load locks this row, so that loads of a table run one after the other.
    """

    kind = models.CharField(max_length=8, choices=AporKind.choices, unique=True)
    version = models.PositiveIntegerField(default=0, help_text="Grows with every change of rates.")
    load = models.ForeignKey(AporLoad, models.PROTECT, null=True, blank=True, related_name="+")
    checked_at = models.DateTimeField(
        null=True, blank=True, help_text="When its address was last asked for rates."
    )
    trouble = models.TextField(
        blank=True, help_text="Why the last time brought nothing; the rates before it still count."
    )

    class Meta:
        ordering = ["kind"]
        verbose_name = "APOR table"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=AporKind.values), name="apor_table_kind_known"
            )
        ]

    def __str__(self) -> str:
        return f"APOR, {self.get_kind_display()}"
