"""The permanent addresses of versions: what they answer after all that may become of a version."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client

from databrowser.changes import entries
from databrowser.models import Change, Version
from databrowser.publication.versions import live_versions
from tests.databrowser.builds import OLGA, built
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db
A = "549300AAAAAAAAAAAA01"
VERSIONS = "/v2/public/versions"


@pytest.fixture
def versions() -> tuple[Version, Version]:
    """Two versions, published one after the other."""
    make_once(build_two)
    first, second = Version.objects.order_by("number")
    return first, second


def build_two() -> None:
    for income in ("1", "2"):
        sign(A, {"income": income})
        built()


def test_a_wrong_address_is_answered_with_what_is_right(
    client: Client, versions: tuple[Version, Version]
) -> None:
    first, _ = versions
    sign(A, {"income": "3"})
    hidden = built(goes_live=False)
    wrong = f"{VERSIONS}/2023-1-{'0' * 12}"
    for address in (wrong, f"{wrong}/loans.parquet", f"{VERSIONS}/2023-1-{first.sha256}"):
        answer = client.get(address)
        assert answer.status_code == 404
        assert first.permanent_address in answer.json()["message"]
    for name in (f"2023-9-{'0' * 12}", "2023-1", "x", f"2023-01-{first.sha256[:12]}"):
        answer = client.get(f"{VERSIONS}/{name}")
        assert answer.status_code == 404
        assert "/v2/public/publications" in answer.json()["message"]
    answer = client.get(hidden.permanent_address)
    assert answer.status_code == 404
    assert hidden.sha256[:12] not in answer.json()["message"]
    for name in ("loans.xlsx", "serving.duckdb", "reconciliation.json"):
        assert client.get(f"{first.permanent_address}/{name}").status_code == 404


def test_what_is_withdrawn_is_gone_and_says_why(
    client: Client, versions: tuple[Version, Version]
) -> None:
    first, second = versions
    live_versions.withdraw_version(second, by=OLGA, reason="By order.")
    for version in versions:
        for address in (version.permanent_address, f"{version.permanent_address}/loans.parquet"):
            gone = client.get(address)
            assert gone.status_code == 410
            assert "By order." in gone.json()["message"]
            assert "olga" not in gone.content.decode()
    sign(A, {"income": "3"})
    third = built()
    assert client.get(first.permanent_address).json()["replacedBy"]["version"] == "2023-2"
    gone = client.get(second.permanent_address)
    assert (gone.status_code, "By order." in gone.json()["message"]) == (410, True)
    assert client.get(third.permanent_address).json()["isPublished"]
    live_versions.publish_version(second, by=OLGA, reason="It was right.")
    assert client.get(second.permanent_address).json()["isPublished"]
    Version.objects.filter(pk=first.pk).update(state=Version.State.REMOVED)
    gone = client.get(first.permanent_address)
    assert (gone.status_code, "earlier release" in gone.json()["message"]) == (410, True)


def test_every_list_of_versions_links_to_permanent_addresses(
    client: Client, versions: tuple[Version, Version]
) -> None:
    first, second = versions
    wrong = Change(
        date=date(2026, 6, 23),
        type="correction",
        product="datasets",
        title="Wrong incomes",
        wrong_version=first,
        right_version=second,
    )
    entries.save_change(wrong)
    corrections = client.get(first.permanent_address).json()["corrections"]
    assert corrections == [
        {
            "date": "2026-06-23",
            "title": "Wrong incomes",
            "href": f"/data/changes/#{wrong.slug}",
        }
    ]
    assert client.get(second.permanent_address).json()["corrections"] == []
    feed = client.get("/v2/public/publications").json()["publications"]
    data_sets = client.get("/v2/public/datasets").json()["datasets"]
    (corrected,) = client.get("/v2/public/changes?type=correction").json()["changes"]
    assert [each["permanent"] for each in feed] == [
        second.permanent_address,
        first.permanent_address,
    ]
    assert [each["permanent"] for each in data_sets] == [second.permanent_address]
    assert corrected["corrects"]["permanent"] == first.permanent_address
    for address in ("/v2/public/publications/2023", "/v2/public/datasets/2023/dynamic"):
        assert client.get(address).json()["permanent"] == second.permanent_address
    pages = ("/v2/public/publications.atom", "/data/downloads/", "/data/changes/?type=correction")
    for page in pages:
        text = client.get(page).content.decode()
        assert first.page_address in text
        assert second.page_address in text
