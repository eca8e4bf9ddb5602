"""A file is fetched from where the site says, and from nowhere else; from a real server."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest

from filing.errors import BadInput, TooLarge
from filing.files import remote_files
from filing.files.remote_files import UnreachableHost
from tests.filing.files.remote_server import FILE, server  # noqa: F401 -- fixtures


def get(server: Any, path: str, max_bytes: int = 1_000_000) -> bytes:
    return remote_files.fetch_file(f"http://{server.name}{path}", max_bytes=max_bytes)


def test_a_file_is_fetched_also_where_it_has_moved(server: Any) -> None:
    assert get(server, "/file") == FILE
    assert get(server, "/moved") == FILE
    assert server.asked == [
        ("/file", server.name),
        ("/moved", server.name),
        ("/file", server.name),
    ]


@pytest.mark.parametrize(
    ("path", "refusal", "told"),
    [
        ("/around", UnreachableHost, "redirects more than 5 times"),
        ("/inside", BadInput, "does not fetch from localhost:1"),
        ("/elsewhere", BadInput, "does not fetch from 169.254.169.254"),
        ("/scheme", BadInput, "begins with http:// or https://"),
        ("/missing", UnreachableHost, "answers 404"),
        ("/packed", UnreachableHost, "packed"),
    ],
)
def test_what_is_no_file_of_an_allowed_host_is_refused(
    server: Any, path: str, refusal: type[Exception], told: str
) -> None:
    with pytest.raises(refusal, match=told):
        get(server, path)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("ftp://localhost/file", "begins with"),
        ("file:///etc/passwd", "begins with"),
        ("just text", "begins with"),
        ("", "begins with"),
        ("http://user:secret@localhost/file", "user name"),
        ("http://127.0.0.1/file", "does not fetch from 127.0.0.1"),
        ("http://localhost/file", "does not fetch from localhost"),
        ("http://[::1]/file", "does not fetch from"),
        ("http://localhost:99999999/file", "does not fetch from"),
        ("http://exa mple/", "does not fetch from"),
        ("http://[::1/", "is not a valid address"),
    ],
)
def test_an_address_that_must_not_be_asked_is_refused(server: Any, address: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        remote_files.fetch_file(address, max_bytes=1000)
    assert server.asked == []


def test_a_named_host_with_a_private_address_is_refused_all_the_same(
    server: Any, settings: Any
) -> None:
    settings.REFERENCE_NETWORKS = []
    with pytest.raises(BadInput, match=r"localhost has a private address \(127.0.0.1\)"):
        get(server, "/file")
    assert server.asked == []


@pytest.mark.parametrize(
    "address",
    [
        *("10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "127.0.0.1", "0.0.0.0"),
        *("100.64.0.1", "224.0.0.1", "::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "::"),
        *("64:ff9b::10.0.0.1", "2002:a00:1::1"),  # each stands for 10.0.0.1
        *("::ffff:0:10.0.0.1", "::10.0.0.1", "64:ff9b:1::10.0.0.1"),
        *("2001:0:a00:1::1", "fec0::1", "5f00::1", "3fff::1", "4000::1", "100::1"),
        *("fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"),
        *("64:ff9b::168.63.129.16", "2002:a83f:8110::1", "::ffff:168.63.129.16"),
        *("192.0.0.9", "192.88.99.1", "ff0e::1", "255.255.255.255"),
    ],
)
def test_private_addresses_of_all_kinds_are_known(address: str) -> None:
    assert not remote_files.is_accepted_address(address, [])


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::8.8.8.8"])
def test_public_addresses_are_accepted(address: str) -> None:
    assert remote_files.is_accepted_address(address, [])


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "::ffff:169.254.170.2"],
)
def test_no_listed_network_opens_the_metadata_of_a_cloud(address: str) -> None:
    networks = [ip_network(text) for text in ("0.0.0.0/0", "::/0")]
    assert not remote_files.is_accepted_address(address, networks)
    assert remote_files.is_accepted_address("fd00::1", networks)


def test_a_file_that_is_too_large_is_left_in_the_middle(server: Any) -> None:
    assert get(server, "/file", max_bytes=len(FILE)) == FILE
    with pytest.raises(TooLarge, match="larger than 1,000 bytes"):
        get(server, "/file", max_bytes=1000)


def test_a_server_that_never_ends_is_left(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_files, "TOTAL_SECONDS", 0.3)
    with pytest.raises(UnreachableHost, match="took longer"):
        get(server, "/slow")
