"""What is found in a LAR: by the file check page, its API, and `hmda check`.

`formatErrors` has line and field of each, `edits` code and ULI of each finding in one record or in
the transmittal sheet (its LEI), `fileEdits` codes of edits of the whole file, which the API leaves
out. The client is asked with and without the year: `withoutYear` is its answer where a file does
not say its own.
"""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel
from tests.corpus.case_files import Answer, Case, find_difference, is_refusal, refuse
from tests.corpus.commands import ClientRun, run_client
from tests.corpus.refusals import find_page_refusal
from tests.errors import error_of
from tests.publicapi.uploads import PUBLIC

PAGE = "/tools/check-file/"
_UNREADABLE, _NOT_RUN, _ACCEPTS = "Format", "Not run", " accepts: "
_REFUSED = 4


def ask_api(case: Case, client: Client, folder: Path) -> Answer:
    answer = client.post(f"{PUBLIC}/disclosure/validate/{case.year}", {"file": _part(case)})
    if answer.status_code != 200:
        return refuse(answer.status_code, error_of(answer)["message"])
    return _found(json.loads(answer.getvalue()))


def _part(case: Case) -> SimpleUploadedFile:
    return SimpleUploadedFile(case.file.name, case.file.read_bytes())


def _found(body: dict[str, Any]) -> Answer:
    return {
        "formatErrors": [
            f"{error['rowNumber']} {message['fieldName']}"
            for error in body["parserErrors"]
            for message in error["errorMessages"]
        ],
        "edits": sorted(
            f"{finding['editName']} {finding['uli']}"
            for row in body["validationErrors"]
            for finding in row
            if finding["editName"] not in _file_edits()
        ),
    }


@cache
def _file_edits() -> frozenset[str]:
    """Return the codes of edits of the whole file; macro edits, which the page leaves out, too."""
    return frozenset(edit.code for edit in catalogue.EDITS if edit.level is EditLevel.FILE)


def ask_client(case: Case, client: Client, folder: Path) -> Answer:
    """Return the answer with the year; a file that says its own is asked about without it alone.

    A refusal is asked for both ways, since it must not depend on the year.
    """
    alone = _checked(run_client(["check", str(case.file), "--json"]))
    right = case.answer or {}
    if case.answer and not is_refusal(right) and "withoutYear" not in right:
        return alone
    answer = _checked(run_client(["check", str(case.file), "--json", "--year", str(case.year)]))
    if case.answer is None:
        return answer if alone == answer else {**answer, "withoutYear": alone}
    if difference := find_difference(right.get("withoutYear", right), alone):
        return {**answer, "withoutYear": f"without the year: {difference}"}
    return {**answer, "withoutYear": right.get("withoutYear")}


def _checked(run: ClientRun) -> Answer:
    if run.code == _REFUSED:
        return refuse(None, run.error)
    body = run.json()
    codes = sorted(
        each["edit"]
        for each in body["edits"]
        if each["edit"] in _file_edits() and each["kind"] != EditKind.MACRO.value
    )
    return {**_found(body), "fileEdits": codes}


def ask_pages(case: Case, client: Client, folder: Path) -> Answer:
    form = {"year": str(case.year), "quarter": "", "format": "csv"}
    answer = client.post(PAGE, {**form, "file": _part(case)})
    if not answer["Content-Type"].startswith("text/csv"):
        return refuse(answer.status_code, find_page_refusal(answer.content.decode()))
    return _tabulated(list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig")))))


def _tabulated(rows: list[dict[str, str]]) -> Answer:
    """Return what the rows of the CSV say."""
    errors = [row for row in rows if row["editType"] == _UNREADABLE]
    triggered = [row for row in rows if row["editId"] and row["editType"] != _NOT_RUN]
    codes = {row["editId"] for row in triggered}
    return {
        "formatErrors": [
            f"{row['rowNumber']} {row['editDescription'].partition(_ACCEPTS)[0]}" for row in errors
        ],
        "edits": sorted(
            f"{row['editId']} {row['ULI']}"
            for row in triggered
            if row["editId"] not in _file_edits()
        ),
        "fileEdits": sorted(codes & _file_edits()),
    }
