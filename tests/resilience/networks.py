"""Networks for a run with several nodes: each node has a network and a host name of its own.

As root, each node gets a network namespace with an address on a bridge of this machine; nothing of
it reaches another machine. Where that is not possible, all nodes have the address of this machine.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

_NUMBERS = itertools.count()
_SET_HOST_NAME = 'hostname "$1" && shift && exec "$@"'


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a node in the network. words: begin each of its commands."""

    address: str
    words: tuple[str, ...] = ()


class Network:
    """A network of this machine alone. host: where nodes reach the servers that they share."""

    host = "127.0.0.1"
    subnet = ""

    def place(self, name: str) -> Place:
        """Return the place of a new node."""
        return Place(self.host)


class Namespaces(Network):
    """A network of namespaces behind a bridge."""

    def __init__(self) -> None:
        process = os.getpid()
        number = process * 4 + next(_NUMBERS) % 4
        self._prefix = f"hm{number}"  # a name of an interface has 15 characters at most
        self._net = f"10.{200 + number // 250 % 50}.{number % 250}"
        self.host, self.subnet = f"{self._net}.1", f"{self._net}.0/24"
        self._names: list[str] = []

    def begin(self) -> None:
        """Make the bridge. Raises: OSError, subprocess.CalledProcessError."""
        bridge = f"{self._prefix}b"
        _ip("link", "add", bridge, "type", "bridge")
        _ip("addr", "add", f"{self.host}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")

    def place(self, name: str) -> Place:
        """Return the place of a new node, with its own namespace."""
        number = len(self._names) + 2
        space, outer = f"{self._prefix}-{name}", f"{self._prefix}v{number}"
        _ip("netns", "add", space)
        self._names.append(space)
        _ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", space)
        _ip("link", "set", outer, "master", f"{self._prefix}b", "up")
        address = f"{self._net}.{number}"
        _ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        for interface in ("eth0", "lo"):
            _ip("-n", space, "link", "set", interface, "up")
        enter = ("ip", "netns", "exec", space, "unshare", "--uts")
        return Place(address, (*enter, "sh", "-c", _SET_HOST_NAME, "sh", name))

    def end(self) -> None:
        """Remove what there is of it."""
        with suppress(OSError):  # this system has no such command
            for space in self._names:
                _ip("netns", "del", space, check=False)
            _ip("link", "del", f"{self._prefix}b", check=False)


@contextmanager
def network() -> Iterator[Network]:
    """Yield a network with namespaces, or without them where this system refuses them."""
    spaces = Namespaces()
    try:
        try:
            spaces.begin()
            _ip("netns", "exec", spaces.place("try").words[3], "unshare", "--uts", "true")
        except (OSError, subprocess.CalledProcessError):
            yield Network()
        else:
            yield spaces
    finally:
        spaces.end()


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)
