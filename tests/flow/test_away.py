"""What the service stands on is away: 503 with a time to come back, and the rest goes on."""

from __future__ import annotations

import os
import resource
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.errors import error_of
from tests.flow.conftest import Service
from tests.flow.databases import (  # noqa: F401 -- a fixture
    IS_POSTGRESQL,
    NO_DATABASE,
    TRY_AGAIN,
    UNSURE,
    Database,
    database,
)
from tests.flow.filer import Filer, lar
from tests.flow.processes import wait_until
from tests.resilience.between import Between

pytestmark = pytest.mark.slow

SIGN_IN = """
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from config.backends.sessions import SessionStore
user = User.objects.create_superuser("olga", "olga@agency.example", "x")
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "config.identity.login.Backend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(session.session_key)
"""
SECONDS = 60
IS_REDIS = os.environ.get("CELERY_BROKER_URL", "").startswith("redis")
NO_FILES = f"The service cannot read or save files {TRY_AGAIN}"
BAD = {"Authorization": "Bearer x"}
# Pages and calls that need no database, each with its method and what is sent.
ALWAYS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/", {}),
    ("GET", "/help/", {}),
    ("GET", "/accessibility/", {}),
    ("GET", "/privacy/", {}),
    ("GET", "/robots.txt", {}),
    ("GET", "/healthz", {}),
    ("GET", "/docs/", {}),
    ("GET", "/docs/reference/", {}),
    ("GET", "/docs/openapi.json", {}),
    ("GET", "/static/site.css", {}),
    ("GET", "/v2/filing/", {}),
    ("GET", "/v2/public/edits/V600", {}),
    ("GET", "/tools/check-digit/", {}),
    ("GET", "/realms/hmda2/protocol/openid-connect/certs", {}),
    ("POST", "/v2/public/uli/checkDigit", {"json": {"loanId": "10Bx939c5543TqA1144M999143X"}}),
]


@pytest.fixture(scope="module")
def signed_in(breakable: Service) -> Iterator[httpx.Client]:
    """A browser in which someone has signed in."""
    key = breakable.shell(SIGN_IN)
    with httpx.Client(base_url=breakable.url, cookies={"sessionid": key}, timeout=60) as client:
        assert "Sign out" in client.get("/").text
        yield client


@pytest.fixture(scope="module")
def stranger(breakable: Service) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=breakable.url, timeout=60) as client:
        yield client


def lines(service: Service) -> list[dict[str, Any]]:
    """Return the lines that the web processes have logged: each is JSON, and none a traceback."""
    text = (service.stack.logs / "web.log").read_text()
    assert "Traceback" not in text
    assert not [line for line in text.splitlines() if not line.startswith("{")]
    return service.logged()


def check_away(answer: httpx.Response, message: str) -> dict[str, Any]:
    """Hold an answer of an API against what it is while something is away; return its error."""
    assert answer.status_code == 503, answer.text
    assert answer.headers["Retry-After"] == "30"
    assert answer.headers["Cache-Control"] in {"no-store", "no-cache"}
    error = error_of(answer)
    assert error.get("message", error.get("error_description")) == message
    return error


@pytest.mark.servers
def test_what_needs_the_database_says_that_it_is_away_in_the_form_of_its_area(
    breakable: Service, database: Database, signed_in: httpx.Client, stranger: httpx.Client
) -> None:
    lei = breakable.lei()
    database.take_away()
    before = len(lines(breakable))
    with breakable.client(breakable.tokens[lei]) as filer:
        path = f"/institutions/{lei}/filings/2024"
        error = check_away(filer.get(path), NO_DATABASE)
        assert error == {"httpStatus": 503, "message": NO_DATABASE, "path": path}
        check_away(filer.post(f"{path}/submissions"), NO_DATABASE + UNSURE)
    browser = "/v2/data-browser-api/view/nationwide/aggregations?years=2022&actions_taken=1"
    error = check_away(stranger.get(browser), NO_DATABASE)
    assert error == {"errorType": "busy", "message": NO_DATABASE}
    form = {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "x"}
    answer = stranger.post("/realms/hmda2/protocol/openid-connect/token", data=form)
    error = check_away(answer, NO_DATABASE + UNSURE)
    assert error["error"] == "temporarily_unavailable"
    for path in ("/v2/public/institutions?domain=bank.example", "/quarterly-data/graphs"):
        check_away(stranger.get(path), NO_DATABASE)
    for client, path in [
        (signed_in, "/filing/profile/"),
        (signed_in, "/admin/"),
        (signed_in, "/admin/filing/submission/"),
        (stranger, "/data/downloads/"),
    ]:
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30"), path
        assert NO_DATABASE in answer.text
        assert answer.headers["X-Request-ID"] in answer.text
        assert "Set-Cookie" not in answer.headers
    assert stranger.get("/readyz").headers["Retry-After"] == "30"

    def told() -> dict[str, list[str]]:
        by_request: dict[str, list[str]] = {}
        for line in lines(breakable)[before:]:
            # What is announced is read for many requests at a time, and says so itself.
            if line.get("logger") == "filing.pages.announcements":
                continue
            if line.get("status") != 200 and line["event"] != "request":
                by_request.setdefault(line.get("request_id", ""), []).append(line["level"])
        return by_request

    refused = [
        line["request_id"] for line in lines(breakable)[before:] if line.get("status") == 503
    ]
    assert len(refused) == 10
    assert {name: told()[name] for name in refused} == {name: ["warning"] for name in refused}


def test_what_needs_no_database_goes_on(
    breakable: Service, database: Database, signed_in: httpx.Client, stranger: httpx.Client
) -> None:
    with Filer.of(breakable, "2024") as filer:
        sheet, loan = lar(filer, rows=1).decode().splitlines()[:2]
    file = {"files": {"file": ("lar.txt", f"{sheet}\n{loan}\n".encode())}}
    checks: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/v2/public/disclosure/parse", file),
        ("POST", "/v2/public/lar/parse", {"json": {"lar": loan}}),
        ("GET", "/tools/check-file/", {}),
        ("GET", "/tools/check-line/", {}),
    ]
    if IS_POSTGRESQL:  # else the processes are new: they never knew which census counts
        checks += [
            ("POST", "/v2/public/disclosure/validate/2024", file),
            ("POST", "/v2/public/lar/validate/2024", {"json": {"lar": loan}}),
        ]
    calls = [*ALWAYS, *checks]
    before = {path: stranger.request(how, path, **what) for how, path, what in calls}
    assert {path: answer.status_code for path, answer in before.items()} == dict.fromkeys(
        before, 200
    )
    database.take_away()
    for how, path, what in calls:
        answer = stranger.request(how, path, **what)
        assert answer.status_code == 200, (path, answer.text)
        if "json" in answer.headers["Content-Type"] and path != "/v2/filing/":
            assert answer.json() == before[path].json()
    for how, path, what in ALWAYS:
        answer = signed_in.request(how, path, **what)
        assert answer.status_code == 200, (path, answer.text)
        assert "sessionid" not in answer.headers.get("Set-Cookie", "")
    page = signed_in.get("/").text
    assert "Your account is not available at the moment. You are still signed in." in page
    assert "Sign in<" not in page
    assert signed_in.get("/nowhere/").status_code == 404
    refused = stranger.get("/v2/filing/institutions/A/filings/2024", headers=BAD)
    assert refused.status_code == 401
    database.bring_back()
    wait_until(lambda: "Sign out" in signed_in.get("/").text, "the session is known again")


@pytest.mark.servers
def test_an_upload_during_which_the_database_goes_away_leaves_nothing_behind(
    breakable: Service, database: Database
) -> None:
    with Filer.of(breakable, "2024") as filer:
        content = lar(filer, rows=2000)
        filer.begin()
        where = breakable.stack.address
        whole = httpx.Request(
            "POST",
            f"{filer.address}/submissions/1",
            files={"file": ("lar.txt", content)},
            headers={**filer.headers, "accept-encoding": "identity"},
        )
        body = whole.read()
        head = [f"POST {whole.url.path} HTTP/1.1", "Connection: close"]
        head += [f"{n}: {v}" for n, v in whole.headers.items() if n != "connection"]
        with socket.create_connection(where, timeout=SECONDS) as raw:
            raw.sendall("\r\n".join([*head, "", ""]).encode() + body[: len(body) // 2])
            wait_until(lambda: filer.state()["status"]["code"] == 2, "the upload has begun")
            if IS_POSTGRESQL:
                database.take_away()
                raw.sendall(body[len(body) // 2 :])
                answer = b""
                while read := raw.recv(1 << 16):
                    answer += read
                assert b"HTTP/1.1 503 " in answer
                assert (NO_DATABASE + UNSURE).encode() in answer, answer
                database.bring_back()
        wait_until(lambda: filer.state()["status"]["code"] == 1, "it can be uploaded again")
        wait_until(lambda: not left_behind(breakable, filer), "the sweeper has cleared")
        assert filer.upload(content).status_code == 202
        assert filer.rest()["status"]["code"] in {11, 13, 14}


def left_behind(service: Service, filer: Filer) -> list[Path]:
    """Return what there is of uploads of a filer, and what web processes have begun to take."""
    kept = (service.data_dir / "files" / "submissions" / filer.lei).rglob("raw.txt")
    return [*kept, *(service.data_dir / "incoming").iterdir()]


@pytest.mark.parametrize("how", ["full", "replaced"])
def test_a_disk_that_takes_no_file_is_no_storage(breakable: Service, how: str) -> None:
    files = breakable.data_dir / "files"
    web = breakable.processes("gunicorn")
    with Filer.of(breakable, "2024") as filer:
        content = lar(filer, rows=100)
        large = content + b"x" * (24 << 20)
        filer.begin()
        if how == "full":  # as a disk that has no room for so much
            for each in web:
                resource.prlimit(each, resource.RLIMIT_FSIZE, (16 << 20, -1))
        else:
            files.rename(f"{files}.away")
            files.touch()
        try:
            refused = filer.upload(large if how == "full" else content)
            check_away(refused, NO_FILES + UNSURE)
        finally:
            if how == "full":
                for each in web:
                    resource.prlimit(each, resource.RLIMIT_FSIZE, (-1, -1))
            else:
                files.unlink()
                Path(f"{files}.away").rename(files)
        assert filer.state()["status"]["code"] == 1
        assert not left_behind(breakable, filer)
        assert filer.upload(content).status_code == 202
        assert filer.rest()["status"]["code"] in {11, 13, 14}
    lines(breakable)


def test_a_bucket_that_does_not_answer_is_no_storage(
    breakable_bucket: Service, bucket_line: Between
) -> None:
    with Filer.of(breakable_bucket, "2024") as filer:
        content = lar(filer, rows=100, fail=("Q611:3",))
        filer.begin()
        bucket_line.close()
        check_away(filer.upload(content), NO_FILES + UNSURE)
        assert filer.state()["status"]["code"] == 1
        assert not list((breakable_bucket.data_dir / "incoming").iterdir())
        assert httpx.get(f"{breakable_bucket.url}/").status_code == 200
        bucket_line.open()
        assert filer.upload(content).status_code == 202
        assert filer.rest()["status"]["code"] == 11
        shutil.rmtree(breakable_bucket.data_dir / "local-copies", ignore_errors=True)
        bucket_line.close()
        check_away(filer.call("GET", "/submissions/1/edits/Q611"), NO_FILES)
        bucket_line.open()
    lines(breakable_bucket)


if IS_REDIS:  # else there is none to be away

    @pytest.mark.servers
    def test_the_service_goes_on_without_redis(run_service: Callable[..., Service]) -> None:
        """It has a service of its own, whose queue and cache can be cut off."""
        broker, cache = Between(), Between()
        service = run_service(
            2,
            seasons=["2024"],
            started_with={"CELERY_BROKER_URL": broker, "CACHE_URL": cache},
            LOG_FORMAT="json",
            LIMIT_PUBLIC="1000/s:1000",
            LIMIT_AUTHENTICATED="1000/s:1000",
            JOB_SWEEP_SECONDS="2",
        )
        try:
            with Filer.of(service, "2024") as filer:
                filer.begin()
                broker.close()
                cache.close()
                assert filer.upload(lar(filer, rows=100)).status_code == 202
                with httpx.Client(base_url=service.url, timeout=60) as client:
                    for path in (
                        "/",
                        "/data/downloads/",
                        "/v2/public/edits/V600",
                        "/tools/check-digit/",
                    ):
                        assert client.get(path).status_code == 200, path
                    for _ in range(50):
                        assert client.get("/v2/public/edits/V600").status_code == 200
                assert filer.state()["status"]["code"] == 3 or filer.state()["status"]["code"] == 4
                broker.open()
                cache.open()
                assert filer.rest(seconds=180)["status"]["code"] in {11, 13, 14}
            told = [line["event"] for line in lines(service) if line["level"] == "warning"]
            assert any(each.startswith("The queue cannot be reached") for each in told)
            assert sum(each.startswith("Requests are not limited") for each in told) <= 8
        finally:
            broker.close()
            cache.close()
            service.end()
