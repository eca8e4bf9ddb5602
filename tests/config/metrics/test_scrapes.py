"""`/metrics`: who may read it, and that it answers, with all metrics and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from config.health import readiness
from config.limits.policies import Policy
from config.metrics import scrapes
from config.metrics.catalogue import METRICS, OF_DATABASE
from config.metrics.readings import latest_reading
from filing.models import Job

TOKEN = "a-token-of-this-test-alone"
OF_ALL = {name for metric in METRICS for name in metric.series}
WITHOUT_DATABASE = OF_ALL - {name for metric in OF_DATABASE for name in metric.series}


@pytest.fixture(autouse=True)
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was read a moment ago."""
    monkeypatch.setattr(scrapes, "READINGS", latest_reading())


@pytest.fixture
def with_token(settings: Any) -> Client:
    settings.METRICS_TOKEN = TOKEN
    return Client(headers={"authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is away: a folder stands where its file was."""
    monkeypatch.setitem(connection.settings_dict, "NAME", str(scrapes.settings.DATA_DIR))
    monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")


def samples(client: Client) -> Iterator[Any]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    for family in text_string_to_metric_families(answer.content.decode()):
        yield from family.samples


def values(client: Client, name: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(sample.labels.values()): sample.value
        for sample in samples(client)
        if sample.name == name
    }


@pytest.mark.django_db
@pytest.mark.parametrize("authorization", ["", f"Bearer {TOKEN}", "Bearer "])
def test_there_is_nothing_unless_a_site_sets_who_may_read_it(authorization: str) -> None:
    answer = Client(headers={"authorization": authorization}).get("/metrics")
    assert answer.status_code == 404
    assert b"hmda_" not in answer.content


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"]
)
def test_a_wrong_token_gets_nothing(settings: Any, authorization: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    answer = Client(headers={"authorization": authorization}).get("/metrics")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"hmda_" not in answer.content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("peer", "headers", "status"),
    [
        ("10.0.0.7", {}, 200),
        ("::ffff:10.0.0.7", {}, 200),
        ("fd00::7", {}, 200),
        ("192.0.2.7", {}, 404),
        ("", {}, 404),
        # Passed on by a proxy in the network of the scrapers.
        ("10.0.0.7", {"x-forwarded-for": "192.0.2.7"}, 404),
        ("10.0.0.7", {"x-forwarded-for": "10.0.0.8"}, 404),
        ("10.0.0.7", {"forwarded": "for=192.0.2.7"}, 404),
    ],
)
def test_networks_are_those_of_scrapers_that_call_the_process(
    settings: Any, peer: str, headers: dict[str, str], status: int
) -> None:
    settings.METRICS_ADDRESSES = [ip_network("10.0.0.0/8"), ip_network("fd00::/8")]
    assert Client(headers=headers).get("/metrics", REMOTE_ADDR=peer).status_code == status


def test_a_site_that_sets_both_wants_both(settings: Any, with_token: Client) -> None:
    settings.METRICS_ADDRESSES = [ip_network("10.0.0.0/8")]
    assert with_token.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404
    assert Client().get("/metrics", REMOTE_ADDR="10.0.0.7").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_it_has_every_metric_of_the_catalogue_and_no_other(with_token: Client) -> None:
    names = {sample.name for sample in samples(with_token)}
    # Years have no series before one is published.
    assert names == OF_ALL - {"hmda_published_timestamp_seconds"}


@pytest.mark.django_db(transaction=True)
def test_it_tells_of_the_database_and_of_requests(
    with_token: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not what another test has found.
    monkeypatch.setattr(readiness, "_parts", readiness.watch_parts())
    Job.objects.create(stage="graphs")
    key = ("health", "read", "2xx")
    before = values(with_token, "hmda_requests_total")[key]
    with_token.get("/healthz")
    assert values(with_token, "hmda_requests_total")[key] == before + 2  # the scrape, too
    assert values(with_token, "hmda_database_up") == {(): 1}
    assert values(with_token, "hmda_jobs")["small", "graphs", "due"] == 1
    assert values(with_token, "hmda_data_free_bytes")[()] > 0
    assert set(values(with_token, "hmda_ready").values()) == {1}


@pytest.mark.django_db(transaction=True)
def test_two_scrapers_cost_one_reading(with_token: Client) -> None:
    first = values(with_token, "hmda_database_read_seconds")
    Job.objects.create(stage="graphs")
    assert values(with_token, "hmda_database_read_seconds") == first
    assert values(with_token, "hmda_jobs")["small", "graphs", "due"] == 0


@pytest.mark.django_db
@pytest.mark.usefixtures("no_database")
def test_it_answers_while_the_database_is_away(with_token: Client) -> None:
    names = {sample.name for sample in samples(with_token)}
    assert names == WITHOUT_DATABASE
    assert values(with_token, "hmda_database_up") == {(): 0}


@pytest.mark.django_db(transaction=True)
def test_it_answers_under_any_host_name_and_is_neither_limited_nor_cached(
    settings: Any, with_token: Client
) -> None:
    settings.ALLOWED_HOSTS = ["filing.example"]
    settings.SECURE_SSL_REDIRECT = True
    settings.LIMITS = {name: Policy(name, 1, 3600, 1) for name in settings.LIMITS}
    for _ in range(3):
        answer = with_token.get("/metrics", headers={"host": "127.0.0.1:8000"})
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        assert "RateLimit" not in answer
        assert not answer.cookies


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("", "text/plain; version=0.0.4"),
        ("application/openmetrics-text;version=1.0.0,text/plain;q=0.5", "application/openmetrics"),
    ],
)
def test_it_has_the_format_that_is_asked_for(
    with_token: Client, accept: str, content_type: str
) -> None:
    answer = with_token.get("/metrics", headers={"accept": accept})
    assert answer["Content-Type"].startswith(content_type)
    assert with_token.post("/metrics").status_code == 405
