"""Everyone can read the guides to the tools, the data and the API, each with its contents."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from config.guides import documents, public
from config.guides.documents import Addresses

pytestmark = pytest.mark.django_db
DOCS = settings.BASE_DIR / "docs"
GUIDES = reverse("guides")


def address_of(name: str) -> str:
    return reverse("guide", args=[name.rpartition("/")[2].removesuffix(".md")])


def main(page: str) -> str:
    return page[page.index('<main id="main"') : page.index("</main>")]


def test_the_list_of_guides_is_in_the_navigation_and_leads_to_each(client: Client) -> None:
    assert f'href="{GUIDES}"' in client.get(reverse("home")).content.decode()
    contents = client.get(GUIDES).content.decode()
    for name in public.PUBLIC:
        title = (DOCS / name).read_text().partition("# ")[2].partition("\n")[0]
        assert f'<a href="{address_of(name)}">{title}</a>' in contents


@pytest.mark.parametrize("name", public.PUBLIC)
def test_a_guide_lists_its_headings_and_each_is_there_once(client: Client, name: str) -> None:
    page = main(client.get(address_of(name)).content.decode())
    anchors = re.findall(r'<h\d id="([^"]*)"', page)
    assert len(anchors) == len(set(anchors))
    listed = re.findall(r'<a href="#([^"]+)">', page.partition("</nav>")[0])
    assert listed == re.findall(r'<h2 id="([^"]*)"', page)
    source = re.sub(r"```.*?```", "", (DOCS / name).read_text(), flags=re.S)
    assert len(listed) == len(re.findall(r"^## ", source, re.M))


@pytest.mark.parametrize("name", ["tools.md", "data-browser.md", "graphs.md", "client.md"])
def test_calls_have_the_address_of_the_site(client: Client, name: str) -> None:
    text = (DOCS / name).read_text()
    assert "localhost" not in text
    page = main(client.get(address_of(name)).content.decode())
    assert documents.SITE not in page
    assert page.count(settings.PUBLIC_URL) >= text.count(documents.SITE) > 0
    elsewhere = documents.render_document(
        name, Addresses(lambda *_: "", str, site="https://lar.example")
    )
    assert "https://lar.example" in elsewhere.content


def test_every_link_and_picture_of_the_guides_answers_everyone(client: Client) -> None:
    pictures, pages = set(), {}
    for name in public.PUBLIC:
        page = main(client.get(address_of(name)).content.decode())
        assert "/admin/" not in "".join(re.findall(r'href="([^"]*)"', page))
        assert " style=" not in page
        for link in re.findall(r'(?:href|src)="(/[^"]*)"', page):
            path, _, anchor = link.partition("#")
            if path not in pages:  # guides name the same pages again and again
                answer = client.get(path)
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
