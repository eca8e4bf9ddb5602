"""A file has one answer, in the same words, by every way in: client, command, API, page, filing."""

from __future__ import annotations

import io
import json
import zipfile
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from filing.client.command import main
from filing.client.transmittal import NoSheet, SheetOwner, read_sheet
from filing.errors import INVALID_FORMAT
from filing.lar.foreign_files import EMPTY_FILE
from filing.lar.years import Period
from filing.models import Submission
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.errors import error_of
from tests.filing.edits.cases import LEI
from tests.filing.pages.steps import work
from tests.filing.submissions.resuming import F, caller
from tests.publicapi.lar_tool.calls import as_csv, as_workbook, loans
from tests.publicapi.uploads import register

pytestmark = pytest.mark.django_db

LAR = register({}, {}, {"loan_type": 9})
EMPTY_CELL = b"||"


def separated(mark: bytes) -> bytes:
    return LAR.replace(b"|", mark)


def quoted(lar: bytes, mark: bytes = b"|") -> bytes:
    lines = (line.replace(b"|", b'"' + mark + b'"') for line in lar.split(b"\n"))
    return b"\n".join(b'"' + line + b'"' for line in lines)


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, LAR)
    return file.getvalue()


def text(*lines: str) -> bytes:
    return "\n".join(lines).encode()


YEAR_AND_LEI = "2022,DEMO00PUBLIC00000273"
KINDS: dict[str, bytes] = {
    "plain": LAR,
    "mark": b"\xef\xbb\xbf" + LAR,
    "crlf": LAR.replace(b"\n", b"\r\n"),
    "cr": LAR.replace(b"\n", b"\r"),
    "last line ended": LAR + b"\n",
    "blank lines at the end": LAR + b"\r\n\r\n \r\n",
    "a blank line at the beginning": b"\n" + LAR,
    "blanks around fields": LAR.replace(b"|", b" | "),
    "control characters": LAR.replace(b"|", b"\x01|"),
    "a surplus pipe at each end": LAR.replace(b"\n", b"|\n") + b"|",
    "quoted": quoted(LAR),
    "quoted, with a mark and crlf": b"\xef\xbb\xbf" + quoted(LAR).replace(b"\n", b"\r\n"),
    "commas": separated(b","),
    "commas, quoted": quoted(LAR, b","),
    "semicolons": separated(b";"),
    "tabs": separated(b"\t"),
    "utf-16": LAR.decode().encode("utf-16"),
    "utf-16 of the other end": b"\xfe\xff" + LAR.decode().encode("utf-16-be"),
    "utf-16 without a mark": LAR.decode().encode("utf-16-le"),
    "utf-16, quoted": quoted(LAR).decode().encode("utf-16-be"),
    "utf-32": LAR.decode().encode("utf-32"),
    "windows-1252": LAR + "\n2|é|".encode("cp1252"),
    "windows-1252 on the first line": LAR.replace(b"|", "é|".encode("cp1252"), 1),
    "a character cut off": LAR + b"\n2|\xc3",
    "a NUL": LAR.replace(EMPTY_CELL, b"|\0|", 1),
    "empty": b"",
    "blank": b" \r\n\n",
    "no transmittal sheet": LAR.partition(b"\n")[2],
    "a short transmittal sheet": LAR.partition(b"\n")[0][:60] + b"\n2|x",
    "letters for a number": LAR.replace(b"|2024|4|", b"|20x4|4|", 1),
    "no LEI": LAR.replace(LAR.partition(b"\n")[0].rpartition(b"|")[2] + b"\n", b"\n", 1),
    "other text": b"hello\nworld",
    "a sentence": b"hello, world",
    "pdf": b"%PDF-1.7\n1 0 obj",
    "zip": zipped("lar.txt"),
    "zip of a mac": zipped("__MACOSX/._lar.txt"),
    "gzip": b"\x1f\x8b\x08\0",
    "picture": b"\x89PNG\r\n\x1a\n",
    "rtf": rb"{\rtf1\ansi",
    "a document of Word": zipped("word/document.xml"),
    "web page": b"<!DOCTYPE html>\n<html><body>Not found</body></html>",
    "spreadsheet saved as a web page": b"<html xmlns:x='urn:schemas-microsoft-com:office:excel'>",
    "spreadsheet saved as a table": b"\r\n<Table>\n<tr><td>1</td></tr></Table>",
    "panel": text("activity_year,lei,tax_id,agency_code,respondent_rssd,respondent_name", "2022,x"),
    "panel without headings": text(
        f'{YEAR_AND_LEI},99-0000001,9,-1,1,"A, Bank"{",1" * 8}', "2022,x"
    ),
    "panel of this service": text("activity_year|lei|name|tax_id|agency|email_domains", "2025|x"),
    "public transmittal sheets": text("activity_year|calendar_quarter|lei|tax_id|lar_count", "x"),
    "public LAR": text("activity_year,lei,derived_msa-md,state_code", f"{YEAR_AND_LEI},1,AL"),
    "public LAR without headings": text(f"{YEAR_AND_LEI},33860{',1' * 96}", "2022,x"),
}
REFUSED = [*KINDS][16:25] + [*KINDS][33:]


class Answer(NamedTuple):
    """What comes of a file. words: of its refusal; blank if it is read. lines: with errors."""

    words: str
    lines: tuple[int, ...] = ()


def refused(message: str) -> Answer:
    return Answer(unescape(message).removeprefix(f"{INVALID_FORMAT}: ").strip().lower())


def found(errors: list[dict[str, Any]]) -> Answer:
    return Answer("", tuple(error["rowNumber"] for error in errors))


def by_client(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> Answer:
    code = main(["check", str(path), "--json", *words])
    out, err = capsys.readouterr()
    assert ("Traceback" in err, bool(out)) == (False, code != 4)
    if code == 4:
        return refused(err.removeprefix(f"hmda: {path}: "))
    return found(json.loads(out)["parserErrors"])


def by_command(path: Path) -> Answer:
    out = io.StringIO()
    try:
        call_command("check_lar", str(path), "--year", "2024", "--json", stdout=out)
    except CommandError as error:
        return refused(str(error).removeprefix(f"{path}: "))
    except SystemExit:
        pass
    return found(json.loads(out.getvalue())["parserErrors"])


def by_api(content: bytes, address: str, key: str) -> Answer:
    file = SimpleUploadedFile("lar.txt", content)
    answer = Client().post(f"/v2/public/disclosure/{address}", {"file": file})
    if answer.status_code == 400:
        error = error_of(answer)
        return refused(answer.json().get("detail") or error["message"])
    return found(json.loads(answer.getvalue())[key])


def by_page(content: bytes) -> str:
    file = SimpleUploadedFile("lar.txt", content)
    data = {"file": file, "year": "2024", "quarter": ""}
    return unescape(Client().post("/tools/check-file/", data).text).lower()


@pytest.mark.parametrize("kind", KINDS)
def test_client_command_api_and_page_say_the_same(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(KINDS[kind])
    answer = by_api(KINDS[kind], "parse", "validated")
    assert by_api(KINDS[kind], "validate/2024", "parserErrors") == answer
    assert by_client(path, capsys, "--year", "2024") == answer
    assert by_client(path, capsys) == answer
    assert by_command(path) == answer
    assert bool(answer.words) == (kind in REFUSED)
    page = by_page(KINDS[kind])
    assert answer.words in page
    assert ("there is a problem" in page) == bool(answer.words)


ARRIVED = ("quoted", "commas", "windows-1252")  # of which more is known once they are parsed
FILED = [*ARRIVED, "empty", "utf-16", "a NUL", "pdf", "zip", "panel", "public LAR", "web page"]


@pytest.mark.parametrize("kind", FILED)
def test_a_filing_says_the_same(kind: str, submission: Submission) -> None:
    answer = by_api(KINDS[kind], "parse", "validated")
    file = SimpleUploadedFile("lar.txt", KINDS[kind])
    sent = caller().post(f"{F}/submissions/1", {"file": file})
    if sent.status_code == 400:
        words = sent.json()["detail"].lower()
        # The public check reports an empty file as a formatting error of its first line.
        assert words == (EMPTY_FILE if kind == "empty" else answer.words)
        return
    work()
    submission.refresh_from_db()
    assert submission.format_errors == len(answer.lines)
    if answer.words:
        assert submission.failure.lower() == answer.words


@pytest.mark.parametrize("kind", ["quoted", "commas", "utf-16", "panel", "empty"])
def test_the_client_refuses_to_file_what_the_service_refuses(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(KINDS[kind])
    if kind in {"quoted", "commas"}:
        assert read_sheet(path) == SheetOwner(LEI, Period(2024))
        return
    words = EMPTY_FILE if kind == "empty" else by_api(KINDS[kind], "parse", "validated").words
    for given in ({}, {"lei": LEI, "period": Period(2024)}):
        with pytest.raises(NoSheet) as fault:
            read_sheet(path, **given)
        assert str(fault.value).lower() == words


ROWS = loans({}, {"loan_type": 9})
SPREADSHEETS = {
    "xlsx": as_workbook(ROWS),
    "csv": as_csv(ROWS),
    "csv with a title": b"Loans of 2024\n\n" + as_csv(ROWS),
    "csv in utf-16": as_csv(ROWS).decode().encode("utf-16"),
}


@pytest.mark.parametrize("kind", SPREADSHEETS)
def test_the_page_sends_a_spreadsheet_on_to_the_lar_tool(kind: str) -> None:
    def data() -> dict[str, Any]:
        file = SimpleUploadedFile("loans.txt", SPREADSHEETS[kind])
        return {"file": file, "year": "2024", "quarter": ""}

    sent_on = Client().post("/tools/check-file/", data(), follow=True)
    assert sent_on.redirect_chain == [("/tools/lar/columns/", 307)]
    by_script = Client().post("/tools/check-file/", data(), headers={"HX-Request": "true"})
    assert 'form="check-file" formaction="/tools/lar/columns/"' in by_script.text


def test_the_client_converts_a_spreadsheet_and_says_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "loans.csv"
    path.write_bytes(SPREADSHEETS["csv"])
    assert main(["check", str(path), "--year", "2024"]) == 12  # it has no transmittal sheet
    capsys.readouterr()
    assert main(["check", str(path)]) == 4
    assert "Add --year" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["pdf", "panel", "public LAR", "web page", "zip"])
def test_the_lar_tool_names_what_is_no_spreadsheet(kind: str) -> None:
    file = SimpleUploadedFile("lar.txt", KINDS[kind])
    answer = Client().post("/v2/public/lar/columns", {"file": file})
    named = by_api(KINDS[kind], "parse", "validated").words.partition(". ")[0]
    assert answer.status_code == 415
    assert named.removeprefix("the file is ") in error_of(answer)["message"].lower()
