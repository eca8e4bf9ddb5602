"""A production site with unsafe settings does not start, and says why; others start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from config.running.supervisor import ROOT, free_port
from tests.config.processes import run_python
from tests.config.test_checks import GOOD
from tests.flow.serving import environment

pytestmark = pytest.mark.slow

# A good site, on this machine: nothing of it is called at the start.
PRODUCTION = {
    **GOOD,
    "DATABASE_URL": "",
    "CELERY_BROKER_URL": "",
    "CACHE_URL": "",
    "STORAGE_URL": "",
    "LOG_FORMAT": "text",
}


@contextmanager
def web(data_dir: Path, port: int, **more: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start the web server alone, as the image does."""
    log = data_dir / "web.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--config", "python:config.web_server"),
                *("--bind", f"127.0.0.1:{port}", "--worker-tmp-dir", str(data_dir)),
            ],
            cwd=ROOT,
            env=environment(data_dir, **more),
            stdout=file,
            stderr=file,
            text=True,
        )
    try:
        yield process, log
    finally:
        process.terminate()
        process.wait(30)


def wait_for(log: Path, words: str) -> str:
    until = time.monotonic() + 60
    while words not in (text := log.read_text()):
        assert time.monotonic() < until, text
        time.sleep(0.1)
    return text


def answers(port: int) -> bool:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            url = f"http://127.0.0.1:{port}/healthz"
            return httpx.get(url, timeout=5, trust_env=False).status_code == 200
        except httpx.TransportError:
            time.sleep(0.1)
    return False


def test_the_web_server_of_an_unsafe_production_site_ends_with_the_list(tmp_path: Path) -> None:
    changes = {"ALLOWED_HOSTS": "*", "OIDC_ISSUER": ""}
    with web(tmp_path, free_port(), **{**PRODUCTION, **changes}) as (process, log):
        assert process.wait(60) == 1
        text = log.read_text()
    assert "https://hmda.example is a production site" in text
    assert "service.E002: The embedded identity provider is on. Set OIDC_ISSUER" in text
    assert "service.E006: The site answers to any host name. Set ALLOWED_HOSTS" in text
    assert "set right first (2):" in text
    assert "Traceback" not in text


def test_warnings_are_logged_once(tmp_path: Path) -> None:
    port = free_port()
    silenced = {"SILENCED_CHECKS": "service.W015: a test on one machine"}
    with web(tmp_path, port, **PRODUCTION, **silenced) as (_, log):
        assert answers(port)
        text = wait_for(log, "Listening at")
        assert text.count("Check service.W007: The database is SQLite.") == 1
        assert text.count("Check service.W015 is silenced: a test on one machine") == 1
        assert "Check service.W015: " not in text


def test_the_whole_service_refuses_to_start_before_it_prepares_anything(tmp_path: Path) -> None:
    unsafe = {**PRODUCTION, "ALLOWED_HOSTS": "*", "PORT": str(free_port())}
    answer = run_python("manage.py", "serve", "--no-demo", env=environment(tmp_path, **unsafe))
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "service.E006: The site answers to any host name." in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not list(tmp_path.glob("service.sqlite3"))


def test_a_silenced_check_needs_a_reason(tmp_path: Path) -> None:
    own = {**os.environ, "DATA_DIR": str(tmp_path), "SILENCED_CHECKS": "service.E002"}
    answer = run_python("manage.py", "check", env=own)
    assert answer.returncode == 1
    assert "SILENCED_CHECKS has the entry 'service.E002' without a reason" in answer.stderr
