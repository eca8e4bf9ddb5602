"""Whose request it is: what is believed of forwarded addresses, and what is not."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.test import RequestFactory, override_settings

from config.requests.clients import client_address, has_trusted_peer, network_of_address

PROXIES = [ip_network("10.0.0.0/8"), ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "192.0.2.7"),  # nobody we know has written that
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1,10.0.0.2,10.0.0.3", "198.51.100.1"),
        ("10.0.0.1", "10.0.0.9, 10.0.0.2", "10.0.0.9"),  # the client is one of our own machines
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", '"[2001:db8::1]:4711"', "2001:db8::1"),
        ("fd00::1", "2001:db8::1", "2001:db8::1"),
        ("::ffff:10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "fe80::1%eth0", "fe80::1"),
        ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1,", "10.0.0.1"),
        ("10.0.0.1", "'; DROP TABLE", "10.0.0.1"),
        ("10.0.0.1", "," * 5000, "10.0.0.1"),
        ("10.0.0.1", "\xb2\xb3.1.1.1", "10.0.0.1"),
        ("10.0.0.1", "[", "10.0.0.1"),
        ("", "198.51.100.1", ""),  # a socket in the file system has no address
        ("unix:", "198.51.100.1", ""),
    ],
)
@override_settings(TRUSTED_PROXIES=PROXIES)
def test_only_what_trusted_proxies_say_is_believed(peer: str, forwarded: str, client: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == client


@pytest.mark.parametrize("peer", ["10.0.0.1", ""])
@override_settings(TRUSTED_PROXIES=[])
def test_no_proxy_is_trusted_unless_one_is_named(peer: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR="198.51.100.1")
    assert client_address(request) == peer
    assert not has_trusted_peer(request)


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("", ""),
    ],
)
def test_an_ipv6_line_counts_as_one(address: str, site: str) -> None:
    assert network_of_address(address) == site
