"""A file has the same findings wherever it is checked: offline, in public, and as a submission."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.yardstick.reading import faults, is_text
from config.running.supervisor import ROOT
from filing.edits import catalogue
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.lar.years import Period
from tests.filing.edits.garbage import mutated
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

pytestmark = pytest.mark.slow

PERIODS = ("2024", "2025", "2024-Q2")
ROWS, CHANGED_CELLS = 150, 120
# What only the service knows enough to run.
OF_THE_PANEL = {"S303", "Q303"}
GARBAGE = (
    *("", "NA", "na", "Exempt", "1111", "-1", "0", "99999999999999999999", "1e99", "1e-20"),
    *("20240230", "é", "\N{GRINNING FACE}", "\x07", "=1+1", '"', "8888.0", " 12 ", "+5", ".5", "x"),
)


def mixed(lines: list[str], draw: random.Random) -> list[str]:
    """Return the lines with cells changed for those of other rows, so that every one can be read.

    Identifiers stay, or most rows would belong to somebody else.
    """
    cells = [line.split("|") for line in lines]
    for _ in range(CHANGED_CELLS):
        column = draw.randrange(3, 110)
        one, other = (draw.randrange(1, len(cells)) for _ in range(2))
        cells[one][column] = cells[other][column]
    return ["|".join(each) for each in cells]


def spoilt(lines: list[str], draw: random.Random) -> list[str]:
    """Return the lines with garbage in some cells; the transmittal sheet is not spared."""
    cells = [line.split("|") for line in lines]
    for _ in range(CHANGED_CELLS):
        row = draw.choice(cells)
        row[draw.randrange(len(row))] = draw.choice(GARBAGE)
    return ["|".join(each) for each in cells]


def offline(service: Service, path: Path, period: Period) -> dict[str, Any]:
    return dict(json.loads(checked(service, path, period, "--json")))


def checked(service: Service, path: Path, period: Period, form: str) -> bytes:
    """Return what `check_lar` says of a file; only the service's own panel is not asked."""
    quarter = ["--quarter", period.quarter_name] if period.is_quarterly else []
    asked = ["check_lar", str(path), form, "--year", str(period.year), *quarter]
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *asked],
        env=service.environment,
        capture_output=True,
        check=False,
    )
    assert not done.stderr
    return done.stdout


def in_public(service: Service, path: Path, period: Period) -> dict[str, Any]:
    quarter = f"/quarter/{period.quarter_name}" if period.is_quarterly else ""
    address = f"{service.url}/v2/public/disclosure/validate/{period.year}{quarter}"
    with path.open("rb") as file:
        answer = httpx.post(address, files={"file": file}, timeout=60)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def filed(filer: Filer) -> list[tuple[str, str, str]]:
    """Return what the service found: edit, ULI, and the values as text."""
    text = filer.call("GET", "/submissions/1/edits/csv?detail=true").text
    return [
        (row["editId"], row["ULI"], row["fields"])
        for row in csv.DictReader(io.StringIO(text))
        if row["editId"] not in OF_THE_PANEL
    ]


def format_errors(filer: Filer) -> list[dict[str, Any]]:
    found, page = [], 1
    while True:
        body = filer.call("GET", f"/submissions/1/parseErrors?page={page}").json()
        found += body["transmittalSheetErrors"] + body["larErrors"]
        if not body["count"]:
            return found
        page += 1


def listed(findings: dict[str, Any], kinds: set[EditKind], period: Period) -> list[tuple[str, ...]]:
    """Return the findings of single records of these kinds, in the form of `filed`."""
    of_records = [edit for edit in catalogue.list_edits(period) if edit.level is not EditLevel.FILE]
    chosen = {edit.code for edit in of_records if edit.kind in kinds}
    return sorted(
        (finding["editName"], finding["uli"], told(finding["fields"]))
        for row in findings["validationErrors"]
        for finding in row
        if finding["editName"] in chosen
    )


def told(fields: dict[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in fields.items())


def of_the_file(edit: Edit) -> bool:
    return edit.level is EditLevel.FILE


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_file_that_can_be_read_has_the_same_findings_everywhere(service, tmp_path, period, seed):
    draw = random.Random(f"{period} {seed}")
    with Filer.of(service, period) as filer:
        fails = ("Q611:4", "Q631:3", "Q637") if seed == 1 else ("S304",)
        lines = lar(filer, rows=ROWS, fail=fails).decode().splitlines()
        path = tmp_path / "lar.txt"
        path.write_text("\n".join(mixed(lines, draw)))
        alone, public = (
            check(service, path, Period.parse(period)) for check in (offline, in_public)
        )
        assert alone["parserErrors"] == public["parserErrors"] == []
        assert alone["validationErrors"] == public["validationErrors"]
        filer.file(path.read_bytes())
        # Quality and macro edits come only once nothing has to be corrected.
        stopped = {e["kind"] for e in alone["edits"]} & {"syntactical", "validity"}
        kinds = {EditKind.SYNTACTICAL, EditKind.VALIDITY} if stopped else set(EditKind)
        found = filed(filer)
        whole = {e.code: e for e in catalogue.list_edits(Period.parse(period)) if of_the_file(e)}
        of_records = sorted(finding for finding in found if finding[0] not in whole)
        assert of_records == listed(public, kinds, Period.parse(period))
        expected = {
            e["edit"]: e["detail"]
            for e in alone["edits"]
            if e["edit"] in whole and whole[e["edit"]].kind in kinds
        }
        assert {code: text for code, _, text in found if code in whole} == expected


def test_a_file_without_errors_to_correct_shows_its_quality_and_macro_edits_everywhere(
    service, tmp_path
):
    with Filer.of(service, "2024") as filer:
        path = tmp_path / "lar.txt"
        path.write_bytes(lar(filer, rows=ROWS, fail=("Q611:4", "Q631:3", "Q637", "Q600")))
        alone, public = (check(service, path, Period(2024)) for check in (offline, in_public))
        assert alone["validationErrors"] == public["validationErrors"]
        filer.file(path.read_bytes())
        found = filed(filer)
        whole = {e.code for e in catalogue.list_edits(Period(2024)) if of_the_file(e)}
        of_records = sorted(finding for finding in found if finding[0] not in whole)
        assert of_records == listed(public, set(EditKind), Period(2024))
        assert {code for code, _, _ in of_records} == {"Q611", "Q631"}
        details = {e["edit"]: e["detail"] for e in alone["edits"] if e["edit"] in whole}
        assert {code: text for code, _, text in found if code in whole} == details
        assert set(details) == {"Q600", "Q637"}


@pytest.mark.parametrize("period", PERIODS)
def test_a_file_that_cannot_be_read_has_the_same_format_errors_everywhere(
    service, tmp_path, period
):
    draw = random.Random(period)
    with Filer.of(service, period) as filer:
        lines = lar(filer, rows=ROWS).decode().splitlines()
        path = tmp_path / "lar.txt"
        path.write_text("\n".join(spoilt(lines, draw)))
        alone, public = (
            check(service, path, Period.parse(period)) for check in (offline, in_public)
        )
        assert alone["validationErrors"] == public["validationErrors"]
        filer.file(path.read_bytes())
        assert alone["parserErrors"] == public["parserErrors"] == format_errors(filer)
        assert len(public["parserErrors"]) > 5


@pytest.mark.parametrize("period", PERIODS)
def test_garbage_that_can_be_read_has_the_same_lines_and_values_everywhere(
    service, tmp_path, period
):
    draw = random.Random(period)
    with Filer.of(service, period) as filer:
        sheet, *loans = lar(filer, rows=ROWS).splitlines()
        kept = [line for line in (mutated(loan, draw) for loan in loans) if can_be_filed(line)]
        assert len(kept) > ROWS / 2
        path = tmp_path / "lar.txt"
        path.write_bytes(b"\n".join([sheet, *kept, loans[0]]))
        of = Period.parse(period)
        public = in_public(service, path, of)
        assert public["parserErrors"] == []
        assert public["validationErrors"] == offline(service, path, of)["validationErrors"]
        filer.file(path.read_bytes())
        stops = {EditKind.SYNTACTICAL.value.capitalize(), EditKind.VALIDITY.value.capitalize()}
        alone = csv_rows(checked(service, path, of, "--csv").decode())
        found = csv_rows(filer.call("GET", "/submissions/1/edits/csv?detail=true").text)
        assert found == [row for row in alone if row["editType"] in stops]
        assert len(found) > ROWS / 2


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def can_be_filed(line: bytes) -> bool:
    """Return whether an upload with this line is taken, and the line is a loan."""
    return is_text(line) and b"\0" not in line and b"\r" not in line and not faults(1, line)
