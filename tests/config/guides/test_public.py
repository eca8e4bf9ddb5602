"""Everyone can read the guides to the tools, the data and the API, each with its contents."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from config.guides import documents, public
from config.guides.documents import Addresses
from filing.lar.fields import LAR_BY_NAME

pytestmark = pytest.mark.django_db
DOCS = settings.BASE_DIR / "docs"
GUIDES = reverse("guides")


def address_of(name: str) -> str:
    return reverse("guide", args=[name.rpartition("/")[2].removesuffix(".md")])


def menu_of(page: str) -> list[str]:
    """Return the addresses in the menu beside a guide."""
    menu = page[page.index('aria-label="Guides"') :]
    return re.findall(r'href="([^"]+)"', menu.partition("</nav>")[0])


def main(page: str) -> str:
    return page[page.index('<main id="main"') : page.index("</main>")]


def test_the_contents_are_in_the_navigation_and_lead_to_each_guide_by_task(client: Client) -> None:
    assert f'href="{GUIDES}"' in client.get(reverse("home")).content.decode()
    contents = client.get(GUIDES).content.decode()
    for name in public.PUBLIC:
        title = (DOCS / name).read_text().partition("# ")[2].partition("\n")[0]
        assert f'<a href="{address_of(name)}">{title}</a>' in contents
    for section in public.SECTIONS:
        assert f'<h2 id="{section.slug}">{section.title}</h2>' in contents


def test_only_staff_are_led_to_the_guide_for_operators(
    client: Client, admin_client: Client
) -> None:
    operators = f'href="{reverse("admin:guide")}"'
    for address in (GUIDES, address_of("faq.md")):
        assert operators not in main(client.get(address).content.decode())
    assert operators in main(admin_client.get(GUIDES).content.decode())


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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("rate spread", f"{address_of('faq.md')}#how-do-we-compute-the-rate-spread"),
        ("Idempotency-Key", f"{address_of('api.md')}#idempotency-key"),
        ("  PARTIAL   exemption ", f"{address_of('faq.md')}#when-do-we-enter-na-and-when-exempt"),
    ],
)
def test_a_search_finds_the_passages_with_all_words(
    client: Client, words: str, expected: str
) -> None:
    page = main(client.get(GUIDES, {"q": words}).content.decode())
    assert f'href="{expected}' in page
    assert len(page.split('<li><a href="')) > 1


def test_a_search_also_finds_fields_and_passes_words_on_to_the_edits(client: Client) -> None:
    page = main(client.get(GUIDES, {"q": "income"}).content.decode())
    field = LAR_BY_NAME["income"]
    assert f'#field-{field.number}">{field.label}</a>' in page
    assert f'href="{reverse("edit-book")}?q=income"' in page


def test_a_search_without_results_says_so_and_words_are_text(client: Client) -> None:
    page = main(client.get(GUIDES, {"q": "<b>zyzzyva"}).content.decode())
    assert "site-empty" in page
    assert "<b>zyzzyva" not in page
    assert "?q=%3Cb%3Ezyzzyva" in page


def test_each_question_of_filers_has_a_section_or_a_page() -> None:
    questions = documents.list_passages("faq.md")[1:]
    assert len(questions) >= 25
    source = (DOCS / "faq.md").read_text().split("\n## ")[1:]
    for question, text in zip(questions, source, strict=True):
        assert question.title.endswith("?")
        assert re.search(r"1003\.\d|\]\((/|corrections)", text), question.title


@pytest.mark.parametrize("name", ["help", "filing-deadlines"])
def test_pages_for_filers_lead_to_the_questions(client: Client, name: str) -> None:
    page = client.get(reverse(name)).content.decode()
    assert f'href="{address_of("faq.md")}"' in page


def test_an_error_page_leads_to_the_questions(client: Client) -> None:
    page = client.get("/no-such-page/", headers={"Accept": "text/html"}).content.decode()
    assert f'href="{address_of("faq.md")}"' in main(page)


@pytest.mark.parametrize("name", public.PUBLIC)
def test_a_guide_lists_its_headings_and_each_is_there_once(client: Client, name: str) -> None:
    page = main(client.get(address_of(name)).content.decode())
    anchors = re.findall(r'<h\d id="([^"]*)"', page)
    assert len(anchors) == len(set(anchors))
    contents = page.partition('aria-label="On this page"')[2].partition("</nav>")[0]
    listed = re.findall(r'<a href="#([^"]+)">', contents)
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
