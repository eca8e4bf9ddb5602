"""Changes and corrections: written by publications and by staff, as page, JSON and Atom."""

from __future__ import annotations

from datetime import date
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from databrowser.changes import entries
from databrowser.models import Change, Version
from databrowser.publication.builds import builder
from filing.access import Caller
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import sign
from tests.errors import error_of

pytestmark = pytest.mark.django_db
A = "549300AAAAAAAAAAAA01"
OLGA = Caller(id="1", username="olga", email="olga@agency.example")
CHANGES, PAGE, ATOM = "/v2/public/changes", "/data/changes/", "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def versions() -> list[Version]:
    """Two versions of a year, of which the later one is public."""
    make_once(build_two)
    return list(Version.objects.order_by("number"))


def build_two() -> None:
    for income in ("1", "2"):
        sign(A, {"income": income})
        builder.build_year(2023, by=OLGA, reason="*As planned* <b>now</b>.")


def write(**columns: Any) -> Change:
    facts: dict[str, Any] = {
        "date": date(2026, 6, 23),
        "type": "announcement",
        "product": "tools",
        "title": "A new tool",
    }
    change = Change(**(facts | columns))
    entries.save_change(change)
    return change


def titles(client: Client, **parameters: str) -> list[str]:
    return [each["title"] for each in client.get(CHANGES, parameters).json()["changes"]]


@pytest.mark.servers
def test_changes_are_listed_by_day_and_type_and_found_by_each_filter(client: Client) -> None:
    write(title="Old", date=date(2026, 1, 5), product="filing", description="About ULIs")
    write(title="Wrong", type="correction", product="reports", wrong_report="Table 1")
    write(title="Newer tool")
    assert titles(client) == ["Newer tool", "Wrong", "Old"]
    assert titles(client, type="correction,release") == ["Wrong"]
    assert titles(client, product="tools, filing") == ["Newer tool", "Old"]
    assert titles(client, keywords="ULI,old") == ["Old"]
    assert titles(client, keywords="ULI,tool") == []
    assert titles(client, since="2026-06-01") == ["Newer tool", "Wrong"]
    for name, text in (("type", "news"), ("product", "x"), ("since", "soon"), ("page", "x")):
        answer = client.get(CHANGES, {name: text})
        assert answer.status_code == 400
        assert repr(text) in error_of(answer)["message"]


def test_a_caller_who_has_the_newest_list_is_sent_nothing(client: Client) -> None:
    write()
    for address in (CHANGES, f"{CHANGES}.atom"):
        answer = client.get(address)
        assert answer["Last-Modified"]
        again = client.get(address, headers={"if-none-match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
    empty = client.get(f"{CHANGES}.atom?type=update")
    assert empty.content == client.get(f"{CHANGES}.atom?type=update").content


def test_the_feeds_are_atom_with_lasting_identifiers(
    client: Client, versions: list[Version]
) -> None:
    change = write(title="Rates & rules", description="See [the list](/data/changes/).")
    feed = ET.fromstring(client.get(f"{CHANGES}.atom?type=announcement").content)
    (entry,) = feed.iter(f"{ATOM}entry")
    found = {child.tag.removeprefix(ATOM): child for child in entry}
    assert found["id"].text == f"tag:localhost,2026:change:{change.pk}"
    assert found["title"].text == "Rates & rules"
    assert found["link"].attrib["href"].endswith(f"{PAGE}#{change.slug}")
    assert found["summary"].text == '<p>See <a href="/data/changes/">the list</a>.</p>\n'
    publications = ET.fromstring(client.get("/v2/public/publications.atom").content)
    assert [title.text for title in publications.iter(f"{ATOM}title")] == [
        "Publications",
        "2023 data set, version 2023-2 published",
        "2023 data set, version 2023-1 published",
    ]


def test_the_page_takes_its_form_and_answers_what_it_cannot_read(client: Client) -> None:
    for number in range(25):
        write(title=f"Entry {number}")
    both = client.get(f"{PAGE}?type=announcement&type=update&product=tools&page=2").text
    assert "25 entries, page 2 of 2." in both
    assert "Entry 4<" in both
    assert "type=announcement%2Cupdate" in both
    assert "is not a day" in client.get(f"{PAGE}?since=soon").text
    assert client.get("/updates-notes")["Location"] == PAGE


def test_staff_write_amend_and_never_delete(admin_client: Client) -> None:
    form = {
        "date": "2026-06-23",
        "type": "update",
        "product": "documentation",
        "title": "New guide",
        "description": "",
        "href": "javascript:1",
        "wrong_report": "Table 1",
        "reason": "Asked for.",
    }
    add = reverse("admin:databrowser_change_add")
    refused = admin_client.post(add, form).text
    assert "begins with https:// or /." in refused
    assert "Only a correction says what was wrong." in refused
    made = admin_client.post(add, form | {"href": "/guides/", "wrong_report": ""})
    assert made.status_code == 302
    change = Change.objects.get()
    assert (change.slug, change.amended_at) == ("06-23-26-update-new-guide", None)
    page = reverse("admin:databrowser_change_change", args=[change.pk])
    loaded = admin_client.get(page).context["adminform"].form.initial["loaded"]
    values = form | {"href": "", "wrong_report": "", "title": "Newer guide", "loaded": loaded}
    assert admin_client.post(page, values).status_code == 302
    change.refresh_from_db()
    assert change.amended_at
    assert change.title == "Newer guide"
    delete = reverse("admin:databrowser_change_delete", args=[change.pk])
    assert admin_client.post(delete, {"post": "yes", "reason": "x"}).status_code == 403
