"""What every public site has at fixed addresses: its statements, and what it tells to programs."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

SECURITY_TXT_DAYS = 90  # the standard recommends less than a year
# What robots leave alone beside the pages of those who are signed in: each address of an API is a
# query, and a download may be a whole year.
_APIS = ("/v2/", "/public/", "/file/", "/quarterly-data/", "/hmda-auth/", "/realms/")
_QUERIES = ("data-browser", "graphs", "edit-book")  # pages, each with as many addresses as filters
_OF_PEOPLE = ("/filing/", "/sign-in/", "/sign-out/", "/sign-up/", "/forgotten/")


class Statement(TemplateView):
    """A statement of our own, or the operator's text in its place.

    setting: the name of the setting with the operator's text.
    """

    setting = ""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        own = {
            "text": getattr(settings, self.setting),
            "issuer": "" if settings.EMBEDDED_PROVIDER else settings.OIDC_ISSUER,
        }
        return super().get_context_data(**options) | own


class Accessibility(Statement):
    """How accessible the site is, and whom to tell of a barrier."""

    template_name = "accessibility.html"
    setting = "ACCESSIBILITY_TEXT"


class Privacy(Statement):
    """What the site records of its visitors and users."""

    template_name = "privacy.html"
    setting = "PRIVACY_TEXT"


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Answer where to report a vulnerability. Not found where the operator has named no contact.

    Source: RFC 9116. The contacts are those of the running site, so that the answer is as fresh as
    the moment it is asked for.
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
    """Return whom to tell of a vulnerability, else the help desk, as URIs; empty for neither."""
    if settings.SECURITY_CONTACT or not settings.CONTACT_EMAIL:
        return list(settings.SECURITY_CONTACT)
    return [f"mailto:{settings.CONTACT_EMAIL}"]


@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    """Answer what robots may read: the public pages, and nothing of a test environment.

    Source: RFC 9309.
    """
    if not settings.SIGNING_ENABLED:
        return _text("User-agent: *", "Disallow: /")
    closed = [reverse("admin:index"), *_OF_PEOPLE, *_APIS]
    closed += [f"{reverse(name)}*?" for name in _QUERIES]
    closed.append(reverse("data-browser-places"))
    opened = f"Allow: {reverse('filing-deadlines')[:-1]}"  # first, as some robots read no further
    return _text("User-agent: *", opened, *(f"Disallow: {each}" for each in closed))


def _text(*lines: str) -> HttpResponse:
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
