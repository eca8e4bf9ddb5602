"""Queries of versions that are not the published ones: what they answer, and what is refused."""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import Any

import pytest
from django.test import Client

from databrowser.models import Version
from databrowser.publication.versions import live_versions
from filing.models import Job
from tests.databrowser.builds import OLGA, WHY, built
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import sign
from tests.errors import error_of

pytestmark = pytest.mark.django_db
A = "549300AAAAAAAAAAAA01"
VIEW = "/v2/data-browser-api/view"
QUERIES = (
    "nationwide/aggregations?actions_taken=1",
    f"count?leis={A}",
    "filers?",
    *(f"nationwide/{form}?actions_taken=1" for form in ("csv", "pipe", "parquet")),
)


@pytest.fixture
def versions() -> list[Version]:
    """Two versions of a year and one of the year after, published one after the other."""
    make_once(build_three)
    return list(Version.objects.order_by("year", "number"))


def build_three() -> None:
    for number, year in ((1, 2023), (2, 2023), (3, 2024)):
        sign(A, *[{"action_taken": "1"}] * number, year=year)
        built(year)


def get(query: str) -> Any:
    return Client().get(f"{VIEW}/{query}")


def count(query: str) -> int:
    (group,) = get(f"nationwide/aggregations?actions_taken=1&{query}").json()["aggregations"]
    return int(group["count"])


def test_a_query_names_the_versions_that_answer_it(versions: list[Version]) -> None:
    first, second, other = versions
    assert count("years=2023") == count("years=2023&version=2023-2") == 2
    assert count("years=2023&version=2023-1") == 1
    assert count("years=2023,2024&version=2023-1") == 1 + 3
    assert count("years=2023,2024&version=2024-1,2023-1") == 1 + 3
    assert count("years=2023&version=&dataset=") == 2
    for query in QUERIES:
        answer = Client().head(f"{VIEW}/{query}&years=2023,2024&version=2023-1")
        assert answer["Link"] == ", ".join(
            f'<{version.permanent_address}>; rel="via"' for version in (first, other)
        )
        known = Client().get(
            f"{VIEW}/{query}&years=2023,2024&version=2023-1",
            headers={"if-none-match": answer["ETag"]},
        )
        assert (known.status_code, known["Link"]) == (304, answer["Link"])
        answer = Client().head(f"{VIEW}/{query}&years=2023")
        assert answer["Link"] == f'<{second.permanent_address}>; rel="via"'
    for query in QUERIES[:3]:
        assert get(f"{query}&years=2023&version=2023-1").json()["datasets"] == [
            {
                "year": 2023,
                "dataset": "dynamic",
                "version": "2023-1",
                "permanent": first.permanent_address,
            }
        ]


def test_a_query_names_a_data_set(versions: list[Version]) -> None:
    first, *_ = versions
    snapshot = Version.objects.get(pk=first.pk)
    snapshot.pk, snapshot._state.adding, snapshot.number = None, True, 3
    snapshot.job = Job.objects.create(stage="publish", state=Job.State.DONE)
    snapshot.dataset, snapshot.frozen_on = "snapshot", date(2024, 5, 1)
    snapshot.save()
    live_versions.publish_version(snapshot, by=OLGA, reason=WHY)
    assert count("years=2023") == count("years=2023&dataset=snapshot") == 1
    assert count("years=2023&dataset=dynamic") == 2
    assert count("years=2023,2024&dataset=dynamic") == 2 + 3
    assert count("years=2023,2024&dataset=snapshot&version=2024-1") == 1 + 3
    missing = get("filers?years=2023,2024&dataset=snapshot")
    assert missing.status_code == 404
    error = error_of(missing)
    assert (error["errorType"], error["unpublishedYears"]) == ("not-published", "2024")
    assert "2024-1" in error["message"]
    assert "2023-" not in error["message"]


WRONG_VERSIONS = [
    ("version=2023-9", "2023-9"),
    ("version=x", "x"),
    ("version=2024-1", "2024-1"),  # of a year that is not in the query
    ("version=2023-1,2023-2", "2023-2"),  # the second of the year
    ("version=2023-3", "2023-3"),  # never published
]


def test_a_version_that_cannot_answer_is_refused_with_those_that_can(
    versions: list[Version],
) -> None:
    sign(A, {})
    assert built(goes_live=False).name == "2023-3"
    for each, (query, wrong) in product(QUERIES, WRONG_VERSIONS):
        refused = get(f"{each}&years=2023&{query}")
        assert refused.status_code == 400
        error = error_of(refused)
        assert (error["errorType"], error["invalidVersion"]) == ("invalid-version", wrong)
        assert "2023-2, 2023-1," in error["message"]


def test_what_is_withdrawn_or_no_data_set_is_refused(versions: list[Version]) -> None:
    _, second, _ = versions
    live_versions.withdraw_version(second, by=OLGA, reason="By order.")
    sign(A, {})
    built()
    refused = get("filers?years=2023&version=2023-2")
    assert refused.status_code == 404
    error = error_of(refused)
    assert (error["errorType"], error["unpublishedVersion"]) == ("not-published", "2023-2")
    assert "By order." in error["message"]
    for words in ("frozen", "dynamic,snapshot"):
        refused = get(f"filers?years=2023&dataset={words}")
        assert refused.status_code == 400
        error = error_of(refused)
        assert (error["errorType"], error["invalidDataset"]) == ("invalid-dataset", words)
        assert "three-year" in error["message"]


def test_the_page_links_to_the_versions_it_shows(versions: list[Version]) -> None:
    first, second, _ = versions
    page, client = "/data/browser/?years=2023", Client()
    shown = client.get(page).text
    assert "2023 data set, version" in shown
    assert second.page_address in shown
    assert 'href="/data/browser/?years=2023&amp;version=2023-2"' in shown
    assert "What is published now" not in shown
    older = client.get(f"{page}&version=2023-1")
    assert older.context["answer"].total.count == 1
    assert first.page_address in older.text
    assert 'href="/data/browser/?years=2023&amp;version=2023-1"' in older.text
    assert '<input type="hidden" name="version" value="2023-1">' in older.text
    assert "chart.svg?years=2023&amp;version=2023-1" in older.text
    assert 'href="/data/browser/?years=2023">Show them</a>' in older.text
    both = client.get("/data/browser/?years=2023,2024&version=2023-1").text
    assert 'href="/data/browser/?years=2024"><span class="usa-sr-only">Remove </span>Year' in both
    other = client.get("/data/browser/?years=2024&version=2023-1")  # the form has cleared the year
    assert (other.status_code, other.context["answer"].total.count) == (200, 3)
    assert client.get(f"{page}&version=2023-9").status_code == 400
    chart = client.get("/data/browser/chart.svg?years=2023&version=2023-1")
    assert chart.status_code == 200
    assert chart["ETag"] != client.get("/data/browser/chart.svg?years=2023")["ETag"]
