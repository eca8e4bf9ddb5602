"""The page of the files to download: what is public, with size and hash, and where all else is."""

from __future__ import annotations

import hashlib
import html
import json
import re
from urllib.parse import quote

import pytest
from django.test import Client

from databrowser.demo import publishing
from databrowser.models import Version
from databrowser.publication.builds import builder
from databrowser.publication.columns import PUBLIC
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.models import Institution
from tests.databrowser.pages.texts import DEMO_BANNER, NOTHING_PUBLISHED, words
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db
PAGE = "/data/downloads/"
A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"
OLGA = Caller(id="1", username="olga", email="olga@agency.example")


def get(query: str = "") -> str:
    answer = Client().get(f"{PAGE}?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def body(path: str) -> bytes:
    answer = Client().get(path)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_before_anything_is_published_the_page_says_so() -> None:
    page = get()
    assert NOTHING_PUBLISHED in page
    assert f"All {len(PUBLIC)} columns" in page
    for path in re.findall(r'href="(/v2/public/modifiedLAR/[^"]+)"', page):
        assert Client().get(path).status_code == 200


def hashes_said(page: str) -> dict[str, str]:
    return dict(re.findall(r'href="([^"]*)" download>.*?<code class="site-hash">(\w+)<', page))


def test_each_version_of_a_year_has_a_page_with_its_files_and_what_became_of_it() -> None:
    for reason, record in (("The first.", {"income": "1"}), ("A late one.", {"income": "2"})):
        sign(A if record["income"] == "1" else B, record)
        builder.build_year(2023, by=OLGA, reason=reason)
    second, first = dict.fromkeys(re.findall(r'<a href="(/data/versions/[^"]*)">', get()))
    answer = Client().get(first)
    page = answer.content.decode()
    assert "1 records of 1 institution. Published" in words(page)
    assert "it was replaced by version 2023-2" in words(page)
    assert "Reason: A late one." in words(page)
    assert f'href="{second}"' in page
    said = hashes_said(page)
    assert {path: hashlib.sha256(body(path)).hexdigest() for path in said} == said
    assert len(said) > 4
    (by_state,) = re.findall(r'href="([^"]*/states/MD.parquet)"', page)
    assert body(by_state)[:4] == b"PAR1"
    assert "it is the published version now" in words(Client().get(second).content.decode())
    now = Version.objects.get(number=2)
    live_versions.withdraw_version(now, by=OLGA, reason="By order.")
    gone = Client().get(second)
    assert (gone.status_code, "By order." in words(gone.content.decode())) == (410, True)
    assert Client().get("/data/versions/2023-9-123456789012/").status_code == 404


def test_a_version_is_cited_for_people_and_for_programs() -> None:
    sign(A, {"income": "1"})
    version = builder.build_year(2023, by=OLGA, reason="The year is complete.")
    page = html.unescape(Client().get(version.page_address).content.decode())
    address = f"http://localhost:8000{version.page_address}"
    assert f"Data set 2023-1 (SHA-256 {version.sha256}). Retrieved " in words(page)
    [item] = json.loads(re.findall(r"as CSL JSON\"><code>(.*?)</code>", page, re.DOTALL)[0])
    assert (item["type"], item["version"], item["URL"]) == ("dataset", "2023-1", address)
    [entry] = re.findall(r"in BibTeX\"><code>(.*?)</code>", page, re.DOTALL)
    assert entry.startswith(f"@dataset{{hmda-2023-1-{version.sha256[:12]},\n")
    assert f"  url = {{{address}}},\n" in entry


@pytest.mark.servers
def test_the_modified_lar_of_an_institution_is_found_by_name_and_lei() -> None:
    sign(A, {"income": "1"}, {"income": "2"})
    sign(B, {"income": "3"})
    name = Institution.objects.get(lei=A).name
    for words_of in (A.lower()[:14], A):
        page = get(f"find={words_of}")
        paths = re.findall(rf'href="(/v2/public/modifiedLAR/2023/{A}/\w+/header)" download', page)
        assert len(paths) == 2
        assert [body(path).count(b"\n") for path in paths] == [3, 3]
        assert f"/{B}/" not in page
    assert f"/{A}/" in get(f"find={quote(name)}")
    assert "No modified LAR found" in get("find=nobody")
    assert f"/{A}/" not in get("find=5")


def test_made_up_rows_are_called_so_wherever_they_are_shown() -> None:
    sign(A, {"income": "1"})
    builder.build_year(2023, by=OLGA, reason="The year is complete.")
    for page in ("/data/downloads/", "/data/browser/"):
        assert "made up" not in Client().get(page).content.decode()
    publishing.publish_demo(rows=10, years=(2022,), by=OLGA)
    for page in ("/data/downloads/", "/data/browser/?years=2022"):
        shown = words(Client().get(page).content.decode())
        assert DEMO_BANNER in shown
    assert "made up" not in words(Client().get("/data/browser/").content.decode())  # of 2023
