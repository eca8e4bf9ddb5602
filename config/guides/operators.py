"""The operators' guide as pages for staff, and the other documents it leads to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urldefrag

from django.contrib import admin
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from config.guides import documents
from config.guides.documents import Addresses, GuidePage, Heading
from config.guides.inserts import DOCUMENTS, PICTURES

GUIDE = "operators.md"  # the index; its pages lie in a folder of the same name
_FOLDER = "operators/"


@dataclass(frozen=True, slots=True)
class Subject:
    """A document of the guide: the sections that are pages of their own."""

    slug: str
    title: str
    sections: tuple[GuidePage, ...]


@cache
def operators_subjects() -> tuple[Subject, ...]:
    """Return the subjects of the guide, in the order of its index."""
    return tuple(
        Subject(slug, documents.document_title(name), documents.render_sections(name, _ADDRESSES))
        for slug, name in _subject_names().items()
    )


def operators_sections() -> tuple[GuidePage, ...]:
    """Return the sections of the guide, in its order."""
    return tuple(section for subject in operators_subjects() for section in subject.sections)


@cache
def other_documents() -> tuple[Heading, ...]:
    """Return the other documents that the contents of the guide lists, by title."""
    names = {name for name in documents.document_names() if "/" not in name} - {GUIDE}
    listed = (Heading(name.removesuffix(".md"), documents.document_title(name)) for name in names)
    return tuple(sorted(listed, key=lambda document: document.title))


@cache
def find_other_document(name: str) -> GuidePage | None:
    """Return another document that the guide leads to, or nothing if there is none."""
    if name not in documents.document_names() or name == GUIDE or name.startswith(_FOLDER):
        return None
    return documents.render_document(name, _ADDRESSES)


@require_safe
def show_operators_contents(request: HttpRequest) -> HttpResponseBase:
    """Show the subjects and sections of the guide."""
    title = documents.document_title(GUIDE)
    lists = {"subjects": operators_subjects(), "documents": other_documents()}
    return _page(request, "contents", title, **lists)


@require_safe
def show_operators_section(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show a section, with the one before and the one after it."""
    pages = operators_sections()
    at = next((at for at, page in enumerate(pages) if page.slug == slug), None)
    if at is None:
        raise Http404("The guide has no such section.")
    before, after = pages[max(at - 1, 0) : at], pages[at + 1 : at + 2]
    around = {"before": next(iter(before), None), "after": next(iter(after), None)}
    return _page(request, "section", pages[at].title, section=pages[at], **around)


@require_safe
def show_other_document(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show another document."""
    if (page := find_other_document(f"{name}.md")) is None:
        raise Http404("There is no such document.")
    return _page(request, "section", page.title, section=page)


@require_safe
def send_operators_picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a picture of the documents."""
    return documents.send_picture(
        name, {path.name for path in (DOCUMENTS / PICTURES).glob("*.png")}
    )


PAGES: Sequence[tuple[str, Callable[..., HttpResponseBase], str]] = (
    (
        ("guide/", show_operators_contents, "guide"),
        ("guide/pictures/<str:name>", send_operators_picture, "guide_picture"),
        ("guide/documents/<path:name>/", show_other_document, "guide_document"),
        ("guide/<slug:slug>/", show_operators_section, "guide_section"),
    )
    if (DOCUMENTS / GUIDE).is_file()  # else the site has no guide, and no link to it
    else ()
)


def _page(request: HttpRequest, name: str, title: str, **context: Any) -> TemplateResponse:
    context = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, f"admin/guide/{name}.html", context)


@cache
def _subject_names() -> dict[str, str]:
    """Return the names of the guide's documents by their slug, in the order of the index."""
    names = (urldefrag(link).url for link in documents.document_links(GUIDE))
    return {
        name.removeprefix(_FOLDER).removesuffix(".md"): name
        for name in names
        if name.startswith(_FOLDER)
    }


@cache
def _section_anchors(name: str) -> dict[str, str]:
    """Return, for each anchor of a document of the guide, the address of its section."""
    addresses: dict[str, str] = {}
    top = {heading.slug for heading in documents.document_headings(name, level=2)}
    for heading in documents.document_headings(name):
        if heading.slug in top:
            address = reverse("admin:guide_section", args=[heading.slug])
            addresses[heading.slug] = address
        else:
            addresses[heading.slug] = f"{address}#{heading.slug}"
    return addresses


def _document_address(name: str, anchor: str) -> str:
    """Return where staff find a heading of a document."""
    if name == GUIDE:
        return reverse("admin:guide")
    if name.startswith(_FOLDER):
        slug = name.removeprefix(_FOLDER).removesuffix(".md")
        return _section_anchors(name).get(anchor) or f"{reverse('admin:guide')}#{slug}"
    page = reverse("admin:guide_document", args=[name.removesuffix(".md")])
    return f"{page}#{anchor}" if anchor else page


def _picture_address(name: str) -> str:
    return reverse("admin:guide_picture", args=[name])


_ADDRESSES = Addresses(_document_address, _picture_address)
