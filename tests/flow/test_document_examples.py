"""The shell and Python examples of the documents for everyone, run as they are printed.

The guides for the API and for research have tests of their own, as their examples build on each
other. Whatever else a document prints in a block of code is run here, or listed with the reason.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from config.guides import public
from config.guides.documents import SITE
from config.running.supervisor import ROOT
from filing.demo.census import write_census
from filing.lar.years import Period
from tests.flow.conftest import Service
from tests.flow.test_client import written
from tests.flow.test_client_commands import Machine

pytestmark = pytest.mark.slow
LEI = "529900EXAMPLELEI0001"
PERIOD = Period(2025)
PUBLISHED = ("2020", "2021", "2024")
OF_THEIR_OWN = {"api.md": "test_api_guide.py", "research.md": "test_research_guide.py"}
# Blocks that are not run here: how each begins, and why.
NOT_RUN = {
    "uv tool install .\n": "needs the package index",
    "uv tool install '.[check]'": "needs the package index",
    "export HMDA_URL": "waits for a person: tests/flow/test_client_commands.py signs in",
    "from standardwebhooks": "the library is not ours: tests/filing/webhooks/test_signing.py",
    "curl https://hmda.example/v2/public/reports": "needs a snapshot: tests/databrowser/reports",
    "import base64, hmac": "a function alone: tests/filing/webhooks/test_signing.py runs it",
}
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# By command, the exit codes with which it has run: edits to verify or correct are a result.
_CHECKED, _SHOWN = {0, 10, 11}, {0, 2}
_RAN = {
    "hmda check": _CHECKED,
    "hmda convert": _CHECKED,
    "hmda status": _SHOWN,
    "hmda edits": _SHOWN,
}


@dataclass(frozen=True)
class Example:
    """A block of code of a document."""

    document: str
    language: str
    code: str

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, each with its further lines."""
        commands: list[str] = []
        for line in self.code.splitlines():
            is_further = commands and (line[:1].isspace() or commands[-1].endswith("\\"))
            if is_further:
                commands[-1] += f"\n{line}"
            elif line:
                commands.append(line)
        return commands


EXAMPLES = [
    Example(name, *block)
    for name in public.PUBLIC
    if name not in OF_THEIR_OWN
    for block in _BLOCK.findall((ROOT / "docs" / name).read_text())
]
RUN = [each for each in EXAMPLES if not each.code.startswith(tuple(NOT_RUN))]


@pytest.fixture(scope="module")
def site(run_service: Callable[..., Service]) -> Service:
    """A service of its own: elsewhere the years that are published here have no data.

    It has open periods, and the rates of each week.
    """
    service = run_service(
        40, seasons=[str(PERIOD)], BROWSER_YEARS="2020-2024", ASSISTANTS_ENABLED="true"
    )
    rates = "from ratespread.demo.loading import load_demo_rates as load; load(by='test')"
    file, bank = service.data_dir / "made-up.csv", service.data_dir / "bank.csv"
    bank.write_text(
        "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer,state\n"
        "2025,529900EXAMPLEBANK018,Bank,12-3456789,9,,false,IL\n"
    )
    service.manage_all(
        ["load_institutions", str(bank)],
        ["shell", "-v", "0", "-c", rates],
        ["make_public_lar", "--rows", "6000", "--years", "2020-2024", "--out", str(file)],
        ["load_public_lar", str(file)],
        *(["publish", year] for year in PUBLISHED),
    )
    return service


def make_spreadsheet(service: Service, lar: Path, path: Path, **headings: str) -> None:
    """Save a LAR as a spreadsheet of a kind, with other headings for some columns."""
    kind = path.suffix.removeprefix(".")
    answer = httpx.post(
        f"{service.url}/v2/public/lar/spreadsheet?format={kind}&names=name",
        files={"file": lar.read_bytes()},
        data={"options": '{"sheet": true}'} if kind == "csv" else {},
        timeout=60,
    ).raise_for_status()
    content = answer.content
    for name, heading in headings.items():
        content = content.replace(name.encode(), heading.encode(), 1)
    path.write_bytes(content)


@pytest.fixture
def machine(site: Service, tmp_path: Path, example: Example) -> Machine:
    """A machine with the client, in a folder with the files that the examples name."""
    lei = site.lei()
    lar = written(tmp_path / "lar.txt", lei, PERIOD, 60, Q613=5)
    (tmp_path / "lars").mkdir()
    shutil.copy(lar, tmp_path / "lars")
    machine = Machine(site, tmp_path, site.tokens[lei])
    machine.environment |= {
        "PYTHONPATH": str(ROOT),
        "PATH": f"{tmp_path / 'bin'}:{machine.environment['PATH']}",
        "TOKEN": site.tokens[lei],
        "LEI": lei,
    }
    (tmp_path / "bin").mkdir()
    hmda = tmp_path / "bin" / "hmda"
    hmda.write_text(f'#!/bin/sh\nexec {sys.executable} -m filing.client "$@"\n')
    hmda.chmod(0o755)
    (tmp_path / "census_2025.txt").write_text(write_census(PERIOD.year))
    (tmp_path / "loan-ids.txt").write_text(f"{lei}0001\n")
    if "loans." in example.code:
        make_spreadsheet(site, lar, tmp_path / "loans.xlsx")
        make_spreadsheet(site, lar, tmp_path / "loans.csv", loan_amount="Amt")
        head, *rows = (tmp_path / "loans.csv").read_text().splitlines()
        rows = [f"{head},Notes", *(f"{row},ours" for row in rows)]
        (tmp_path / "loans.csv").write_text("\n".join(rows) + "\n")
        if example.document == "tools.md":  # a column "Amt"; the content decides, not the name
            shutil.copy(tmp_path / "loans.csv", tmp_path / "loans.xlsx")
    if "hmda edits" in example.code:  # step by step, from an upload on
        machine.run("file", lar, code=2)
    if "receipt" in example.code and "hmda file" not in example.code:
        if "hmda edits" not in example.code:
            machine.run("file", lar, "--verify", "--sign", "--receipts", tmp_path)
            receipt = next(tmp_path.glob("receipt-*.json"))
            shutil.copy(receipt, tmp_path / "receipt.json")
            shutil.copy(receipt, tmp_path / f"receipt-{LEI}-2024-1.json")
        keys = httpx.get(f"{site.url}/.well-known/receipt-keys.json").content
        (tmp_path / "receipt-keys.json").write_bytes(keys)
    return machine


def run_shell(command: str, machine: Machine) -> subprocess.CompletedProcess[str]:
    """Run a command of a document; an HTTP error of curl ends it with a code."""
    return subprocess.run(
        ["bash", "-c", command.replace("curl ", "curl --fail-with-body ", 1)],
        cwd=machine.home,
        env=machine.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "example", RUN, ids=[f"{each.document}-{at}" for at, each in enumerate(RUN)]
)
def test_an_example_runs_as_it_is_printed(
    example: Example, machine: Machine, site: Service
) -> None:
    lei = machine.environment["LEI"]
    if example.language == "python":
        code = example.code.replace(SITE, site.url).replace(LEI, lei)
        names = {"token": site.tokens[lei]}
        done = subprocess.run(
            [sys.executable, "-c", f"token = {names['token']!r}\n{code}"],
            cwd=machine.home,
            env=machine.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return
    for command in example.commands:
        text = command if "receipt-" in command else command.replace(LEI, lei)
        done = run_shell(text.replace(SITE, site.url), machine)
        ran = _RAN.get(" ".join(command.split()[:2]), {0})
        assert done.returncode in ran, (command, done.stdout[-500:], done.stderr[-500:])


def test_each_reason_for_not_running_is_of_a_block() -> None:
    begins = [start for start in NOT_RUN if any(e.code.startswith(start) for e in EXAMPLES)]
    assert len(EXAMPLES) - len(RUN) == len(begins)
    assert set(NOT_RUN) - set(begins) == set()
