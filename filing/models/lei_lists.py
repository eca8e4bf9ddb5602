"""The list of LEIs that GLEIF publishes, as staff loaded it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class LeiList(models.Model):
    """The list in use. Its entries are a Parquet file, as no row of the database refers to one."""

    source = models.CharField(max_length=255, help_text="The name of the file.")
    sha256 = models.CharField("SHA-256", max_length=64)
    countries = models.JSONField(
        default=list, blank=True, help_text="Only legal entities of these countries. Blank: all."
    )
    entries = models.PositiveIntegerField()
    loaded_by = models.CharField(max_length=255, blank=True)
    loaded_at = models.DateTimeField(default=timezone.now)
    path = models.CharField(max_length=200, help_text="Where the entries are in storage.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "LEI list"

    def __str__(self) -> str:
        return f"{self.source} of {self.loaded_at:%Y-%m-%d}"
