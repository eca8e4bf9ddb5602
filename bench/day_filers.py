"""Filers of a busy day: each goes through the whole flow, and waits as the service asks it to."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bench.day_service import PERIOD, Day, progress
from bench.rolling_restart import Calls
from filing.client.calls import new_key
from filing.client.patience import IN_WORK, TEMPORARY
from filing.statuses import Status

_PAUSE_SECONDS = 1.0  # after a refusal that names no time
_POLL_SECONDS = 1.0
_PROGRESS_SECONDS = 10
_CALL = httpx.Timeout(60, read=300)
_KEPT_SECONDS = 5  # as programs do; the service keeps a silent connection longer


class Refused(Exception):
    """A call was refused for good."""


@dataclass(slots=True)
class Log:
    """What happened to the filers.

    steps: seconds of each step of each filer, with its waits. calls: each call alone. unsaid:
    refusals for a while that did not say for how long. promised: the last confirmation for each
    submission. refused: calls that were refused for good.
    """

    calls: Calls = field(default_factory=Calls)
    steps: Calls = field(default_factory=Calls)
    unsaid: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    promised: dict[str, str] = field(default_factory=dict)
    late: int = 0

    def refusals(self) -> dict[str, int]:
        """Return how often the service refused for a while, by kind of call and status."""
        return {
            key: number
            for key, number in sorted(self.calls.statuses.items())
            if int(key.split()[1]) in TEMPORARY or key.endswith(f" {IN_WORK}")
        }

    def broken(self) -> list[str]:
        """Return everything that a filer must never see."""
        return [*self.calls.refused, *self.calls.broken, *self.unsaid, *self.refused]


class Filer:
    """A program that files for one institution, over connections of its own."""

    def __init__(self, day: Day, lei: str, log: Log, context: ssl.SSLContext) -> None:
        self._day, self._lei, self._log = day, lei, log
        self._base = f"/v2/filing/institutions/{lei}/filings/{PERIOD}"
        self._client = httpx.AsyncClient(
            base_url=day.url,
            headers={"Authorization": f"Bearer {day.tokens[lei]}", "Accept": "application/json"},
            timeout=_CALL,
            verify=context,
            trust_env=False,
            limits=httpx.Limits(keepalive_expiry=_KEPT_SECONDS),
        )

    async def start(self) -> None:
        """Start the filing, if opening the season has not done so."""
        await self._step("start", "POST", self._base, expected=(400,))

    async def create(self) -> int:
        """Create a submission, and return its sequence number."""
        body = (await self._step("create", "POST", f"{self._base}/submissions")).json()
        number = int(body["id"]["sequenceNumber"])
        self._promise(number, "created")
        return number

    async def upload(self, number: int, file: Path) -> None:
        """Upload a file."""
        await self._step("upload", "POST", self._path(number), file=file)
        self._promise(number, "uploaded")

    async def wait(self, number: int) -> int:
        """Ask for the status until all checks have ended; return its code."""
        began, etag, code = time.perf_counter(), "", int(Status.UPLOADED)
        while not Status(code).is_settled:
            headers = {"If-None-Match": etag} if etag else {}
            answer = await self._call("status", "GET", self._path(number), headers=headers)
            etag = answer.headers.get("ETag", "")
            if answer.status_code == 200:
                code = answer.json()["status"]["code"]
            if not Status(code).is_settled:
                await asyncio.sleep(_wait_of(answer) or _POLL_SECONDS)
        self._log.steps.answered("checks", 200, time.perf_counter() - began)
        return code

    async def finish(self, number: int, code: int) -> None:
        """Read the edits, verify them, sign, and get the receipt."""
        edits = f"{self._path(number)}/edits"
        await self._step("edits", "GET", edits)
        if code in (Status.QUALITY_ERRORS, Status.MACRO_ERRORS):
            for kind in ("quality", "macro"):
                await self._step("verify", "POST", f"{edits}/{kind}", json={"verified": True})
        await self._step(
            "sign", "POST", f"{self._path(number)}/sign", json={"signed": True, "reason": "Again."}
        )
        self._promise(number, "signed")
        await self._step("receipt", "GET", f"{self._path(number)}/receipt")

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    def _promise(self, number: int, what: str) -> None:
        self._log.promised[self._day.name(self._lei, number)] = what

    def _path(self, number: int) -> str:
        return f"{self._base}/submissions/{number}"

    async def _step(self, step: str, method: str, path: str, **options: Any) -> httpx.Response:
        began = time.perf_counter()
        answer = await self._call(step, method, path, **options)
        self._log.steps.answered(step, 200, time.perf_counter() - began)
        return answer

    async def _call(
        self,
        kind: str,
        method: str,
        path: str,
        *,
        file: Path | None = None,
        headers: dict[str, str] | None = None,
        expected: tuple[int, ...] = (),
        **options: Any,
    ) -> httpx.Response:
        """Return the answer of a call, repeated with the same key as the service asks for.

        expected: refusals that tell the filer what is so already.
        """
        headers = dict(headers or {}) | ({"Idempotency-Key": new_key()} if method == "POST" else {})
        if file:  # the same key needs the same body, to the last byte
            boundary = headers["Idempotency-Key"]
            headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
        while True:
            began = time.perf_counter()
            try:
                answer = await self._sent(method, path, file, headers, options)
            except httpx.TransportError as error:
                self._log.calls.failed(kind, error)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            status, wait = answer.status_code, _wait_of(answer)
            self._log.calls.answered(kind, status, time.perf_counter() - began)
            if status < 400 or status in expected:
                return answer
            if status not in TEMPORARY and not (status == IN_WORK and wait):
                self._log.refused.append(f"{kind}: {status} {answer.text[:200]}")
                raise Refused(kind)
            if wait is None:
                self._log.unsaid.append(f"{kind}: {status} without Retry-After")
            await asyncio.sleep(wait or _PAUSE_SECONDS)

    async def _sent(
        self, method: str, path: str, file: Path | None, headers: dict[str, str], options: Any
    ) -> httpx.Response:
        if file is None:
            return await self._client.request(method, path, headers=headers, **options)
        with file.open("rb") as content:
            files = {"file": (file.name, content, "text/plain")}
            return await self._client.request(method, path, headers=headers, files=files)


class Filers:
    """Filers of a service, one for each institution that is asked for."""

    def __init__(self, day: Day) -> None:
        self.log = Log()
        self._day, self._context = day, ssl.create_default_context()
        self._filers: dict[str, Filer] = {}

    def of(self, lei: str) -> Filer:
        """Return the filer of an institution."""
        if lei not in self._filers:
            self._filers[lei] = Filer(self._day, lei, self.log, self._context)
        return self._filers[lei]

    async def all(self, works: Iterable[Awaitable[object]], *, about: str, seconds: float) -> float:
        """Let filers work at once; return the seconds until the last had ended.

        seconds: after which those that have not ended are stopped, and counted as late.
        """
        began = time.monotonic()
        tasks = [asyncio.ensure_future(work) for work in works]
        pending = set(tasks)
        while pending and time.monotonic() < began + seconds:
            _, pending = await asyncio.wait(pending, timeout=_PROGRESS_SECONDS)
            share = f"{len(tasks) - len(pending):,} of {len(tasks):,}"
            progress(f"{about}: {share} ended after {time.monotonic() - began:.0f} s")
        for task in pending:
            task.cancel()
        self.log.late += len(pending)
        for error in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(error, Exception) and not isinstance(error, Refused):
                raise error
        return time.monotonic() - began

    async def close(self) -> None:
        """Close all connections."""
        for filer in self._filers.values():
            await filer.close()


def _wait_of(answer: httpx.Response) -> float | None:
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
