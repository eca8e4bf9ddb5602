"""The files that the page with the result gives out: the LAR, findings, a spreadsheet."""

from __future__ import annotations

import zipfile
from pathlib import Path

from django.conf import settings
from django.http import HttpResponseBase, JsonResponse

from filing.errors import BadInput
from filing.files import attachments
from filing.spreadsheets.conversion import Conversion
from publicapi.lar_tool import answers, conversions

AS_TYPED = frozenset({"typed", "xlsx", "editor"})  # with cells that were not understood
_FINDINGS = "findings.csv"


def download(save: str, result: Conversion) -> HttpResponseBase | None:
    """Return a file that the browser saves, or None for the page.

    save: `txt`, `typed`, `findings`, `xlsx`, or `editor` for the records as JSON.
    Raises: FileRefusal, with the report if cells keep the file from being written.
    """
    if save in {"txt", "typed"}:
        return _lar(result)
    if save == "findings":
        return _findings(result)
    if save == "xlsx":
        return _spreadsheet(result)
    return _records(result) if save == "editor" else None


def _lar(result: Conversion) -> HttpResponseBase:
    with conversions.known_refusals():
        result.require_writable()
    return answers.unlinked(result.name, result.lar, attachments.TEXT)


def _findings(result: Conversion) -> HttpResponseBase:
    folder = result.lar.parent
    packed = folder / "answer.zip"
    with conversions.known_refusals(), packed.open("wb") as file:
        result.write_zip(file)
    with zipfile.ZipFile(packed) as archive:
        path = Path(archive.extract(_FINDINGS, folder))
    name = f"findings-{Path(result.name).stem}.csv"
    return answers.unlinked(name, path, attachments.CSV)


def _spreadsheet(result: Conversion) -> HttpResponseBase:
    with conversions.written_back(result.lar, kind="xlsx", names="label") as written:
        return answers.unlinked(written.name, written.path, written.content_type)


def _records(result: Conversion) -> JsonResponse:
    """Return what the row editor opens: the lines, and the findings in them."""
    most = settings.LAR_EDITOR_LOANS
    report = result.report()
    if report["file"]["lines"] - 1 > most:
        raise BadInput(
            f"The row editor holds at most {most:,} loans. Correct them in the spreadsheet, or "
            "save the file."
        )
    findings = [finding for finding in report["findings"]["first"] if finding["line"]]
    return JsonResponse({"text": result.lar.read_text("utf-8"), "findings": findings})
