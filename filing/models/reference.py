"""Loaded files of reference data."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone


class ReferenceData(models.Model):
    """A loaded file of reference data of one year: its source, size and date."""

    KINDS = [
        ("census", "census"),
        ("county-limits", "county loan limits"),
        ("msa-md-names", "MSA/MD names"),
    ]

    kind = models.CharField(max_length=20, choices=KINDS)
    year = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=500, help_text="File name or address it came from.")
    rows = models.PositiveIntegerField()
    sha256 = models.CharField("SHA-256", max_length=64)
    path = models.CharField(max_length=200, help_text="Where the data is in storage.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="In use by the edits.")

    class Meta:
        ordering = ["-loaded_at", "-id"]
        verbose_name_plural = "reference data"
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "year"],
                condition=Q(active=True),
                name="one_active_file_per_kind_and_year",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.year} ({self.rows} rows)"
