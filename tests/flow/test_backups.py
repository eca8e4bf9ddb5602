"""The drill: a service is backed up while institutions file, and restored in another place."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from config.running.supervisor import Supervisor, free_port
from tests.buckets import a_bucket
from tests.empty_database import EmptyDatabase, execute, server_of
from tests.flow.conftest import Service, drop, environment_of
from tests.flow.filer import Filer, lar
from tests.flow.person import Person
from tests.flow.publishing import published

pytestmark = pytest.mark.slow
Settings = dict[str, str]
BUSY = 2  # institutions that file at the same time
SIGNATURES = """
import json
from filing.models import Signature, Submission
rows = Signature.objects.values_list(
    "submission__filing__institution__lei", "submission__sequence_number", "receipt", "sha256")
print(json.dumps([Submission.objects.count(), sorted(map(list, rows))]))
"""


@dataclass
class Load:
    """Institutions that file and sign again and again, in a thread each."""

    service: Service
    leis: list[str]
    begun: dict[tuple[str, int], float] = field(default_factory=dict)
    signed: dict[tuple[str, int], tuple[float, str]] = field(default_factory=dict)
    errors: list[BaseException] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def file(self, lei: str) -> None:
        try:
            with Filer.of(self.service, "2024", lei) as filer:
                number = 0
                while not self.stop.is_set():
                    number += 1
                    self.begun[lei, number] = time.monotonic()
                    content = lar(filer, rows=30, seed=number)
                    filer.file(content, number=number)
                    assert filer.sign(number).status_code == 200
                    sha256 = hashlib.sha256(content).hexdigest()
                    self.signed[lei, number] = time.monotonic(), sha256
        except BaseException as error:
            self.errors.append(error)

    def __enter__(self) -> Load:
        self.threads = [threading.Thread(target=self.file, args=[lei]) for lei in self.leis]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def wait_for(self, number: int) -> None:
        """Wait until so many more submissions are signed."""
        end, until = len(self.signed) + number, time.monotonic() + 60
        while len(self.signed) < end and not self.errors:
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.fixture
def restored_service(
    tmp_path: Path, empty_database: EmptyDatabase
) -> Iterator[Callable[..., Service]]:
    """A service in an empty place, which has its own commands; it is not started yet."""
    services = []
    name = f"hmda_drill_{uuid.uuid4().hex[:10]}"

    def make(**more: str) -> Service:
        data_dir, port = tmp_path / "restored", free_port()
        data_dir.mkdir()
        environment = environment_of(data_dir, port, name, empty_database, **more)
        if server := server_of(environment.get("DATABASE_URL", "")):
            execute(server, f'DROP DATABASE "{name}"')
            execute(server, f'CREATE DATABASE "{name}"')
        stack = Supervisor(data_dir=data_dir, port=port)
        stack.environment = {**stack.environment, **environment}
        services.append(Service(stack, data_dir, environment))
        return services[-1]

    yield make
    for service in services:
        service.end()
        drop(service.environment, name)


@pytest.fixture(params=["folders", pytest.param("buckets", marks=pytest.mark.servers)])
def settings_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Settings]]:
    """The settings of the service and of the restored one: where their files and backups are."""
    with ExitStack() as stack:
        backups, files, restored = f"file://{tmp_path}/backups", "", ""
        if request.param == "buckets":
            backups, files, restored = (
                stack.enter_context(a_bucket(name)) for name in ("backups", "files", "restored")
            )
        common = {"BACKUP_URL": backups}
        yield {
            "service": {**common, "STORAGE_URL": files},
            "restored": {**common, "STORAGE_URL": restored},
        }


def test_a_backup_taken_while_institutions_file_is_restored_with_the_file_of_every_signature(
    run_service: Callable[..., Service],
    restored_service: Callable[..., Service],
    settings_of: dict[str, Settings],
) -> None:
    service = run_service(seasons=["2024"], **settings_of["service"])
    leis = [service.lei() for _ in range(BUSY)]
    with Person.of(service, *leis, name="ada"):
        pass
    with Load(service, leis) as load:
        load.wait_for(2 * BUSY)
        published(service, f"/v2/public/modifiedLAR/2024/{leis[0]}/csv")
        service.manage("publish", "2024")
        links = permanent_links(service)
        began = time.monotonic()
        said = service.manage("backup")
        ended = time.monotonic()
        load.wait_for(1)
    assert not load.errors
    assert " complete " in said
    before = {key for key, (at, _) in load.signed.items() if at < began}
    assert len(before) >= 2 * BUSY
    assert any(load.begun[key] < ended and at > began for key, (at, _) in load.signed.items())
    submissions, _ = signatures(service)
    first = min(before)
    with Person.of(service, first[0], name="ada") as ada:
        of_first = ada.at(first[0])
        issued = of_first.get(f"{first[1]}/receipt/", params={"format": "json"}).content
    service.end()

    other = restored_service(**settings_of["restored"])
    key_id = said.partition("signed with ")[2].split()[0]
    with pytest.raises(AssertionError, match=f"add --trust={re.escape(key_id)}"):
        other.manage("restore")
    assert "have the sizes and hashes" in other.manage("restore", "--check", f"--trust={key_id}")
    summary = other.manage("restore", f"--trust={key_id}")
    found, rows = signatures(other)
    assert f"Signatures: {len(rows)}, 0 without their file." in summary
    assert "Published: 2024-1." in summary
    assert found < submissions
    assert before <= {(lei, number) for lei, number, *_ in rows} <= {*load.signed}
    other.stack.start()
    for link, sha256 in links.items():
        content = httpx.get(f"{other.url}{link}", follow_redirects=True).content
        assert hashlib.sha256(content).hexdigest() == sha256
    with Person.of(other, leis[0], name="ada") as ada:
        for lei, number, receipt, _ in rows:
            of_lei, (_, sha256) = ada.at(lei), load.signed[lei, number]
            proof = of_lei.get(f"{number}/receipt/", params={"format": "json"}).json()
            assert (proof["receipt"], proof["sha256"]) == (receipt, sha256)
            file = of_lei.get(f"{number}/file/").content
            assert hashlib.sha256(file).hexdigest() == sha256
    check = f"{other.url}/v2/public/receipts/check"
    answer = httpx.post(check, content=issued, headers={"Content-Type": "application/json"}).json()
    assert (answer.get("genuine"), answer.get("lei")) == (True, first[0])
    forged = issued.replace(f'"lei":"{first[0]}"'.encode(), b'"lei":"FORGED00000000000001"')
    answer = httpx.post(check, content=forged, headers={"Content-Type": "application/json"}).json()
    assert not answer["genuine"]
    assert "No findings." in other.manage("verify_audit_log", "--full")
    # What was going on goes on, and the next submission is filed as ever.
    other.tokens[leis[0]] = other.token(leis[0])
    with Filer.of(other, "2024", leis[0]) as filer:
        latest = filer.begin()["id"]["sequenceNumber"]
        assert filer.upload(lar(filer, rows=30), number=latest).status_code == 202
        filer.rest(latest)
        assert filer.sign(latest).status_code == 200


def permanent_links(service: Service) -> dict[str, str]:
    """Return the permanent addresses of the files of the published version, with their hashes."""
    year = httpx.get(f"{service.url}/v2/public/publications/2024").json()
    files = httpx.get(f"{service.url}{year['permanent']}").json()["files"]
    return {file["href"]: file["sha256"] for file in files}


def signatures(service: Service) -> tuple[int, list[tuple[str, int, str, str]]]:
    """Return the number of submissions, and each signature with its receipt and hash."""
    count, rows = json.loads(service.shell(SIGNATURES))
    return count, [tuple(row) for row in rows]
