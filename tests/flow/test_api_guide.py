"""The examples of the API guide are pasted here in their order, in each language, as they stand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.guides.inserts import LANGUAGES, SAMPLES, TITLES
from filing.client import FilingClient
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period
from tests.flow.conftest import Service
from tests.flow.person import Person

# Examples that are not steps of one filing; each has a test of its own.
APART = ("device-login", "idempotency-key", "resumable-upload")
PERIOD = Period(2024)
COMMANDS = {"curl": ["bash"], "Python": [sys.executable, "-"], "R": ["Rscript", "-"]}
# What separates one example from the next in the output.
MARKS = {"curl": "echo '=== {}'", "Python": "print('=== {}', flush=True)", "R": "cat('=== {}\\n')"}
PRINTED = {"curl": 'echo "$TOKEN"', "Python": "print(os.environ['TOKEN'])", "R": "cat(token)"}
R_PACKAGES = ("httr2", "jsonlite")  # that the guide names


@cache
def missing_for(language: str) -> str:
    """Return what the examples of a language need and this machine lacks; blank if nothing."""
    if language != "R":
        return ""
    if shutil.which("Rscript") is None:
        return "R"
    loads = f"cat(Filter(\\(name) !requireNamespace(name, quietly = TRUE), c{R_PACKAGES}))"
    done = subprocess.run(["Rscript", "-e", loads], capture_output=True, text=True, check=True)
    return ", ".join(f"the R package {name}" for name in done.stdout.split())


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """Each language whose runtime and packages are installed; the others are skipped."""
    name: str = request.param
    if missing := missing_for(name):
        pytest.skip(f"issue 22: {missing} is not installed here")
    return name


def pasted(
    language: str, names: list[str], folder: Path, environment: dict[str, str]
) -> dict[str, str]:
    """Return what each of some examples prints, pasted one after the other."""
    parts = [
        f"{MARKS[language].format(name)}\n{(SAMPLES / f'{name}.{LANGUAGES[language]}').read_text()}"
        for name in names
    ]
    done = subprocess.run(
        COMMANDS[language],
        input="\n".join(parts),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    blocks = done.stdout.split("=== ")[1:]
    return {block.partition("\n")[0]: block.partition("\n")[2] for block in blocks}


def objects(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects of an output: each stands on a line, after a status in some."""
    lines = [line[line.index("{") :] for line in text.splitlines() if "{" in line]
    return [json.loads(line) for line in lines]


def environment_of(service: Service, lei: str, folder: Path) -> dict[str, str]:
    """Return the environment variables of the guide, with a file to verify beside them."""
    recipe = LarRecipe(
        period=PERIOD, lei=lei, rows=60, fails={"Q613": 12, "Q637": 1}, tax_id="12-3456789"
    )
    census = demo_census.make_census_rows(PERIOD.year)["census_tract"]
    (folder / "lar.txt").write_bytes(b"".join(make_lar_file(recipe, census)))
    return {
        "SITE": service.url,
        "TOKEN": service.tokens[lei],
        "LEI": lei,
        "YEAR": str(PERIOD.year),
        "FILE": "lar.txt",
        "ISSUER": f"{service.url}/realms/hmda2",
        "CLIENT": "hmda-cli",
    }


def test_the_examples_file_up_to_the_receipt(
    service: Service, tmp_path: Path, language: str
) -> None:
    lei = service.lei()
    environment = environment_of(service, lei, tmp_path)
    names = [name for name in TITLES if name not in APART]
    printed = pasted(language, names, tmp_path, environment)

    (started,) = objects(printed["start-a-filing"])  # with the season
    assert started["message"] == f"Filing {lei}-2024 already exists"
    assert printed["create-a-submission"].strip().endswith(f"/{lei}/filings/2024/submissions/1")
    assert objects(printed["upload-a-file"])[0]["status"]["code"] == 3
    assert objects(printed["follow-the-status"])[0]["status"]["code"] == 13
    assert objects(printed["follow-the-events"])[-1]["status"]["code"] == 13
    assert objects(printed["formatting-errors"])[0]["total"] == 0
    summary, records = objects(printed["edits"])
    assert [edit["edit"] for edit in summary["quality"]["edits"]] == ["Q613"]
    assert records["total"] == 12
    quality, macro = objects(printed["verify-edits"])
    assert [each["status"]["code"] for each in (quality, macro)] == [13, 14]
    (signed,) = objects(printed["sign"])
    assert signed["status"]["code"] == 15
    (check,) = objects(printed["check-the-receipt"])
    assert (check["genuine"], check["receipt"]) == (True, signed["receipt"])
    assert objects(printed["retry"])[0]["receipt"] == signed["receipt"]

    edits = (tmp_path / "edits.csv").read_text().splitlines()
    assert edits[0].startswith("editType,editId,ULI,editDescription,rowNumber")
    assert len(edits) == 1 + 12 + 1
    assert (tmp_path / "formatting-errors.csv").read_text().count("\n") == 1
    with FilingClient(service.url, service.tokens[lei]) as client:
        receipt = client.receipt(lei, PERIOD, 1).body
    assert receipt["receipt"] == signed["receipt"]


def test_a_key_creates_one_submission(service: Service, tmp_path: Path, language: str) -> None:
    environment = environment_of(service, service.lei(), tmp_path)
    printed = pasted(language, ["start-a-filing", "idempotency-key"], tmp_path, environment)
    first, again = objects(printed["idempotency-key"])
    assert first == again
    assert first["id"]["sequenceNumber"] == 1


def test_a_file_is_uploaded_in_parts(service: Service, tmp_path: Path, language: str) -> None:
    lei = service.lei()
    environment = environment_of(service, lei, tmp_path)
    names = ["start-a-filing", "resumable-upload"]
    printed = pasted(language, names, tmp_path, environment)
    size = (tmp_path / "lar.txt").stat().st_size
    assert f"{size} of {size} bytes" in printed["resumable-upload"]
    with FilingClient(service.url, service.tokens[lei]) as client:
        assert client.submission(lei, PERIOD, 1).body["status"]["code"] >= 3


def test_a_device_gets_a_token(service: Service, tmp_path: Path, language: str) -> None:
    lei = service.lei()
    environment = environment_of(service, lei, tmp_path)
    script = (SAMPLES / f"device-login.{LANGUAGES[language]}").read_text()
    with subprocess.Popen(
        COMMANDS[language],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(f"{script}\n{PRINTED[language]}\n")
        program.stdin.close()
        prompt = program.stdout.readline()
        _, address, _, _, code = prompt.split()
        with Person.of(service, lei, name=f"guide-{language}".lower()) as person:
            person.decide_on_device(address, code)
        token = program.stdout.readline().strip()
        program.wait(60)
    with FilingClient(service.url, token) as client:
        assert client.create_submission(lei, Period(2025)).body["id"]["sequenceNumber"] == 1


def test_every_example_runs() -> None:
    assert set(APART) < set(TITLES)


def test_the_page_of_a_whole_service_shows_its_own_address(service: Service) -> None:
    page = httpx.get(f"{service.url}/guides/api/").text
    assert f"<code>{service.url}</code>" in page
    assert f"<code>{service.url}/realms/hmda2</code>" in page
