"""The former release and this one take turns on one database, which this one has migrated.

So does an upgrade: the tables are migrated while the former code still runs, and after a step back
the former code works on the tables of this one.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from config.running.supervisor import ROOT, free_port
from filing.client import FilingClient
from filing.demo import census as demo_census
from filing.demo import panel as demo_panel
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from filing.reference import census as census_file
from filing.statuses import Status
from tests.empty_database import SQLITE, EmptyDatabase, execute, server_of
from tests.flow.conftest import ALWAYS, panel
from tests.flow.processes import wait_until
from tests.flow.serving import environment, served
from tests.flow.test_replaced import CODE as PACKAGES
from tests.flow.test_replaced import asked_all_the_time
from tests.former_release import MIGRATIONS, code_of

pytestmark = [pytest.mark.slow, pytest.mark.history, pytest.mark.any_database]

YEAR = 2024
LEI = demo_panel.lei("549300FORMERREL001")
_PREPARING = """
import django; django.setup()
from django.core.management import call_command
call_command("prepare")
call_command("load_institutions", {panel!r})
call_command("load_census", {year!r}, demo=True)
call_command("open_season", {year!r}, *{always!r})
"""
SECONDS = 180
CODE = (*PACKAGES, "deploy", "docs", "templates")
_COMPILED = shutil.ignore_patterns("__pycache__")


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
    tracts = census_file.facts(demo_census.rows(YEAR)).tracts
    recipe = Recipe(period=period, lei=LEI, rows=30, tax_id="12-3456789", agency=9)
    file = site.data_dir / "lar.txt"
    file.write_bytes(b"".join(make(recipe, tracts)))
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


def test_a_hang_up_takes_the_former_release_to_this_one_and_no_request_is_lost(
    site: Site, former: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    shutil.copytree(former, project)
    token = prepare(site, project)
    more = {**site.variables, "PYTHONPATH": str(project), "LIMIT_PUBLIC": "off"}
    with (
        served(site.data_dir, site.port, code=project, **more) as process,
        asked_all_the_time(site.url) as statuses,
    ):
        file_to_the_receipt(site, token, 1)
        for name in CODE:
            shutil.rmtree(project / name)
            shutil.copytree(ROOT / name, project / name, ignore=_COMPILED)
        text = (ROOT / "pyproject.toml").read_text()
        (project / "pyproject.toml").write_text(text.replace('version = "', 'version = "7.'))
        before = len(statuses)
        process.send_signal(signal.SIGHUP)
        log = site.data_dir / "log" / "web.log"
        wait_until(lambda: "Loading new code" in log.read_text(), "the web server loads it")
        wait_until(lambda: has_new_code(site), "all web processes have it")
        file_to_the_receipt(site, token, 2)
        assert len(statuses) > before
    assert set(statuses) == {200}
    assert counts(site) == ["2", "0"]


def has_new_code(site: Site) -> bool:
    """Return whether every web process answers with the version that was set for this code."""
    answers = [httpx.get(site.url, trust_env=False, timeout=60) for _ in range(10)]
    return all("version 7." in answer.text for answer in answers)


def test_the_list_of_the_former_release_is_what_its_code_has(former: Path) -> None:
    last = {}
    for path in sorted(former.glob("*/migrations/0*.py")) + sorted(
        former.glob("config/*/migrations/0*.py")
    ):
        last[path.parent.parent.name] = path.stem
    assert last == MIGRATIONS
