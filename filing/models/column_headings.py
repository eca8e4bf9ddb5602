"""Headings of spreadsheet columns that staff matched to a field, besides those of the program."""

from __future__ import annotations

import logging
import time
from typing import Any

from django.core.exceptions import SynchronousOnlyOperation
from django.db import DatabaseError, models
from django.db.models.signals import post_delete, post_save

from filing.models.filing_years import has_database
from filing.spreadsheets.aliases import HeaderAlias
from filing.spreadsheets.sheet_rows import fold_name

log = logging.getLogger(__name__)

REFRESH_SECONDS = 2.0  # after which a process reads the headings again
MOST_HEADINGS = 5_000


class ColumnHeading(models.Model):
    """A heading that files have, and the field that it means in every file."""

    heading = models.CharField(
        max_length=200, help_text="As files have it, for example Note Rate or Loan_Purpose_Code."
    )
    # Signs such as &, which are words when folded, make it longer than the heading.
    folded = models.CharField(max_length=800, unique=True, editable=False)
    field = models.CharField(max_length=60)
    source = models.CharField(
        max_length=200, help_text="The program or institution whose files have this heading."
    )

    class Meta:
        ordering = ["field", "heading"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(folded=""), name="heading_says_something")
        ]

    def __str__(self) -> str:
        return f"{self.heading}: {self.field}"

    def save(self, *args: Any, **options: Any) -> None:
        self.folded = fold_name(self.heading)
        super().save(*args, **options)


class _Headings:
    """The headings as this process last read them."""

    aliases: tuple[HeaderAlias, ...] = ()
    read_at: float | None = None


def known_aliases() -> tuple[HeaderAlias, ...]:
    """Return the headings; what another process changed, after two seconds.

    While there is no database, these are the last ones that were read.
    """
    now = time.monotonic()
    is_old = _Headings.read_at is None or now - _Headings.read_at > REFRESH_SECONDS
    if is_old and has_database():
        _Headings.read_at = now
        try:
            rows = ColumnHeading.objects.values_list("field", "heading", "source")
            _Headings.aliases = tuple(HeaderAlias(*row) for row in rows[:MOST_HEADINGS])
        except (DatabaseError, SynchronousOnlyOperation) as error:
            log.debug("The headings of columns could not be read: %s", error)
    return _Headings.aliases


def forget_headings(**_: Any) -> None:
    """Read the headings again at the next question."""
    _Headings.read_at = None


def remember_headings(aliases: tuple[HeaderAlias, ...]) -> None:
    """Answer with these headings until the next reading."""
    _Headings.aliases, _Headings.read_at = aliases, time.monotonic()


for _signal in (post_save, post_delete):
    _signal.connect(forget_headings, sender=ColumnHeading, dispatch_uid="column-headings")
