"""What is known of a request: its id, and the client's address, also behind proxies we trust."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

Address = IPv4Address | IPv6Address
SITE_BITS = 64  # of an IPv6 address: one line of a provider has all addresses that begin so


def id_of(request: HttpRequest | Request) -> str:
    """Return the id that the answer carries as `X-Request-ID`; blank for one made by hand."""
    return getattr(request, "request_id", "")


def client_address(request: HttpRequest) -> str:
    """Return the address that nobody but a trusted proxy has told us of; blank if there is none.

    `X-Forwarded-For` is read from its end, where the proxy next to us has written: the first
    address there that is no trusted proxy is the client. What stands before it, anybody may have
    written.
    """
    nearest = _read(request.META.get("REMOTE_ADDR", ""))
    if nearest is None:
        return ""
    told = _hops(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    while _is_trusted(nearest) and (hop := next(told, None)) is not None:
        nearest = hop
    return str(nearest)


def has_trusted_peer(request: HttpRequest) -> bool:
    """Tell whether a trusted proxy has passed the request on to us."""
    peer = _read(request.META.get("REMOTE_ADDR", ""))
    return peer is not None and _is_trusted(peer)


def site_of(address: str) -> str:
    """Return what stands for a client when requests are counted: its address, or its IPv6 line."""
    read = _read(address)
    if isinstance(read, IPv6Address):
        return str(ip_network((int(read), SITE_BITS), strict=False))
    return address


def _hops(header: str) -> Iterator[Address]:
    """Give the addresses from last to first, up to what is no address."""
    while header:
        header, _, last = header.rpartition(",")
        hop = _read(last)
        if hop is None:
            return
        yield hop


def _read(text: str) -> Address | None:
    """Return the address, also with a port as some proxies write it; nothing for other text."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        read = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(read, "ipv4_mapped", None) or read


def _is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)
