"""Whose file it is: what decides whether the file of a submission may be certified for its filing.

The LEI on the transmittal sheet must be that of the filing. That each record has the LEI of the
transmittal sheet is edit S301, which is syntactical: a file that triggers it goes no further.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.db.models import F, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Upper

from filing import standing
from filing.errors import BadInput, Conflict
from filing.lar import first_line
from filing.lar.years import Period
from filing.models import Submission

SHEET_LINE = 1
# Tells by the beginning of a file why it is refused; a blank, if it is not.
Misfit = Callable[[bytes], str]
UPLOAD_THE_RIGHT_FILE = "Upload the right file in a new submission."


def accept_any(beginning: bytes) -> str:
    """Return a blank: the API receives any file, and the edits and `require_own_file` stop it."""
    return ""


@dataclass(frozen=True)
class ForeignLei:
    """An LEI in a file that is not the one of its filing. line: where it is, counted from 1."""

    lei: str
    line: int
    due: str

    @property
    def sentence(self) -> str:
        """What is wrong with the file, where, and what to do."""
        return (
            f"The transmittal sheet (line {self.line}) names LEI {self.lei or '(blank)'}, but this "
            f"filing is of LEI {self.due}. {UPLOAD_THE_RIGHT_FILE}"
        )


def find_foreign_lei(submission: Submission) -> ForeignLei | None:
    """Return the LEI on the transmittal sheet if it is not that of the filing.

    None also before the file is read. Small and capital letters count as the same.
    """
    lei = (submission.transmittal_sheet or {}).get("lei")
    if lei is None or first_line.is_same_lei(lei, submission.lei):
        return None
    return ForeignLei(lei, SHEET_LINE, submission.lei)


def find_foreign_filed() -> QuerySet[Submission]:
    """Return what counts although its transmittal sheet names another LEI than its filing.

    Earlier releases let the file of another institution be signed.
    """
    return (
        Submission.objects.select_related("filing__institution", "filing__period")
        .annotate(sheet_lei=Upper(KT("transmittal_sheet__lei")))
        .filter(standing.is_counting(), sheet_lei__isnull=False)
        .exclude(sheet_lei=Upper(F("filing__institution__lei")))
    )


def require_own_file(submission: Submission) -> None:
    """Refuse to certify the file of another institution.

    Raises: Conflict, which names both LEIs and the line.
    """
    if foreign := find_foreign_lei(submission):
        raise Conflict(foreign.sentence)


def require_fitting_file(path: Path, *, lei: str, period: Period) -> None:
    """Refuse a file, on this machine, whose first line names another institution or period.

    Raises: BadInput.
    """
    if fault := first_line.find_first_line_misfit(
        first_line.read_beginning(path), lei=lei, period=period
    ):
        raise BadInput(fault)


def make_misfit_check(submission: Submission) -> Misfit:
    """Return the function that tells by the beginning of a file why it is not of the filing.

    The pages refuse such a file before it is stored.
    """
    return partial(first_line.find_first_line_misfit, lei=submission.lei, period=submission.period)
