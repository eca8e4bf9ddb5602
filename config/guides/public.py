"""The guides for everyone: the documents about the public tools and data, as pages of the site."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from config.guides import documents
from config.guides.documents import Addresses, GuidePage
from config.guides.inserts import DOCUMENTS

# What people read who use the site or its API. Documents for operators and developers are not here.
PUBLIC = (
    "api.md",
    "tools.md",
    "data-browser.md",
    "research.md",
    "graphs.md",
    "limits.md",
    "client.md",
    "webhooks.md",
    "glossary.md",
    "generated/fields.md",
    "generated/public-loans.md",
    "generated/statuses.md",
)


@cache
def find_guide(name: str) -> GuidePage:
    """Return the guide with the name of a document."""
    return documents.render_document(name, _ADDRESSES)


@cache
def _pictures() -> frozenset[str]:
    """Return the names of the pictures that the guides show."""
    return frozenset().union(*map(documents.document_pictures, PUBLIC))


@require_safe
def show_guides(request: HttpRequest) -> HttpResponseBase:
    """Show the list of guides, each with its headings."""
    guides = [{"slug": _slug(name), "page": find_guide(name)} for name in PUBLIC]
    return render(request, "guide/contents.html", {"guides": guides})


@require_safe
def show_guide(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show a guide."""
    document = next((each for each in PUBLIC if _slug(each) == name), None)
    if document is None:
        raise Http404("There is no such guide.")
    return render(request, "guide/guide.html", {"page": find_guide(document)})


@require_safe
def send_guide_picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a picture of the guides."""
    return documents.send_picture(name, _pictures())


urlpatterns = (
    [
        path("guides/", show_guides, name="guides"),
        path("guides/pictures/<str:name>", send_guide_picture, name="guide-picture"),
        path("guides/api/", show_guide, {"name": "api"}, name="api-guide"),
        path("guides/<str:name>/", show_guide, name="guide"),
    ]
    if all((DOCUMENTS / name).is_file() for name in PUBLIC)  # else the site has no guides
    else []
)


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
