"""Loading APOR tables, each whole or not at all; corrected rates are kept for the record."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from filing.reference.listing import BadLine, BadLines
from ratespread.models import TERMS, AporLoad, AporTable, AporWeek, Kind

# Words in file names, and in the first line of a file, that identify the table.
_NAMED = {"fixed": Kind.FIXED, "adjustable": Kind.VARIABLE, "variable": Kind.VARIABLE}
_HEADED = {"term of loan": Kind.FIXED, "first adjustment": Kind.VARIABLE}
_DATE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_RATE = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,6})?")
_YEARS = range(2000, 2100)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class File:
    """A table as received. source: its file name or address."""

    kind: Kind
    source: str
    sha256: str
    weeks: dict[date, list[str]]
    is_demo: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a load or dry run. corrected: weeks whose rates differ from those before."""

    file: File
    added: int
    corrected: list[date]
    unchanged: int
    demo_removed: int
    load: AporLoad | None = None

    def __str__(self) -> str:
        file, weeks = self.file, self.file.weeks
        changes = [f"{self.added:,} added", f"{len(self.corrected):,} corrected"]
        changes += [f"{self.unchanged:,} unchanged"]
        if self.demo_removed:
            changes.append(f"{self.demo_removed:,} made-up ones removed")
        lines = [
            f"{file.kind.label}, {file.source}: {len(weeks):,} weeks, "
            f"{min(weeks)} to {max(weeks)}; {', '.join(changes)}.",
            f"SHA-256 {file.sha256}",
        ]
        if self.corrected:
            lines.insert(1, f"Corrected: {', '.join(map(str, self.corrected[:20]))}")
        return "\n".join(lines)


class UnknownKind(ValueError):
    """A file whose name does not say whether its rates are fixed or variable."""


def kind_of(name: str) -> Kind:
    """Return the table that a file name stands for.

    Raises: UnknownKind.
    """
    kinds = {kind for word, kind in _NAMED.items() if word in name.lower()}
    if len(kinds) != 1:
        raise UnknownKind(
            f"The name {name!r} does not say whether its rates are fixed or variable."
        )
    return kinds.pop()


def read(data: bytes, *, kind: Kind, source: str) -> File:
    """Return the weeks of a file: lines with a date, M/D/YYYY, and 50 rates in percent.

    The first line may be a header. Of two lines for the same week, the one with the later date is
    used, or else the later line.
    Raises: BadLines with all errors.
    """
    # Lines end as editors count them, not at each character at which `str.splitlines` cuts.
    data_lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        lines = data_lines.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        number = data_lines.count(b"\n", 0, error.start) + 1
        bad_line = BadLine(number, "the line is not text", "a file saved as UTF-8")
        raise BadLines([bad_line]) from None
    while lines and not lines[-1].strip():
        lines.pop()
    bad_lines, dated = _beginning(lines, kind), dict[date, tuple[date, list[str]]]()
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split("|")]
        if number == 1 and not cells[0][:1].isdigit():
            continue
        day = _day(cells[0])
        faults = list(_faults(number, cells, day))
        bad_lines += faults
        if day and not faults:
            monday = day - timedelta(days=day.weekday())
            if monday not in dated or dated[monday][0] <= day:
                dated[monday] = (day, cells[1:])
    if not bad_lines and not dated:
        bad_lines.append(BadLine(1, "the file has no weeks", "a line for each week"))
    if bad_lines:
        raise BadLines(bad_lines)
    weeks = {monday: rates for monday, (_, rates) in sorted(dated.items())}
    return File(kind, source[:500], hashlib.sha256(data).hexdigest(), weeks)


def _beginning(lines: list[str], kind: Kind) -> list[BadLine]:
    first = lines[0].lower() if lines else ""
    kinds = {headed_kind for words, headed_kind in _HEADED.items() if words in first}
    if kinds and kind not in kinds:
        problem = f"the header is that of the {kinds.pop().label} table"
        return [BadLine(1, problem, f"the {kind.label} table")]
    return []


def _day(cell: str) -> date | None:
    if (match := _DATE.fullmatch(cell)) is None:
        return None
    month, day, year = map(int, match.groups())
    try:
        return date(year, month, day) if year in _YEARS else None
    except ValueError:
        return None


def _faults(number: int, cells: list[str], day: date | None) -> list[BadLine]:
    if len(cells) != TERMS + 1:
        accepted = f"{TERMS + 1} columns separated by |: a date and {TERMS} rates"
        return [BadLine(number, f"the line has {len(cells)} columns", accepted)]
    faults = []
    if day is None:
        accepted = f"a date such as 1/2/2017, from {_YEARS.start} to {_YEARS.stop - 1}"
        faults.append(BadLine(number, f"the date is {cells[0][:40]!r}", accepted))
    for term, cell in enumerate(cells[1:], start=1):
        if _RATE.fullmatch(cell) is None:
            accepted = "a rate in percent below 100, such as 6.85"
            faults.append(BadLine(number, f"the rate for {term} years is {cell[:40]!r}", accepted))
    return faults


def load(file: File, *, by: str, reason: str = "", dry_run: bool = False) -> Report:
    """Put the weeks of a file into use. Weeks that it does not have stay.

    Loads wait for each other. A load that changes nothing is not recorded. The first real load of
    a table removes its made-up rates; those of the other table stay.
    """
    AporTable.objects.bulk_create([AporTable(kind=kind) for kind in Kind], ignore_conflicts=True)
    with transaction.atomic():
        # Lock both tables in the same order, as a load raises the version of both.
        list(AporTable.objects.select_for_update().order_by("kind"))
        report, new = _compared(file)
        if dry_run or not (new or report.demo_removed):
            return report
        apor_load = AporLoad.objects.create(
            kind=file.kind,
            source=file.source,
            sha256=file.sha256,
            rows=len(file.weeks),
            added=report.added,
            changed=len(report.corrected),
            is_demo=file.is_demo,
            loaded_by=by,
            reason=reason,
        )
        _write(file, new, apor_load)
    return replace(report, load=apor_load)


def _compared(file: File) -> tuple[Report, list[date]]:
    """Return the report of loading a file, and its weeks that are new or differ."""
    in_use = AporWeek.objects.filter(replaced_by=None, kind=file.kind)
    demos = in_use.filter(load__is_demo=True).exclude(load__is_demo=file.is_demo)
    same_kind = in_use.filter(load__is_demo=file.is_demo)
    before = dict(same_kind.values_list("week", "rates"))
    added = [week for week in file.weeks if week not in before]
    corrected = [
        week
        for week, rates in file.weeks.items()
        if week in before and list(map(Decimal, rates)) != list(map(Decimal, before[week]))
    ]
    unchanged = len(file.weeks) - len(added) - len(corrected)
    report = Report(file, len(added), corrected, unchanged, demos.count())
    return report, added + corrected


def _write(file: File, new: list[date], apor_load: AporLoad) -> None:
    in_use = AporWeek.objects.filter(replaced_by=None, kind=file.kind)
    if not apor_load.is_demo:
        in_use.filter(load__is_demo=True).update(replaced_by=apor_load)
    for start in range(0, len(new), _BATCH):
        weeks = new[start : start + _BATCH]
        in_use.filter(week__in=weeks).update(replaced_by=apor_load)
        AporWeek.objects.bulk_create(
            AporWeek(kind=file.kind, week=week, rates=file.weeks[week], load=apor_load)
            for week in weeks
        )
    AporTable.objects.update(version=F("version") + 1)
    AporTable.objects.filter(kind=file.kind).update(load=apor_load)
