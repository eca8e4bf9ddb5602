"""The list of LEIs that GLEIF publishes, as staff loaded it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class LeiList(models.Model):
    """One loading of the list. Entries of an earlier one are removed once it is complete."""

    source = models.CharField(max_length=255, help_text="The name of the file.")
    sha256 = models.CharField("SHA-256", max_length=64)
    countries = models.JSONField(
        default=list, blank=True, help_text="Only legal entities of these countries. Blank: all."
    )
    entries = models.PositiveIntegerField(default=0)
    loaded_by = models.CharField(max_length=255, blank=True)
    begun_at = models.DateTimeField(default=timezone.now)
    loaded_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was complete; blank while it is not."
    )

    class Meta:
        ordering = ["-id"]
        verbose_name = "LEI list"

    def __str__(self) -> str:
        return f"{self.source} of {self.begun_at:%Y-%m-%d}"


class LeiEntry(models.Model):
    """One LEI of the list."""

    lei = models.CharField("LEI", max_length=20, primary_key=True)
    name = models.CharField(max_length=300)
    entity_status = models.CharField(max_length=20, blank=True)
    registration_status = models.CharField(max_length=30, blank=True)
    # No index: only whole lists are removed.
    lei_list = models.ForeignKey(
        LeiList, models.PROTECT, db_index=False, related_name="lei_entries"
    )

    class Meta:
        verbose_name = "LEI entry"
        verbose_name_plural = "LEI entries"

    def __str__(self) -> str:
        return f"{self.lei} {self.name}"
