"""Web processes give way to others, for their age, their memory or new code, and nobody notices."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path

import httpx
import pytest

from config.running.supervisor import ROOT, free_port
from tests.flow.conftest import Service
from tests.flow.processes import SECONDS, parent_of, wait_until, workers
from tests.flow.serving import served

TOKEN = "a-token-of-this-test-alone-00000000"
OF_PUBLIC = 'hmda_requests_total{area="public",method="read",status="2xx"}'
pytestmark = pytest.mark.slow

CODE = ("config", "databrowser", "filing", "graphs", "publicapi", "ratespread", "uliapi")


@contextmanager
def asked_all_the_time(url: str) -> Iterator[list[int]]:
    """Ask without a pause, each time by a new connection and by one that is kept; give statuses."""
    statuses: list[int] = []
    errors: list[Exception] = []
    over = threading.Event()

    def ask(kept: bool) -> None:
        limits = httpx.Limits(max_keepalive_connections=1 if kept else 0)
        # A client may send on a kept connection in the moment in which it is closed.
        transport = httpx.HTTPTransport(limits=limits, retries=0)
        with httpx.Client(base_url=url, transport=transport, timeout=60) as client:
            while not over.is_set():
                try:
                    statuses.append(client.get("/v2/public/edits/V600").status_code)
                except httpx.HTTPError as error:
                    errors.append(error)

    threads = [threading.Thread(target=ask, args=(kept,)) for kept in (False, True)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert not errors


def counted(service: Service) -> float:
    """Return how many requests of the public API the metrics have."""
    answer = httpx.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    (line,) = [line for line in answer.text.splitlines() if line.startswith(OF_PUBLIC)]
    return float(line.rpartition(" ")[2])


def test_a_web_process_gives_way_and_no_request_is_lost(
    run_service: Callable[..., Service],
) -> None:
    """It has a service of its own, whose processes are replaced after few requests."""
    service = run_service(0, METRICS_TOKEN=TOKEN, WEB_MAX_REQUESTS="40")
    wait_until(lambda: len(workers(service)) == 2, "there are two")
    first = workers(service)
    with asked_all_the_time(service.url) as statuses:
        wait_until(lambda: not first & workers(service), "both workers are replaced")
        wait_until(lambda: len(workers(service)) == 2, "there are two again")
    assert set(statuses) == {200}
    assert counted(service) == len(statuses)
    service.end()


def test_a_download_comes_to_its_end_when_its_process_gives_way(
    run_service: Callable[..., Service],
) -> None:
    """It has a service of its own, whose processes are replaced after each request."""
    service = run_service(0, WEB_MAX_REQUESTS="1")
    first = workers(service)
    host, port = service.stack.address
    with socket.create_connection((host, port), timeout=SECONDS) as slow:
        # One that does not read: a download that takes its time.
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(b"GET /docs/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(4):
            assert httpx.get(f"{service.url}/healthz", timeout=60).status_code == 200
        wait_until(lambda: workers(service) - first, "another worker began")
        answer = HTTPResponse(slow)
        answer.begin()
        assert json.loads(answer.read())["openapi"]
    service.end()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the code, to be changed."""
    copy = tmp_path / "project"
    copy.mkdir()
    for name in (*CODE, "deploy", "docs", "templates"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    return copy


def test_a_hang_up_restarts_all_processes_with_new_code(project: Path, tmp_path: Path) -> None:
    data_dir, port = tmp_path / "data", free_port()
    data_dir.mkdir()
    url = f"http://127.0.0.1:{port}"

    def processes() -> set[int]:
        """Return what the process manager has started."""
        manager = int((data_dir / "supervisor.pid").read_text())
        numbers = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
        return {number for number in numbers if parent_of(number) == manager}

    def answers(answer: object) -> bool:
        try:
            return httpx.get(f"{url}/healthz", timeout=60).json() == answer
        except httpx.TransportError:
            return False

    copied = {"PYTHONPATH": str(project)}
    with served(data_dir, port, code=project, **copied) as process:
        before = processes()
        assert len(before) == 4
        assert answers({"alive": True})
        changed = {"alive": True, "code": "new"}
        probes = project / "config/health/probes.py"
        probes.write_text(probes.read_text().replace('{"alive": True}', str(changed)))
        waits = Path(f"/proc/{process.pid}/cmdline")
        wait_until(lambda: "wait_for_service" in waits.read_text(), "the command waits")
        time.sleep(1)  # in which it has begun to
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: answers(changed), "the web processes have the new code")
        wait_until(lambda: len(processes() - before) == 4, "all processes are new")
        assert process.poll() is None
