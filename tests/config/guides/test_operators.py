"""The site serves the guide for operators to staff: every section, every picture, no dead link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urldefrag

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

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
