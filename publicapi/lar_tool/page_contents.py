"""What the pages of the LAR tool show: columns, missing fields by section, changes, findings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from filing.edits import catalogue
from filing.edits.edit import EditKind
from filing.lar.fields import LAR, LAR_BY_NAME, TS_BY_NAME
from filing.lar.years import Period, rulebook_period
from filing.spreadsheets import reports
from filing.spreadsheets.confined_conversion import ConvertedFile
from publicapi.findings import TO_DO, group_by_reason
from publicapi.lar_tool.page_forms import FIELD, FILL, SHEET, SHEET_FIELDS, ToolState

LOAN_ID, OF_SHEET = "loan_id", "ts."  # pseudo-fields of the conversion
SECTIONS = {
    "larIdentifier": "Identifiers",
    "loan": "Loan",
    "larAction": "Action taken",
    "geography": "Property location",
    "applicant": "Applicant or borrower",
    "coApplicant": "Co-applicant or co-borrower",
    "denial": "Reasons for denial",
    "loanDisclosure": "Costs",
    "nonAmortizingFeatures": "Features of the loan",
    "property": "Property",
    "AUS": "Automated underwriting systems",
    "ausResult": "Results of automated underwriting",
}
OTHER = "Other fields"
STATES = {
    "given": "Chosen",
    "name": "Matched",
    "place": "Matched by place",
    "near": "Proposed: check this",
    "none": "Not used",
}
SETTLED = {STATES["given"], STATES["name"], STATES["place"]}
RULES = {
    "blanks": "Blanks, line breaks and quotes removed",
    "date": "Dates",
    "na": "NA",
    "exempt": "Exempt",
    "blank-na": "Blank cells as NA",
    "number": "Numbers",
    "code": "Codes",
    "state": "States",
    "zeros": "Zeros in front",
    "tract": "Census tracts",
    "zip": "Zip codes",
    "upper": "Upper case",
    "tax-id": "Taxpayer identification number",
    "phone": "Phone number",
    "check-digit": "Check digits",
    "fill": "Values for blank cells",
    "total": "Number of entries",
}
# How some fields of the transmittal sheet are entered.
_HINTS = {
    "calendar_quarter": "4 for a whole year; 1, 2 or 3 for a quarter",
    "contact_phone": "999-999-9999",
    "federal_agency": "1 OCC, 2 FRS, 3 FDIC, 5 NCUA, 7 HUD, 9 CFPB",
    "tax_id": "99-9999999",
}
KINDS = {
    "reading": (
        "Cells that were not understood",
        "Correct these in the spreadsheet, or change how columns and values are read.",
    ),
    "format": ("Formatting errors", "Correct these: no edits ran on these records."),
    "syntactical": ("Syntactical edits", TO_DO[EditKind.SYNTACTICAL]),
    "validity": ("Validity edits", TO_DO[EditKind.VALIDITY]),
    "quality": ("Quality edits", TO_DO[EditKind.QUALITY]),
}


@dataclass(frozen=True)
class LabelledInput:
    """A labelled input with its value."""

    id: str
    label: str
    value: str
    hint: str = ""


@dataclass(frozen=True)
class ColumnRow:
    """A column of the spreadsheet in the table that matches it to a field."""

    letter: str
    header: str
    input: str
    field: str
    state: str
    examples: Sequence[str]

    @property
    def needs_attention(self) -> bool:
        """Whether its field must be looked at before the file is converted."""
        return self.state not in SETTLED

    @property
    def options(self) -> SafeString:
        """The options of its list, with its field chosen."""
        return mark_safe(_options().replace(f'value="{self.field}"', _chosen(self.field), 1))  # noqa: S308 -- the field is one of ours


@cache
def _options() -> str:
    """Return the options of all lists, which are made once: a spreadsheet may have 400 columns."""
    option = '<option value="{}">{}</option>'
    groups = ((label, format_html_join("", option, choices)) for label, choices in _field_choices())
    lists = format_html_join("", '<optgroup label="{}">{}</optgroup>', groups)
    return format_html(option, "", "Not used") + lists


def _chosen(field: str) -> str:
    return f'value="{field}" selected'


def _field_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the fields that a column may be for, in groups, as the options of its list."""
    loans = [(field.name, f"{field.number}. {field.label}") for field in LAR]
    sheets = [(f"{OF_SHEET}{field.name}", field.label) for field in SHEET_FIELDS]
    return [
        ("Loans", loans),
        ("To make ULIs from", [(LOAN_ID, "Loan ID")]),
        ("Transmittal sheet", sheets),
    ]


def list_column_rows(matching: Mapping[str, Any], state: ToolState) -> list[ColumnRow]:
    """Return the columns of a matching, each with the field that was chosen or is proposed."""
    columns = matching["columns"]
    used_fields = {
        column.get("field") for column in columns if column.get("matched") in {"name", "place"}
    }
    rows = []
    for column in columns:
        letter, field, how = column["column"], column.get("field") or "", column.get("matched")
        text = STATES.get(str(how), "")
        if letter in state.chosen:
            field = state.chosen[letter]
            text = STATES["given"] if field else STATES["none"]
        elif how == "near" and field in used_fields:
            text = f"Not used: another column is already {label_of(field)}"
            field = ""
        elif how == "near":
            used_fields.add(field)
        examples = list(dict.fromkeys(str(example) for example in column["examples"]))
        name = f"{FIELD}{letter}"
        rows.append(ColumnRow(letter, column["header"], name, field, text, examples))
    return rows


def summarize_columns(rows: Sequence[ColumnRow]) -> str:
    """Return how many columns have a field."""
    used = sum(bool(row.field) for row in rows)
    return f"Columns with a field: {used:,} of {len(rows):,}."


def label_of(field: str) -> str:
    """Return the label of a field; its name if it has none."""
    if field == LOAN_ID:
        return "Loan ID"
    if field.startswith(OF_SHEET):
        entry = TS_BY_NAME.get(field.removeprefix(OF_SHEET))
    else:
        entry = LAR_BY_NAME.get(field)
    return entry.label if entry else field


def list_missing_fields(
    matching: Mapping[str, Any], state: ToolState
) -> list[tuple[str, list[LabelledInput]]]:
    """Return the fields without a column by section, each with the value for its cells."""
    sections: dict[str, list[LabelledInput]] = {}
    fields = {"record_id", *state.chosen.values()}
    names = [name for name in matching.get("missing", ()) if name in LAR_BY_NAME]
    for name in names:
        if name in fields:
            continue
        field = LAR_BY_NAME[name]
        section = SECTIONS.get(field.json.split(".")[0], OTHER)
        entry = LabelledInput(
            f"{FILL}{name}", f"{field.number}. {field.label}", state.value(f"{FILL}{name}")
        )
        sections.setdefault(section, []).append(entry)
    return list(sections.items())


def list_sheet_inputs(
    matching: Mapping[str, Any], sheet_values: Mapping[str, str], state: ToolState
) -> list[LabelledInput]:
    """Return the inputs of the transmittal sheet. sheet_values: those that the file has.

    Year and quarter are those of the page, unless the file has them or they were entered.
    """
    of_file = {column.get("field") for column in matching["columns"]}
    defaults = {"calendar_year": state.value("year"), "calendar_quarter": _quarter(state)}
    if matching.get("kind") == "pipe" or f"{OF_SHEET}calendar_year" in of_file:
        defaults = {}
    return [
        LabelledInput(
            f"{SHEET}{field.name}",
            field.label,
            state.value(f"{SHEET}{field.name}")
            or sheet_values.get(field.name, "")
            or defaults.get(field.name, ""),
            _HINTS.get(field.name, ""),
        )
        for field in SHEET_FIELDS
    ]


def _quarter(state: ToolState) -> str:
    quarter = state.value("quarter")
    return quarter[1:] if quarter else "4"


def write_matching(matching: Mapping[str, Any]) -> str:
    """Return what of a matching a form carries on, as JSON."""
    table = {key: matching.get(key) for key in ("kind", "sheets", "sheet", "header", "missing")}
    columns = [
        {key: column.get(key) for key in ("column", "header", "field", "matched", "examples")}
        for column in matching["columns"]
    ]
    return json.dumps({**table, "columns": columns}, separators=(",", ":"))


def has_other_columns(before: Mapping[str, Any], report: Mapping[str, Any]) -> bool:
    """Return whether a file has other headers than the one whose columns were matched before."""
    return bool(before) and _headers(before) != _headers(report)


def _headers(matching: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(column["column"], column["header"]) for column in matching["columns"]]


@dataclass(frozen=True)
class ResultGroup:
    """Changes by one rule, or the findings of one edit: how many, and the first of them."""

    name: str
    text: str
    total: int
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class KindOfFinding:
    """The findings of one kind, by edit."""

    kind: str
    title: str
    to_do: str
    total: int
    groups: Sequence[ResultGroup]


@dataclass(frozen=True)
class ResultContents:
    """What the page with the result shows."""

    report: Mapping[str, Any]
    changes: Sequence[ResultGroup]
    findings: Sequence[KindOfFinding]
    problems: Sequence[str]
    not_run: Sequence[tuple[str, str]]


def build_result(converted: ConvertedFile) -> ResultContents:
    """Return changes by rule and findings by kind and edit, the first ones of each."""
    changes = [
        ResultGroup(
            RULES.get(group.name, group.name),
            "",
            group.total,
            ("Cell", "Field", "In the spreadsheet", "Written"),
            [_change(change) for change in group.first],
        )
        for group in converted.changes_by_rule
    ]
    by_edit = converted.findings_by_edit
    findings = []
    for kind, (title, to_do) in KINDS.items():
        groups = [_group(group, converted.period) for of, group in by_edit if of == kind]
        if groups:
            total = sum(group.total for group in groups)
            findings.append(KindOfFinding(kind, title, to_do, total, groups))
    report = converted.report
    not_run = group_by_reason(converted.not_run)
    return ResultContents(report, changes, findings, report["problems"], not_run)


def _group(group: reports.ReportGroup, period: Period) -> ResultGroup:
    """Return the findings of an edit; those of no edit have a message each."""
    if not group.name:
        columns = ("Cell", "Field", "Value", "What is wrong")
        cells = [(*_cell(finding), finding["message"]) for finding in group.first]
        return ResultGroup("", "", group.total, columns, cells)
    text = catalogue.find_edit_text(group.name, rulebook_period(period))
    advice = [str(finding["message"]).removeprefix(text).strip() for finding in group.first]
    columns = ("Cell", "Field", "Value", "ULI", *(("Advice",) if any(advice) else ()))
    rows = [
        (*_cell(finding), finding["uli"] or "", *((note,) if any(advice) else ()))
        for finding, note in zip(group.first, advice, strict=True)
    ]
    return ResultGroup(group.name, text, group.total, columns, rows)


def _change(change: Mapping[str, Any]) -> tuple[str, ...]:
    return _place(change), label_of(change["field"]), change["before"], change["after"]


def _cell(finding: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where a finding is: its cell, the field and the value."""
    return _place(finding), finding["label"] or "", finding["value"] or ""


def _place(entry: Mapping[str, Any]) -> str:
    """Return the cell of a change or finding, `E3`, and other cells that it concerns."""
    column, row, line = entry.get("column"), entry.get("row"), entry.get("line")
    if column and row:
        return ", ".join(f"{letter}{row}" for letter in (column, *entry.get("also", ())))
    if column:
        return f"Column {column}"
    if row:
        return f"Row {row}"
    return {None: "Whole file", 1: "Transmittal sheet"}.get(line, f"Line {line}")
