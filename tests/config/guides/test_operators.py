"""The site serves the guide for operators to staff: every section, every picture, no dead link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urldefrag

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.guides import operators
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
GUIDE = reverse("admin:guide")
DOCS = settings.BASE_DIR / "docs"
INDEX = (DOCS / "operators.md").read_text()
NAMES = re.findall(r"^\| \[.+?\]\((operators/.+?\.md)\) \|", INDEX, re.M)
SOURCES = [(DOCS / name).read_text() for name in NAMES]


def links(page: str) -> Iterator[str]:
    main = page[page.index('id="content-main"') :]
    yield from re.findall(r'(?:href|src)="([^"#][^"]*)"', main)


def test_the_index_of_the_guide_lists_each_of_its_documents_once() -> None:
    assert sorted(NAMES) == sorted(f"operators/{path.name}" for path in DOCS.glob("operators/*"))
    for name, source in zip(NAMES, SOURCES, strict=True):
        assert f"[{source.partition(chr(10))[0].removeprefix('# ')}]({name})" in INDEX


def test_each_section_of_the_documents_is_a_page_in_their_order(admin_client: Client) -> None:
    titles = [title for source in SOURCES for title in re.findall(r"^## (.+)$", source, re.M)]
    assert [section.title for section in operators.operators_sections()] == titles
    assert len({section.slug for section in operators.operators_sections()}) == len(titles)
    contents = admin_client.get(GUIDE).content.decode()
    places = []
    for section in operators.operators_sections():
        address = reverse("admin:guide_section", args=[section.slug])
        places.append(contents.index(f'"{address}"'))
        assert admin_client.get(address).context["title"] == section.title
    assert places == sorted(places)


def test_the_contents_lead_to_every_subject_and_to_the_other_documents(
    admin_client: Client,
) -> None:
    contents = admin_client.get(GUIDE).content.decode()
    for subject in operators.operators_subjects():
        assert f'<h2 id="{subject.slug}">{subject.title}</h2>' in contents
    for path in DOCS.glob("*.md"):
        address = reverse("admin:guide_document", args=[path.stem])
        assert (f'"{address}"' in contents) is (path.name != "operators.md")


def test_a_page_lists_its_headings_and_a_link_leads_to_one(admin_client: Client) -> None:
    address = reverse("admin:guide_section", args=["people-and-roles"])
    page = admin_client.get(address).content.decode()
    assert '<a href="#when-the-right-to-file-ends">When the right to file ends</a>' in page
    assert '<h2 id="when-the-right-to-file-ends">' in page
    identity = admin_client.get(reverse("admin:guide_document", args=["identity"]))
    assert f'href="{address}#when-the-right-to-file-ends"' in identity.content.decode()


def test_the_addresses_of_the_first_release_still_answer(admin_client: Client) -> None:
    slugs = ("open-a-season", "tell-everybody", "find-a-submission", "before-a-site-goes-live")
    for slug in slugs:
        assert admin_client.get(reverse("admin:guide_section", args=[slug])).status_code == 200


def test_every_link_and_picture_of_the_guide_answers_the_help_desk() -> None:
    client = signed_in(member("help desk"))
    waiting, seen, pictures = [GUIDE], set(), set()
    while waiting:
        address = waiting.pop()
        answer = client.get(address)
        assert answer.status_code == 200, address
        seen.add(address)
        if answer["Content-Type"] == "image/png":
            pictures.add(address.rpartition("/")[2])
            assert b"".join(answer).startswith(b"\x89PNG")
            continue
        page = answer.content.decode()
        assert " style=" not in page
        found = {urldefrag(link).url for link in links(page) if link.startswith(GUIDE)}
        waiting += found - seen - set(waiting)
    assert pictures >= set(re.findall(r"\(\.\./pictures/([^)]+)\)", "".join(SOURCES)))
    assert reverse("admin:guide_document", args=["limits"]) in seen


def test_the_guide_is_for_staff_alone() -> None:
    addresses = [
        GUIDE,
        reverse("admin:guide_section", args=[operators.operators_sections()[0].slug]),
        reverse("admin:guide_document", args=["limits"]),
        reverse("admin:guide_picture", args=["season.png"]),
    ]
    for client in (Client(), signed_in(User.objects.create(username="filer"))):
        for address in addresses:
            assert client.get(address).status_code == 302


@pytest.mark.parametrize(
    "address",
    [
        reverse("admin:guide_section", args=["no-such"]),
        reverse("admin:guide_document", args=["operators"]),
        reverse("admin:guide_document", args=["operators/seasons"]),
        reverse("admin:guide_document", args=["nowhere"]),
        f"{GUIDE}documents/../../README/",
        f"{GUIDE}documents/..%2FREADME/",
        f"{GUIDE}pictures/..%2Foperators.md",
        f"{GUIDE}pictures/none.png",
    ],
)
def test_nothing_but_the_documents_is_served(admin_client: Client, address: str) -> None:
    assert admin_client.get(address).status_code == 404
    assert admin_client.post(GUIDE).status_code == 405
