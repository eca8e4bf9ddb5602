"""Institutions that refile without pause: create, upload, wait for the edits, sign, and again."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Collection
from pathlib import Path

from filing.client import FilingClient, Refused, Trouble
from filing.demo import census as demo_census
from filing.demo import panel
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from filing.reference import census as census_file
from filing.statuses import Status

REASON = "The same file is filed again and again."
_ASK_SECONDS = 0.5
_AGAIN_SECONDS = 1.0


class Refiling:
    """The filers. promised: the last confirmation of the service for each submission."""

    def __init__(self, url: str, token: str, folder: Path, year: int) -> None:
        self.promised: dict[str, str] = {}
        self.sent: dict[str, str] = {}  # the SHA-256 of the file of each institution
        self._url, self._token, self._period = url, token, Period(year)
        self._tracts = census_file.facts(demo_census.rows(year)).tracts
        self._folder = folder / "refiled"
        self._folder.mkdir()
        self._last, self._out_of_time = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, leis: list[str], *, rows: int, once: Collection[str] = ()) -> None:
        """Start filing for each LEI, in a thread of its own. once: LEIs that do not refile."""
        like = panel.institutions()[0]
        for lei in leis:
            recipe = Recipe(
                period=self._period,
                lei=lei,
                rows=rows,
                tax_id=like["tax_id"],
                agency=like["agency"],
            )
            file = self._folder / f"{lei}.txt"
            file.write_bytes(b"".join(make(recipe, self._tracts)))
            self.sent[lei] = hashlib.sha256(file.read_bytes()).hexdigest()
            self._threads.append(
                threading.Thread(target=self._file, args=(lei, file, lei in once), daemon=True)
            )
        for thread in self._threads:
            thread.start()

    def end(self, *, wait: float) -> None:
        """Let each filer finish its submission, for a number of seconds at most."""
        self._last.set()
        until = time.monotonic() + wait
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))
        self._out_of_time.set()
        for thread in self._threads:
            thread.join()

    def _file(self, lei: str, file: Path, is_once: bool) -> None:
        with FilingClient(self._url, self._token) as client:
            self._persist(lambda: client.start_filing(lei, self._period))
            while not self._last.is_set():
                try:
                    created = client.create_submission(lei, self._period)
                except Trouble:
                    self._out_of_time.wait(_AGAIN_SECONDS)
                    continue
                self._finish(client, lei, int(created.body["id"]["sequenceNumber"]), file)
                if is_once:
                    return

    def _persist(self, call: object) -> None:
        """Call until there is a response, even if it is a refusal."""
        assert callable(call)
        while not self._out_of_time.is_set():
            try:
                call()
            except Refused as error:
                if error.status < 500:
                    return
            except Trouble:
                pass
            else:
                return
            self._out_of_time.wait(_AGAIN_SECONDS)

    def _finish(self, client: FilingClient, lei: str, number: int, file: Path) -> None:
        """Upload, wait and sign, guided only by the status."""
        where, name = (lei, self._period, number), f"{lei}-{self._period}-{number}"
        self.promised[name] = "created"
        while not self._out_of_time.is_set():
            try:
                code = client.submission(*where).body["status"]["code"]
                if code == Status.CREATED:
                    client.upload(*where, file)
                    self.promised[name] = "uploaded"
                elif code == Status.VERIFIED:
                    client.sign(*where, reason=REASON)
                    self.promised[name] = "signed"
                elif Status(code).is_settled:
                    return
                else:
                    self._out_of_time.wait(_ASK_SECONDS)
            except Trouble:
                self._out_of_time.wait(_AGAIN_SECONDS)
