"""`manage.py doctor` as an operator runs it, on installations with real faults."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from config.doctor.examination import PARTS
from config.running.supervisor import free_port
from tests.config.processes import run_python
from tests.empty_database import SQLITE, EmptyDatabase

pytestmark = pytest.mark.slow


def doctor(data_dir: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"DATA_DIR": str(data_dir), "PORT": str(free_port()), **more}
    return run_python("manage.py", "doctor", *words, env=environment)


def levels(answer: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Return the level of each part."""
    return {name: part["level"] for name, part in json.loads(answer.stdout)["parts"].items()}


def test_a_prepared_installation_without_processes(
    tmp_path: Path, empty_database: EmptyDatabase
) -> None:
    empty_database.copy_to(tmp_path / SQLITE)
    answer = doctor(tmp_path)
    assert (answer.returncode, answer.stderr) == (1, "")  # no worker answers
    assert len(answer.stdout.splitlines()) < 66  # one page
    names = [line[:14].strip() for line in answer.stdout.splitlines()[2:-2]]
    assert [name for name in names if name] == list(PARTS)
    assert "workers       ERROR    No worker answers for the queue small" in answer.stdout
    assert "database      OK       SQLite" in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("Errors: ")
    assert not list((tmp_path / "files").glob("*"))


def test_servers_that_are_away_or_hang_hide_no_other_part(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        hanging = f"127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        answer = doctor(
            tmp_path,
            "--json",
            DATABASE_URL=f"postgresql://someone@{hanging}/hmda",
            CELERY_BROKER_URL=f"redis://{hanging}/0",
            EMAIL_URL=f"smtp://{hanging}",
            OIDC_ISSUER=f"http://127.0.0.1:{free_port()}",
        )
        assert time.monotonic() - began < 90
    assert (answer.returncode, answer.stderr) == (1, "")
    content: dict[str, Any] = json.loads(answer.stdout)
    found = levels(answer)
    assert list(found) == list(PARTS)
    for name in ("database", "broker", "email", "identity"):
        assert found[name] == "error", content["parts"][name]
    for name in ("migrations", "jobs", "periods"):
        assert found[name] == "left out"
    for name in ("software", "folders", "storage"):
        assert found[name] == "ok"
    assert content["errors"] >= 4


def test_settings_that_cannot_be_used_are_one_sentence(tmp_path: Path) -> None:
    answer = doctor(tmp_path, DATABASE_URL="mysql://db.example/hmda")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.startswith("The settings cannot be used: DATABASE_URL='mysql://")
