"""The id of a request and the address of its client, also behind trusted proxies."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

Address = IPv4Address | IPv6Address
NETWORK_BITS = 64  # of an IPv6 address: one customer has all addresses that begin with them


def request_id(request: HttpRequest | Request) -> str:
    """Return the id that the response carries as `X-Request-ID`; blank where none was set."""
    return getattr(request, "request_id", "")


def client_address(request: HttpRequest) -> str:
    """Return the client's address as reported by trusted proxies only; blank if unknown.

    `X-Forwarded-For` is read from its end, which the proxy next to us wrote: the first address
    there that is not a trusted proxy is the client. Anyone may have written what precedes it.
    """
    nearest = _read(request.META.get("REMOTE_ADDR", ""))
    if nearest is None:
        return ""
    hops = _hops(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    while _is_trusted(nearest) and (hop := next(hops, None)) is not None:
        nearest = hop
    return str(nearest)


def has_trusted_peer(request: HttpRequest) -> bool:
    """Return whether a trusted proxy passed the request on to us."""
    return is_trusted_peer(request.META.get("REMOTE_ADDR", ""))


def is_trusted_peer(address: str) -> bool:
    """Return whether an address is that of a trusted proxy."""
    peer = _read(address)
    return peer is not None and _is_trusted(peer)


def network_of_address(address: str) -> str:
    """Return what requests are counted by: the IPv4 address, or the network of an IPv6 one."""
    parsed = _read(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((int(parsed), NETWORK_BITS), strict=False))
    return address


def _hops(header: str) -> Iterator[Address]:
    """Yield the addresses from last to first, up to the first that is not one."""
    while header:
        header, _, last = header.rpartition(",")
        hop = _read(last)
        if hop is None:
            return
        yield hop


def _read(text: str) -> Address | None:
    """Return the address, with or without a port; None for other text."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)
