"""Fetches a file from an address that staff entered or a setting names: from allowed hosts only.

The settings list the hosts that may be fetched from; an address in a setting allows its own host.
The IP address of the host is checked (see `checked_addresses`), and each redirect in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import closing

import httpx
from django.conf import settings

from filing.errors import BadInput, TooLarge
from filing.files import checked_addresses
from filing.files.checked_addresses import PORTS, Unreachable, host_and_port, require_form

REDIRECTS = 5
PIECE_SECONDS = 10.0  # to connect, and for each piece
TOTAL_SECONDS = 60.0
PIECE_BYTES = 1 << 16


def fetch(
    address: str,
    *,
    max_bytes: int,
    schemes: Collection[str] = tuple(PORTS),
    is_any_host: bool = False,
) -> bytes:
    """Return the file at an http or https address of an allowed host.

    is_any_host: also fetch from a host that the settings do not list.

    Raises: BadInput for an address that is not allowed; TooLarge; Unreachable.
    """
    until = time.monotonic() + TOTAL_SECONDS
    try:
        url = httpx.URL(address.strip())
        # A proxy of the environment would look the host up itself.
        with httpx.Client(timeout=PIECE_SECONDS, trust_env=False) as client:
            for _ in range(REDIRECTS + 1):
                require_form(url, schemes)
                if not is_any_host:
                    _require_allowed_host(url)
                request = checked_addresses.request(
                    client, "GET", url, networks=settings.REFERENCE_NETWORKS
                )
                with closing(client.send(request, stream=True)) as answer:
                    if not answer.has_redirect_location:
                        return _read(answer, url, max_bytes, until)
                    url = url.join(answer.headers["Location"])
    except httpx.InvalidURL as error:
        raise BadInput(f"{address} is not a valid address: {error}.") from error
    except httpx.HTTPError as error:
        raise Unreachable(f"{address} cannot be fetched: {error}.") from error
    raise Unreachable(f"{address} redirects more than {REDIRECTS} times.")


def _require_allowed_host(url: httpx.URL) -> None:
    if host_and_port(url) not in settings.REFERENCE_HOSTS:
        raise BadInput(
            f"This site does not fetch from {host_and_port(url) or 'this address'}. "
            f"{_allowed_hosts()} You can also download the file yourself and upload it here."
        )


def _allowed_hosts() -> str:
    hosts = ", ".join(settings.REFERENCE_HOSTS)
    return f"Allowed hosts: {hosts}." if hosts else "No host is allowed."


def _read(answer: httpx.Response, url: httpx.URL, max_bytes: int, until: float) -> bytes:
    if answer.status_code != httpx.codes.OK:
        raise Unreachable(f"{url} answers {answer.status_code} {answer.reason_phrase}.")
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        raise Unreachable(f"{url} sends the file compressed, although the request excluded that.")
    data = bytearray()
    for piece in answer.iter_raw(PIECE_BYTES):
        data += piece
        if len(data) > max_bytes:
            raise TooLarge(f"{url} is larger than {max_bytes:,} bytes.")
        if time.monotonic() > until:
            raise Unreachable(f"{url} took longer than {TOTAL_SECONDS:.0f} seconds.")
    return bytes(data)
