"""Web processes give way to others, for their age, their memory or new code, and nobody notices."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import threading
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
pytestmark = [pytest.mark.slow, pytest.mark.any_database]

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


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("WEB_MAX_REQUESTS", "40", "Autorestarting worker"),
        ("WEB_MAX_MEMORY_MB", "1", "Replacing this worker"),
    ],
)
def test_a_web_process_gives_way_and_no_request_is_lost(
    run_service: Callable[..., Service], name: str, value: str, told: str
) -> None:
    service = run_service(0, METRICS_TOKEN=TOKEN, **{name: value})
    wait_until(lambda: len(workers(service)) == 2, "there are two")
    first = workers(service)
    with asked_all_the_time(service.url) as statuses:
        wait_until(lambda: not first & workers(service), "both workers are replaced")
        wait_until(lambda: len(workers(service)) == 2, "there are two again")
    assert set(statuses) == {200}
    assert counted(service) == len(statuses)
    assert told in (service.stack.logs / "web.log").read_text()
    service.end()


def test_a_download_comes_to_its_end_when_its_process_gives_way(
    run_service: Callable[..., Service],
) -> None:
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


def handles_hang_up(process: int) -> bool:
    """Return whether a process has set up what it does on a hang-up signal."""
    status = Path(f"/proc/{process}/status").read_text()
    (handled,) = [line for line in status.splitlines() if line.startswith("SigCgt:")]
    return bool(int(handled.split()[1], 16) & 1 << signal.SIGHUP - 1)


def test_a_hang_up_loads_new_code_and_no_request_is_lost(project: Path, tmp_path: Path) -> None:
    data_dir, port = tmp_path / "data", free_port()
    data_dir.mkdir()
    url = f"http://127.0.0.1:{port}"

    def processes() -> dict[str, int]:
        """Return the part of each kind that the process manager has started."""
        manager = int((data_dir / "supervisor.pid").read_text())
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            if parent_of(int(folder.name)) == manager:
                command = (folder / "cmdline").read_bytes().decode().replace("\0", " ")
                found[next(w for w in ("gunicorn", "small@", "large@", "beat") if w in command)] = (
                    int(folder.name)
                )
        return found

    def alive() -> object:
        return httpx.get(f"{url}/healthz", timeout=60).json()

    def change(name: str, before: str, after: str) -> None:
        path = project / name
        assert before in path.read_text()
        path.write_text(path.read_text().replace(before, after))

    copied = {"PYTHONPATH": str(project), "LIMIT_PUBLIC": "off"}
    with (
        served(data_dir, port, code=project, **copied) as process,
        asked_all_the_time(url) as statuses,
    ):
        before = processes()
        assert len(before) == 4
        # One that has only begun to start would end, and be started by the process manager.
        for name in ("gunicorn", "small@", "large@"):
            wait_until(lambda name=name: handles_hang_up(before[name]), f"{name} has started")
        answer, changed = {"alive": True}, {"alive": True, "code": "new"}
        assert alive() == answer
        change("config/health/probes.py", '{"alive": True}', str(changed))
        change("pyproject.toml", 'version = "', 'version = "7.')  # the settings read it
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: alive() == changed, "the web processes have the new code")
        wait_until(lambda: all(alive() == changed for _ in range(20)), "all of them")
        assert "version 7." in httpx.get(url, timeout=60).text

        def worker_log() -> str:
            return (data_dir / "log" / "worker-small.log").read_text()

        # Workers begin anew in the same process, beat in another one.
        wait_until(lambda: len(processes()) == 4 and processes()["beat"] != before["beat"], "beat")
        after = processes()
        assert {name: after[name] for name in ("gunicorn", "small@", "large@")} == {
            name: before[name] for name in ("gunicorn", "small@", "large@")
        }
        assert process.poll() is None

        # Once more: it works more than once, and code that cannot be loaded changes nothing.
        change("config/health/probes.py", "import annotations", "import annotations and more")
        process.send_signal(signal.SIGHUP)
        web_log = data_dir / "log" / "web.log"
        wait_until(
            lambda: "The new code cannot be loaded" in web_log.read_text(), "the log says so"
        )
        assert alive() == changed
        change("config/health/probes.py", "import annotations and more", "import annotations")
        change("config/health/probes.py", str(changed), str(answer))
        os.kill(after["gunicorn"], signal.SIGHUP)  # the container has no other process
        wait_until(lambda: alive() == answer, "the web processes have the code of before")
    assert set(statuses) == {200}
