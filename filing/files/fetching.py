"""Fetches a file from an address that was typed in or set, and from nowhere it must not.

A site names the hosts that may be asked; an address in its settings names its own. Of hosts only
public addresses are asked, and of private ones those in networks that the site names as well. The
address that was looked up is the one that is asked, so that a second look-up cannot lead elsewhere;
each redirect is held against the same.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Collection
from contextlib import closing
from ipaddress import ip_address

import httpx
from django.conf import settings

from filing.errors import BadInput, Refusal, TooLarge

REDIRECTS = 5
PATIENCE = 10.0  # seconds, to connect and for each piece
ALTOGETHER = 60.0  # seconds
PIECE = 1 << 16
_PORTS = {"http": 80, "https": 443}


class Unreachable(Refusal):
    """The host does not answer, or not with the file."""


def fetch(
    address: str,
    *,
    at_most: int,
    schemes: Collection[str] = tuple(_PORTS),
    is_any_host: bool = False,
) -> bytes:
    """Return what lies at an http or https address of a host that this site may ask.

    is_any_host: also of one that the site does not name among those which staff may have asked.

    Units:  at_most in bytes.
    Raises: BadInput for an address that must not be asked; TooLarge; Unreachable.
    """
    until = time.monotonic() + ALTOGETHER
    try:
        url = httpx.URL(address.strip())
        # The proxies of the environment would look the host up themselves.
        with httpx.Client(timeout=PATIENCE, trust_env=False) as client:
            for _ in range(REDIRECTS + 1):
                _require_form(url, schemes)
                if not is_any_host:
                    _require_named(url)
                request = _request(client, url)
                with closing(client.send(request, stream=True)) as answer:
                    if not answer.has_redirect_location:
                        return _read(answer, url, at_most, until)
                    url = url.join(answer.headers["Location"])
    except httpx.InvalidURL as error:
        raise BadInput(f"{address} is no address: {error}.") from error
    except httpx.HTTPError as error:
        raise Unreachable(f"{address} cannot be fetched: {error}.") from error
    raise Unreachable(f"{address} leads on more than {REDIRECTS} times.")


def _request(client: httpx.Client, url: httpx.URL) -> httpx.Request:
    """Return the request to the address that the host has been looked up to have."""
    return client.build_request(
        "GET",
        url.copy_with(host=_looked_up(url)),
        headers={"Host": _named(url), "Accept-Encoding": "identity"},
        extensions={"sni_hostname": url.host},
    )


def _require_form(url: httpx.URL, schemes: Collection[str]) -> None:
    if url.scheme not in schemes:
        accepted = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadInput(f"An address begins with {accepted}; this one is {url}.")
    if url.userinfo:
        raise BadInput("An address holds no user name or password.")


def _require_named(url: httpx.URL) -> None:
    if _named(url) not in settings.REFERENCE_HOSTS:
        raise BadInput(
            f"This site does not fetch from {_named(url) or 'there'}. {_allowed()} "
            "Or download the file yourself, and upload it here."
        )


def _named(url: httpx.URL) -> str:
    return url.host if url.port is None else f"{url.host}:{url.port}"


def _allowed() -> str:
    hosts = ", ".join(settings.REFERENCE_HOSTS)
    return f"Hosts it may ask: {hosts}." if hosts else "It fetches from no host at all."


def _looked_up(url: httpx.URL) -> str:
    """Return an address of the host, if none of them is one that must not be asked.

    One of IPv4 where there is one: not every machine gets through to the others.
    """
    port = url.port or _PORTS[url.scheme]
    try:
        found = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:  # also no host, or no port, by its form
        raise Unreachable(f"There is no host {url.host}.") from error
    addresses = [str(each[4][0]).partition("%")[0] for each in found]
    for address in addresses:
        if not _may_be_asked(address):
            raise BadInput(f"{url.host} has a private address ({address}), which is not asked.")
    return min(addresses, key=lambda address: ":" in address)


def _may_be_asked(text: str) -> bool:
    address = ip_address(text)
    address = getattr(address, "ipv4_mapped", None) or address
    if any(address in network for network in settings.REFERENCE_NETWORKS):
        return True
    return address.is_global and not address.is_multicast


def _read(answer: httpx.Response, url: httpx.URL, at_most: int, until: float) -> bytes:
    if answer.status_code != httpx.codes.OK:
        raise Unreachable(f"{url} answers {answer.status_code} {answer.reason_phrase}.")
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        raise Unreachable(f"{url} sends the file packed, although it was asked not to.")
    data = bytearray()
    for piece in answer.iter_raw(PIECE):
        data += piece
        if len(data) > at_most:
            raise TooLarge(f"{url} is larger than {at_most:,} bytes.")
        if time.monotonic() > until:
            raise Unreachable(f"{url} took longer than {ALTOGETHER:.0f} seconds.")
    return bytes(data)
