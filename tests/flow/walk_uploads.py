"""Filings are started, and files uploaded: at once, in parts, cut off, or at the wrong time."""

from __future__ import annotations

import base64
import socket
import time
from collections.abc import Set
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx

from filing.statuses import Status
from tests.flow import confirmed
from tests.flow.callers import Caller, Lost, refusal
from tests.flow.confirmed import Filed, sha256
from tests.flow.processes import wait_until
from tests.flow.walk_world import (
    API,
    CLOSED,
    FILES,
    NO_LAR,
    PART,
    PERIODS,
    REASON,
    TUS,
    VERIFIABLE,
    Place,
    World,
    content,
)

OPEN = {"opens": "2017-01-01", "timely_until": "2030-01-01", "closes": "2040-12-31"}
SHUT = {"opens": "2017-01-01", "timely_until": "2019-01-01", "closes": "2020-12-31"}
TO_VERIFY = ("quality", "macro", "both", "clean")


class Uploads:
    """One walk with institutions of its own, as far as files are sent. filed: its submissions."""

    def __init__(self, world: World) -> None:
        self.world, self.service = world, world.service
        self.leis = [self.service.lei(), self.service.lei()]
        self.filed: list[Filed] = []
        self.calls = world.calls
        self.calls.clear()
        self.filer = Caller(self.service, self.calls, token=self.service.token(",".join(self.leis)))
        self.stranger = Caller(
            self.service, self.calls, token=self.service.token(self.service.lei())
        )
        self._before: confirmed.Histories = {}

    def close(self) -> None:
        self.filer.close()
        self.stranger.close()

    def finish(self) -> None:
        """Let everything come to rest, and look at it once more."""
        self.world.faults.end()
        for period in PERIODS:
            self.set_open(period, is_open=True)
        for filed in self.filed:
            self.settle(filed)
        self.check()
        confirmed.check_files(self.service, self._before)
        self.world.figures.update(
            submissions=len(self.filed),
            files=sum(bool(filed.sha256) for filed in self.filed),
            signed=sum(bool(filed.receipt) for filed in self.filed),
            calls=len(self.calls),
        )

    def check(self) -> None:
        """Hold the history against what was confirmed."""
        found = confirmed.histories(self.service, self.leis)
        for filed in self.filed:
            self._absorb(filed, found[filed.name])
        confirmed.check(found, self._before, self.filed)
        self._before = found

    def _absorb(self, filed: Filed, found: dict[str, Any]) -> None:
        """Learn which of the requests had their effect whose answers were lost."""
        if not filed.sha256 and found["sha256"] in filed.perhaps:
            filed.kind, filed.sha256 = filed.perhaps[found["sha256"]], found["sha256"]
        filed.is_stopped = any(change[2] == "STOPPED" for change in found["changes"])

    # --- which submission -------------------------------------------------------------------------

    def new(self, which: int) -> Filed:
        """Return a submission that has no file yet, made if there is none."""
        if found := [each for each in self.filed if each.code == Status.CREATED]:
            return found[which % len(found)]
        period = PERIODS[which // 2 % 2]
        self.set_open(period, is_open=True)
        filed = self.create(which % 2, period, is_repeated=True)
        assert filed is not None
        return filed

    def any(self, which: int) -> Filed:
        return self.filed[which % len(self.filed)] if self.filed else self.new(which)

    def other_than(self, codes: Set[int], which: int) -> Filed:
        """Return a submission that is not known to have one of these statuses, else any."""
        found = [each for each in self.filed if each.code not in codes]
        return found[which % len(found)] if found else self.any(which)

    def verifiable(self, which: int) -> Filed:
        """Return a submission of which edits may be verified, made if there is none."""
        found = [each for each in self.filed if each.code in VERIFIABLE]
        return found[which % len(found)] if found else self._checked(which)

    def ready(self, which: int) -> Filed:
        """Return a submission that is ready to be signed, made if there is none."""
        found = [each for each in self.filed if each.code == Status.VERIFIED]
        return found[which % len(found)] if found else self._checked(which, "clean")

    def _checked(self, which: int, kind: str = "") -> Filed:
        filed = self.new(which)
        self.set_open(filed.period, is_open=True)
        self.upload(filed, kind or TO_VERIFY[which % len(TO_VERIFY)], is_repeated=True)
        self.settle(filed)
        return filed

    # --- addresses and states ---------------------------------------------------------------------

    def path(self, lei: str, period: str, rest: str = "") -> str:
        year, _, quarter = period.partition("-")
        inside = f"/quarter/{quarter}" if quarter else ""
        return f"{API}/institutions/{lei}/filings/{year}{inside}{rest}"

    def address(self, filed: Filed, rest: str = "") -> str:
        return self.path(filed.lei, filed.period, f"/submissions/{filed.number}{rest}")

    def code(self, filed: Filed) -> int:
        """Return the status of a submission."""
        answer = self.filer.get(self.address(filed))
        assert answer.status_code == 200, answer.text
        filed.code = answer.json()["status"]["code"]
        return filed.code

    def settle(self, filed: Filed) -> None:
        """Wait until the submission waits for a person, at the status that its file leads to."""
        wait_until(lambda: Status(self.code(filed)).is_settled, f"{filed.name} comes to rest")
        if filed.is_stopped or filed.receipt or not filed.kind:
            return
        expected = filed.code_by_verification if filed.edits else FILES[filed.kind][1]
        assert filed.code == expected, (filed, filed.kind, filed.verified)

    def refused(self, answer: httpx.Response, path: str, *words: str, status: int = 400) -> None:
        """The answer is a refusal with some of the words, in the form of all refusals."""
        given, message = refusal(answer, path.removeprefix(API))
        assert given == status, answer.text
        assert not words or any(each in message for each in words), message

    def set_open(self, period: str, *, is_open: bool) -> None:
        """Operators change the days of a period in the admin."""
        if is_open == self.world.is_open[period]:
            return
        page = f"/admin/filing/filingperiod/{self.world.period_keys[period]}/change/"
        days = OPEN if is_open else SHUT
        answer = self.world.operator.submit(page, {**days, "reason": REASON})
        assert answer.status_code == 302, answer.text
        self.world.is_open[period] = is_open

    # --- filers -----------------------------------------------------------------------------------

    def start(self, index: int, period: str, *, is_repeated: bool) -> None:
        path = self.path(self.leis[index], period)
        with suppress(Lost):
            answer = self.filer.post(path, is_repeated=is_repeated)
            self.refused(answer, path, "already exists" if self.world.is_open[period] else CLOSED)

    def create(self, index: int, period: str, *, is_repeated: bool) -> Filed | None:
        """Create a submission; return it, or none where that is refused or its answer lost."""
        lei = self.leis[index]
        path = self.path(lei, period, "/submissions")
        known = [each for each in self.filed if (each.lei, each.period) == (lei, period)]
        filed = Filed(lei, period, len(known) + 1)
        try:
            answer = self.filer.post(path, is_repeated=is_repeated)
        except Lost:
            all_of_it = self.filer.get(self.path(lei, period), params={"page": "0"}).json()
            if len(all_of_it["submissions"]) > len(known):
                self.filed.append(filed)
            return None
        if not self.world.is_open[period]:
            self.refused(answer, path, CLOSED)
            return None
        assert answer.status_code == 201, answer.text
        assert answer.json()["id"]["sequenceNumber"] == filed.number
        self.filed.append(filed)
        return filed

    def upload(self, filed: Filed, kind: str, *, seed: int = 0, is_repeated: bool = False) -> None:
        path, data = self.address(filed), content(Place(filed.lei, filed.period), kind, seed)
        before = self.code(filed)
        try:
            answer = self.filer.post(
                path, is_repeated=is_repeated, files={"file": ("lar.txt", data)}
            )
        except Lost:
            filed.perhaps[sha256(data)] = kind
            wait_until(lambda: self.code(filed) != Status.UPLOADING, "it was taken, or was not")
            self.check()
            return
        if before == Status.CREATED and self.world.is_open[filed.period]:
            assert answer.status_code == 202, answer.text
            filed.confirm(kind, data)
            self.code(filed)
        else:
            self.refused(answer, path, "not available for upload", CLOSED)

    def upload_no_lar(self, filed: Filed, kind: str, *, is_repeated: bool) -> None:
        path, before = self.address(filed), self.code(filed)
        file = {"file": ("lar.txt", NO_LAR[kind])}
        with suppress(Lost):
            answer = self.filer.post(path, is_repeated=is_repeated, files=file)
            self.refused(answer, path, "not available for upload", CLOSED, "Invalid file format")
        if before == Status.CREATED:
            wait_until(lambda: self.code(filed) == before, "another file can be uploaded")

    def cut_upload(self, filed: Filed, kind: str) -> None:
        """Send half a file and go away."""
        data = content(Place(filed.lei, filed.period), kind)
        where = urlsplit(self.service.url)
        request = httpx.Request(
            "POST",
            f"{self.service.url}{self.address(filed)}",
            headers=self.filer.headers,
            files={"file": ("lar.txt", data)},
        )
        body = request.read()
        lines = [f"{name}: {value}" for name, value in request.headers.items()]
        head = "\r\n".join([f"POST {request.url.path} HTTP/1.1", *lines, "", ""])
        with (
            suppress(OSError),
            socket.create_connection((where.hostname or "", where.port or 0)) as line,
        ):
            line.sendall(head.encode() + body[: len(body) // 2])
            time.sleep(0.1)
        wait_until(lambda: self.code(filed) == Status.CREATED, "the file can be uploaded again")

    def upload_in_parts(self, filed: Filed, kind: str, *, is_finished: bool) -> None:
        """Send a file in two requests, or only its first half and no more."""
        data = content(Place(filed.lei, filed.period), kind)
        path, before = self.address(filed, "/uploads"), self.code(filed)
        named = f"filename {base64.b64encode(b'lar.txt').decode()}"
        headers = {**TUS, "Upload-Length": str(len(data)), "Upload-Metadata": named}
        begun = self.filer.post(path, is_repeated=True, headers=headers)
        if before != Status.CREATED or not self.world.is_open[filed.period]:
            self.refused(begun, path, "not available for upload", CLOSED)
            return
        assert begun.status_code == 201, begun.text
        upload = begun.headers["Location"]
        self._send_part(upload, data[: len(data) // 2])
        if is_finished:
            self._send_part(upload, data)
            filed.confirm(kind, data)
            self.code(filed)
            return
        ended = self.filer.until_answered("DELETE", upload, headers=TUS)
        assert ended.status_code in (204, 404), ended.text  # 404: an answer before was lost
        assert self.code(filed) == Status.CREATED

    def _send_part(self, upload: str, data: bytes) -> None:
        """Send what is missing of the beginning of a file."""

        def is_there() -> bool:
            stored = self.filer.until_answered("HEAD", upload, headers=TUS)
            assert stored.status_code == 200, stored.headers
            offset = int(stored.headers["Upload-Offset"])
            if offset < len(data):
                headers = {**TUS, "Upload-Offset": str(offset), "Content-Type": PART}
                with suppress(Lost):
                    sent = self.filer.send("PATCH", upload, headers=headers, content=data[offset:])
                    assert sent.status_code in (204, 409, 423, 503), sent.text
            return offset == len(data)

        wait_until(is_there, "the part is stored")
