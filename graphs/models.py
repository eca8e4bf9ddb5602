"""The graphs as they were computed, which of these are shown, and facts that were brought along."""

from __future__ import annotations

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models import Job
from filing.models.operations import Asked


class FactsImport(models.Model):
    """The facts of the loans of one year, as they were loaded from a file."""

    year = models.PositiveSmallIntegerField()
    annual = models.BooleanField(
        default=True, help_text="Of annual filings; off: of quarterly ones."
    )
    source = models.CharField(max_length=500, help_text="The name of the file.")
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Of the file as it was given.")
    rows = models.PositiveBigIntegerField()
    institutions = models.PositiveIntegerField()
    folder = models.CharField(max_length=200, help_text="In storage.")
    is_demo = models.BooleanField("demo", default=False, help_text="Made up.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="The one that counts for its year.")

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
        return f"{self.source} ({self.year}, {self.rows:,} rows)"


class ComputationState(models.TextChoices):
    """What became of a computation that was asked for."""

    ASKED = "asked", "asked for"
    MADE = "made", "made"
    UNCHANGED = "unchanged", "nothing was new"


class Computation(Asked):
    """One computation of all graphs: asked for, then made. Its key is the number of the version."""

    State: TypeAlias = ComputationState

    state = models.CharField(max_length=9, choices=State.choices, default=State.ASKED)
    force = models.BooleanField(default=False, help_text="Also where nothing is new.")
    job = models.OneToOneField(Job, models.PROTECT, related_name="graphs_computation")
    made_at = models.DateTimeField(null=True, blank=True)
    rows = models.PositiveBigIntegerField(default=0, help_text="Facts that were read.")
    seconds = models.FloatField(default=0, help_text="That the computation took.")
    sources = models.JSONField(default=list, blank=True, help_text="Of each year, what it is from.")
    sources_sha256 = models.CharField("SHA-256 of the sources", max_length=64, blank=True)
    is_demo = models.BooleanField("demo", default=False, help_text="From made-up facts.")
    filers = models.PositiveIntegerField(
        null=True, blank=True, help_text="Quarterly filers whose records were counted."
    )
    panel_year = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of the panel that says who is a quarterly filer."
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
    """One graph of a computation: of each line its points, and where it had too few records."""

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


class Shown(Asked):
    """Which version readers get, who said so and why. To change it is to change this one row."""

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    computation = models.OneToOneField(Computation, models.PROTECT, related_name="shown")

    class Meta:
        verbose_name_plural = "shown"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_version_is_shown")]

    def __str__(self) -> str:
        return f"version {self.computation_id}"
