"""Tables of computed graphs, of the version shown, and of imported facts."""

from __future__ import annotations

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models import Job
from filing.models.operations import StaffAction


class FactsImport(models.Model):
    """The facts of one year, imported from a file."""

    year = models.PositiveSmallIntegerField()
    annual = models.BooleanField(
        default=True, help_text="Facts of annual filings; if off, of quarterly filings."
    )
    source = models.CharField(max_length=500, help_text="File name.")
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Hash of the file as received.")
    rows = models.PositiveBigIntegerField("records")
    institutions = models.PositiveIntegerField()
    folder = models.CharField(max_length=200, help_text="Folder in storage.")
    is_demo = models.BooleanField("made up", default=False, help_text="For demos only.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="Used for the graphs of its year.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "imported facts"
        verbose_name_plural = "imported facts"
        constraints = [
            models.UniqueConstraint(
                fields=["year"], condition=Q(active=True), name="one_import_of_facts_per_year"
            ),
            models.CheckConstraint(
                condition=~Q(folder="") & Q(rows__gt=0), name="facts_import_has_rows_somewhere"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} ({self.year}, {self.rows:,} records)"


class ComputationState(models.TextChoices):
    """The states of a computation."""

    ASKED = "asked", "requested"
    MADE = "made", "computed"
    UNCHANGED = "unchanged", "unchanged"


class Computation(StaffAction):
    """A computation of all graphs, requested and then done. Its key is the version number."""

    State: TypeAlias = ComputationState

    state = models.CharField(max_length=9, choices=State.choices, default=State.ASKED)
    force = models.BooleanField(default=False, help_text="Compute even if nothing is new.")
    job = models.OneToOneField(Job, models.PROTECT, related_name="graphs_computation")
    made_at = models.DateTimeField("computed at", null=True, blank=True)
    rows = models.PositiveBigIntegerField("records", default=0, help_text="Number of facts read.")
    seconds = models.FloatField(default=0, help_text="Duration of the computation.")
    sources = models.JSONField(default=list, blank=True, help_text="The sources of each year.")
    sources_sha256 = models.CharField("SHA-256 of the sources", max_length=64, blank=True)
    is_demo = models.BooleanField(
        "made up", default=False, help_text="Computed from made-up facts."
    )
    filers = models.PositiveIntegerField(
        "quarterly filers", null=True, blank=True, help_text="Number of filers counted."
    )
    panel_year = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Year of the panel that lists the quarterly filers."
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=list(ComputationState)),
                name="computation_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state=ComputationState.MADE)
                | (~Q(sources_sha256="") & Q(made_at__isnull=False)),
                name="made_computation_has_sources_and_time",
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.pk}"


class ComputedGraph(models.Model):
    """A graph of a computation: the points of each line, and its quarters with too few records."""

    computation = models.ForeignKey(Computation, models.CASCADE, related_name="graphs")
    endpoint = models.CharField(max_length=60)
    lines = models.JSONField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["computation", "endpoint"], name="a_graph_is_computed_once_in_a_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.endpoint}, version {self.computation_id}"


class Shown(StaffAction):
    """The version shown to readers, and who chose it and why. A table of one row."""

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    computation = models.OneToOneField(Computation, models.PROTECT, related_name="shown")

    class Meta:
        verbose_name_plural = "shown"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_version_is_shown")]

    def __str__(self) -> str:
        return f"version {self.computation_id}"
