"""The claim of a running service on its data folder, and what commands must know about it.

Two services on one folder would take each other's jobs and uploads. The first one holds a lock,
which the kernel releases when its processes end, in whatever way. A file beside the lock names its
port and processes; it is valid only while the lock is held.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import IO, Any

LOCK, STATE = "running.lock", "running.json"
FOLDER_HEADER = "X-Data-Folder"  # in answers to /healthz: whose service answers
# A process that checks whether a service runs holds the lock for an instant.
_WAIT_SECONDS, _PAUSE_SECONDS = 1.0, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningService:
    """A running service: its address, its processes, and the environment it was started with.

    local_url: where its web process listens. processes: stopping the first one stops the service.
    environment: the variables that commands must share with it, without passwords.
    """

    port: int
    public_url: str
    local_url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    processes: Sequence[int] = field(default_factory=lambda: [os.getpid()])
    host: str = field(default_factory=socket.gethostname)

    def __str__(self) -> str:
        first = self.processes[0]
        if self.host != socket.gethostname():
            return f"the service on port {self.port} (process {first} of host {self.host})"
        process = next((number for number in self.processes if _is_running(number)), first)
        return f"the service on port {self.port} (process {process})"


class AlreadyRuns(Exception):
    """Another service uses the data folder; the message names it and what to do."""


@dataclass(frozen=True, slots=True)
class DataFolderClaim:
    """The claim of one service on a data folder, held as long as the lock is open."""

    lock: IO[bytes]
    state: Path
    service: RunningService

    def share(self, process: int) -> None:
        """Add a process that holds the lock as well and may outlive this one."""
        self.write(replace(self.service, processes=[*self.service.processes, process]))

    def write(self, service: RunningService) -> None:
        """Write the state of the service, completely or not at all."""
        temporary = self.state.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(asdict(service)))
        temporary.rename(self.state)


@contextmanager
def claim_data_folder(data_dir: Path, service: RunningService) -> Iterator[DataFolderClaim]:
    """Hold a data folder for a service until the block ends. Raises: AlreadyRuns."""
    with Path(data_dir, LOCK).open("ab") as lock:
        until = time.monotonic() + _WAIT_SECONDS
        while not _locks(lock, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise AlreadyRuns(_refusal(data_dir))
            time.sleep(_PAUSE_SECONDS)
        claim = DataFolderClaim(lock, Path(data_dir, STATE), service)
        claim.write(service)
        try:
            yield claim
        finally:
            claim.state.unlink(missing_ok=True)


def find_service(data_dir: Path) -> RunningService | None:
    """Return the service that runs on a data folder, or None."""
    try:
        with Path(data_dir, LOCK).open("rb") as lock:
            if _locks(lock, fcntl.LOCK_SH):
                return None
        return _read(Path(data_dir, STATE))
    except FileNotFoundError:
        return None


@cache  # probes ask for it, and shall touch no disk
def identify_folder(data_dir: Path) -> str:
    """Return what tells a data folder from all others of this machine, without naming its path."""
    folder = data_dir.stat()
    return hashlib.sha256(f"{folder.st_dev}:{folder.st_ino}".encode()).hexdigest()[:16]


def shared_environment(settings: Any) -> dict[str, str]:
    """Return the variables on which tokens and the panel depend, without passwords."""
    return {
        "PUBLIC_URL": settings.PUBLIC_URL,
        "DATABASE_URL": re.sub(r"(?<=//)[^/]*@|\?.*", "", settings.DATABASE_URL),
        "OIDC_ISSUER": "" if settings.EMBEDDED_PROVIDER else settings.OIDC_ISSUER,
        "OIDC_REALM": settings.OIDC_REALM,
        "OIDC_AUDIENCE": settings.OIDC_AUDIENCE,
        "OIDC_LEI_CLAIM": settings.OIDC_LEI_CLAIM,
    }


def _is_running(process: int) -> bool:
    """Tell whether this machine has a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it exists and belongs to another user
        return True
    return True


def _locks(lock: IO[bytes], kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(state: Path) -> RunningService:
    values = json.loads(state.read_text())
    names = {field.name for field in fields(RunningService)}  # a newer service may have more
    return RunningService(**{name: value for name, value in values.items() if name in names})


def _refusal(data_dir: Path) -> str:
    service = find_service(data_dir)
    port = service.port + 1 if service and service.port < 65535 else 8001
    return (
        f"{data_dir} is in use by {service or 'a service that is starting'}. Only one service can "
        "use a data folder. Stop that service, or choose another folder and port: "
        f"make run DATA_DIR={data_dir}-{port} PORT={port}"
    )
