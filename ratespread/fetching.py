"""Fetches published APOR tables: over https, from public addresses, no more than a table has."""

from __future__ import annotations

import logging

from django.conf import settings
from django.utils import timezone

from filing.errors import Refusal
from filing.files import fetching
from filing.reference.listing import BadLines
from ratespread import loading
from ratespread.models import AporTable, Kind

log = logging.getLogger(__name__)

LIMIT = 5 * 1024**2  # bytes; a table of 50 years has about half of that


class NotFetched(Exception):
    """An address that gave no table; the message says why."""


def is_address(source: str) -> bool:
    """Return whether this is an address and no file."""
    return source.lower().startswith(("http://", "https://"))


def fetch(address: str) -> bytes:
    """Return what lies at an address, of whichever host, but not at a private one.

    Raises: NotFetched.
    """
    schemes = ("https", "http") if settings.APOR_HTTP_ALLOWED else ("https",)
    try:
        return fetching.fetch(address, at_most=LIMIT, schemes=schemes, is_any_host=True)
    except Refusal as refusal:
        is_plain = address.lower().startswith("http://") and not settings.APOR_HTTP_ALLOWED
        hint = " APOR_HTTP_ALLOWED would allow http." if is_plain else ""
        raise NotFetched(f"{refusal.message}{hint}") from refusal


def addresses() -> dict[Kind, str]:
    """Return where the tables are fetched from, as far as this site has been told."""
    named = {Kind.FIXED: settings.APOR_FIXED_URL, Kind.VARIABLE: settings.APOR_VARIABLE_URL}
    return {kind: address for kind, address in named.items() if address}


def refresh() -> None:
    """Load what lies at the addresses of this site. What fails keeps its table, and is told."""
    for kind, address in addresses().items():
        trouble = _refreshed(kind, address)
        AporTable.objects.update_or_create(
            kind=kind, defaults={"checked_at": timezone.now(), "trouble": trouble}
        )


def _refreshed(kind: Kind, address: str) -> str:
    """Load one table and return why that failed, blank where it did not."""
    try:
        file = loading.read(fetch(address), kind=kind, source=address)
        report = loading.load(file, by="refresh")
    except NotFetched as error:
        trouble = str(error)
    except BadLines as error:
        trouble = f"{address}: {error.summary}, the first: {error.lines[0]}."
    else:
        if report.load:
            log.info("APOR refreshed. %s", report)
        return ""
    log.error("APOR was not refreshed, the table before stays in use. %s", trouble)
    return trouble
