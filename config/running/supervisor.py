"""The whole service as child processes: web, workers and beat under one process manager.

A service that runs from its source code collects and compresses its static files first.
"""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import httpx
from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

from config.running.data_folder import FOLDER_HEADER, DataFolderClaim, identify_folder

ROOT = Path(__file__).resolve().parents[2]
# To read the certificates of all authorities takes longer than to ask.
_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_NOTICE_SECONDS = 15  # after which a start says what it waits for, and again
_STATE = ".collected"  # the file with the fingerprint of what was collected


class DidNotStart(Exception):
    """The service cannot start, or a process of it ended; the message says why."""


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_answering(url: str, data_dir: Path) -> bool:
    """Tell whether the service of a data folder answers at an address of this machine."""
    try:
        # A call within this machine: not through a proxy from the environment.
        answer = httpx.get(f"{url}/healthz", timeout=2, trust_env=False, verify=_NO_CERTIFICATES)
    except httpx.TransportError:
        return False
    is_own = answer.headers.get(FOLDER_HEADER) == identify_folder(data_dir)
    return answer.status_code == 200 and is_own


class Supervisor:
    """The processes of one service, all started with the same environment."""

    def __init__(self, *, data_dir: Path, port: int, host: str = "127.0.0.1") -> None:
        self.url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104
        self.data_dir, self.logs = data_dir, data_dir / "log"
        self.address = (host, port)
        self.environment = {
            **os.environ,
            "DATA_DIR": str(data_dir),
            "PORT": str(port),
            "HOST": host,
            "BIN": str(Path(sys.executable).parent),
            "LOG_LEVEL": os.environ.get("LOG_LEVEL", "INFO"),
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, claim: DataFolderClaim | None = None) -> None:
        """Start all processes and return once the web process answers, however long that takes.

        claim: on the data folder. The process manager then holds it as well, since it may outlive
        this process.
        Raises: DidNotStart.
        """
        self.require_free_port()
        self.logs.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(  # noqa: S603 -- our own program
            [
                f"{self.environment['BIN']}/supervisord",
                "--configuration",
                str(ROOT / "deploy" / "supervisord.conf"),
            ],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            pass_fds=[claim.lock.fileno()] if claim else (),
        )
        if claim:
            claim.share(self.process.pid)
        try:
            self._wait_until_it_answers()
        except BaseException:  # also an interrupt
            self.stop()
            raise

    def require_free_port(self) -> None:
        """Require that the web process can listen on its port. Raises: DidNotStart."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(self.address)
            except OSError as error:
                host, port = self.address
                raise DidNotStart(
                    f"Port {port} of {host} is in use or cannot be used ({error.strerror}). "
                    f"Choose another one: make run PORT={port + 1 if port < 65535 else 8000}"
                ) from error

    def _wait_until_it_answers(self) -> None:
        """Wait as long as the process manager and the web process live. Raises: DidNotStart."""
        assert self.process is not None
        earlier = len(self._read_log("supervisor"))  # it is added to from start to start
        notice_at = time.monotonic() + _NOTICE_SECONDS
        while not is_answering(self.url, self.data_dir):
            manager_log = self._read_log("supervisor")[earlier:]
            if self.process.poll() is not None or " exited: web " in manager_log:
                raise DidNotStart(
                    f"The web process ended before it answered at {self.url}. "
                    f"{self.logs / 'web.log'} ends with:\n{self.last_words()}\n"
                    f"{self.logs / 'supervisor.log'}:\n{manager_log}"
                )
            if time.monotonic() > notice_at:
                text = f"Waiting for the web process to answer at {self.url}; its log is "
                print(f"{text}{self.logs / 'web.log'}", file=sys.stderr, flush=True)
                notice_at = time.monotonic() + _NOTICE_SECONDS
            time.sleep(0.1)

    def last_words(self, process: str = "web") -> str:
        """Return the last lines that a process logged."""
        return self._read_log(process)[-3000:]

    def _read_log(self, process: str) -> str:
        log = self.logs / f"{process}.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def wait(self, state: Path) -> NoReturn:
        """Become a small process that waits until the service ends, and removes its state."""
        assert self.process is not None
        script = str(ROOT / "config" / "running" / "wait_for_service.py")
        words = [sys.executable, "-I", script, str(self.process.pid), str(state)]
        os.execv(sys.executable, words)  # noqa: S606 -- our own words

    def stop(self) -> None:
        """End every process."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def collect_static_files(folder: Path) -> Iterator[None]:
    """Fill a folder with the compressed static files beside the block, if they changed.

    Raises: CalledProcessError at the end if they could not be written.
    """
    state, fingerprint = folder / _STATE, _fingerprint()
    if state.exists() and state.read_text() == fingerprint:
        yield
        return
    words = [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "--clear"]
    environment = {**os.environ, "STATIC_ROOT": str(folder)}
    with subprocess.Popen([*words, "-v", "0"], env=environment) as process:  # noqa: S603 -- our own program
        try:
            yield
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    state.write_text(fingerprint)


def _fingerprint() -> str:
    """Return a hash of the name, size and time of every static file."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            if isinstance(storage, FileSystemStorage):
                file = Path(storage.path(name)).stat()
                digest.update(f"{name} {file.st_size} {file.st_mtime_ns}\n".encode())
    return digest.hexdigest()
