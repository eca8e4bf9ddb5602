"""Fetches published APOR tables: over https, no more than a table has, and with patience enough."""

from __future__ import annotations

import logging
from urllib.parse import urljoin, urlsplit

import httpx
from django.conf import settings
from django.utils import timezone

from filing.reference.listing import BadLines
from ratespread import loading
from ratespread.models import AporTable, Kind

log = logging.getLogger(__name__)

LIMIT = 5 * 1024**2  # bytes; a table of 50 years has about half of that
_TIMEOUT = httpx.Timeout(20)
_REDIRECTS = 3
_WHOLE_SECONDS = 60


class NotFetched(Exception):
    """An address that gave no table; the message says why."""


def is_address(source: str) -> bool:
    """Return whether this is an address and no file."""
    return source.lower().startswith(("http://", "https://"))


def fetch(address: str) -> bytes:
    """Return what lies at an address.

    Raises: NotFetched.
    """
    try:
        with httpx.Client(timeout=_TIMEOUT) as client:
            for _ in range(_REDIRECTS + 1):
                _require_allowed(address)
                with client.stream("GET", address) as answer:
                    if not answer.has_redirect_location:
                        return _body(answer)
                    address = urljoin(address, answer.headers["location"])
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotFetched(
            f"{address} cannot be reached: {error or type(error).__name__}."
        ) from error
    raise NotFetched(f"{address} is the end of more than {_REDIRECTS} redirects.")


def _require_allowed(address: str) -> None:
    scheme = urlsplit(address).scheme
    if scheme != "https" and not (scheme == "http" and settings.APOR_HTTP_ALLOWED):
        raise NotFetched(f"{address} is no https address; APOR_HTTP_ALLOWED would allow http.")


def _body(answer: httpx.Response) -> bytes:
    if answer.status_code != httpx.codes.OK:
        raise NotFetched(f"{answer.url} answers {answer.status_code}.")
    body, began = bytearray(), timezone.now()
    for piece in answer.iter_bytes():
        body += piece
        if len(body) > LIMIT:
            raise NotFetched(f"{answer.url} has more than {LIMIT} bytes, so it is no APOR table.")
        if (timezone.now() - began).total_seconds() > _WHOLE_SECONDS:
            raise NotFetched(f"{answer.url} is slower than {_WHOLE_SECONDS} seconds.")
    return bytes(body)


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
