from __future__ import annotations

import errno
import logging
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import kombu
import pytest
import redis
from botocore.config import Config
from django.conf import settings
from django.core.cache import caches
from django.db import Error, connection
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import include, path, re_path
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.errors import handlers
from config.running.supervisor import free_port
from filing import outages
from filing.outages import OutagePart
from tests.error_forms import FORMS, is_of_form


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda request: handlers.answer_bad_request(request, ValueError()), 400),
        (lambda request: handlers.answer_forbidden(request, PermissionError()), 403),
        (handlers.answer_forged_form, 403),
        (lambda request: handlers.answer_not_found(request, ValueError()), 404),
        (lambda request: handlers.answer_too_many_requests(request, 7), 429),
        (handlers.answer_server_error, 500),
    ],
)
def test_errors_are_pages_on_the_site_and_json_in_an_api(answer, status):
    page, data = (answer(RequestFactory().get(path)) for path in ("/x", "/v2/filing/x"))
    assert page.status_code == data.status_code == status
    assert page["Content-Type"].startswith("text/html")
    assert data["Content-Type"] == "application/json"


def error_in(do: Callable[[], Any]) -> BaseException:
    """Return the error that something ends with."""
    with pytest.raises(Exception) as found:
        do()
    return found.value


def sqlite(file: Path) -> DatabaseWrapper:
    """Return a connection to a file of SQLite that waits for nothing."""
    own = DatabaseWrapper(
        {**connections_settings(), "NAME": str(file), "OPTIONS": {"timeout": 0}}, alias="own"
    )
    own.inc_thread_sharing()
    return own


def connections_settings() -> dict[str, Any]:
    return {**connection.settings_dict, "ENGINE": "django.db.backends.sqlite3"}


def execute(own: Any, statement: str) -> None:
    try:
        with own.cursor() as cursor:
            cursor.execute(statement)
    finally:
        own.close()


@pytest.mark.servers
@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement", ["SELECT * FROM no_such_table", "SELEKT 1", "SELECT no_such_column FROM auth_user"]
)
def test_a_wrong_statement_is_no_database_that_is_away(statement: str) -> None:
    with connection.cursor() as cursor:
        error = error_in(lambda: cursor.execute(statement))
    assert outages.find_outage(error) is None


@pytest.fixture
def closed() -> str:
    return f"127.0.0.1:{free_port()}"


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_a_queue_and_a_bucket_that_do_not_answer_are_away(closed: str) -> None:
    config = Config(connect_timeout=1, retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    bucket = boto3.client(
        "s3", endpoint_url=f"http://{closed}", region_name="us-east-1", config=config, **keys
    )
    client = redis.Redis.from_url(f"redis://{closed}/0", retry=Retry(NoBackoff(), 0))
    assert outages.find_outage(error_in(client.ping)) is OutagePart.QUEUE
    with kombu.Connection(f"redis://{closed}/0") as queue:
        error = error_in(lambda: queue.ensure_connection(max_retries=1, interval_start=0))
    assert outages.find_outage(error) is OutagePart.QUEUE
    listed = error_in(lambda: bucket.list_objects(Bucket="files"))
    assert outages.find_outage(listed) is OutagePart.STORAGE


def test_a_cache_that_does_not_answer_costs_a_moment_and_no_request(
    silent: str, closed: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from config import server_addresses
    from config.backends.caches import ForgivingFolder, ForgivingRedis, make_breaker

    (tmp_path / "file").touch()
    for url in (f"redis://{silent}/0", f"redis://{closed}/0", f"file://{tmp_path}/file/cache"):
        made: dict[str, Any] = server_addresses.cache_settings(url)
        kind: type[Any] = ForgivingRedis if "Redis" in made["BACKEND"] else ForgivingFolder
        cache = kind(made["LOCATION"], {"OPTIONS": made.get("OPTIONS", {})})
        cache.breaker = make_breaker()
        caplog.clear()
        for _ in range(50):
            assert cache.get("a", "default") == "default"
            cache.set("a", 1, 60)
            assert cache.add("a", 1, 60) is True
            assert cache.delete("a") is False
        (line,) = caplog.messages
        assert line.startswith("The cache cannot be used; requests continue without it: ")
    assert type(caches["default"]) in (ForgivingRedis, ForgivingFolder)


# --- what is answered ----------------------------------------------------------------------------


def fail(request: HttpRequest, **parts: Any) -> HttpResponse:
    if request.GET.get("part") == "storage":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with sqlite(Path("/nowhere/database")).cursor():
        raise AssertionError


urlpatterns = [
    path("x/", include("config.urls")),  # where the links of a page lead to
    re_path("", fail),
]
handler500 = handlers.answer_server_error


@pytest.fixture
def failing(settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    return Client(raise_request_exception=False)


@pytest.mark.django_db
@pytest.mark.parametrize("begins", FORMS)
@pytest.mark.parametrize(
    ("part", "effect"), [("database", "use its database"), ("storage", "read or save files")]
)
def test_what_is_away_is_told_in_the_form_of_the_area(
    failing: Client, begins: str, part: str, effect: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = failing.get(f"{begins}/x", {"part": part})
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    message = f"The service cannot {effect} at the moment. Try again in 30 seconds."
    assert is_of_form(answer, f"{begins}/x") == message
    (line,) = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert line.getMessage().startswith(f"The service cannot {effect}: ")
    assert not line.exc_info
    keeps = begins in {"/v2/filing", "/v2/admin", "/hmda-auth", "/realms"}
    sent = failing.post(f"{begins}/x?part={part}").json()
    answered = sent.get("message", sent.get("error_description"))
    assert answered == message + " What you sent may not have been saved." * keeps


@pytest.mark.django_db
@pytest.mark.parametrize(("where", "keeps"), [("/filing/x/", True), ("/tools/x/", False)])
def test_what_is_away_is_told_on_a_page(failing: Client, where: str, keeps: bool) -> None:
    for answer in (failing.get(where), failing.post(where)):
        assert (answer.status_code, answer["Retry-After"]) == (503, "30")
        page = answer.content.decode()
        assert "The service cannot use its database at the moment." in page
        assert answer["X-Request-ID"] in page
    assert ("What you sent may not have been saved." in page) is keeps


def test_pages_of_people_are_those_that_send_strangers_to_sign_in() -> None:
    """All others are shown without their visitor while the sessions cannot be read."""
    from config.requests.sessions import USER_PAGES
    from tests.addresses import ROUTES

    for address in ROUTES.values():
        if address.startswith(("/filing/", "/admin/", "/sign-out")):
            assert USER_PAGES.match(address), address
    assert settings.LOGIN_URL == "sign-in"


@pytest.mark.django_db
def test_a_database_of_sqlite_that_is_locked_replaced_or_full_is_away(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite3"
    execute(sqlite(file), "CREATE TABLE a (b)")
    other = sqlite3.connect(file)
    other.execute("BEGIN EXCLUSIVE")
    locked = error_in(lambda: execute(sqlite(file), "INSERT INTO a VALUES (1)"))
    other.close()
    (tmp_path / "junk").write_bytes(b"no database " * 100)
    (tmp_path / "folder").mkdir()
    small = sqlite(file)
    with small.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 2")
        full = error_in(lambda: cursor.execute("INSERT INTO a VALUES (zeroblob(1000000))"))
    small.close()
    for error in (
        locked,
        full,
        error_in(lambda: execute(sqlite(tmp_path / "junk"), "SELECT * FROM a")),
        error_in(lambda: execute(sqlite(tmp_path / "folder"), "SELECT 1")),
        error_in(lambda: execute(sqlite(tmp_path / "no" / "where"), "SELECT 1")),
    ):
        assert isinstance(error, Error)
        assert outages.find_outage(error) is OutagePart.DATABASE, error
