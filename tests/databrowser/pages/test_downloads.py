"""The page of the files to download: what is public, with size and hash, and where all else is."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

import pytest
from django.test import Client

from databrowser.demo import publishing
from databrowser.publication.builds import builder
from databrowser.publication.columns import PUBLIC
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.models import FilingYear, Institution
from filing.models.filing_years import forget_years
from tests.databrowser.pages.texts import DEMO_BANNER, NOTHING_PUBLISHED, words
from tests.databrowser.publication.public_files import sign

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
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
    assert "No changes yet" in page
    assert f"All {len(PUBLIC)} columns" in page
    for path in re.findall(r'href="(/v2/public/modifiedLAR/[^"]+)"', page):
        assert Client().get(path).status_code == 200


def test_files_of_a_year_have_the_hashes_that_are_said() -> None:
    sign(A, {"income": "1"}, {"income": "2"})
    sign(B, {"income": "3"})
    version = builder.build_year(2023, by=OLGA, reason="The year is complete.")
    page = get()
    assert "3 records of 2 institutions. Version 2023-1" in words(page)
    said = dict(re.findall(r'href="([^"]*)" download>.*?<code class="site-hash">(\w+)<', page))
    assert len(said) == 4
    assert {path: hashlib.sha256(body(path)).hexdigest() for path in said} == said
    assert said["/v2/public/publications/2023/manifest.json"] == version.sha256
    assert "/v2/public/publications/2023/loans.parquet" in page.split("<pre")[1]
    live_versions.withdraw_version(version, by=OLGA, reason="By order.")
    page = words(get())
    assert NOTHING_PUBLISHED in page
    assert re.search("2023 Withdrawn 2023-1 3 .* 2023 Published 2023-1 3", page)


def test_files_of_a_year_that_runs_rules_of_another_say_so() -> None:
    sign(A, {"income": "1"})
    builder.build_year(2023, by=OLGA, reason="The year is complete.")
    assert "provisional" not in get()
    FilingYear.objects.filter(year=2023).update(rulebook=2022)
    forget_years()
    assert "provisional: the rules of 2022." in get()


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


def test_each_year_of_files_is_marked_by_itself() -> None:
    sign(A, {"income": "1"})
    builder.build_year(2023, by=OLGA, reason="The year is complete.")
    publishing.publish_demo(rows=10, years=(2022,), by=OLGA)
    page = get()
    before, real, made_up = re.split(
        r'<h3 id="year-\d+">', page.split('aria-labelledby="modified"')[0]
    )
    assert "made up" not in before + real
    assert DEMO_BANNER in made_up
    assert re.search("2022 Published 2022-1 , made up 10 .* 2023 Published 2023-1 1 ", words(page))
