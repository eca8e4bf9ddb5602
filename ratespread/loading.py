"""Loading APOR tables: whole or not at all, what is corrected kept beside what corrects it."""

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

# Words in the names of files, and in the first line of one: each tells of one of the tables.
_NAMED = {"fixed": Kind.FIXED, "adjustable": Kind.VARIABLE, "variable": Kind.VARIABLE}
_HEADED = {"term of loan": Kind.FIXED, "first adjustment": Kind.VARIABLE}
_DATE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_RATE = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,6})?")
_YEARS = range(2000, 2100)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class File:
    """A table as it was received. source: its name or address."""

    kind: Kind
    source: str
    sha256: str
    weeks: dict[date, list[str]]
    is_demo: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What a load did, or would do. corrected: the weeks whose rates differ from those before."""

    file: File
    added: int
    corrected: list[date]
    unchanged: int
    demo_removed: int
    load: AporLoad | None = None

    def __str__(self) -> str:
        file, weeks = self.file, self.file.weeks
        changes = [f"{self.added:,} added", f"{len(self.corrected):,} corrected"]
        changes += [f"{self.unchanged:,} as before"]
        if self.demo_removed:
            changes.append(f"{self.demo_removed:,} of the demo removed")
        lines = [
            f"{file.kind.label}, {file.source}: {len(weeks):,} weeks, "
            f"{min(weeks)} to {max(weeks)}; {', '.join(changes)}.",
            f"SHA-256 {file.sha256}",
        ]
        if self.corrected:
            lines.insert(1, f"Corrected: {', '.join(map(str, self.corrected[:20]))}")
        return "\n".join(lines)


class UnknownKind(ValueError):
    """A file whose name does not tell whether its rates are fixed or variable."""


def kind_of(name: str) -> Kind:
    """Return which table a file has by its name.

    Raises: UnknownKind.
    """
    found = {kind for word, kind in _NAMED.items() if word in name.lower()}
    if len(found) != 1:
        raise UnknownKind(
            f"The name {name!r} does not tell whether its rates are fixed or variable."
        )
    return found.pop()


def read(data: bytes, *, kind: Kind, source: str) -> File:
    """Return the weeks of a file: a date, M/D/YYYY, and 50 rates in percent, with | between.

    The first line may be a header. Of two lines for one week that with the later date counts, or
    the later line.
    Raises: BadLines with everything that is wrong.
    """
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise BadLines([BadLine(1, "the file is not text", "a file saved as UTF-8")]) from None
    while lines and not lines[-1].strip():
        lines.pop()
    bad, dated = _beginning(lines, kind), dict[date, tuple[date, list[str]]]()
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split("|")]
        if number == 1 and not cells[0][:1].isdigit():
            continue
        day = _day(cells[0])
        faults = list(_faults(number, cells, day))
        bad += faults
        if day and not faults:
            monday = day - timedelta(days=day.weekday())
            if monday not in dated or dated[monday][0] <= day:
                dated[monday] = (day, cells[1:])
    if not bad and not dated:
        bad.append(BadLine(1, "there is no week in the file", "a line for each week"))
    if bad:
        raise BadLines(bad)
    weeks = {monday: rates for monday, (_, rates) in sorted(dated.items())}
    return File(kind, source[:500], hashlib.sha256(data).hexdigest(), weeks)


def _beginning(lines: list[str], kind: Kind) -> list[BadLine]:
    first = lines[0].lower() if lines else ""
    told = {each for words, each in _HEADED.items() if words in first}
    if told and kind not in told:
        what = f"the header is that of the {told.pop().label} table"
        return [BadLine(1, what, f"the {kind.label} table")]
    return []


def _day(cell: str) -> date | None:
    if (parts := _DATE.fullmatch(cell)) is None:
        return None
    month, day, year = map(int, parts.groups())
    try:
        return date(year, month, day) if year in _YEARS else None
    except ValueError:
        return None


def _faults(number: int, cells: list[str], day: date | None) -> list[BadLine]:
    if len(cells) != TERMS + 1:
        right = f"{TERMS + 1} columns with | between: a date and {TERMS} rates"
        return [BadLine(number, f"the line has {len(cells)} columns", right)]
    found = []
    if day is None:
        right = f"a date such as 1/2/2017, from {_YEARS.start} to {_YEARS.stop - 1}"
        found.append(BadLine(number, f"the date is {cells[0][:40]!r}", right))
    for term, cell in enumerate(cells[1:], start=1):
        if _RATE.fullmatch(cell) is None:
            right = "a rate in percent below 100, such as 6.85"
            found.append(BadLine(number, f"the rate for {term} years is {cell[:40]!r}", right))
    return found


def load(file: File, *, by: str, reason: str = "", dry_run: bool = False) -> Report:
    """Make the weeks of a file count. Weeks that it does not have stay.

    Loads wait for each other. One that changes nothing leaves no trace. The first real load takes
    the demo away, from both tables.
    """
    AporTable.objects.bulk_create([AporTable(kind=kind) for kind in Kind], ignore_conflicts=True)
    with transaction.atomic():
        # Both tables in one order: the first real load of one changes the other one, too.
        list(AporTable.objects.select_for_update().order_by("kind"))
        report, new = _compared(file)
        if dry_run or not (new or report.demo_removed):
            return report
        made = AporLoad.objects.create(
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
        _write(file, new, made)
    return replace(report, load=made)


def _compared(file: File) -> tuple[Report, list[date]]:
    """Return what loading a file would do, and which of its weeks are new or differ."""
    counting = AporWeek.objects.filter(replaced_by=None)
    demos = counting.filter(load__is_demo=True).exclude(load__is_demo=file.is_demo)
    kept = counting.filter(kind=file.kind, load__is_demo=file.is_demo)
    before = dict(kept.values_list("week", "rates"))
    added = [week for week in file.weeks if week not in before]
    corrected = [
        week
        for week, rates in file.weeks.items()
        if week in before and list(map(Decimal, rates)) != list(map(Decimal, before[week]))
    ]
    unchanged = len(file.weeks) - len(added) - len(corrected)
    report = Report(file, len(added), corrected, unchanged, demos.count())
    return report, added + corrected


def _write(file: File, new: list[date], made: AporLoad) -> None:
    counting = AporWeek.objects.filter(replaced_by=None)
    if not made.is_demo:
        counting.filter(load__is_demo=True).update(replaced_by=made)
    for start in range(0, len(new), _BATCH):
        weeks = new[start : start + _BATCH]
        counting.filter(kind=file.kind, week__in=weeks).update(replaced_by=made)
        AporWeek.objects.bulk_create(
            AporWeek(kind=file.kind, week=week, rates=file.weeks[week], load=made) for week in weeks
        )
    AporTable.objects.update(version=F("version") + 1)
    if not made.is_demo:
        AporTable.objects.filter(load__is_demo=True).update(load=None)
    AporTable.objects.filter(kind=file.kind).update(load=made)
