"""Fetches published APOR tables over https, from public addresses, up to a maximum size."""

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

LIMIT = 5 * 1024**2  # bytes; a table of 50 years has about half of this


class NotFetched(Exception):
    """The table could not be fetched; the message says why."""


def is_address(source: str) -> bool:
    """Return whether a source is an address, not a file."""
    return source.lower().startswith(("http://", "https://"))


def fetch(address: str) -> bytes:
    """Return the content of an address of any public host.

    Raises: NotFetched.
    """
    schemes = ("https", "http") if settings.APOR_HTTP_ALLOWED else ("https",)
    try:
        return fetching.fetch(address, max_bytes=LIMIT, schemes=schemes, is_any_host=True)
    except Refusal as refusal:
        is_plain = address.lower().startswith("http://") and not settings.APOR_HTTP_ALLOWED
        hint = " Set APOR_HTTP_ALLOWED to allow http." if is_plain else ""
        raise NotFetched(f"{refusal.message}{hint}") from refusal


def addresses() -> dict[Kind, str]:
    """Return the addresses of the tables that are set for this site."""
    named = {Kind.FIXED: settings.APOR_FIXED_URL, Kind.VARIABLE: settings.APOR_VARIABLE_URL}
    return {kind: address for kind, address in named.items() if address}


def refresh() -> None:
    """Load the tables from the addresses of this site. After a failure the table before stays."""
    for kind, address in addresses().items():
        trouble = _refresh_table(kind, address)
        AporTable.objects.update_or_create(
            kind=kind, defaults={"checked_at": timezone.now(), "trouble": trouble}
        )


def _refresh_table(kind: Kind, address: str) -> str:
    """Load one table; return why it failed, or blank."""
    try:
        file = loading.read(fetch(address), kind=kind, source=address)
        report = loading.load(file, by="refresh")
    except NotFetched as error:
        trouble = str(error)
    except BadLines as error:
        trouble = f"{address}: {error.summary}; first: {error.lines[0]}."
    else:
        if report.load:
            log.info("APOR refreshed. %s", report)
        return ""
    log.error("APOR was not refreshed; the previous table stays in use. %s", trouble)
    return trouble
