"""The filing instructions of a year, made from the tables that the service itself runs.

The fields of a record with their codes, the edits of the year's rulebook, what differs from the
year before, thresholds and deadlines: each stands in its table, and here in the words of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from filing import day_hours
from filing.edits import catalogue
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.lar import years
from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field, Parse
from filing.lar.regulation import RECORD_PARAGRAPHS, SHEET_PARAGRAPHS, cite_paragraphs
from filing.lar.years import Period, YearRules, YearStage, find_withdrawals
from filing.models import FilingPeriod, FilingYear
from filing.periods import due_dates
from filing.seasons import rulebooks
from filing.seasons.windows import Window, usual_windows
from filing.seasons.years import compare_settings
from filing.spreadsheets.code_texts import list_codes

MANY_CODES = 4  # from so many on, a field refers to one before that has the same codes
_MOST_FIELDS = 12  # in the results of a search


@dataclass(frozen=True, slots=True)
class FieldInstruction:
    """How a field is filled in. conditions: the edits that say when it must be NA.

    anchor: the part of the page that is about it. same_as: an earlier field with the same codes,
    if there are many. edits: the codes of all that list it.
    """

    field: Field
    anchor: str
    codes: dict[int, str]
    same_as: Field | None
    citation: str
    conditions: tuple[Edit, ...]
    edits: tuple[str, ...]

    @property
    def accepts(self) -> str:
        """What kind of value it takes."""
        if self.codes:
            is_optional = self.field.parse is Parse.CODE_OR_BLANK
            return "One of the codes, or blank" if is_optional else "One of the codes"
        return self.field.accepts


@dataclass(frozen=True, slots=True)
class CodeChange:
    """The codes of fields that one year has and the other has not; fields: their labels."""

    fields: tuple[str, ...]
    added: dict[int, str]
    removed: dict[int, str]


def describe_year(year: int) -> dict[str, Any] | None:
    """Return what the page of a year shows; nothing for a year that no one can check files of."""
    rules = years.find_year(year)
    if rules is None or rules.stage < YearStage.CHECKS:
        return None
    filing_year = FilingYear.objects.get(pk=year)
    before = years.find_year(year - 1)
    return {
        "year": year,
        "years": list(reversed(years.supported_years())),
        "rules": rules,
        "notices": years.describe_unsettled([year]),
        "deadlines": list(_deadlines(year)),
        "thresholds": [
            setting
            for setting in compare_settings(filing_year)
            if setting.name.endswith("_threshold")
        ],
        "year_before": before.year if before else 0,
        "withdrawals": list(find_withdrawals(year).values()),
        "upload_limit": settings.UPLOAD_LIMIT,
        "record_fields": len(LAR),
        "sheet_fields": len(TRANSMITTAL_SHEET),
        "changes": _render_changes(before, rules),
        "tables": _render_tables(year, rules.rulebook),
    }


def lead_to_newest_year() -> HttpResponse:
    """Return the redirect to the newest year that is open for filing."""
    return redirect("filing-instructions-of-year", years.newest_year(YearStage.FILING))


def find_fields(query: str) -> list[dict[str, str]]:
    """Return the fields whose label has all words of a query, with their place in the newest year.

    Fields that differ only in their number are found once, the first of them.
    """
    words = query.lower().split()
    page = reverse("filing-instructions-of-year", args=[years.newest_year(YearStage.FILING)])
    found = [
        {"label": field.label, "address": f"{page}#{_anchor(field, is_sheet=fields is not LAR)}"}
        for fields in (LAR, TRANSMITTAL_SHEET)
        for field in fields
        if all(word in f"{field.label} {field.name}".lower() for word in words)
        and not re.search(r"_[2-5]$", field.name)
    ]
    return found[:_MOST_FIELDS]


@lru_cache(maxsize=32)
def _render_tables(year: int, rulebook: int) -> SafeString:
    """Return the fields and edits of a year, which are the same for each reader and day."""
    edits = _edits_of(rulebook)
    kinds = [(kind, [edit for edit in edits if edit.kind is kind]) for kind in EditKind]
    context = {
        "year": year,
        "sheet": list(_instructions(TRANSMITTAL_SHEET, edits, rulebook)),
        "record": list(_instructions(LAR, edits, rulebook)),
        "kinds": [
            (kind.value.capitalize(), [(edit, _filings(edit, rulebook)) for edit in each])
            for kind, each in kinds
        ],
    }
    return render_to_string("guide/instructions_tables.html", context)


def _render_changes(before: YearRules | None, rules: YearRules) -> SafeString | None:
    """Return what differs from the year before; nothing where there is none."""
    return _render_differences(before.rulebook, rules.rulebook, rules.year) if before else None


@lru_cache(maxsize=32)
def _render_differences(old: int, new: int, year: int) -> SafeString:
    context = {
        "year": year,
        "is_same": old == new,
        "rulebook": new,
        "edits": rulebooks.compare_rulebooks(old, new).edits if old != new else (),
        "codes": _compare_codes(old, new),
    }
    return render_to_string("guide/instructions_changes.html", context)


@cache
def _edits_of(rulebook: int) -> tuple[Edit, ...]:
    """Return the edits of a rulebook, annual and quarterly, in the order of the reference."""
    periods = [period for period in years.rulebook_periods() if period.year == rulebook]
    return tuple(
        edit for edit in catalogue.EDITS if any(period in edit.periods for period in periods)
    )


def _filings(edit: Edit, rulebook: int) -> str:
    """Return in which files of a year an edit runs."""
    runs = {"annual": rulebook in edit.annual, "quarterly": rulebook in edit.quarterly}
    return " and ".join(name for name, is_run in runs.items() if is_run)


def _instructions(
    fields: tuple[Field, ...], edits: tuple[Edit, ...], rulebook: int
) -> Iterator[FieldInstruction]:
    is_sheet = fields is TRANSMITTAL_SHEET
    paragraphs = SHEET_PARAGRAPHS if is_sheet else RECORD_PARAGRAPHS
    first_with: dict[tuple[tuple[int, str], ...], Field] = {}
    for field in fields:
        about = [
            edit
            for edit in edits
            if (edit.level is EditLevel.TS) is is_sheet and field.name in edit.fields
        ]
        codes = list_codes(field, rulebook)
        first = first_with.setdefault(tuple(codes.items()), field)
        is_repeated = first is not field and len(codes) >= MANY_CODES
        paragraph = paragraphs.get(field.name)
        must_be_na = re.compile(
            rf"\bif\b.*\b{re.escape(field.label)} must be (Exempt or )?NA\b", re.I
        )
        yield FieldInstruction(
            field=field,
            anchor=_anchor(field, is_sheet=is_sheet),
            codes=codes,
            same_as=first if is_repeated else None,
            citation=cite_paragraphs([paragraph]) if paragraph else "",
            conditions=tuple(edit for edit in about if must_be_na.search(edit.text)),
            edits=tuple(dict.fromkeys(edit.code for edit in about)),
        )


def _compare_codes(old: int, new: int) -> list[CodeChange]:
    """Return the codes that came or went between two rulebooks, those of several fields once."""
    by_change: dict[tuple[tuple[tuple[int, str], ...], ...], list[str]] = {}
    for field in (*TRANSMITTAL_SHEET, *LAR):
        before, after = list_codes(field, old), list_codes(field, new)
        added = tuple(item for item in after.items() if item not in before.items())
        removed = tuple(item for item in before.items() if item not in after.items())
        if added or removed:
            by_change.setdefault((added, removed), []).append(field.label)
    return [
        CodeChange(tuple(fields), dict(added), dict(removed))
        for (added, removed), fields in by_change.items()
    ]


def _deadlines(year: int) -> Iterator[dict[str, Any]]:
    """Yield the filing periods of a year with their days; the usual ones before staff open it."""
    opened = {each.period: each for each in FilingPeriod.objects.filter(year=year)}
    windows = {period: Window.of(each) for period, each in opened.items()} or {
        Period.of(year, quarter): window for quarter, window in usual_windows(year).items()
    }
    for period, window in sorted(windows.items(), key=lambda each: each[1].timely_until):
        yield {
            "period": period,
            "days": window,
            "when": due_dates.describe_due(opened[period]) if opened else "Planned",
            "section": due_dates.find_deadline_section(period),
            "is_past": window.closes < day_hours.today(),
        }


def _anchor(field: Field, *, is_sheet: bool) -> str:
    return f"{'sheet' if is_sheet else 'field'}-{field.number}"
