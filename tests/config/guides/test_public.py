"""Everyone can read the guides to the tools, the data and the API, each with its contents."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from config.guides import public
from filing.lar.fields import LAR_BY_NAME

pytestmark = pytest.mark.django_db
GUIDES = reverse("guides")


def address_of(name: str) -> str:
    return reverse("guide", args=[name.rpartition("/")[2].removesuffix(".md")])


def menu_of(page: str) -> list[str]:
    """Return the addresses in the menu beside a guide."""
    menu = page[page.index('aria-label="Guides"') :]
    return re.findall(r'href="([^"]+)"', menu.partition("</nav>")[0])


def main(page: str) -> str:
    return page[page.index('<main id="main"') : page.index("</main>")]


@pytest.mark.parametrize("name", public.PUBLIC)
def test_beside_a_guide_are_the_others_of_its_section(client: Client, name: str) -> None:
    page = client.get(address_of(name)).content.decode()
    section = next(each for each in public.SECTIONS if name in each.documents)
    links = menu_of(page)
    assert {f"{GUIDES}#{each.slug}" for each in public.SECTIONS} <= set(links)
    assert [link for link in links if link in map(address_of, public.PUBLIC)] == [
        address_of(each) for each in section.documents
    ]
    assert f'<a href="{address_of(name)}" aria-current="page"' in page
    at = section.documents.index(name)
    assert ('rel="prev"' in page, 'rel="next"' in page) == (
        at > 0,
        at + 1 < len(section.documents),
    )


def test_a_search_also_finds_fields_and_passes_words_on_to_the_edits(client: Client) -> None:
    page = main(client.get(GUIDES, {"q": "income"}).content.decode())
    field = LAR_BY_NAME["income"]
    assert f'#field-{field.number}">{field.label}</a>' in page
    assert f'href="{reverse("edit-book")}?q=income"' in page


def test_every_link_and_picture_of_the_guides_answers_everyone(client: Client) -> None:
    pictures, pages = set(), {}
    for name in public.PUBLIC:
        page = main(client.get(address_of(name)).content.decode())
        assert "/admin/" not in "".join(re.findall(r'href="([^"]*)"', page))
        assert " style=" not in page
        for link in re.findall(r'(?:href|src)="(/[^"]*)"', page):
            path, _, anchor = link.partition("#")
            if path not in pages:  # guides name the same pages again and again
                answer = client.get(path, follow=True)
                assert answer.status_code == 200, link
                pages[path] = "" if answer.streaming else answer.content.decode()
                if answer["Content-Type"] == "image/png":
                    assert b"".join(answer).startswith(b"\x89PNG")
                    pictures.add(path.rpartition("/")[2])
            if anchor:
                assert f'id="{anchor}"' in pages[path], link
    assert {"check-file.png", "graph.png"} <= pictures


@pytest.mark.parametrize(
    "address",
    [
        reverse("guide", args=["operators"]),
        reverse("guide", args=["identity"]),
        reverse("guide-picture", args=["season.png"]),  # of the operators' guide
        f"{GUIDES}pictures/..%2Ftools.md",
        f"{GUIDES}..%2FREADME/",
    ],
)
def test_documents_for_staff_are_not_among_them(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404
    assert client.post(GUIDES).status_code == 405
