"""A link that is made today answers with the same bytes whatever is published later."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from databrowser.publication.builds import text_files
from databrowser.publication.versions import live_versions, retention
from tests.databrowser.builds import OLGA, built
from tests.databrowser.publication.public_files import sign
from tests.filing.discarded import remove_a_day_later

pytestmark = pytest.mark.django_db
A = "549300AAAAAAAAAAAA01"
VIEW = "/v2/data-browser-api/view"


def fetch(address: str) -> bytes:
    answer = Client().get(address)
    assert answer.status_code == 200, address
    # Whether an answer comes from the cache is all that may differ.
    content = b"".join(answer) if answer.streaming else answer.content
    return content.replace(b'"servedFrom":"cache"', b'"servedFrom":"db"')


def test_a_link_gives_the_same_bytes_after_ten_publications_and_two_roll_backs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (text_files, retention):
        monkeypatch.setattr(module, "KEPT_FOR", retention.KEPT_FOR * 0)
    sign(A, {"action_taken": "1", "income": "7"}, {"action_taken": "3"})
    version = built()
    named = f"years=2023&version={version.name}"
    links = [
        *(file["href"] for file in Client().get(version.permanent_address).json()["files"]),
        *(
            f"{VIEW}/nationwide/{form}?{named}&actions_taken=1,3"
            for form in ("aggregations", "csv", "pipe", "parquet")
        ),
        f"{VIEW}/count?{named}&leis={A}",
        f"{VIEW}/filers?{named}",
        f"/data/browser/chart.svg?{named}",
    ]
    before = {link: fetch(link) for link in links}
    for number in range(10):
        sign(A, {"action_taken": "1", "income": str(100 + number)})
        latest = built()
        if number in (4, 8):
            target = live_versions.roll_back_target(2023)
            live_versions.publish_version(target, by=OLGA, reason="The last one is wrong.")
            live_versions.publish_version(latest, by=OLGA, reason="It was right.")
        retention.sweep_versions()
        text_files.discard_older_texts()
    remove_a_day_later()
    cache.clear()
    version.refresh_from_db()
    assert not version.has_text_files
    assert {link: fetch(link) for link in links} == before
