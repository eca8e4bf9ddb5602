"""Extensions: another filing deadline and last day of a period for one institution.

They are few and asked for with every filing that is shown, so each process keeps those in force in
memory, as it keeps the filing years.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.exceptions import SynchronousOnlyOperation
from django.db import DatabaseError, models
from django.db.models import F, Q
from django.db.models.signals import post_delete, post_save

log = logging.getLogger(__name__)

REFRESH_SECONDS = 2.0  # after which another process sees an extension


class DeadlineExtension(models.Model):
    """The extension of one period for one institution. It is kept after it has ended."""

    event = models.ForeignKey(
        "filing.InstitutionEvent", models.PROTECT, related_name="extensions", editable=False
    )
    lei = models.CharField("LEI", max_length=20)
    year = models.PositiveSmallIntegerField(help_text="The data year.")
    quarter = models.CharField(max_length=2, blank=True)
    timely_until = models.DateField("filing deadline")
    closes = models.DateField(help_text="Last day on which files, also late ones, are accepted.")
    why = models.CharField(
        max_length=150, help_text="Shown beside the deadline, such as Hurricane Milton."
    )
    is_active = models.BooleanField(
        default=True, help_text="Off once it was taken back, or another extension replaced it."
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["lei", "year", "quarter"],
                condition=Q(is_active=True),
                name="one_active_extension_per_lei_and_period",
            ),
            models.CheckConstraint(
                condition=Q(timely_until__lte=F("closes")),
                name="extension_ends_no_earlier_than_its_deadline",
            ),
        ]

    def __str__(self) -> str:
        period = f"{self.year}-{self.quarter}" if self.quarter else str(self.year)
        return f"{self.lei}-{period} until {self.timely_until}"


@dataclass(frozen=True, slots=True)
class OwnDays:
    """The days that an institution has in a period instead of everyone's."""

    timely_until: date
    closes: date
    why: str


ExtensionKey = tuple[str, int, str]  # LEI, year, quarter
Extensions = Mapping[ExtensionKey, OwnDays]


class _KnownExtensions:
    """The extensions in force as this process last read them."""

    def __init__(self) -> None:
        self.extensions: Extensions | None = None
        self.read_at = 0.0

    def read(self) -> Extensions:
        now = time.monotonic()
        if self.extensions is None or now - self.read_at > REFRESH_SECONDS:
            try:
                self.extensions, self.read_at = read_extensions(), now
            except (DatabaseError, SynchronousOnlyOperation) as error:
                log.debug("The extensions could not be read: %s", error)
                return self.extensions or {}
        return self.extensions


_known = _KnownExtensions()


def read_extensions() -> Extensions:
    """Return the extensions in force from the database."""
    rows = DeadlineExtension.objects.filter(is_active=True).order_by()
    columns = ("lei", "year", "quarter", "timely_until", "closes", "why")
    return {
        (lei, year, quarter): OwnDays(timely_until, closes, why)
        for lei, year, quarter, timely_until, closes, why in rows.values_list(*columns)
    }


def known_extensions() -> Extensions:
    """Return the extensions in force; those of another process after two seconds."""
    return _known.read()


def forget_extensions(**_: Any) -> None:
    """Read the extensions again at the next question. Bulk statements call it themselves."""
    _known.extensions = None


def remember_extensions(extensions: Extensions) -> None:
    """Answer with these extensions until the next reading."""
    _known.extensions, _known.read_at = extensions, time.monotonic()


post_save.connect(forget_extensions, sender=DeadlineExtension, dispatch_uid="extension-saved")
post_delete.connect(forget_extensions, sender=DeadlineExtension, dispatch_uid="extension-deleted")
