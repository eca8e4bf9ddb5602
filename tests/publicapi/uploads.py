"""Files to check, and how a file is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from filing.edits import examples
from filing.lar.years import Period
from tests.errors import error_of
from tests.filing.edits.cases import LEI

PUBLIC = "/v2/public"
VALIDATE = f"{PUBLIC}/disclosure/validate/2024"
YEAR = Period(2024)
NO_PART = "Send the file as multipart/form-data, in one part named 'file'."
TWO_PARTS = "Invalid file format: There is more than one part named 'file'."
WAY_OUT = "Save the LAR as pipe-delimited UTF-8 text."


AS_UTF_8 = "Save it as UTF-8 text: in Notepad choose Save as, and the encoding UTF-8."


NO_NAME = "Invalid file format: The part 'file' has no file name; send it as a file."
NOT_TEXT = "Invalid file format: Line 1 holds a NUL byte, text has none."


@pytest.fixture(autouse=True)
def left_behind(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give what lies in the folders for uploads and temporary files; nothing may in the end."""
    uploads, temporary = tmp_path / "incoming", tmp_path / "temporary"
    for folder in (uploads, temporary):
        folder.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = uploads
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def left() -> list[Path]:
        return [*uploads.iterdir(), *temporary.iterdir()]

    yield left
    assert left() == []


def register(*changes: dict[str, str | int], period: Period = YEAR, **sheet: str | int) -> bytes:
    """Return a file of correct loans with changes."""
    first = examples.correct_transmittal_sheet(period, LEI, len(changes)) | sheet
    loans = [
        examples.correct_loan(period, LEI, uli=examples.numbered_uli(LEI, number)) | change
        for number, change in enumerate(changes)
    ]
    return "\n".join(map(examples.write_record_line, [first, *loans])).encode()


def part(content: bytes, name: str = "lar.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def sent(client: Client, content: bytes, address: str = VALIDATE) -> HttpResponse:
    return client.post(address, {"file": part(content)})


def found(client: Client, content: bytes, address: str = VALIDATE) -> dict[str, Any]:
    answer = sent(client, content, address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer["Cache-Control"] == "no-cache"
    return of_the_file(answer)


def of_the_file(answer: HttpResponse) -> dict[str, Any]:
    """Return what an answer found in the file, without what it says of the rules themselves."""
    body: dict[str, Any] = json.loads(answer.getvalue())
    assert list(body)[:2] == ["parserErrors", "validationErrors"]
    return {name: body[name] for name in list(body)[:2]}


def names(body: dict[str, Any]) -> list[list[str]]:
    return [[finding["editName"] for finding in row] for row in body["validationErrors"]]


def refusal(answer: HttpResponse, path: str = "/disclosure/validate/2024") -> tuple[int, str]:
    """Return status and message of a refusal, having held it against the form of all refusals."""
    body = error_of(answer)
    assert body == {"httpStatus": answer.status_code, "message": body["message"], "path": path}
    assert answer["Cache-Control"] == "no-cache"
    return answer.status_code, body["message"]
