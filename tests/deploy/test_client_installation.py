"""The client is installed from a clone into an empty environment, without the service."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from config.running.supervisor import ROOT

pytestmark = pytest.mark.slow

MOST_BYTES = 60_000_000
SERVICE = (
    *("django", "celery", "polars", "numpy", "redis", "psycopg", "gunicorn"),
    *("python_calamine", "xlsxwriter"),
)


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("client") / "environment"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


def installed(environment: Path, what: str) -> None:
    pip = [environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, what], check=True, cwd=environment)


def output(environment: Path, program: str, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [environment / "bin" / program, *words],
        capture_output=True,
        text=True,
        cwd=environment,
        env={"HOME": str(environment)},
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_client_is_small_and_needs_nothing_of_the_service(environment: Path) -> None:
    empty = size(environment)
    installed(environment, str(ROOT))
    assert size(environment) - empty <= MOST_BYTES
    for name in SERVICE:
        output(environment, "python", "-c", f"import {name}", code=1)
    assert "check-receipt" in output(environment, "hmda", "--help")
    output(environment, "hmda", "status", "529900EXAMPLELEI0001", "2024", code=4)
    said = output(environment, "hmda", "check", "lar.txt", code=4)
    assert "uv tool install '.[check]'" in said
    typed = "import filing.client as c; print(c.FilingClient, c.file)"
    assert "filing.client.steps" not in output(environment, "python", "-c", "import filing.client")
    output(environment, "python", "-c", typed)


def test_with_its_extra_it_checks_files(environment: Path) -> None:
    installed(environment, f"{ROOT}[check]")
    (environment / "lar.txt").write_text("1|no transmittal sheet")
    said = output(environment, "hmda", "check", "lar.txt", "--year", "2024", code=12)
    assert "Lines with formatting errors: 1" in said
    loans = "Loan Type,Loan Amount,Lien Status,State,County\n1,$1,1,California,6037\n"
    (environment / "loans.csv").write_text(loans)
    said = output(environment, "hmda", "convert", "loans.csv", "--columns")
    assert "'Loan Amount': loan_amount" in said
    said = output(environment, "hmda", "convert", "loans.csv", "--year", "2024", code=12)
    assert "No file was written:" in said
    output(environment, "python", "-c", "import django", code=1)
