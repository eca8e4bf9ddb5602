"""What surrounds every page: the navigation, announcements, facts about the site; and its forms.

Forms are rendered from our own components, so that a template only says `{{ form }}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.forms.renderers import TemplatesSetting
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from config.pages import views
from filing.pages import announcements


@dataclass(frozen=True)
class NavigationLink:
    """An entry of the navigation; `to` is the name of its URL.

    feature: the setting without which a site has no such page; blank: all sites have it.
    """

    label: str
    to: str
    feature: str = ""


@dataclass(frozen=True)
class NavigationSection:
    """A group of entries. An empty group is not shown; a single entry is shown alone."""

    label: str
    links: tuple[NavigationLink, ...]


SECTIONS = (
    NavigationSection(
        "File",
        (
            NavigationLink("Your institutions", "filing-pages"),
            NavigationLink("Turn a spreadsheet into a LAR file", "lar-tool"),
            NavigationLink("Filing deadlines", "filing-deadlines"),
            NavigationLink("Filing season", "season-clock-page", "SEASON_CLOCK_ENABLED"),
            NavigationLink("Your profile", "profile"),
        ),
    ),
    NavigationSection(
        "Tools",
        (
            NavigationLink("Check a line", "check-line"),
            NavigationLink("Check a file", "check-file"),
            NavigationLink("Check a receipt", "check-receipt"),
            NavigationLink("Check digit", "check-digit"),
            NavigationLink("Rate spread", "rate-spread"),
            NavigationLink("Am I covered?", "am-i-covered"),
        ),
    ),
    NavigationSection(
        "Data",
        (
            NavigationLink("Data browser", "data-browser"),
            NavigationLink("Yearly reports", "reports"),
            NavigationLink("Files to download", "data-downloads"),
            NavigationLink("Query with SQL", "data-sql"),
            NavigationLink("Quarterly graphs", "graphs"),
        ),
    ),
    NavigationSection(
        "Help",
        (
            NavigationLink("How to file", "help"),
            NavigationLink("Edits reference", "edit-book"),
            NavigationLink("Guides", "guides"),
        ),
    ),
    NavigationSection(
        "API",
        (
            NavigationLink("API guide", "api-guide"),
            NavigationLink("Try the API", "swagger"),
            NavigationLink("API reference", "redoc"),
            NavigationLink("OpenAPI document", "openapi"),
        ),
    ),
)


def page_shell(request: HttpRequest) -> dict[str, Any]:
    """Return what the base template needs, as `shell`."""
    request_values = {
        "sections": list(navigation_sections(request.path)),
        "announcements": announcements.list_current_announcements(),
        "has_unknown_visitor": getattr(request, "has_unknown_visitor", False),
    }
    return {"shell": {**site_facts(), **request_values}}


def site_facts() -> dict[str, Any]:
    """Return the facts about the site that every page shows, error pages included."""
    return {
        "host": urlsplit(settings.PUBLIC_URL).netloc,
        "version": settings.VERSION,
        "test_environment": not settings.SIGNING_ENABLED,
        "contact_email": settings.CONTACT_EMAIL,
        "contact_phone": settings.CONTACT_PHONE,
        "has_security_contact": bool(views.security_contacts()),
        "system_use_banner": settings.SYSTEM_USE_BANNER,
        "omb_control_number": settings.OMB_CONTROL_NUMBER,
        "omb_burden_statement": settings.OMB_BURDEN_STATEMENT,
    }


def navigation_sections(current: str) -> Any:
    """Yield the sections with pages on this site, as the template needs them."""
    for number, section in enumerate(SECTIONS):
        links = [
            {"label": link.label, "address": address, "current": address == current}
            for link in section.links
            if (not link.feature or getattr(settings, link.feature))
            and (address := find_address(link.to))
        ]
        if links:
            is_current = any(link["current"] for link in links)
            yield {"id": number, "label": section.label, "links": links, "current": is_current}


def find_address(name: str) -> str:
    """Return the address of a named URL, blank where this site does not have the page.

    Sites differ: only the embedded provider has sign-up, for example.
    """
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""


class ComponentRenderer(TemplatesSetting):
    """Renders a form or one of its fields; inputs stay Django's."""

    form_template_name = "components/form.html"
    field_template_name = "components/field.html"
