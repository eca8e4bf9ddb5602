"""Files and answers from addresses that a person entered or a setting names.

Public IP addresses are accepted, and private ones in networks that a setting lists; those at which
clouds give machines their credentials never. The request
goes to the IP address that was looked up and checked, so a second look-up cannot lead elsewhere.
TLS verifies the name of the host. The settings list the hosts that may be fetched from; an address
in a setting allows its own host. Each redirect is checked in the same way.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Collection, Mapping
from contextlib import closing
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

import httpx
from django.conf import settings

from filing.errors import BadInput, Refusal, TooLarge
from filing.storable_text import make_storable

PORTS = {"http": 80, "https": 443}
_TRANSLATED = ip_network("64:ff9b::/96")  # IPv4 addresses behind a gateway (RFC 6052)
# The only unicast of IPv6 that is routed, and what `is_global` of the oldest Python does not know.
# Source: IANA, IPv4 and IPv6 Special-Purpose Address Registries, 2025.
_ROUTED = ip_network("2000::/3")
_NOT_ROUTED = [
    ip_network(text) for text in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20")
]
# Source: the documentation of AWS, also of its containers, Google, Azure, Alibaba, Oracle, 2025.
_METADATA = {
    ip_address(text)
    for text in (
        *("169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23"),
        *("fd20:ce::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"),
    )
}
Networks = Collection[IPv4Network | IPv6Network]
REDIRECTS = 5
PIECE_SECONDS = 10.0  # to connect, and for each piece
TOTAL_SECONDS = 60.0
PIECE_BYTES = 1 << 16


class UnreachableHost(Refusal):
    """The host does not answer, or not as expected."""


def request_checked_address(
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

    Raises: BadInput for an IP address that is not accepted; UnreachableHost for an unknown host.
    """
    return client.build_request(
        method,
        url.copy_with(host=_ip_address(url, networks)),
        headers={**(headers or {}), "Host": host_and_port(url), "Accept-Encoding": "identity"},
        content=content,
        extensions={**(extensions or {}), "sni_hostname": url.host},
    )


def read_address(text: str) -> httpx.URL:
    """Return an address that a person entered. Raises: BadInput for one that is malformed."""
    try:
        url = httpx.URL(text.strip())
        url.host  # noqa: B018 -- is decoded when it is read, and may not be a name
    except (httpx.InvalidURL, UnicodeError) as error:
        raise BadInput(f"This is not a valid address: {make_storable(str(error))}.") from error
    return url


def require_address_form(url: httpx.URL, schemes: Collection[str]) -> None:
    """Refuse an address with another scheme, or with a user name or password. Raises: BadInput."""
    if url.scheme not in schemes:
        accepted = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadInput(f"{url} is not accepted; enter an address that begins with {accepted}.")
    if url.userinfo:
        raise BadInput("The address has a user name or password; enter it without.")


def host_and_port(url: httpx.URL) -> str:
    """Return the host of an address, with the port if it is not that of the scheme."""
    return url.host if url.port is None else f"{url.host}:{url.port}"


def find_ip_addresses(url: httpx.URL) -> list[str]:
    """Return the IP addresses of the host. Raises: UnreachableHost for an unknown host."""
    port = url.port or PORTS[url.scheme]
    try:
        entries = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:  # the host or port may be malformed
        raise UnreachableHost(f"There is no host {url.host}.") from error
    return [str(entry[4][0]).partition("%")[0] for entry in entries]


def is_in_networks(text: str, networks: Networks) -> bool:
    """Tell whether an IP address is in one of the networks."""
    address = _plain(text)
    return any(address in network for network in networks)


def is_accepted_address(text: str, networks: Networks) -> bool:
    """Tell whether requests may go to an IP address. networks: private ones that are accepted."""
    if not _METADATA.isdisjoint(_meanings(text)):
        return False
    return is_in_networks(text, networks) or is_public_address(text)


def is_public_address(text: str) -> bool:
    """Tell whether an IP address is public, and so is an IPv4 address that it stands for."""
    return all(map(_is_routed, _meanings(text)))


def _ip_address(url: httpx.URL, networks: Networks) -> str:
    """Return an IP address of the host, unless one of them is not allowed.

    IPv4 is preferred: not every machine has a route to IPv6 addresses.
    """
    addresses = find_ip_addresses(url)
    for address in addresses:
        if not is_accepted_address(address, networks):
            raise BadInput(f"{url.host} has a private address ({address}), which is not allowed.")
    return min(addresses, key=lambda address: ":" in address)


def _is_routed(address: Any) -> bool:
    if not address.is_global or address.is_multicast:
        return False
    if any(address in network for network in _NOT_ROUTED):
        return False
    return address.version == 4 or address in _ROUTED or address in _TRANSLATED


def _meanings(text: str) -> list[Any]:
    """Return an IP address, and the IPv4 address that it stands for behind a gateway."""
    address = _plain(text)
    meanings = [address]
    if sixtofour := getattr(address, "sixtofour", None):
        meanings.append(sixtofour)
    if address in _TRANSLATED:
        meanings.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return meanings


def _plain(text: str) -> Any:
    """Return an IP address; the IPv4 address of one that is mapped to IPv6."""
    address = ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def fetch_file(
    address: str,
    *,
    max_bytes: int,
    schemes: Collection[str] = tuple(PORTS),
    is_any_host: bool = False,
) -> bytes:
    """Return the file at an http or https address of an allowed host.

    is_any_host: also fetch from a host that the settings do not list.

    Raises: BadInput for an address that is not allowed; TooLarge; UnreachableHost.
    """
    until = time.monotonic() + TOTAL_SECONDS
    try:
        url = read_address(address)
        # A proxy of the environment would look the host up itself.
        with httpx.Client(timeout=PIECE_SECONDS, trust_env=False) as client:
            for _ in range(REDIRECTS + 1):
                require_address_form(url, schemes)
                if not is_any_host:
                    _require_allowed_host(url)
                request = request_checked_address(
                    client, "GET", url, networks=settings.REFERENCE_NETWORKS
                )
                with closing(client.send(request, stream=True)) as answer:
                    if not answer.has_redirect_location:
                        return _read(answer, url, max_bytes, until)
                    url = read_address(str(url.join(answer.headers["Location"])))
    except httpx.InvalidURL as error:
        raise BadInput(f"{address} is not a valid address: {error}.") from error
    except httpx.HTTPError as error:
        raise UnreachableHost(f"{address} cannot be fetched: {error}.") from error
    raise UnreachableHost(f"{address} redirects more than {REDIRECTS} times.")


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
        raise UnreachableHost(f"{url} answers {answer.status_code} {answer.reason_phrase}.")
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        raise UnreachableHost(
            f"{url} sends the file compressed, although the request excluded that."
        )
    data = bytearray()
    for piece in answer.iter_raw(PIECE_BYTES):
        data += piece
        if len(data) > max_bytes:
            raise TooLarge(f"{url} is larger than {max_bytes:,} bytes.")
        if time.monotonic() > until:
            raise UnreachableHost(f"{url} took longer than {TOTAL_SECONDS:.0f} seconds.")
    return bytes(data)
