"""The client files with a whole service: from the file to the receipt, or to what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from config.running.supervisor import ROOT
from filing.client import Ending, FilingClient, Outcome, file
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period
from tests.flow.conftest import Service


def written(path: Path, lei: str, period: Period, rows: int, **fails: int) -> Path:
    codes = {code.replace("_", "-"): count for code, count in fails.items()}
    recipe = LarRecipe(period=period, lei=lei, rows=rows, fails=codes, tax_id="12-3456789")
    path.write_bytes(
        b"".join(make_lar_file(recipe, demo_census.make_census_rows(period.year)["census_tract"]))
    )
    return path


def filed(service: Service, path: Path, lei: str, period: Period, **options: Any) -> Outcome:
    with FilingClient(service.url, service.tokens[lei]) as client:
        return file(client, path, lei=lei, period=period, patience=60, **options)


def test_edits_are_counted_verified_and_signed(service: Service, tmp_path: Path) -> None:
    lei, period = service.lei(), Period(2024)
    path = written(tmp_path / "lar.txt", lei, period, 200, Q613=30, Q637=1)
    assert filed(service, path, lei, period).ending is Ending.MUST_BE_VERIFIED
    outcome = filed(service, path, lei, period, verify=True, sign=True)
    assert (outcome.ending, outcome.submission) == (Ending.DONE, 2)
    assert outcome.steps[0].status == 400
    assert [(edit["edit"], edit["records"]) for edit in outcome.edits["quality"]] == [("Q613", 30)]
    assert [edit["edit"] for edit in outcome.edits["macro"]] == ["Q637"]


def test_what_must_be_corrected_is_shown(service: Service, tmp_path: Path) -> None:
    lei, period = service.lei(), Period(2024)
    path = written(tmp_path / "lar.txt", lei, period, 50, V617=3, S304=1)
    outcome = filed(service, path, lei, period, verify=True, sign=True)
    assert outcome.ending is Ending.MUST_BE_CORRECTED
    assert [edit["edit"] for edit in outcome.edits["syntactical"]] == ["S304"]
    assert [(edit["edit"], edit["records"]) for edit in outcome.edits["validity"]] == [("V617", 3)]
    path.write_text(path.read_text().replace("\n2|", "\nx|"))
    outcome = filed(service, path, lei, period)
    assert outcome.ending is Ending.MUST_BE_CORRECTED
    assert (len(outcome.format_errors), outcome.format_error_lines) == (50, 50)


def test_a_token_of_somebody_else_and_a_wrong_name_are_refused(
    service: Service, tmp_path: Path
) -> None:
    lei, period = service.lei(), Period(2024)
    path = written(tmp_path / "lar.csv", lei, period, 5)
    outcome = filed(service, path, lei, period)
    assert (outcome.ending, outcome.status["code"]) == (Ending.FAILED, 1)
    assert 'Invalid file format. The name "lar.csv" does not end in .txt' in str(outcome.error)
    with FilingClient(service.url, "nonsense") as client:
        outcome = file(client, path, lei=lei, period=period)
    assert outcome.ending is Ending.FAILED
    assert "401" in str(outcome.error)


def test_the_commands_make_a_file_and_file_it(service: Service, tmp_path: Path) -> None:
    lei, path = service.lei(), tmp_path / "lar.txt"
    service.manage("make_lar", str(path), "--lei", lei, "--year=2024", "--rows=300", "--fail=Q613")
    where = ("--lei", lei, "--year=2024", "--url", service.url)
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "file_lar",
            str(path),
            *where,
            "--verify",
            "--sign",
            "--json",
        ],
        cwd=ROOT,
        env=service.environment | {"HMDA_TOKEN": service.tokens[lei]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["status"]["code"] == 15
    assert found["edits"]["quality"][0]["records"] == 1
