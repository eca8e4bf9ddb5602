"""What was begun on this machine: a run that was cut goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from filing.client.calls import new_key
from filing.lar.period import Period


@dataclass(slots=True)
class Entry:
    """The filing of one file. key: of its submission at the server, so that it is created once.

    submission: its number, 0 before it is known. upload: the address of its resumable upload.
    """

    path: Path | None = None
    key: str = field(default_factory=new_key)
    submission: int = 0
    upload: str = ""

    def save(self) -> None:
        """Write it for the next run, whole or not at all; an entry without a path is not kept."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.path.with_suffix(f".{os.getpid()}")
        content = {name: value for name, value in asdict(self).items() if name != "path"}
        beside.write_text(json.dumps(content))
        beside.replace(self.path)

    def forget(self) -> None:
        """Remove it: the next run begins a new submission."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        self.key, self.submission, self.upload = new_key(), 0, ""


def entry(folder: Path, *, url: str, lei: str, period: Period, sha256: str) -> Entry:
    """Return the entry of a file with a server: that of an earlier run, or a new one."""
    name = hashlib.sha256("\n".join([url, lei, str(period), sha256]).encode()).hexdigest()
    path = folder / f"{name}.json"
    with suppress(OSError, ValueError, TypeError):
        return Entry(path, **json.loads(path.read_text()))
    return Entry(path)
