"""What the service keeps: readable by its own user alone, whoever else works on the machine."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from config.running.supervisor import ROOT
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

pytestmark = pytest.mark.slow


def open_to_others(folder: Path) -> list[str]:
    """Return what in a folder, itself included, others than its owner may read or write."""
    found = []
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a message that a worker has just taken
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & 0o077:
                found.append(f"{stat.filemode(mode)} {path}")
    return found


def test_files_of_a_filing_are_for_the_user_of_the_service_alone(service: Service) -> None:
    with Filer.of(service, "2024") as filer:
        assert filer.file(lar(filer, rows=60))["status"]["code"] == 14
        assert filer.sign().status_code == 200
    assert open_to_others(service.data_dir) == []


def test_a_folder_of_before_is_closed_and_static_files_stay_public(tmp_path: Path) -> None:
    data, static = tmp_path / "data", tmp_path / "static"
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DATA_DIR": str(data),
        "STATIC_ROOT": str(static),
    }
    for command in ("prepare", "collectstatic"):
        subprocess.run(
            [sys.executable, "manage.py", command, *(["--no-input"] * (command != "prepare"))],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
        )
    assert open_to_others(data) == []
    modes = {stat.S_IMODE(path.stat().st_mode) for path in static.rglob("*.css")}
    assert modes == {0o644}
