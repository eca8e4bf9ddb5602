"""What the LAR tool answers about a spreadsheet: by its pages, its API, and `hmda convert`.

`convert`: `lar` has the lines of the file; with `findings` each finding, by cell, kind and code.
Without `lar` no file is written until the cells of `findings` are corrected.
`columns`: `columns` has the field of each header that has one.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.corpus.case_files import Answer, Case, refuse
from tests.corpus.commands import run_client
from tests.corpus.refusals import find_page_refusal
from tests.errors import error_of
from tests.publicapi.lar_tool.calls import LAR_TOOL
from tests.publicapi.lar_tool.pages import COLUMNS, RESULT, Form

_FIELDS = {  # of the page, by option
    "checkDigit": "check_digit",
    "blankAsNa": "blank_as_na",
    "leaveOutHidden": "without_hidden",
}
_ASKED = {
    "dates": ("application_date", "action_taken_date"),
    "percent": (
        *("interest_rate", "rate_spread"),
        *("debt_to_income_ratio", "combined_loan_to_value_ratio"),
    ),
}


def ask_api(case: Case, client: Client, folder: Path) -> Answer:
    query = "&".join(
        f"{name}={case.body[name]}" for name in ("year", "quarter") if name in case.body
    )
    parts = {"map": case.mapping, "options": case.options}
    if case.tool == "columns":
        answer = _post(client, f"{LAR_TOOL}/columns", case, parts)
        if answer.status_code != 200:
            return _api_refusal(answer)
        return _columns(json.loads(answer.getvalue()))
    parts["sheet"] = case.sheet
    answer = _post(client, f"{LAR_TOOL}/convert?{query}&format=txt", case, parts)
    if answer.status_code not in (200, 422) or (answer.status_code == 422 and not _report(answer)):
        return _api_refusal(answer)
    lines = [] if answer.status_code == 422 else answer.getvalue().decode().splitlines()
    result: Answer = {"lar": lines} if lines else {}
    if _wants_findings(case) or not lines:
        report = _report(answer) if not lines else None
        if report is None:
            report = json.loads(
                _post(client, f"{LAR_TOOL}/convert?{query}", case, parts).getvalue()
            )
        findings = list_findings(report["findings"]["first"])
        result["findings"] = _of_right_kind(findings, lines)
    return result


def _wants_findings(case: Case) -> bool:
    return case.answer is None or "findings" in case.answer


def _post(client: Client, address: str, case: Case, parts: dict[str, Any]) -> Any:
    fields = {name: json.dumps(part) for name, part in parts.items() if part}
    file = SimpleUploadedFile(case.file.name, case.file.read_bytes())
    return client.post(address, {"file": file, **fields})


def _report(answer: Any) -> dict[str, Any] | None:
    body: dict[str, Any] = json.loads(answer.getvalue()) if answer.status_code == 422 else {}
    return body if "findings" in body else None


def _api_refusal(answer: Any) -> Answer:
    return refuse(answer.status_code, error_of(answer)["message"])


def _columns(matching: dict[str, Any]) -> Answer:
    columns = {
        column["header"] or column["column"]: column["field"]
        for column in matching["columns"]
        if column["field"]
    }
    return {"columns": columns}


def list_findings(findings: list[dict[str, Any]]) -> list[str]:
    """Return the cell, kind and code of each finding, in order; hints about columns left out."""
    return sorted(
        f"{_cell(one)} {one['kind']} {one['code'] or ''}".rstrip()
        for one in findings
        if one["line"] not in (None, "")
    )


def _of_right_kind(findings: list[str], lines: list[str] | None) -> list[str]:
    """Return the findings that count: before a file can be written, cells that cannot be read."""
    return findings if lines else [one for one in findings if " reading" in one]


def _cell(one: dict[str, Any]) -> str:
    row = f"{one['row']}" if one["row"] not in (None, "") else f"line {one['line']}"
    if one["column"]:
        return f"{one['column']}{row}"
    return f"{one['field']} {row}"


def ask_client(case: Case, client: Client, folder: Path) -> Answer:
    settings, output = folder / "settings.json", folder / "lar.txt"
    parts = {"map": case.mapping, "sheet": case.sheet, "options": case.options}
    settings.write_text(json.dumps(parts))
    words = ["convert", str(case.file), "--settings", str(settings), "--json"]
    for name in ("year", "quarter"):
        if name in case.body:
            words += [f"--{name}", str(case.body[name])]
    if case.tool == "columns":
        run = run_client([*words, "--columns"])
        return refuse(None, run.error) if run.code == 4 else _columns(run.json())
    run = run_client([*words, "-o", str(output)])
    if run.code == 4:
        return refuse(None, run.error)
    report = run.json()
    result: Answer = {}
    if output.exists():
        result["lar"] = output.read_bytes().decode().splitlines()
    findings = list_findings(report["findings"]["first"])
    if findings or _wants_findings(case):
        result["findings"] = _of_right_kind(findings, result.get("lar"))
    return result


def ask_pages(case: Case, client: Client, folder: Path) -> Answer:
    """Return the answer of the pages: what they propose is confirmed."""
    period = {"year": str(case.year or ""), "quarter": str(case.body.get("quarter", ""))}
    choices = {**period, **_page_fields(case)}
    page = _send(client, COLUMNS, case, choices)
    if page.status_code != 200:
        return refuse(page.status_code, find_page_refusal(page.content.decode()))
    form = Form(page.content.decode()).fields
    if case.tool == "columns":
        return _page_columns(form)
    form |= choices | _answers(case, form)
    for header, field in case.mapping.items():
        form[f"field-{_letter(form, header)}"] = field or ""
    as_typed = bool(case.options.get("asTyped"))
    answer = _send(client, RESULT, case, {**form, "save": "typed" if as_typed else "txt"})
    is_file = answer["Content-Type"].startswith("text/plain")
    if not is_file and answer.status_code not in (200, 422):
        return refuse(answer.status_code, find_page_refusal(answer.content.decode()))
    result: Answer = {"lar": answer.getvalue().decode().splitlines()} if is_file else {}
    if _wants_findings(case) or not is_file:
        saved = _send(client, RESULT, case, {**form, "save": "findings"})
        if not saved["Content-Type"].startswith("text/csv"):
            return refuse(answer.status_code, find_page_refusal(answer.content.decode()))
        rows = csv.DictReader(io.StringIO(saved.getvalue().decode("utf-8-sig")))
        findings = list_findings([dict(row) for row in rows])
        result["findings"] = _of_right_kind(findings, result.get("lar"))
    return result


def _send(client: Client, address: str, case: Case, fields: dict[str, str]) -> Any:
    file = SimpleUploadedFile(case.file.name, case.file.read_bytes())
    return client.post(address, {**fields, "file": file})


def _page_fields(case: Case) -> dict[str, str]:
    """Return the fields of the form that say what the options and the sheet say."""
    fields = {f"ts-{name}": value for name, value in case.sheet.items()}
    for name, value in case.options.items():
        if name == "fill":
            fields |= {f"fill-{field}": text for field, text in value.items()}
        elif name == "normalise":
            fields |= {} if value else {"as_is": "on"}
        elif name not in ("near", "asTyped"):  # those are a choice of each column, and a button
            fields[_FIELDS.get(name, name)] = "on" if value is True else str(value)
    return fields


def _answers(case: Case, form: dict[str, str]) -> dict[str, str]:
    """Return the answers of the options to what the page asks about single columns."""
    named = {
        f"{name}-{field}": str(case.options[name])
        for name, fields in _ASKED.items()
        if name in case.options
        for field in fields
    }
    return {name: value for name, value in named.items() if name in form}


def _page_columns(form: dict[str, str]) -> Answer:
    matching = json.loads(form["columns"])
    headers = {
        column["column"]: column["header"] or column["column"] for column in matching["columns"]
    }
    chosen = {
        headers[name.removeprefix("field-")]: field
        for name, field in form.items()
        if name.startswith("field-") and field
    }
    return {"columns": chosen}


def _letter(form: dict[str, str], header: str) -> str:
    matching = json.loads(form["columns"])
    letters = {column["header"]: column["column"] for column in matching["columns"]}
    return letters.get(header, header)
