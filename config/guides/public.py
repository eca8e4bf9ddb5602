"""The guides for everyone: documents about filing, the tools, the API and the data, by task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from config.guides import documents, instructions
from config.guides.documents import Addresses, GuidePage, Passage
from config.guides.inserts import DOCUMENTS
from config.pages.navigation import find_address

LONGEST_QUERY = 100
MOST_RESULTS = 30
_EXCERPT = 160  # characters around the first word that is found


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page beside the guides, such as a tool: what it is for, and the name of its address."""

    label: str
    to: str


@dataclass(frozen=True, slots=True)
class GuideSection:
    """What a reader came to do, and what helps: documents by name, and pages of the site."""

    slug: str
    title: str
    text: str
    entries: tuple[str | PageLink, ...]

    @property
    def documents(self) -> tuple[str, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, str))


# What people read who use the site or its API. Documents for operators and developers are not here.
SECTIONS = (
    GuideSection(
        "file",
        "File for an institution",
        "What to report, how the file is written, and the way to a receipt.",
        (
            PageLink("How to file, step by step", "help"),
            PageLink("Filing instructions by year", "filing-instructions"),
            "faq.md",
            "people.md",
            "record.md",
            "organizations.md",
            PageLink("Filing deadlines", "filing-deadlines"),
        ),
    ),
    GuideSection(
        "check",
        "Check before filing",
        "Find out what is wrong while nothing counts. You need no account.",
        (
            PageLink("Check a file", "check-file"),
            PageLink("Turn a spreadsheet into a LAR file", "lar-tool"),
            PageLink("Edits reference", "edit-book"),
            "tools.md",
            "client.md",
        ),
    ),
    GuideSection(
        "correct",
        "Correct a filing",
        "Before the filing deadline and after it.",
        ("corrections.md", PageLink("Your institutions", "filing-pages")),
    ),
    GuideSection(
        "api",
        "Use the API",
        "File from your own system, and be notified.",
        (
            "api.md",
            "webhooks.md",
            "limits.md",
            "generated/statuses.md",
            PageLink("Try the API", "swagger"),
            PageLink("API reference", "redoc"),
        ),
    ),
    GuideSection(
        "data",
        "Use published data",
        "Count, download and cite what institutions reported.",
        (
            "data-browser.md",
            "research.md",
            "reports.md",
            "graphs.md",
            "generated/public-loans.md",
            PageLink("Files to download", "data-downloads"),
        ),
    ),
    GuideSection(
        "look-up",
        "Look up a field or a word",
        "The columns of a file, and the terms of this site.",
        ("generated/fields.md", "glossary.md"),
    ),
)
PUBLIC = tuple(name for section in SECTIONS for name in section.documents)
# For staff alone: the guide in the admin, and what it lists beside it.
RUN = GuideSection(
    "run",
    "Run the service",
    "For staff: filing seasons, the panel, publication, and the site itself.",
    (PageLink("Operators' guide", "admin:guide"),),
)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A heading of a guide whose text has all words of a query; excerpt: where the first one is."""

    guide: str
    title: str
    address: str
    excerpt: str


@cache
def find_guide(name: str) -> GuidePage:
    """Return the guide with the name of a document."""
    return documents.render_document(name, _ADDRESSES)


def search_guides(query: str) -> list[SearchResult]:
    """Return the passages that have all words of a query; those that have them in a title first."""
    words = query.lower().split()
    hits: list[tuple[int, SearchResult]] = []
    for name in PUBLIC:
        title = _title(name)
        for passage in _passages(name):
            heading, text = f"{title} {passage.title}".lower(), passage.text.lower()
            if words and all(word in heading or word in text for word in words):
                missing = sum(word not in passage.title.lower() for word in words)
                address = _document_address(name, passage.slug)
                excerpt = _excerpt(passage.text, words)
                hits.append((missing, SearchResult(title, passage.title, address, excerpt)))
    return [result for _, result in sorted(hits, key=lambda hit: hit[0])]


@cache
def _title(name: str) -> str:
    return documents.document_title(name)


@cache
def _passages(name: str) -> tuple[Passage, ...]:
    return documents.list_passages(name)


@cache
def _pictures() -> frozenset[str]:
    """Return the names of the pictures that the guides show."""
    return frozenset().union(*map(documents.document_pictures, PUBLIC))


@require_safe
def show_guides(request: HttpRequest) -> HttpResponseBase:
    """Show the tasks with their guides, or where the words of a search are."""
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    results = search_guides(query)
    context = {
        "sections": _menu(request),
        "query": query,
        "number": len(results),
        "results": results[:MOST_RESULTS],
        "fields": instructions.find_fields(query) if query else [],
    }
    return render(request, "guide/contents.html", context)


@require_safe
def show_guide(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show a guide, with those before and after it in its section."""
    document = next((each for each in PUBLIC if _slug(each) == name), None)
    if document is None:
        raise Http404("There is no such guide.")
    section = next(each for each in SECTIONS if document in each.documents)
    at = section.documents.index(document)
    before, after = section.documents[max(at - 1, 0) : at], section.documents[at + 1 : at + 2]
    context = {
        "page": find_guide(document),
        "sections": _menu(request),
        "current": section.slug,
        "before": [_entry(each, request) for each in before],
        "after": [_entry(each, request) for each in after],
    }
    return render(request, "guide/guide.html", context)


@require_safe
def show_newest_instructions(request: HttpRequest) -> HttpResponseBase:
    """Lead to the filing instructions of the newest year that is open for filing."""
    return instructions.lead_to_newest_year()


@require_safe
def show_instructions(request: HttpRequest, year: int) -> HttpResponseBase:
    """Show the filing instructions of a year."""
    context = instructions.describe_year(year)
    if context is None:
        raise Http404("This year has no filing instructions.")
    context |= {"sections": _menu(request), "current": SECTIONS[0].slug}
    return render(request, "guide/instructions.html", context)


@require_safe
def send_guide_picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a picture of the guides."""
    return documents.send_picture(name, _pictures())


urlpatterns = (
    [
        path("guides/", show_guides, name="guides"),
        path("guides/pictures/<str:name>", send_guide_picture, name="guide-picture"),
        path("guides/api/", show_guide, {"name": "api"}, name="api-guide"),
        path("guides/filing-instructions/", show_newest_instructions, name="filing-instructions"),
        path(
            "guides/filing-instructions/<int:year>/",
            show_instructions,
            name="filing-instructions-of-year",
        ),
        path("guides/<str:name>/", show_guide, name="guide"),
    ]
    if all((DOCUMENTS / name).is_file() for name in PUBLIC)  # else the site has no guides
    else []
)


def _menu(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sections for this reader, each with its entries."""
    sections = [*SECTIONS, RUN] if admin.site.has_permission(request) else SECTIONS
    return [
        {
            "slug": section.slug,
            "title": section.title,
            "text": section.text,
            "entries": list(_entries(section, request)),
        }
        for section in sections
    ]


def _entries(section: GuideSection, request: HttpRequest) -> Iterator[dict[str, Any]]:
    """Yield the entries that this site has."""
    for entry in section.entries:
        if (made := _entry(entry, request))["address"]:
            yield made


def _entry(entry: str | PageLink, request: HttpRequest) -> dict[str, Any]:
    """Return a link to a guide or a page; its address is blank where this site has no such page."""
    if isinstance(entry, str):
        label, address = _title(entry), _document_address(entry, "")
    else:
        label, address = entry.label, find_address(entry.to)
    return {"label": label, "address": address, "is_current": request.path.startswith(address)}


def _excerpt(text: str, words: list[str]) -> str:
    """Return the text around the first of the words, or its beginning."""
    places = [place for word in words if (place := text.lower().find(word)) >= 0]
    start = max(min(places, default=0) - _EXCERPT // 2, 0)
    start = text.find(" ", start) + 1 if start else 0
    cut = text[start : start + _EXCERPT]
    return f"{'… ' if start else ''}{cut}{' …' if start + _EXCERPT < len(text) else ''}"


def _slug(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".md")


def _document_address(name: str, anchor: str) -> str:
    if name == "generated/edits.md":
        return reverse("edit-book")
    if name not in PUBLIC:
        return ""
    page = reverse("guide", args=[_slug(name)])
    return f"{page}#{anchor}" if anchor else page


def _picture_address(name: str) -> str:
    return reverse("guide-picture", args=[name])


_ADDRESSES = Addresses(_document_address, _picture_address, site=settings.PUBLIC_URL)
