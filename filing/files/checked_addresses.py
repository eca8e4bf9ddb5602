"""Requests to addresses that a person entered or a setting names: only to checked IP addresses.

Public IP addresses are accepted, and private ones in networks that a setting lists. The request
goes to the IP address that was looked up and checked, so a second look-up cannot lead elsewhere.
TLS verifies the name of the host.
"""

from __future__ import annotations

import socket
from collections.abc import Collection, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

import httpx

from filing.errors import BadInput, Refusal

PORTS = {"http": 80, "https": 443}
_TRANSLATED = ip_network("64:ff9b::/96")  # IPv4 addresses behind a gateway (RFC 6052)
Networks = Collection[IPv4Network | IPv6Network]


class Unreachable(Refusal):
    """The host does not answer, or not as expected."""


def request(
    client: httpx.Client,
    method: str,
    url: httpx.URL,
    *,
    networks: Networks,
    headers: Mapping[str, str] | None = None,
    content: bytes | None = None,
    extensions: Mapping[str, Any] | None = None,
) -> httpx.Request:
    """Return a request to an IP address of the host, looked up and checked now.

    networks: private networks that are accepted.

    Raises: BadInput for an IP address that is not accepted; Unreachable for an unknown host.
    """
    return client.build_request(
        method,
        url.copy_with(host=_ip_address(url, networks)),
        headers={**(headers or {}), "Host": host_and_port(url), "Accept-Encoding": "identity"},
        content=content,
        extensions={**(extensions or {}), "sni_hostname": url.host},
    )


def require_form(url: httpx.URL, schemes: Collection[str]) -> None:
    """Refuse an address with another scheme, or with a user name or password.

    Raises: BadInput.
    """
    if url.scheme not in schemes:
        accepted = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadInput(f"{url} is not accepted; enter an address that begins with {accepted}.")
    if url.userinfo:
        raise BadInput("The address has a user name or password; enter it without.")


def host_and_port(url: httpx.URL) -> str:
    """Return the host of an address, with the port if it is not that of the scheme."""
    return url.host if url.port is None else f"{url.host}:{url.port}"


def ip_addresses(url: httpx.URL) -> list[str]:
    """Return the IP addresses of the host.

    Raises: Unreachable for an unknown host.
    """
    port = url.port or PORTS[url.scheme]
    try:
        entries = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:  # the host or port may be malformed
        raise Unreachable(f"There is no host {url.host}.") from error
    return [str(entry[4][0]).partition("%")[0] for entry in entries]


def is_in(text: str, networks: Networks) -> bool:
    """Tell whether an IP address is in one of the networks."""
    address = _plain(text)
    return any(address in network for network in networks)


def _ip_address(url: httpx.URL, networks: Networks) -> str:
    """Return an IP address of the host, unless one of them is not allowed.

    IPv4 is preferred: not every machine has a route to IPv6 addresses.
    """
    addresses = ip_addresses(url)
    for address in addresses:
        if not (is_in(address, networks) or is_public(address)):
            raise BadInput(f"{url.host} has a private address ({address}), which is not allowed.")
    return min(addresses, key=lambda address: ":" in address)


def is_public(text: str) -> bool:
    """Tell whether an IP address is public, and so is an IPv4 address that it stands for."""
    address = _plain(text)
    stands_for = [address, getattr(address, "sixtofour", None)]
    if address in _TRANSLATED:
        stands_for.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return all(each.is_global and not each.is_multicast for each in stands_for if each)


def _plain(text: str) -> Any:
    """Return an IP address; the IPv4 address of one that is mapped to IPv6."""
    address = ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address
