"""What the pages of the LAR tool show: columns, missing fields by section, changes, findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from filing.edits.edit import EditKind
from filing.lar.fields import LAR, LAR_BY_NAME, TS_BY_NAME
from filing.lar.years import supported_years
from filing.spreadsheets import reports
from filing.spreadsheets.code_texts import list_code_words
from filing.spreadsheets.confined_conversion import ConvertedFile
from filing.spreadsheets.options import ANSWERS
from filing.spreadsheets.questions import CHOICES
from filing.spreadsheets.sheet_rows import fold_name
from filing.spreadsheets.ulis import VALID_BY_CHANCE
from publicapi.findings import TO_DO
from publicapi.lar_tool.page_forms import (
    CHECK_DIGIT_CHOICES,
    FIELD,
    FILL,
    SHEET,
    SHEET_FIELDS,
    ToolState,
)

SHEET_QUESTION = "sheet"  # the kind of the question, and the field of the form for its answer
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
    "guard": "Marks of a spreadsheet before texts",
    "partial-exemption": "Partial exemption",
    "fill": "Values for blank cells",
    "total": "Number of entries",
    "entered": "Transmittal sheet as entered",
}
# How some fields of the transmittal sheet are entered.
_HINTS = {
    "calendar_quarter": "4 for a whole year; 1, 2 or 3 for a quarter",
    "contact_phone": "999-999-9999",
    "tax_id": "99-9999999",
}
_EDIT_KINDS = frozenset({"syntactical", "validity", "quality"})
_SEE_COLUMNS = "see Change columns."
_NO_COLUMN = f"Add a column for each, or enter one value for every record: {_SEE_COLUMNS}"
_NOT_ENTERED = f"Enter them: {_SEE_COLUMNS}"
_CHECK_DIGIT_EDIT = "V609"
_FEW_GROUPS, _FEW_ROWS = 15, 5  # that are shown unfolded
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


# What a form carries on of a matching, besides its columns.
_CARRIED = (
    *("kind", "sheets", "sheet", "header"),
    *("missing", "questions", "leftOut", "leftOutTotal", "notices"),
)


@dataclass(frozen=True)
class LabelledInput:
    """A labelled input with its value."""

    id: str
    label: str
    value: str
    hint: str = ""
    choices: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class ColumnRow:
    """A column of the spreadsheet in the table that matches it to a field."""

    letter: str
    header: str
    input: str
    field: str
    state: str
    examples: Sequence[str]
    reason: str = ""

    @property
    def needs_attention(self) -> bool:
        """Whether its field must be looked at before the file is converted."""
        return self.state not in SETTLED

    @property
    def options(self) -> SafeString:
        """The options of its list, with its field chosen; only these two if it is settled.

        The script of the page completes the list: with all fields in each the page had 1.2 MB.
        """
        if not self.needs_attention:
            own = '<option value="">Not used</option><option value="{}" selected>{}</option>'
            return format_html(own, self.field, label_of(self.field))
        options = list_field_options().replace(f'value="{self.field}"', _chosen(self.field), 1)
        return mark_safe(options)  # noqa: S308 -- the field is one of ours


@cache
def list_field_options() -> SafeString:
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
        reason = str(column.get("reason") or "")
        rows.append(ColumnRow(letter, column["header"], name, field, text, examples, reason))
    return rows


def list_question_inputs(
    questions: Any, state: ToolState, *, is_open: bool = False
) -> list[LabelledInput]:
    """Return the questions about columns with their choices, those without an answer if `is_open`.

    questions: as carried by the browser, so that anything may be in them.
    """
    inputs: list[LabelledInput] = []
    for question in questions if isinstance(questions, list) else ():
        if not isinstance(question, dict) or not isinstance(question.get("examples"), list):
            continue
        kind, name = (str(question.get(key)) for key in ("kind", "field"))
        if kind == SHEET_QUESTION:
            inputs += _sheet_input(question, state)
            continue
        if kind not in ANSWERS or name not in LAR_BY_NAME:
            continue
        if is_open and (question.get("answer") or question.get("default")):
            continue
        choices = list(CHOICES[kind].items())
        if not question.get("default"):
            choices.insert(0, ("", "Choose one"))
        examples = ", ".join(map(str, question["examples"]))
        hint = f"{question.get('cells')}, such as {examples}"
        key = f"{kind}-{name}"
        text = str(question.get("question"))
        inputs.append(LabelledInput(key, text, state.value(key), hint, choices))
    return inputs


def _sheet_input(question: Mapping[str, Any], state: ToolState) -> Iterator[LabelledInput]:
    """Yield the question which sheets are meant, if it is one."""
    offered = question.get("choices")
    if isinstance(offered, list) and all(isinstance(choice, dict) for choice in offered):
        choices = [(str(choice.get("value")), str(choice.get("text"))) for choice in offered]
        choices.insert(0, ("", "Choose one"))
        text = str(question.get("question"))
        yield LabelledInput(SHEET_QUESTION, text, state.value(SHEET_QUESTION), "", choices)


def ask_for_check_digits(result: ResultContents, state: ToolState) -> list[LabelledInput]:
    """Return the question what becomes of ULIs whose check digits are missing; empty if none are.

    It is asked once for all of them, where several have no valid ones or some are valid by chance.
    """
    groups = [group for kind in result.findings for group in kind.groups]
    is_by_chance = any(group.text == VALID_BY_CHANCE for group in groups)
    without = sum(group.total for group in groups if group.name == _CHECK_DIGIT_EDIT)
    if not is_by_chance and (without < 2 or state.has_check_digit_wish):
        return []
    offered = ("append-all", "append-missing") if is_by_chance else ("append", "loan-id", "no")
    choices = [(choice, CHECK_DIGIT_CHOICES[choice]) for choice in offered]
    hint = "" if is_by_chance else f"{without:,} ULIs do not end in valid check digits."
    label = "Check digits of ULIs"
    return [LabelledInput("check_digit", label, offered[0], hint, choices)]


def summarize_columns(rows: Sequence[ColumnRow]) -> str:
    """Return how many columns are matched to a field."""
    used = sum(bool(row.field) for row in rows)
    return f"{used:,} of {len(rows):,} columns are matched to a field."


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
    entries = [
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
    return [
        offer_agencies(entry) if entry.id == f"{SHEET}federal_agency" else entry
        for entry in entries
    ]


def offer_agencies(entry: LabelledInput) -> LabelledInput:
    """Return the input of the agency with its choices; what the file says stays one of them."""
    words = list_code_words(TS_BY_NAME["federal_agency"], max(supported_years()))
    folded = fold_name(entry.value.removesuffix(".0"))
    value = entry.value
    for code, texts in words.items():
        if folded in {str(code), *map(fold_name, texts)}:
            value = str(code)
    choices = [
        ("", "Choose an agency"),
        *((str(code), f"{code} - {texts[0]}") for code, texts in words.items()),
    ]
    if value and value not in dict(choices):
        choices.append((value, value))
    return replace(entry, value=value, choices=choices)


def _quarter(state: ToolState) -> str:
    quarter = state.value("quarter")
    return quarter[1:] if quarter else "4"


def find_leis(matching: Mapping[str, Any], sheet_values: Mapping[str, str]) -> set[str]:
    """Return the LEIs that a file names in its transmittal sheet and its first rows."""
    leis = {sheet_values.get("lei", "")}
    for column in matching["columns"]:
        if column.get("field") in {"lei", f"{OF_SHEET}lei"}:
            leis |= set(map(str, column["examples"]))
    return {lei.strip().upper() for lei in leis} - {""}


def write_matching(matching: Mapping[str, Any]) -> str:
    """Return what of a matching a form carries on, as JSON."""
    table = {key: matching.get(key) for key in _CARRIED}
    columns = [
        {
            key: column.get(key)
            for key in ("column", "header", "field", "matched", "reason", "examples")
        }
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
    """Changes by one rule, or findings that say the same of one field: how many, and the first.

    name: of the rule, or the edit. title: what the group is about. cells: `C2:C13`.
    """

    name: str
    text: str
    total: int
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    cells: str = ""
    is_open: bool = False


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

    @property
    def records(self) -> int:
        """How many records the LAR has."""
        return int(self.report["file"]["lines"]) - 1

    @property
    def waits_for_columns(self) -> bool:
        """Whether all that keeps the file back is entered or chosen with the columns."""
        kinds = [kind for kind in self.findings if kind.kind not in _EDIT_KINDS]
        texts = [group.text for kind in kinds for group in kind.groups]
        return bool(texts) and all(text.endswith(_SEE_COLUMNS) for text in texts)


def build_result(converted: ConvertedFile) -> ResultContents:
    """Return changes by rule, and findings by kind and field, the first ones of each."""
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
    report = converted.report
    has_columns = report["file"]["kind"] != "pipe"
    few = len(converted.finding_groups) <= _FEW_GROUPS
    findings = []
    for kind, (title, to_do) in KINDS.items():
        of_kind = [group for group in converted.finding_groups if group.about["kind"] == kind]
        absent = [
            group
            for group in of_kind
            if kind == "format"
            and has_columns
            and group.about["column"] is None
            and group.about["field"] in LAR_BY_NAME
        ]
        missing = [group for group in of_kind if kind == "reading" and group.name == "missing"]
        groups = [_group(each, is_open=few) for each in of_kind if each not in absent + missing]
        groups += _joined(absent, "without a column", _NO_COLUMN)
        groups += _joined(missing, "of the transmittal sheet missing", _NOT_ENTERED)
        if groups:
            findings.append(
                KindOfFinding(kind, title, to_do, report["findings"]["byKind"][kind], groups)
            )
    not_run = [(why["reason"], ", ".join(why["edits"])) for why in report["notRunReasons"]]
    return ResultContents(report, changes, findings, report["problems"], not_run)


def _joined(groups: Sequence[reports.ReportGroup], what: str, text: str) -> Iterator[ResultGroup]:
    """Yield the fields that are blank for one reason as one group, if there are any."""
    if groups:
        rows = [(str(group.about["label"]), str(group.about["message"])) for group in groups]
        total = sum(group.total for group in groups)
        title = f"{len(groups)} field{'s' if len(groups) > 1 else ''} {what}"
        yield ResultGroup("", text, total, ("Field", "What is accepted"), rows, title)


def _group(group: reports.ReportGroup, *, is_open: bool) -> ResultGroup:
    """Return the findings of a group, with their values, and ULIs and advice if they have any."""
    about, is_edit = group.about, group.about["kind"] in _EDIT_KINDS
    texts = {"Advice": [str(one["message"]).removeprefix(about["message"]) for one in group.first]}
    texts["ULI"] = [one["uli"] or "" for one in group.first] if is_edit else []
    more = [name for name in ("ULI", "Advice") if any(texts[name])]
    rows = [
        (_place(one), one["value"] or "", *(texts[name][at].strip() for name in more))
        for at, one in enumerate(group.first)
    ]
    return ResultGroup(
        group.name if is_edit else "", about["message"], group.total, ("Cell", "Value", *more),
        rows, about["label"] or "", about["cells"] or "",
        is_open and group.total <= _FEW_ROWS,
    )  # fmt: skip


def _change(change: Mapping[str, Any]) -> tuple[str, ...]:
    return _place(change), label_of(change["field"]), change["before"], change["after"]


def _place(entry: Mapping[str, Any]) -> str:
    """Return the cell of a change or finding, `E3`, and other cells that it concerns."""
    column, row, line = entry.get("column"), entry.get("row"), entry.get("line")
    sheet = f"{entry['sheet']}!" if entry.get("sheet") else ""
    if column and row:
        return sheet + ", ".join(f"{letter}{row}" for letter in (column, *entry.get("also", ())))
    if column:
        return f"Column {column}"
    if row:
        return f"Row {sheet}{row}"
    return {None: "All records", 1: "Transmittal sheet"}.get(line, f"Line {line}")
