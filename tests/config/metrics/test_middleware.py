"""Every answer is counted, those of other middleware and of errors too."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from prometheus_client.parser import text_string_to_metric_families

from config import urls
from config.metrics import middleware
from config.metrics.catalogue import METRICS, OF_DATABASE
from config.metrics.middleware import REQUEST_COUNTS, REQUEST_DURATIONS, site_area
from config.metrics.readings import make_latest_reading
from config.urls import handler400, handler403, handler404, handler500  # noqa: F401


def trouble(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("An error of the code.")


urlpatterns = [path("trouble/", trouble), *urls.urlpatterns]


def values(metric: Any, suffix: str) -> dict[tuple[str, ...], float]:
    (family,) = metric.collect()
    samples = (sample for sample in family.samples if sample.name.endswith(suffix))
    return {tuple(sample.labels.values()): sample.value for sample in samples}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "labels"),
    [
        ("/trouble/", ("pages", "read", "5xx")),
        ("/v2/filing/institutions/X/filings/2024", ("filing", "read", "401")),
        ("/admin/", ("admin", "read", "3xx")),
    ],
)
def test_every_answer_counts_once_with_its_time(
    settings: Any, address: str, labels: tuple[str, ...]
) -> None:
    settings.ROOT_URLCONF = __name__
    counts, times = values(REQUEST_COUNTS, "_total"), values(REQUEST_DURATIONS, "_count")
    Client(raise_request_exception=False).get(address)
    after, times_after = values(REQUEST_COUNTS, "_total"), values(REQUEST_DURATIONS, "_count")
    assert {key: after[key] - counts[key] for key in after if after[key] != counts[key]} == {
        labels: 1
    }
    assert times_after[labels[:2]] == times[labels[:2]] + 1


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("/", "pages"),
        ("/v2/filing/", "health"),
        ("/healthz", "health"),
        ("/v2/filing/institutions/529900TESTBANK000042/filings/2024", "filing"),
        ("/filing/529900TESTBANK000042/2024/", "filing"),
        ("/v2/public/lar/validate/2024", "public"),
        ("/v2/public/uli/checkDigit", "tools"),
        ("/v2/public/modifiedLAR/2024/529900TESTBANK000042", "data-browser"),
        ("/data/graphs/", "graphs"),
        ("/reports/aggregate/2024/19124/1.json", "data-browser"),
        ("/admin/filing/job/", "admin"),
        ("/admin/login/", "identity"),
        ("/realms/hmda2/protocol/openid-connect/token", "identity"),
        ("/static/uswds/styles.css", "static"),
        ("/staticfiles", "pages"),
    ],
)
def test_a_path_has_an_area(path: str, area: str) -> None:
    assert site_area(path) == area


TOKEN = "a-token-of-this-test-alone"
OF_ALL = {name for metric in METRICS for name in metric.series}
WITHOUT_DATABASE = OF_ALL - {name for metric in OF_DATABASE for name in metric.series}


@pytest.fixture(autouse=True)
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was read a moment ago."""
    monkeypatch.setattr(middleware, "READINGS", make_latest_reading())


@pytest.fixture
def with_token(settings: Any) -> Client:
    settings.METRICS_TOKEN = TOKEN
    return Client(headers={"authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is away: a folder stands where its file was."""
    monkeypatch.setitem(connection.settings_dict, "NAME", str(middleware.settings.DATA_DIR))
    monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")


def samples(client: Client) -> Iterator[Any]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    for family in text_string_to_metric_families(answer.content.decode()):
        yield from family.samples


def scraped_values(client: Client, name: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(sample.labels.values()): sample.value
        for sample in samples(client)
        if sample.name == name
    }


@pytest.mark.django_db
@pytest.mark.parametrize("authorization", ["", f"Bearer {TOKEN}"])
def test_there_is_nothing_unless_a_site_sets_who_may_read_it(authorization: str) -> None:
    answer = Client(headers={"authorization": authorization}).get("/metrics")
    assert answer.status_code == 404
    assert b"hmda_" not in answer.content


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", f"Basic {TOKEN}"])
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


@pytest.mark.django_db
@pytest.mark.usefixtures("no_database")
def test_it_answers_while_the_database_is_away(with_token: Client) -> None:
    names = {sample.name for sample in samples(with_token)}
    assert names == WITHOUT_DATABASE
    assert scraped_values(with_token, "hmda_database_up") == {(): 0}
