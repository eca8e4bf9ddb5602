"""Scanners: a small server that speaks the protocol, well or badly, and a real clamd."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from config.doctor.files import EICAR
from config.running.supervisor import ROOT
from filing import scanning

INFECTED = b"1|a file\n" + EICAR + b"\n"
SIGNATURE = "Eicar-Test-Signature"
CLEAN, FOUND = b"stream: OK\0", f"stream: {SIGNATURE} FOUND\0".encode()
LIMIT = b"INSTREAM size limit exceeded. ERROR\0"


class Server:
    """A scanner on this machine. It knows one signature, unless `answer` is set.

    answer: what it says of each file. sizes: the bytes of the files that it has read whole, and
    most: the largest piece of any. is_up: false makes it close each connection unread; gives_up:
    the bytes of a file after which it answers at once, and closes.
    """

    def __init__(self) -> None:
        self.answer: bytes | None = None
        self.version = f"ClamAV 1.4.3/27800/{time.asctime()}"
        self.sizes: list[int] = []
        self.most = 0
        self.is_up = True
        self.gives_up: int | None = None
        self.says: Callable[[socket.socket, bytes], None] = lambda own, said: own.sendall(said)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: scanning.ScannerAddress = self._listener.getsockname()[:2]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Close the port: from now on nothing listens there."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                own, _ = self._listener.accept()
                threading.Thread(target=self._talk, args=(own,), daemon=True).start()

    def _talk(self, own: socket.socket) -> None:
        with own, suppress(OSError, EOFError):
            if not self.is_up:
                return
            command = b""
            while not command.endswith(b"\0"):
                command += _read(own, 1)
            if command == b"zPING\0":
                own.sendall(b"PONG\0")
            elif command == b"zVERSION\0":
                own.sendall(f"{self.version}\0".encode())
            elif command == b"zINSTREAM\0":
                self._scan(own)

    def _scan(self, own: socket.socket) -> None:
        read, tail, is_infected = 0, b"", False
        while size := struct.unpack("!L", _read(own, 4))[0]:
            self.most = max(self.most, size)
            tail += _read(own, size)
            read += size
            is_infected = is_infected or EICAR in tail
            tail = tail[1 - len(EICAR) :]  # it keeps no file
            if self.gives_up is not None and read > self.gives_up:
                self.says(own, self.answer or b"")
                time.sleep(0.3)  # what was sent before it is read gets the connection reset
                return
        self.sizes.append(read)
        verdict = FOUND if is_infected else CLEAN
        self.says(own, verdict if self.answer is None else self.answer)


def _read(own: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        piece = own.recv(size - len(content))
        if not piece:
            raise EOFError
        content += piece
    return content


@pytest.fixture
def scanner(settings: Any) -> Iterator[Server]:
    """A scanner that the site uses."""
    server = Server()
    settings.SCAN_ADDRESS = server.address
    yield server
    with suppress(OSError):
        server.close()


@contextmanager
def a_real_clamd(folder: Path, **changes: str) -> Iterator[Path]:
    """Run clamd with the configuration for containers and one signature; give its socket.

    changes: other values of its configuration.
    """
    beside = Path(sys.executable).parent / "clamd"
    program = shutil.which("clamd") or (str(beside) if beside.exists() else "")
    if not program:
        pytest.fail("clamd is missing: run `make clamd`, or install ClamAV.")
    signatures, place = folder / "signatures", folder / "clamd.ctl"
    signatures.mkdir()
    (signatures / "own.ndb").write_text(f"{SIGNATURE}:0:*:{EICAR.hex()}\n")
    lines = (ROOT / "deploy" / "clamav" / "clamd.conf").read_text().splitlines()
    values = dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    del values["TCPSocket"]
    values |= {"DatabaseDirectory": str(signatures), "LocalSocket": str(place), **changes}
    configuration = folder / "clamd.conf"
    configuration.write_text("".join(f"{name} {value}\n" for name, value in values.items()))
    log = (folder / "clamd.log").open("wb")
    with log, subprocess.Popen([program, "-c", str(configuration)], stdout=log, stderr=log) as own:
        try:
            _wait_for(place, own, folder)
            yield place
        finally:
            own.terminate()


def _wait_for(place: Path, own: subprocess.Popen[bytes], folder: Path) -> None:
    for _ in range(300):
        with suppress(scanning.NoVerdict):
            return scanning.ping_scanner(str(place), seconds=5)
        if own.poll() is not None:
            break
        time.sleep(0.1)
    pytest.fail(f"clamd does not answer: {(folder / 'clamd.log').read_text()}")
