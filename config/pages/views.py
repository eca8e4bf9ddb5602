"""The public pages around the apps: home, help, the API, statements, security.txt, robots.txt."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView


class Home(TemplateView):
    """The home page: what each group of visitors can do here."""

    template_name = "home.html"


class Help(TemplateView):
    """How to get access, how to file step by step, and how to contact the help desk."""

    template_name = "help.html"


class TryApi(TemplateView):
    """Every call of the API, to try in the browser (Swagger UI)."""

    template_name = "api/try.html"


SECURITY_TXT_DAYS = 90  # the standard recommends less than a year
# What robots should not fetch beside the pages of signed-in users: each API address is a query, and
# a download may be a whole year.
_APIS = ("/v2/", "/public/", "/file/", "/quarterly-data/", "/hmda-auth/", "/realms/")
_QUERIES = ("data-browser", "graphs", "edit-book")  # pages, each with as many addresses as filters
_USER_PAGES = ("/filing/", "/sign-in/", "/sign-out/", "/sign-up/", "/forgotten/", "/second-factor/")


class StatementPage(TemplateView):
    """A statement of ours, or the operator's own text if there is one.

    setting: the name of the setting with the operator's text.
    """

    setting = ""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        values = {
            "text": getattr(settings, self.setting),
            "issuer": "" if settings.EMBEDDED_PROVIDER else settings.OIDC_ISSUER,
        }
        return super().get_context_data(**options) | values


class Accessibility(StatementPage):
    """How accessible the site is, and how to report a barrier."""

    template_name = "accessibility.html"
    setting = "ACCESSIBILITY_TEXT"


class Privacy(StatementPage):
    """What the site records about visitors and users."""

    template_name = "privacy.html"
    setting = "PRIVACY_TEXT"


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Answer where to report a vulnerability; 404 where the operator has named no contact.

    Source: RFC 9116. The contacts come from the running site, so they are always current.
    """
    contacts = security_contacts()
    if not contacts:
        raise Http404("No security contact is set.")
    today = datetime.combine(timezone.now(), time.min, tzinfo=UTC)
    expires = today + timedelta(days=SECURITY_TXT_DAYS)
    return _text(
        *(f"Contact: {contact}" for contact in contacts),
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {settings.PUBLIC_URL}{reverse('security-txt')}",
    )


def security_contacts() -> list[str]:
    """Return the security contacts, else the help desk, as URIs; empty if there is neither."""
    if settings.SECURITY_CONTACT or not settings.CONTACT_EMAIL:
        return list(settings.SECURITY_CONTACT)
    return [f"mailto:{settings.CONTACT_EMAIL}"]


@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    """Answer which pages robots may fetch: the public ones, and none of a test environment.

    Source: RFC 9309.
    """
    if not settings.SIGNING_ENABLED:
        return _text("User-agent: *", "Disallow: /")
    closed = [reverse("admin:index"), *_USER_PAGES, *_APIS]
    closed += [f"{reverse(name)}*?" for name in _QUERIES]
    closed.append(reverse("data-browser-places"))
    opened = f"Allow: {reverse('filing-deadlines')[:-1]}"  # first, as some robots read no further
    return _text("User-agent: *", opened, *(f"Disallow: {path}" for path in closed))


def _text(*lines: str) -> HttpResponse:
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
