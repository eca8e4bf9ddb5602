"""Uploads that are cut and go on, also through another web server: one file, as it was sent."""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import httpx
import pytest

from config.running.supervisor import ROOT, free_port
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.processes import kill, parent_of, wait_until
from tests.resilience.interrupted_sender import Sender

pytestmark = pytest.mark.slow

ROWS = 60_000  # more than one part holds
CUTS, KILLS = 8, 2


@pytest.fixture(
    scope="module",
    params=[pytest.param("breakable", marks=pytest.mark.servers), "breakable_bucket"],
)
def service(request: pytest.FixtureRequest) -> Service:
    """A service whose web processes may be killed, with its files in a folder or in a bucket."""
    return cast(Service, request.getfixturevalue(request.param))


@pytest.fixture(scope="module")
def second(service: Service) -> Iterator[str]:
    """The address of a second web server of the same service."""
    port = free_port()
    environment = service.stack.environment
    command = ["--config", "python:config.web_server", "--bind", f"127.0.0.1:{port}"]
    process = subprocess.Popen(
        [f"{environment['BIN']}/gunicorn", *command, "--worker-tmp-dir", str(service.data_dir)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    wait_until(lambda: answers(url), "the second web server answers")
    yield url
    process.terminate()
    process.wait()


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def web_workers(service: Service, port: int) -> list[int]:
    """Return the processes of one of its web servers, without the one that started them."""
    servers = set(service.processes(f":{port}"))
    return [each for each in servers if parent_of(each) in servers]


def test_a_file_that_is_cut_at_random_places_arrives_whole(
    service: Service, second: str, tmp_path: Path
) -> None:
    with Filer.of(service, "2024-Q1") as filer:
        content = lar(filer, rows=ROWS)
        filer.begin()
        path = tmp_path / "lar.txt"
        path.write_bytes(content)
        chance = random.Random("2024-Q1 cut")
        killed = set(chance.sample(range(CUTS), KILLS))
        servers = [service.url, second]

        def kill_web_workers(number: int, server: str) -> None:
            if number in killed:
                port = int(server.rpartition(":")[2])
                kill(web_workers(service, port))

        sent = Sender(
            servers,
            f"/v2/filing{filer.path()}/submissions/1",
            filer.headers["authorization"].removeprefix("Bearer "),
            path,
            chance.sample(range(1, len(content)), CUTS),
            kill_web_workers,
        ).send()
        assert sent.cuts == CUTS
        assert filer.rest()["status"]["code"] == 14
        assert service.history(filer.lei)[:4] == [1, 2, 3, 4]
        question = (
            "from filing.models import Submission as S;"
            f"print(S.objects.get(filing__institution__lei='{filer.lei}').sha256)"
        )
        assert service.shell(question) == hashlib.sha256(content).hexdigest()


def test_of_two_senders_at_the_same_offset_one_wins(service: Service, second: str) -> None:
    with Filer.of(service, "2024") as filer:
        content = lar(filer, rows=100)
        filer.begin()
        name = "filename bGFyLnR4dA=="
        begun = {"Upload-Length": str(len(content)), "Upload-Metadata": name}
        tus = {"Tus-Resumable": "1.0.0"}
        answer = filer.call("POST", "/submissions/1/uploads", headers={**tus, **begun})
        address = answer.headers["Location"]

        def halves() -> Iterator[bytes]:
            yield content[:1000]
            other = httpx.patch(f"{second}{address}", content=b"x" * 100, headers=headers)
            refused.append(other.status_code)
            yield content[1000:]

        refused: list[int] = []
        headers = {
            **tus,
            "Authorization": filer.headers["authorization"],
            "Upload-Offset": "0",
            "Content-Type": "application/offset+octet-stream",
        }
        length = {"Content-Length": str(len(content))}
        answer = httpx.patch(
            f"{service.url}{address}", content=halves(), headers={**headers, **length}
        )
        if refused == [204]:  # the other one was admitted first
            assert answer.status_code == 423
            asked = httpx.head(f"{second}{address}", headers=headers)
            assert asked.headers["Upload-Offset"] == "100"
        else:
            assert (answer.status_code, refused) == (204, [423])
            assert filer.rest()["status"]["code"] == 14
