"""The panel: which institutions there are in a year, checked and loaded from a CSV file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import TextField
from django.db.models.functions import Cast

from filing.errors import BadInput
from filing.lar.fields import AGENCIES
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import Institution

# Mail domains that anybody can have an address in, so that they say nothing about an institution.
# fmt: off
PUBLIC_MAIL_DOMAINS = frozenset({
    "aim.com", "aol.com", "att.net", "bellsouth.net", "charter.net", "comcast.net", "cox.net",
    "earthlink.net", "fastmail.com", "gmail.com", "gmx.com", "gmx.net", "googlemail.com",
    "hotmail.com", "icloud.com", "inbox.com", "juno.com", "live.com", "mac.com", "mail.com",
    "me.com", "msn.com", "outlook.com", "pm.me", "proton.me", "protonmail.com", "rocketmail.com",
    "sbcglobal.net", "tutanota.com", "verizon.net", "yahoo.com", "yandex.com", "ymail.com",
    "zoho.com",
})
# fmt: on

_LEI = re.compile(r"[A-Z0-9]{20}")
_TAX_ID = re.compile(r"[0-9]{2}-[0-9]{7}")
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_BOOLEANS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


@dataclass(frozen=True)
class SkippedRow:
    """A row that was not loaded, by its line in the file, and everything that is wrong with it."""

    row: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"row {self.row}: {'; '.join(self.reasons)}"


@dataclass
class ImportReport:
    """What an import found and did. differences: one sentence per row that changed something."""

    read: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[SkippedRow] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    ignored_columns: tuple[str, ...] = ()
    loaded: bool = False

    def __str__(self) -> str:
        return (
            f"{self.read:,} rows read: {self.added:,} added, {self.changed:,} changed, "
            f"{self.unchanged:,} unchanged, {len(self.skipped):,} skipped."
        )


@dataclass(frozen=True)
class _Row:
    number: int
    values: dict[str, Any]


def of_mail_domain(domain: str) -> list[Institution]:
    """Return the institutions whose users have addresses in a mail domain, by name.

    Each stands there once, as in the newest year it is in: what an older year says no longer holds.
    None for public mail domains.
    """
    domain = domain.strip().lower()
    if not _DOMAIN.fullmatch(domain) or domain in PUBLIC_MAIL_DOMAINS:
        return []
    # Domains are a list in JSON, and not every database looks into one: found as text, then read.
    as_text = Institution.objects.annotate(domains=Cast("email_domains", TextField()))
    ever = as_text.filter(domains__contains=f'"{domain}"').values("lei")
    newest: dict[str, Institution] = {}
    for institution in Institution.objects.filter(lei__in=ever).order_by("activity_year"):
        newest[institution.lei] = institution
    found = [each for each in newest.values() if domain in each.email_domains]
    return sorted(found, key=lambda institution: (institution.name, institution.lei))


def names_of(leis: Iterable[str]) -> dict[str, str]:
    """Return the newest name of each institution of the panel among these."""
    rows = Institution.objects.filter(lei__in=leis).order_by("activity_year")
    return dict(rows.values_list("lei", "name"))


def is_lei(text: str) -> bool:
    """Tell whether a text has the shape of an LEI."""
    return _LEI.fullmatch(text) is not None


def check_lei(text: str) -> str:
    """Return the LEI. Its check digits are not looked at: LEIs made for tests break them.

    Raises: ValueError.
    """
    if not is_lei(text):
        raise ValueError(f"{text!r} is no LEI: write 20 capital letters and digits")
    return text


def check_tax_id(text: str) -> str:
    """Return the tax id, which may be blank.

    Raises: ValueError.
    """
    if text and not _TAX_ID.fullmatch(text):
        raise ValueError(f"{text!r} is no tax id: write 99-9999999, or leave it blank")
    return text


def check_domains(text: str) -> list[str]:
    """Return the mail domains in a text that separates them with commas or semicolons.

    Raises: ValueError for a public mail domain, and for what is no domain.
    """
    words = (word.strip().lower().removeprefix("@") for word in re.split("[,;]", text))
    domains = list(dict.fromkeys(filter(None, words)))
    for domain in domains:
        if not _DOMAIN.fullmatch(domain):
            raise ValueError(f"{domain!r} is no mail domain: write for example bank.example")
        if domain in PUBLIC_MAIL_DOMAINS:
            raise ValueError(
                f"{domain!r} is a public mail domain, anybody can have an address in it"
            )
    return domains


def _year(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and FIRST_YEAR <= int(text) <= LAST_YEAR):
        raise ValueError(f"{text!r} is no activity year: years are {FIRST_YEAR} to {LAST_YEAR}")
    return int(text)


def _agency(text: str) -> int:
    if text not in map(str, AGENCIES):
        known = ", ".join(f"{code} {name}" for code, name in AGENCIES.items())
        raise ValueError(f"{text!r} is no agency: agencies are {known}")
    return int(text)


def _flag(text: str) -> bool:
    value = _BOOLEANS.get(text.lower())
    if value is None:
        raise ValueError(f"{text!r} is neither true nor false")
    return value


def _integer(text: str) -> int:
    if text and not _INTEGER.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number")
    return int(text or 0)


_REQUIRED: dict[str, Callable[[str], Any]] = {
    "activity_year": _year,
    "lei": check_lei,
    "name": str,
    "tax_id": check_tax_id,
    "agency": _agency,
    "email_domains": check_domains,
    "quarterly_filer": _flag,
}
REQUIRED_COLUMNS = tuple(_REQUIRED)
# The flags of what was filed are missing here: signing sets them and an import must not undo that.
_READERS = _REQUIRED | {
    "institution_type": str,
    "institution_id_2017": str,
    "rssd": _integer,
    "city": str,
    "state": str,
    "assets": _integer,
    "other_lender_code": _integer,
    "parent_rssd": _integer,
    "parent_name": str,
    "top_holder_rssd": _integer,
    "top_holder_name": str,
    "notes": str,
}


def load(path: Path, *, dry_run: bool = False, strict: bool = False) -> ImportReport:
    """Add and change institutions as a CSV file says; rows with mistakes are skipped.

    The first row names the columns, which are the fields of an institution. dry_run: only report.
    strict: load nothing when any row is bad.

    Raises: BadInput when the file as a whole cannot be read.
    """
    columns, lines = _open(path)
    known = [column for column in columns if column in _READERS]
    report = ImportReport(ignored_columns=tuple(c for c in columns if c not in _READERS))
    rows = list(_good_rows(lines, columns, report))
    changed = _compare(rows, report)
    if not dry_run and not (strict and report.skipped):
        Institution.objects.bulk_create(
            [Institution(**row.values) for row in changed],
            update_conflicts=True,
            unique_fields=["lei", "activity_year"],
            update_fields=[column for column in known if column not in {"lei", "activity_year"}],
        )
        report.loaded = True
    return report


def _open(path: Path) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the column names and the rows below them, each with its line in the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name} is not UTF-8 text: save it as CSV UTF-8.") from error
    if "\0" in text:
        raise BadInput(f"{path.name} holds NUL characters, so it is no CSV text.")
    lines = _lines(text)
    _, header = next(lines, (0, []))
    columns = [name.strip().lower() for name in header]
    if missing := [name for name in REQUIRED_COLUMNS if name not in columns]:
        raise BadInput(f"The header row lacks {', '.join(missing)}.")
    if repeated := sorted({name for name in columns if columns.count(name) > 1}):
        raise BadInput(f"The header row has {', '.join(repeated)} more than once.")
    return columns, lines


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    begins = 1
    try:
        for cells in reader:
            if cells:
                yield begins, [cell.strip() for cell in cells]
            begins = reader.line_num + 1
    except csv.Error as error:
        raise BadInput(f"Row {begins} cannot be read: {error}.") from error


def _good_rows(
    lines: Iterator[tuple[int, list[str]]], columns: Sequence[str], report: ImportReport
) -> Iterator[_Row]:
    first_rows: dict[tuple[str, int], int] = {}
    for number, cells in lines:
        report.read += 1
        values, reasons = _read(cells, columns)
        if not reasons:
            first = first_rows.setdefault((values["lei"], values["activity_year"]), number)
            if first != number:
                reasons = [f"the same LEI and year stand in row {first}"]
        if reasons:
            report.skipped.append(SkippedRow(number, tuple(reasons)))
        else:
            yield _Row(number, values)


def _read(cells: Sequence[str], columns: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a row by field, and what is wrong with it."""
    if len(cells) != len(columns):
        return {}, [f"{len(cells)} cells, the header has {len(columns)}"]
    values: dict[str, Any] = {}
    reasons = []
    for column, cell in zip(columns, cells, strict=True):
        if reader := _READERS.get(column):
            try:
                values[column] = reader(cell)
            except ValueError as error:
                reasons.append(f"{column}: {error}")
    return values, reasons + _breaches(values)


def _breaches(values: dict[str, Any]) -> list[str]:
    """Return what the database would refuse: texts too long, numbers too large, no name."""
    try:
        Institution(**values).clean_fields(exclude=_FIELD_NAMES - values.keys())
    except ValidationError as error:
        return [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
    return []


_FIELD_NAMES = {each.name for each in Institution._meta.fields}


def _compare(rows: Sequence[_Row], report: ImportReport) -> list[_Row]:
    """Return the rows that are new or say something new, and count them."""
    years = {row.values["activity_year"] for row in rows}
    there = {
        (found.lei, found.activity_year): found
        for found in Institution.objects.filter(activity_year__in=years)
    }
    changed = []
    for row in rows:
        found = there.get((row.values["lei"], row.values["activity_year"]))
        if found is None:
            report.added += 1
        elif differences := _differences(found, row.values):
            report.changed += 1
            report.differences.append(f"row {row.number}, {found.lei}: {differences}")
        else:
            report.unchanged += 1
            continue
        changed.append(row)
    return changed


def _differences(found: Institution, values: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {before!r} to {value!r}"
        for name, value in values.items()
        if (before := getattr(found, name)) != value
    )
