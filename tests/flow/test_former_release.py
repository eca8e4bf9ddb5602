"""The former release and this one take turns on one database, which this one has migrated.

So does an upgrade: the tables are migrated while the former code still runs, and after a step back
the former code works on the tables of this one. Before release 1.0.0 there is none to run:
tests/flow/conftest.py leaves this file out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.running.supervisor import ROOT, free_port
from filing.client import FilingClient
from filing.demo import census as demo_census
from filing.demo import panel as demo_panel
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period
from filing.reference import census as census_file
from filing.statuses import Status
from tests.empty_database import SQLITE, EmptyDatabase, execute, server_of
from tests.flow.conftest import ALWAYS, panel
from tests.flow.serving import environment, served
from tests.former_release import code_of

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

YEAR = 2024
LEI = demo_panel.make_lei("549300FORMERREL001")
_PREPARING = """
import django; django.setup()
from django.core.management import call_command
call_command("prepare")
call_command("load_institutions", {panel!r})
call_command("load_census", {year!r}, demo=True)
call_command("open_season", {year!r}, *{always!r})
"""
SECONDS = 180


@dataclass(frozen=True)
class Site:
    """An installation: its folder, port and variables."""

    data_dir: Path
    port: int
    variables: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self, code: Path, *words: str) -> str:
        """Run Python in a folder with code and return what it prints."""
        answer = subprocess.run(
            [sys.executable, *words],
            cwd=code,
            env=environment(self.data_dir, PORT=str(self.port), **self.variables),
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout


@pytest.fixture(scope="module")
def former(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the former release."""
    return code_of(tmp_path_factory.mktemp("former"))


@pytest.fixture
def site(tmp_path: Path, empty_database: EmptyDatabase) -> Iterator[Site]:
    """A site whose tables this code has migrated, on the database of the environment."""
    data_dir, port, name = tmp_path / "data", free_port(), f"hmda_former_{uuid.uuid4().hex[:10]}"
    data_dir.mkdir()
    variables = {"PUBLIC_URL": f"http://127.0.0.1:{port}", "LIMIT_AUTHENTICATED": "off"}
    server = server_of(os.environ.get("DATABASE_URL", ""))
    if server:
        empty_database.copy_as(server, name)
        variables["DATABASE_URL"] = f"{server}/{name}"
    else:
        empty_database.copy_to(data_dir / SQLITE)
    yield Site(data_dir, port, variables)
    if server:
        execute(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def file_to_the_receipt(site: Site, token: str, number: int) -> str:
    """File with the web process and workers that run, and return the receipt."""
    period = Period(YEAR)
    tracts = census_file.build_census(demo_census.make_census_rows(YEAR)).tracts
    recipe = LarRecipe(period=period, lei=LEI, rows=30 + number, tax_id="12-3456789", agency=9)
    file = site.data_dir / "lar.txt"
    file.write_bytes(b"".join(make_lar_file(recipe, tracts)))
    with FilingClient(site.url, token) as client:
        created = client.create_submission(LEI, period)
        assert created.body["id"]["sequenceNumber"] == number
        client.upload(LEI, period, number, file)
        until = time.monotonic() + SECONDS
        while (status := client.submission(LEI, period, number).body["status"]["code"]) != (
            Status.VERIFIED
        ):
            assert not Status(status).is_settled or status == Status.CREATED, status
            assert time.monotonic() < until, status
            time.sleep(0.2)
        return str(client.sign(LEI, period, number).body["receipt"])


def prepare(site: Site, code: Path) -> str:
    """Load what a filing needs with this code; return a token."""
    filers = panel(site.data_dir / "panel.csv", [LEI], range(YEAR, YEAR + 1))
    site.run(code, "-c", _PREPARING.format(panel=str(filers), year=str(YEAR), always=list(ALWAYS)))
    return site.run(code, "manage.py", "token", "--lei", LEI, "--minutes", "60").strip()


def counts(site: Site) -> list[str]:
    """Return the number of signatures, and of jobs that have failed."""
    question = (
        "from filing.models import Signature as S;"
        "from filing.models import Job as J;"
        "print(S.objects.count(), J.objects.filter(state='failed').count())"
    )
    return site.run(ROOT, "manage.py", "shell", "-v", "0", "-c", question).split()


def test_the_former_release_and_this_one_file_in_turns_on_one_database(
    site: Site, former: Path
) -> None:
    token, receipts = prepare(site, former), []
    for number, code in enumerate((former, ROOT, former), 1):
        more = {**site.variables, "PYTHONPATH": str(code)}
        with served(site.data_dir, site.port, code=code, **more):
            receipts.append(file_to_the_receipt(site, token, number))
    assert len(set(receipts)) == 3
    assert counts(site) == ["3", "0"]
