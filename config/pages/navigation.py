"""What surrounds every page: the navigation, announcements, and facts about the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from config.pages import statements
from filing.pages import announcements


@dataclass(frozen=True)
class Link:
    """An entry of the navigation; `to` is the name of its URL."""

    label: str
    to: str


@dataclass(frozen=True)
class Section:
    """A group of entries. An empty group is not shown; a single entry is shown alone."""

    label: str
    links: tuple[Link, ...]


SECTIONS = (
    Section(
        "File",
        (
            Link("Your institutions", "filing-pages"),
            Link("Filing deadlines", "filing-deadlines"),
            Link("Your profile", "profile"),
        ),
    ),
    Section(
        "Tools",
        (
            Link("Check a line", "check-line"),
            Link("Check a file", "check-file"),
            Link("From a spreadsheet to a LAR", "lar-tool"),
            Link("Check a receipt", "check-receipt"),
            Link("Check digit", "check-digit"),
            Link("Rate spread", "rate-spread"),
        ),
    ),
    Section(
        "Data",
        (
            Link("Data browser", "data-browser"),
            Link("Files to download", "data-downloads"),
            Link("Quarterly graphs", "graphs"),
        ),
    ),
    Section(
        "Help",
        (
            Link("How to file", "help"),
            Link("Edits reference", "edit-book"),
            Link("Guides", "guides"),
        ),
    ),
    Section(
        "API",
        (
            Link("API guide", "api-guide"),
            Link("Try the API", "swagger"),
            Link("API reference", "redoc"),
            Link("OpenAPI document", "openapi"),
        ),
    ),
)


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return what the base template needs, as `shell`."""
    request_values = {
        "sections": list(sections(request.path)),
        "announcements": announcements.current(),
        "has_unknown_visitor": getattr(request, "has_unknown_visitor", False),
    }
    return {"shell": {**about(), **request_values}}


def about() -> dict[str, Any]:
    """Return the facts about the site that every page shows, error pages included."""
    return {
        "host": urlsplit(settings.PUBLIC_URL).netloc,
        "version": settings.VERSION,
        "test_environment": not settings.SIGNING_ENABLED,
        "contact_email": settings.CONTACT_EMAIL,
        "contact_phone": settings.CONTACT_PHONE,
        "has_security_contact": bool(statements.security_contacts()),
        "system_use_banner": settings.SYSTEM_USE_BANNER,
        "omb_control_number": settings.OMB_CONTROL_NUMBER,
        "omb_burden_statement": settings.OMB_BURDEN_STATEMENT,
    }


def sections(current: str) -> Any:
    """Yield the sections with pages on this site, as the template needs them."""
    for number, section in enumerate(SECTIONS):
        links = [
            {"label": link.label, "address": address, "current": address == current}
            for link in section.links
            if (address := address_of(link.to))
        ]
        if links:
            is_current = any(link["current"] for link in links)
            yield {"id": number, "label": section.label, "links": links, "current": is_current}


def address_of(name: str) -> str:
    """Return the address of a named URL, blank where this site does not have the page.

    Sites differ: only the embedded provider has sign-up, for example.
    """
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""
