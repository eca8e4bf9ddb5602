"""A saved question: an entry in its feed whenever its figures changed, and what is cited of it."""

from __future__ import annotations

import html
import json
import re
from xml.etree import ElementTree

import pytest
from django.test import Client

from databrowser.models import Version
from databrowser.publication.versions import live_versions
from tests.databrowser.builds import OLGA, WHY, built
from tests.databrowser.made_once import make_once
from tests.databrowser.pages.texts import words
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db
A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"
ATOM = {"": "http://www.w3.org/2005/Atom"}
ASKED = "years=2023&actions_taken=1,3"


@pytest.fixture
def versions() -> list[Version]:
    """Three versions of a year: the second has other loans, the third other denials as well."""
    make_once(build_three)
    return list(Version.objects.order_by("number"))


def build_three() -> None:
    for lei, actions in ((A, "1"), (A, "11"), (B, "3")):
        sign(lei, *({"action_taken": action} for action in actions), year=2023)
        built(2023)


def entries(query: str) -> list[ElementTree.Element]:
    answer = Client().get(f"/data/browser/figures.atom?{query}")
    assert answer.status_code == 200
    return ElementTree.fromstring(answer.content).findall("entry", ATOM)


def text(entry: ElementTree.Element, name: str) -> str:
    return words(html.unescape(entry.findtext(name, "", ATOM)))


def test_a_feed_tells_nothing_of_what_is_not_public(versions: list[Version]) -> None:
    _, second, third = versions
    live_versions.publish_version(second, by=OLGA, reason=WHY)
    back, *earlier = entries(ASKED)
    assert "Application denied 1 0 -1" in text(back, "summary")
    assert len(earlier) == 2
    live_versions.withdraw_version(second, by=OLGA, reason=WHY)
    assert Client().get(f"/data/browser/figures.atom?{ASKED}").status_code == 404
    live_versions.publish_version(third, by=OLGA, reason=WHY)
    figures = " ".join(text(each, "summary") for each in entries(ASKED))
    assert "Loan originated 1 2 +1" in figures
    assert "2023-2" not in " ".join(text(each, "title") for each in entries(ASKED))


def test_a_feed_is_read_again_only_when_it_changed(versions: list[Version]) -> None:
    address = f"/data/browser/figures.atom?{ASKED}"
    first = Client().get(address)
    assert Client().get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert Client().get("/data/browser/figures.atom?years=1999").status_code == 400


def test_the_page_of_an_earlier_version_says_what_is_published_now(
    versions: list[Version],
) -> None:
    page = Client().get(f"/data/browser/?{ASKED}&version=2023-1").content.decode()
    assert "What is published now gives other figures (version 2023-3): 3 records (+2)" in words(
        page
    )
    cited = f"http://localhost:8000/data/browser/?{ASKED}&version=2023-1"
    assert cited in words(html.unescape(page))
    [item] = json.loads(
        html.unescape(re.findall(r"as CSL JSON\"><code>(.*?)</code>", page, re.DOTALL)[0])
    )
    assert (item["version"], item["URL"]) == ("2023-1", cited)
    for query in (ASKED, f"{ASKED}&version=2023-3"):
        now = words(Client().get(f"/data/browser/?{query}").content.decode())
        assert "What is published now" not in now
    same = Client().get("/data/browser/?years=2023&actions_taken=3&version=2023-1").content.decode()
    assert "What is published now gives other figures" in words(same)
    same = Client().get("/data/browser/?years=2023&actions_taken=8&version=2023-1").content.decode()
    assert "What is published now gives the same figures" in words(same)
