"""The examples of the API document are what a whole service answers.

Record them again with `--record-examples filing/api/openapi/recorded`, then run `make docs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filing.api.openapi import recorded
from tests.flow.conftest import OF_ANN, Service
from tests.flow.filer import Filer, lar
from tests.flow.recorder import Recorder

pytestmark = pytest.mark.any_database

LEI = "529900EXAMPLELEI0001"
HEADER = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
TO_VERIFY = ("Q611:1", "Q637")
YEAR = "2024"


@pytest.fixture
def filer(service: Service, tmp_path: Path) -> Iterator[Filer]:
    """The filer of the examples, who came to the panel when the season was open."""
    panel = tmp_path / "panel.csv"
    panel.write_text(f"{HEADER}\n{YEAR},{LEI},Example Bank,12-3456789,9,bank.example,true\n")
    service.manage("load_institutions", str(panel))
    token = service.manage("token", *OF_ANN, "--lei", LEI).strip()
    service.tokens[LEI] = token
    with Filer.of(service, YEAR, LEI) as filer:
        yield filer


def test_the_examples_are_what_the_service_answers(
    filer: Filer, request: pytest.FixtureRequest
) -> None:
    recorder = Recorder()

    def call(method: str, rest: str, **options: object) -> None:
        recorder.record(filer.call(method, rest, **options))

    call("POST", "")
    call("POST", "/submissions")
    content = lar(filer, rows=60, fail=TO_VERIFY)
    call("POST", "/submissions/1", files={"file": ("bank_2024.txt", with_an_error(content))})
    filer.rest(1)
    call("GET", "/submissions/1/parseErrors")
    call("GET", "/submissions/1/parseErrors/csv")
    filer.call("POST", "/submissions")
    filer.upload(content, name="bank_2024.txt", number=2)
    filer.rest(2)
    call("GET", "/submissions/2")
    call("GET", "/submissions/latest")
    call("GET", "/submissions/2/edits")
    call("GET", "/submissions/2/edits/csv")
    call("GET", "/submissions/2/edits/Q611")
    call("GET", "/submissions/2/edits/Q611/csv")
    call("POST", "/submissions/2/edits/quality", json={"verified": True})
    call("POST", "/submissions/2/edits/macro", json={"verified": True})
    call("POST", "/submissions/2/sign", json={"signed": True})
    call("GET", "/submissions/2/sign")
    call("GET", "/submissions/2/summary")
    call("GET", "/submissions")
    call("GET", "")
    recorder.record(filer.client.get(f"/institutions/{LEI}/year/{YEAR}"))

    if folder := request.config.getoption("--record-examples"):
        recorder.write(folder)
        return
    stored = {path.name: path.read_text() for path in recorded.FOLDER.glob("*.json")}
    assert recorder.texts == stored


def with_an_error(content: bytes) -> bytes:
    """Return a file in which a value of the second record cannot be read."""
    lines = content.split(b"\n")
    values = lines[2].split(b"|")
    values[4] = b"abc"
    lines[2] = b"|".join(values)
    return b"\n".join(lines)
