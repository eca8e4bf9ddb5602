"""Loading APOR tables, each whole or not at all; corrected rates are kept for the record.

Published tables are fetched over https, from public addresses, up to a maximum size.
"""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import Refusal
from filing.files import remote_files
from filing.lar.official_kinds import OfficialKind
from filing.models import AuditEvent
from filing.previews import require_previewed
from filing.reference.listing import BadLine, BadLines
from filing.reference.official_files import (
    LONGEST_FIRST_LINE,
    describe_other_kind,
)
from ratespread.models import TERMS, AporKind, AporLoad, AporTable, AporWeek

log = logging.getLogger(__name__)

# Words in file names that identify the table.
_NAMED = {"fixed": AporKind.FIXED, "adjustable": AporKind.VARIABLE, "variable": AporKind.VARIABLE}
_OFFICIAL = {
    AporKind.FIXED: OfficialKind.FIXED_RATES,
    AporKind.VARIABLE: OfficialKind.VARIABLE_RATES,
}
_SEPARATORS = "|,;\t"  # the official one comes first
_DATE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_RATE = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,6})?")
_YEARS = range(2000, 2100)
_BATCH = 500
FETCH_LIMIT = 5 * 1024**2  # bytes; a table of 50 years has about half of this


@dataclass(frozen=True, slots=True)
class AporFile:
    """A table as received. source: its file name or address."""

    kind: AporKind
    source: str
    sha256: str
    weeks: dict[date, list[str]]
    is_demo: bool = False


@dataclass(frozen=True, slots=True)
class AporLoadReport:
    """The result of a load or dry run. corrected: weeks whose rates differ from those before."""

    file: AporFile
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


def find_kind(name: str) -> AporKind:
    """Return the table that a file name stands for.

    Raises: UnknownKind.
    """
    kinds = {kind for word, kind in _NAMED.items() if word in name.lower()}
    if len(kinds) != 1:
        raise UnknownKind(
            f"The name {name!r} does not say whether its rates are fixed or variable."
        )
    return kinds.pop()


def read_apor_table(data: bytes, *, kind: AporKind, source: str) -> AporFile:
    """Return the weeks of a file: lines with a date, M/D/YYYY, and 50 rates in percent.

    Pipes, commas, semicolons or tabs separate them. The first line may be a header. Of two lines
    for the same week, the one with the later date is used, or else the later line.
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
    separator = next((mark for mark in _SEPARATORS if mark in "".join(lines[:2])), _SEPARATORS[0])
    bad_lines, dated = _beginning(data, kind), dict[date, tuple[date, list[str]]]()
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip().strip('"').strip() for cell in line.split(separator)]
        if number == 1 and not cells[0][:1].isdigit():
            if bad_lines:
                break
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
    return AporFile(kind, source[:500], hashlib.sha256(data).hexdigest(), weeks)


def _beginning(data: bytes, kind: AporKind) -> list[BadLine]:
    expected = (OfficialKind.RATES, _OFFICIAL[kind])
    if other := describe_other_kind(data[:LONGEST_FIRST_LINE], *expected):
        return [BadLine(1, f"the file is {other}", f"the {kind.label} table")]
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


def load_apor_table(
    file: AporFile, *, by: str, reason: str = "", dry_run: bool = False, digest: str | None = None
) -> AporLoadReport:
    """Put the weeks of a file into use. Weeks that it does not have stay.

    Loads wait for each other. A load that changes nothing is not recorded. The first real load of
    a table removes its made-up rates; those of the other table stay.

    digest: of the report of a dry run that is confirmed, if it was shown.

    Raises: PreviewChanged.
    """
    AporTable.objects.bulk_create(
        [AporTable(kind=kind) for kind in AporKind], ignore_conflicts=True
    )
    with transaction.atomic():
        # Lock both tables in the same order, as a load raises the version of both.
        list(AporTable.objects.select_for_update().order_by("kind"))
        report, new = _compared(file)
        require_previewed(digest, str(report))
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


def _compared(file: AporFile) -> tuple[AporLoadReport, list[date]]:
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
    report = AporLoadReport(file, len(added), corrected, unchanged, demos.count())
    return report, added + corrected


def _write(file: AporFile, new: list[date], apor_load: AporLoad) -> None:
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


def remove_demo_rates(table: AporTable, *, by: Caller, reason: str) -> None:
    """Remove the made-up rates of a table. Its loads stay on record."""
    with transaction.atomic():
        AporWeek.objects.filter(kind=table.kind, load__is_demo=True, replaced_by=None).delete()
        AporTable.objects.filter(pk=table.pk).update(version=F("version") + 1, load=None)
        event = AuditEvent.REFERENCE_DATA_LEFT_OUT
        audit.record_event(event, by=by, about=f"{table}: {table.load}", reason=reason)


class AporNotFetched(Exception):
    """The table could not be fetched; the message says why."""


def is_address(source: str) -> bool:
    """Return whether a source is an address, not a file."""
    return source.lower().startswith(("http://", "https://"))


def fetch_apor_table(address: str) -> bytes:
    """Return the content of an address of any public host.

    Raises: AporNotFetched.
    """
    schemes = ("https", "http") if settings.APOR_HTTP_ALLOWED else ("https",)
    try:
        return remote_files.fetch_file(
            address, max_bytes=FETCH_LIMIT, schemes=schemes, is_any_host=True
        )
    except Refusal as refusal:
        is_plain = address.lower().startswith("http://") and not settings.APOR_HTTP_ALLOWED
        hint = " Set APOR_HTTP_ALLOWED to allow http." if is_plain else ""
        raise AporNotFetched(f"{refusal.message}{hint}") from refusal


def list_addresses() -> dict[AporKind, str]:
    """Return the addresses of the tables that are set for this site."""
    addresses = {
        AporKind.FIXED: settings.APOR_FIXED_URL,
        AporKind.VARIABLE: settings.APOR_VARIABLE_URL,
    }
    return {kind: address for kind, address in addresses.items() if address}


def refresh_apor_tables() -> None:
    """Load the tables from the addresses of this site. After a failure the table before stays."""
    for kind, address in list_addresses().items():
        trouble = _refresh_table(kind, address)
        AporTable.objects.update_or_create(
            kind=kind, defaults={"checked_at": timezone.now(), "trouble": trouble}
        )


def _refresh_table(kind: AporKind, address: str) -> str:
    """Load one table; return why it failed, or blank."""
    try:
        file = read_apor_table(fetch_apor_table(address), kind=kind, source=address)
        report = load_apor_table(file, by="refresh")
    except AporNotFetched as error:
        trouble = str(error)
    except BadLines as error:
        trouble = f"{address}: {error.summary}; first: {error.lines[0]}."
    else:
        if report.load:
            log.info("APOR refreshed. %s", report)
        return ""
    log.error("APOR was not refreshed; the previous table stays in use. %s", trouble)
    return trouble
