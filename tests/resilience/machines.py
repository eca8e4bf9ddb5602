"""Nodes of one service: each has its own folder, network and host name, and runs some programs.

They share PostgreSQL, Redis and S3, and the settings that name them. Of a killed node nothing is
left but what is there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from configparser import RawConfigParser
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bench.stages import ROOT
from config.running.supervisor import DidNotStart, Supervisor, free_port
from tests.resilience.networks import Network, Place

WEB, SMALL, LARGE, OTHER, BEAT = "web", "worker-small", "worker-large", "worker-other", "beat"
SITE = "http://filing.test"  # the address of a load balancer that callers play themselves
_LIMITS = (
    *("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED", "LIMIT_SIGN_IN", "LIMIT_PUBLIC_UPLOAD"),
    "LIMIT_RECEIPT_CHECK",
    "LIMIT_PUBLISHED",
)

START_SECONDS = 90


class Node(Supervisor):
    """A machine that runs some of the programs of the service."""

    def __init__(
        self, name: str, folder: Path, place: Place, programs: tuple[str, ...], **settings: str
    ) -> None:
        folder.mkdir()
        super().__init__(data_dir=folder, port=free_port(), host=place.address)
        self.environment |= settings
        self.name, self.folder = name, folder
        self._words, self._programs = place.words, programs

    def launch(self) -> None:
        """Start its programs; `wait_until_ready` returns when they answer."""
        self.logs.mkdir(exist_ok=True)
        configuration = self.folder / "supervisord.conf"
        with configuration.open("w") as file:
            _configuration(self._programs).write(file)
        program = [f"{self.environment['BIN']}/supervisord", "--configuration", str(configuration)]
        self.process = subprocess.Popen(
            [*self._words, *program], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL
        )

    def wait_until_ready(self) -> None:
        """Return once its web server answers and its workers have children. Raises: DidNotStart."""
        if WEB in self._programs:
            self._wait_until_it_answers()
        until = time.monotonic() + START_SECONDS
        while len(self.children()) < len({SMALL, LARGE}.intersection(self._programs)):
            if time.monotonic() > until:
                raise DidNotStart(f"The workers of {self.name} do not start: {self.logs}")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill all its processes, as a machine that loses power."""
        if self.process is not None:
            self.process.kill()  # first, or it would start the others again
        while processes := self.processes():
            _signal(processes, signal.SIGKILL)
            time.sleep(0.01)
        if self.process is not None:
            self.process.wait()

    def freeze(self) -> None:
        """Stop all its processes, as a machine that hangs or is moved to another host."""
        _signal(self.processes(), signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them run again."""
        _signal(self.processes(), signal.SIGCONT)

    def children(self) -> list[int]:
        """Return the processes in which its workers do their work."""
        own = {pid: Path(f"/proc/{pid}/cmdline") for pid in self.processes()}
        workers = {pid for pid, path in own.items() if b"\0worker\0" in _read(path)}
        return [pid for pid in workers if _parent(pid) in workers]

    def processes(self) -> list[int]:
        """Return its processes, those that still run."""
        mark = f"DATA_DIR={self.folder}\0".encode()
        numbers = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes():
                    numbers.append(int(folder.name))
        return numbers


class Machines:
    """The nodes of a service, and a machine for commands. settings: besides those shared by all."""

    def __init__(
        self, folder: Path, network: Network, servers: dict[str, str], **settings: str
    ) -> None:
        self.nodes: list[Node] = []
        self._folder, self._network = folder, network
        self.desk, self.mail = folder / "desk", folder / "mail"
        for each in (self.desk, self.mail):
            each.mkdir()
        self.settings = {
            **servers,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PUBLIC_URL": SITE,
            "SECRET_KEY": os.urandom(32).hex(),
            "RECEIPT_SIGNING_KEY": _receipt_key(),
            "EMAIL_URL": f"filemail://{self.mail}",
            "NO_PROXY": "*",  # every address is one of this machine
            **dict.fromkeys(_LIMITS, "off"),
            **settings,
        }
        self.environment = {**os.environ, **self.settings, "DATA_DIR": str(self.desk)}

    def add(self, name: str, *programs: str) -> Node:
        """Start a node with some programs, without waiting for it."""
        place = self._network.place(name)
        node = Node(name, self._folder / name, place, programs, **self.settings)
        self.nodes.append(node)
        node.launch()
        return node

    def end(self) -> None:
        """Kill every node."""
        for node in self.nodes:
            node.kill()


def _configuration(programs: tuple[str, ...]) -> RawConfigParser:
    """Return the service's configuration of the process manager with some programs only."""
    configuration = RawConfigParser()
    configuration.read(ROOT / "deploy" / "supervisord.conf")
    for section in configuration.sections():
        kind, _, name = section.partition(":")
        if kind == "program" and name not in programs:
            configuration.remove_section(section)
    configuration.set("group:service", "programs", ",".join(programs))
    return configuration


def _receipt_key() -> str:
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _read(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


def _parent(process: int) -> int:
    words = _read(Path(f"/proc/{process}/stat")).rpartition(b")")[2].split()
    return int(words[1]) if words else 0


def _signal(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
