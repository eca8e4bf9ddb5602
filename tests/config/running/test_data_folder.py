"""One service to a data folder, and what others learn of it while it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from config.running import data_folder
from config.running.supervisor import ROOT

HOLDS = """
import sys, time
from pathlib import Path
from config.running import data_folder
service = data_folder.RunningService(port=8123, public_url="http://here:8123")
with data_folder.claim_data_folder(Path(sys.argv[1]), service):
    print("held", flush=True)
    time.sleep(600)
"""


@contextmanager
def held(folder: Path) -> Iterator[int]:
    """A folder held by another process, which is killed in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process.pid
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def service(port: int = 8124) -> data_folder.RunningService:
    return data_folder.RunningService(port=port, public_url=f"http://here:{port}")


def test_a_folder_that_is_in_use_is_refused_with_port_and_process_and_the_way_out(tmp_path: Path):
    with (
        held(tmp_path) as process,
        pytest.raises(data_folder.AlreadyRuns) as refusal,
        data_folder.claim_data_folder(tmp_path, service()),
    ):
        pass
    assert str(refusal.value) == (
        f"{tmp_path} is in use by the service on port 8123 (process {process}). Only one "
        "service can use a data folder. Stop that service, or choose another folder and port: "
        f"make run DATA_DIR={tmp_path}-8124 PORT=8124"
    )


def test_what_a_killed_process_has_left_counts_no_longer(tmp_path: Path):
    with held(tmp_path) as process:
        assert data_folder.find_service(tmp_path) == data_folder.RunningService(
            port=8123, public_url="http://here:8123", processes=[process]
        )
    assert Path(tmp_path, data_folder.STATE).exists()
    assert data_folder.find_service(tmp_path) is None
    with data_folder.claim_data_folder(tmp_path, service()):
        assert data_folder.find_service(tmp_path) == service()


def test_after_an_orderly_end_nothing_is_left_but_the_lock(tmp_path: Path):
    with data_folder.claim_data_folder(tmp_path, service()):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [data_folder.LOCK]
    assert data_folder.find_service(tmp_path) is None


def test_where_the_first_process_is_gone_the_one_that_shares_its_claim_is_named(tmp_path: Path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    first = data_folder.RunningService(port=8123, public_url="http://here", processes=[gone.pid])
    with data_folder.claim_data_folder(tmp_path, first) as claim:
        claim.share(os.getpid())
        assert str(data_folder.find_service(tmp_path)) == (
            f"the service on port 8123 (process {os.getpid()})"
        )


def test_a_process_of_another_machine_is_named_with_its_host():
    elsewhere = data_folder.RunningService(
        port=8000, public_url="", processes=[7], host="elsewhere.example"
    )
    assert str(elsewhere) == "the service on port 8000 (process 7 of host elsewhere.example)"


def test_the_environment_of_a_service_has_no_passwords():
    settings = SimpleNamespace(
        PUBLIC_URL="http://here",
        DATABASE_URL="postgresql://me:secret@db.example:5432/hmda?password=secret",
        EMBEDDED_PROVIDER=True,
        OIDC_ISSUER="http://here/realms/hmda2",
        OIDC_REALM="hmda2",
        OIDC_AUDIENCE="hmda2-api",
        OIDC_LEI_CLAIM="lei",
    )
    assert data_folder.shared_environment(settings) == {
        "PUBLIC_URL": "http://here",
        "DATABASE_URL": "postgresql://db.example:5432/hmda",
        "OIDC_ISSUER": "",  # it is its own provider
        "OIDC_REALM": "hmda2",
        "OIDC_AUDIENCE": "hmda2-api",
        "OIDC_LEI_CLAIM": "lei",
    }
