"""Fetches a file from an address that staff entered or a setting names: from allowed hosts only.

The settings list the hosts that may be fetched from; an address in a setting allows its own host.
Only public IP addresses are used, and private ones in networks that the settings list. The request
goes to the IP address that was looked up and checked, so a second look-up cannot lead elsewhere;
each redirect is checked in the same way.
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
PIECE_SECONDS = 10.0  # to connect, and for each piece
TOTAL_SECONDS = 60.0
PIECE_BYTES = 1 << 16
_PORTS = {"http": 80, "https": 443}


class Unreachable(Refusal):
    """The host does not answer, or not with the file."""


def fetch(
    address: str,
    *,
    max_bytes: int,
    schemes: Collection[str] = tuple(_PORTS),
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
                _require_form(url, schemes)
                if not is_any_host:
                    _require_allowed_host(url)
                request = _request(client, url)
                with closing(client.send(request, stream=True)) as answer:
                    if not answer.has_redirect_location:
                        return _read(answer, url, max_bytes, until)
                    url = url.join(answer.headers["Location"])
    except httpx.InvalidURL as error:
        raise BadInput(f"{address} is not a valid address: {error}.") from error
    except httpx.HTTPError as error:
        raise Unreachable(f"{address} cannot be fetched: {error}.") from error
    raise Unreachable(f"{address} redirects more than {REDIRECTS} times.")


def _request(client: httpx.Client, url: httpx.URL) -> httpx.Request:
    """Return the request to the IP address of the host that was looked up."""
    return client.build_request(
        "GET",
        url.copy_with(host=_ip_address(url)),
        headers={"Host": _host_and_port(url), "Accept-Encoding": "identity"},
        extensions={"sni_hostname": url.host},
    )


def _require_form(url: httpx.URL, schemes: Collection[str]) -> None:
    if url.scheme not in schemes:
        accepted = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadInput(f"{url} is not accepted; enter an address that begins with {accepted}.")
    if url.userinfo:
        raise BadInput("The address has a user name or password; enter it without.")


def _require_allowed_host(url: httpx.URL) -> None:
    if _host_and_port(url) not in settings.REFERENCE_HOSTS:
        raise BadInput(
            f"This site does not fetch from {_host_and_port(url) or 'this address'}. "
            f"{_allowed_hosts()} You can also download the file yourself and upload it here."
        )


def _host_and_port(url: httpx.URL) -> str:
    return url.host if url.port is None else f"{url.host}:{url.port}"


def _allowed_hosts() -> str:
    hosts = ", ".join(settings.REFERENCE_HOSTS)
    return f"Allowed hosts: {hosts}." if hosts else "No host is allowed."


def _ip_address(url: httpx.URL) -> str:
    """Return an IP address of the host, unless one of them is not allowed.

    IPv4 is preferred: not every machine has a route to IPv6 addresses.
    """
    port = url.port or _PORTS[url.scheme]
    try:
        entries = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:  # the host or port may be malformed
        raise Unreachable(f"There is no host {url.host}.") from error
    addresses = [str(entry[4][0]).partition("%")[0] for entry in entries]
    for address in addresses:
        if not _is_allowed(address):
            raise BadInput(f"{url.host} has a private address ({address}), which is not allowed.")
    return min(addresses, key=lambda address: ":" in address)


def _is_allowed(text: str) -> bool:
    address = ip_address(text)
    address = getattr(address, "ipv4_mapped", None) or address
    if any(address in network for network in settings.REFERENCE_NETWORKS):
        return True
    return address.is_global and not address.is_multicast


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
