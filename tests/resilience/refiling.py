"""Institutions that refile without pause: create, upload, wait for the edits, sign, and again."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from pathlib import Path

from bench.files import write_lar
from filing.client import FilingClient, Refused, Trouble
from filing.lar.years import Period
from filing.statuses import Status

REASON = "The same file is filed again and again."
_ASK_SECONDS = 0.5
_AGAIN_SECONDS = 1.0


class Refiling:
    """The filers. promised: the last confirmation of the service for each submission.

    sent: the SHA-256 of the file of each institution. troubles: calls without a confirmation.
    """

    def __init__(self, url: str, token: str, folder: Path, year: int) -> None:
        self.promised: dict[str, str] = {}
        self.sent: dict[str, str] = {}
        self.troubles: list[str] = []
        self._url, self._token, self._period = url, token, Period(year)
        self._folder = folder / "refiled"
        self._folder.mkdir()
        self._last, self._out_of_time = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self, leis: list[str], *, rows: int, once: Collection[str] = ()) -> None:
        """Start filing for each LEI, in a thread of its own. once: LEIs that do not refile."""
        for lei in leis:
            file = self._folder / f"{lei}.txt"
            self.sent[lei] = write_lar(file, lei=lei, rows=rows, year=self._period.year)
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
            self._start(client, lei)
            while not self._last.is_set():
                try:
                    created = client.create_submission(lei, self._period)
                except Trouble as error:
                    self._wait_after(error)
                    continue
                self._finish(client, lei, int(created.body["id"]["sequenceNumber"]), file)
                if is_once:
                    return

    def _start(self, client: FilingClient, lei: str) -> None:
        """Start the filing, unless opening the season has done so."""
        while not self._out_of_time.is_set():
            try:
                client.start_filing(lei, self._period)
            except Trouble as error:
                if isinstance(error, Refused) and error.status < 500:
                    return
                self._wait_after(error)
            else:
                return

    def _wait_after(self, error: Trouble) -> None:
        self.troubles.append(repr(error))
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
            except Trouble as error:
                self._wait_after(error)
