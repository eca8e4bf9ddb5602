"""Probes: whether the process answers and whether the service is ready, by whatever host name."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config.health import readiness
from config.health.dependencies import check_scanner
from config.health.live_checks import Latest, find_fault
from config.health.readiness import PARTS
from config.limits.policies import LimitPolicy
from config.running.supervisor import free_port
from tests import make
from tests.config.processes import run_python
from tests.filing.scanning.scanners import Server, scanner

__all__ = ["scanner"]

IN_A_PROCESS_OF_ITS_OWN = pytest.mark.slow  # which has to read all code first

READY = {name: {"ready": True} for name in PARTS}


@pytest.fixture(autouse=True)
def nothing_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was checked a moment ago."""
    monkeypatch.setattr(readiness, "_parts", readiness.watch_parts())
    monkeypatch.setattr(readiness, "_logged", {})


@pytest.fixture
def operator() -> Client:
    """A program of staff. Its token is verified without the database."""
    return make.program("op", roles=["hmda-operator"])


@pytest.fixture
def strict(settings: Any) -> None:
    """A public site: one host name, https, and hardly a request allowed."""
    settings.ALLOWED_HOSTS = ["filing.example"]
    settings.SECURE_SSL_REDIRECT = True
    settings.LIMITS = {name: LimitPolicy(name, 1, 3600, 1) for name in settings.LIMITS}


def probe_under_each_name(address: str, content: dict[str, bool]) -> None:
    for host in ("127.0.0.1:8000", "[::1]:8000", "filing.example", "10.0.0.7", ""):
        for _ in range(5):
            answer = Client(headers={"host": host}).get(address)
            assert (answer.status_code, answer.json()) == (200, content)
            assert "no-store" in answer["Cache-Control"]
            assert not answer.cookies
            assert not {"RateLimit", "Announcement", "Vary"} & set(answer.headers)


@pytest.mark.usefixtures("strict")
def test_the_process_is_alive_whatever_it_is_called_and_touches_nothing() -> None:
    """Without the mark `django_db`, a query of whatever kind would be an error."""
    probe_under_each_name("/healthz?x=1", {"alive": True})


@pytest.mark.servers
@pytest.mark.django_db
@pytest.mark.usefixtures("strict")
def test_the_service_is_ready_whatever_it_is_called() -> None:
    probe_under_each_name("/readyz", {"ready": True})


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_read_and_nothing_else(path: str) -> None:
    assert Client().head(path).status_code == 200
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        answer = Client().generic(method, path)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert Client().get(f"{path}/").status_code == 404


@pytest.mark.django_db
def test_staff_see_the_parts_and_no_one_else_does(operator: Client, admin_client: Client) -> None:
    for client in (operator, admin_client):
        answer = client.get("/readyz", headers={"host": "10.0.0.7"})
        assert answer.json() == {"ready": True, "parts": READY}
    filer = make.browser(make.user())
    forged = Client(headers={"authorization": "Bearer hmda_pat_of-no-one"})
    expired = Client(headers={"authorization": "Bearer eyJhbGciOiJSUzI1NiJ9.e30.AAAA"})
    unknown = Client()
    unknown.cookies["sessionid"] = "of-no-one"
    for client in (Client(), filer, forged, expired, unknown):
        assert client.get("/readyz").json() == {"ready": True}


@pytest.mark.django_db
def test_a_session_is_as_it_was_after_its_owner_has_asked(admin_client: Client) -> None:
    before = Session.objects.values().get()
    answer = admin_client.get("/readyz")
    assert not answer.cookies
    assert Session.objects.values().get() == before


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_missing_migration_is_named_to_staff(operator: Client) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("filing", "0001_initial")
    try:
        answer = Client().get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"ready": False})
        told = operator.get("/readyz").json()
    finally:
        recorder.record_applied("filing", "0001_initial")
    reason = "Migrations are not applied: filing.0001_initial. Run manage.py prepare."
    missing = {"ready": False, "reason": reason}
    assert told == {"ready": False, "parts": {**READY, "migrations": missing}}


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["storage", "broker"])
def test_a_folder_that_cannot_be_written_to_is_no_part_to_stand_on(
    operator: Client, settings: Any, tmp_path: Path, part: str
) -> None:
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file")
    if part == "storage":
        kind = {**settings.STORAGES["default"], "OPTIONS": {"location": folder}}
        settings.STORAGES = {**settings.STORAGES, "default": kind}
    else:
        settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": folder}
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"ready": False})
    parts = operator.get("/readyz").json()["parts"]
    assert "Not a directory" in parts.pop(part)["reason"]
    assert parts == {name: READY[name] for name in parts}
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.django_db
def test_many_probes_cost_one_check(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = []
    latest = Latest(lambda: checks.append(1) or "", failed="failed", name="counted")
    monkeypatch.setattr(readiness, "_parts", {"database": latest})
    for _ in range(50):
        assert Client().get("/readyz").status_code == 200
    assert len(checks) == 1
    monkeypatch.setattr(readiness, "KEPT_SECONDS", -1)
    Client().get("/readyz")
    assert len(checks) == 2


@pytest.mark.django_db
def test_the_log_has_each_reason_once_and_when_it_is_over(
    settings: Any, tmp_path: Path, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "KEPT_SECONDS", -1)
    caplog.set_level("INFO")
    (tmp_path / "queue").touch()
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": str(tmp_path / "queue")}
    statuses = [Client().get("/readyz").status_code for _ in range(3)]
    (tmp_path / "queue").unlink()
    (tmp_path / "queue").mkdir()
    statuses += [Client().get("/readyz").status_code for _ in range(3)]
    assert statuses == [503, 503, 503, 200, 200, 200]
    first, last = caplog.messages
    assert first.startswith("Not ready (broker): The broker does not answer: ")
    assert last == "Ready again (broker)"


ASK = """
import json, sys, time, threading
import django; django.setup()
from django.test import Client
from config.identity import tokens
claims = tokens.identity_claims("op", username="op", roles=["hmda-operator"])
staff = Client(headers={"authorization": "Bearer " + tokens.issue_token(claims, seconds=60)})
def asked(client):
    began = time.monotonic()
    answer = client.get("/readyz", headers={"host": "10.0.0.7"})
    return answer.status_code, answer.json(), time.monotonic() - began
Client().get("/healthz")
first = asked(staff)
for _ in range(3):
    asked(Client())
threads = sum(each.name == "a part of the service" for each in threading.enumerate())
alive = Client().get("/healthz").status_code
print(json.dumps([*first, asked(Client())[1], threads, alive]))
"""


@pytest.fixture
def silent() -> Iterator[int]:
    """A port at which connections are taken, and nothing is ever answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def asked(data_dir: Path, **environment: str) -> dict[str, Any]:
    """Return what staff read at a process with this environment, which has not been prepared."""
    embedded = dict.fromkeys(("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "STORAGE_URL"), "")
    own = {"DJANGO_SETTINGS_MODULE": "config.settings", "DATA_DIR": str(data_dir)}
    own |= {"ALLOWED_HOSTS": "filing.example", **environment}
    found = run_python("-c", ASK, env={**os.environ, **embedded, **own})
    assert found.returncode == 0, found.stderr
    status, answer, seconds, to_others, threads, alive = json.loads(found.stdout)
    assert (status, alive) == (503, 200)
    assert to_others == {"ready": answer["ready"]} == {"ready": False}
    assert seconds < readiness.DEADLINE_SECONDS + 2
    assert threads <= len(PARTS), "checks that hang pile up"
    return {name: each.get("reason", "") for name, each in answer["parts"].items()}


@IN_A_PROCESS_OF_ITS_OWN
def test_a_service_on_closed_ports_says_so(tmp_path: Path) -> None:
    closed = f"127.0.0.1:{free_port()}"
    found = asked(
        tmp_path,
        DATABASE_URL=f"postgresql://hmda:topsecret@{closed}/hmda",
        CELERY_BROKER_URL=f"redis://:topsecret@{closed}/0",
        STORAGE_URL=f"s3://key:topsecret@{closed}/files?secure=false&region=us-east-1",
    )
    assert found["database"].startswith("The database does not answer: connection failed")
    assert found["migrations"].startswith("The applied migrations cannot be read: connection")
    assert "Connection refused" in found["broker"]
    assert found["storage"].startswith("The storage cannot be used: Could not connect")
    assert "topsecret" not in str(found)


@IN_A_PROCESS_OF_ITS_OWN
def test_a_service_on_ports_that_never_answer_says_so_within_seconds(
    tmp_path: Path, silent: int
) -> None:
    found = asked(
        tmp_path,
        DATABASE_URL=f"postgresql://hmda@127.0.0.1:{silent}/hmda",
        CELERY_BROKER_URL=f"redis://127.0.0.1:{silent}/0",
        STORAGE_URL=f"s3://key:x@127.0.0.1:{silent}/files?secure=false&region=us-east-1",
    )
    assert all(found.values()), found


@pytest.mark.django_db
def test_a_virus_scanner_that_is_away_is_named_but_not_needed(
    operator: Client, scanner: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "KEPT_SECONDS", -1)
    latest = Latest(lambda: find_fault(check_scanner), failed="failed", name="scanner")
    monkeypatch.setitem(readiness._parts, "scanner", latest)
    assert operator.get("/readyz").json()["parts"]["scanner"] == {"ready": True}
    scanner.close()
    answer = operator.get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (200, True)
    part = answer.json()["parts"]["scanner"]
    assert not part["ready"]
    assert part["reason"].startswith("The virus scanner cannot be reached.")
