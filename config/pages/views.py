"""The public pages around the apps: home, help, the API, statements, security.txt, robots.txt."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

from databrowser.changes.entries import ChangesQuery
from filing import access, day_hours
from filing.pages import overview
from filing.pages.cards import FilingCard
from filing.periods import due_dates, filings, timeliness

log = logging.getLogger(__name__)


class Home(TemplateView):
    """The home page: the next step of each group of visitors, what is open now, and what is new."""

    template_name = "home.html"

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        values = super().get_context_data(**options)
        try:
            return values | _find_current() | {"card": self._find_next_card()}
        except Error as error:  # what visitors can do is said without a database, too
            log.warning("What is open and new cannot be read: %s", error)
            return values

    def _find_next_card(self) -> FilingCard | None:
        """Return the filing that needs a step of the user first; None if there is none."""
        user = self.request.user
        if not user.is_authenticated:
            return None
        caller = access.caller_of(user)
        leis = access.find_leis(caller)
        card = next(iter(overview.find_filing_cards(leis, caller)), None) if leis else None
        return card if card and card.needs_step else None


def _find_current() -> dict[str, Any]:
    """Return the open filing periods, the one due soonest first, and the newest changes."""
    today = day_hours.today()
    periods = [each for each in due_dates.find_current_periods() if filings.is_period_open(each)]
    due = [period for period in periods if not timeliness.is_late(today, period)]
    return {
        "periods": [
            {"period": period, "when": due_dates.describe_due(period)}
            for period in sorted(due, key=lambda period: period.timely_until)
        ],
        "late": [period for period in periods if timeliness.is_late(today, period)],
        "changes": list(ChangesQuery().find()[:NEWEST]),
        "is_current": True,
    }


class Help(TemplateView):
    """How to get access, how to file step by step, and how to contact the help desk."""

    template_name = "help.html"


class TryApi(TemplateView):
    """Every call of the API, to try in the browser (Swagger UI)."""

    template_name = "api/try.html"


NEWEST = 3  # changes on the home page
SECURITY_TXT_DAYS = 90  # the standard recommends less than a year
# What robots should not fetch beside the pages of signed-in users: each API address is a query, and
# a download may be a whole year.
_APIS = ("/v2/", "/public/", "/file/", "/reports/", "/quarterly-data/", "/hmda-auth/", "/realms/")
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
