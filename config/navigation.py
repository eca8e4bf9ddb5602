"""What stands around every page: where the site leads to, and what it says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from config import statements
from filing.pages import announcements


@dataclass(frozen=True)
class Link:
    """An entry of the navigation; `to` is the name of its address."""

    label: str
    to: str


@dataclass(frozen=True)
class Section:
    """A group of entries. One without any is not shown, one with a single entry is that entry."""

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
    Section("Help", (Link("How to file", "help"), Link("Edits reference", "edit-book"))),
    Section(
        "API",
        (
            Link("Try the API", "swagger"),
            Link("API reference", "redoc"),
            Link("OpenAPI document", "openapi"),
        ),
    ),
)


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return what the base template needs, as `shell`."""
    around = {
        "sections": list(sections(request.path)),
        "announcements": announcements.current(),
        "has_unknown_visitor": getattr(request, "has_unknown_visitor", False),
    }
    return {"shell": {**about(), **around}}


def about() -> dict[str, Any]:
    """Return what the site says of itself on every page, whatever else has failed."""
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
    """Yield the sections that lead somewhere on this site, as the template shows them."""
    for number, section in enumerate(SECTIONS):
        links = [
            {"label": link.label, "address": address, "current": address == current}
            for link in section.links
            if (address := address_of(link.to))
        ]
        if links:
            current_here = any(link["current"] for link in links)
            yield {"id": number, "label": section.label, "links": links, "current": current_here}


def address_of(name: str) -> str:
    """Return the address of a name, or nothing where this site has no such page.

    Sites differ: sign-up, say, is there only with the embedded provider.
    """
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""
