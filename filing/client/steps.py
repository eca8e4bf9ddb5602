"""A whole filing, step by step: start, upload, wait, review, verify, sign."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filing.client.api import Answer, FilingClient, Refused, Trouble, Unreachable
from filing.client.outcome import ENDINGS, Event, Outcome, Sent, Standing, Step
from filing.lar.period import Period
from filing.statuses import VERIFIABLE, Status

PATIENCE = 3600.0  # seconds to wait for the server in one step
MAX_FORMAT_ERRORS = 100  # lines with formatting errors that are fetched

KINDS = ("syntactical", "validity", "quality", "macro")

# Seconds between calls if the server names none; and the least, whatever it names.
_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
_LEAST_PAUSE = 0.05
_SECOND_LOOK = 1.0
_UPLOADS = 3  # attempts
_NO_RESPONSE = 0
# Statuses after which the same call may succeed a moment later.
_TEMPORARY = frozenset({429, 500, 502, 503, 504})
_ABSENT = frozenset({404, 405})

Watch = Callable[[Event], object]


class StillWorking(Trouble):
    """The server responds, but did not finish in time."""


class Overtaken(Trouble):
    """Someone created a later submission, and the server shows only the latest."""


def file(
    client: FilingClient,
    path: Path,
    *,
    lei: str,
    period: Period,
    verify: bool = False,
    sign: bool = False,
    patience: float = PATIENCE,
    watch: Watch = lambda event: None,
) -> Outcome:
    """File a Loan Application Register and return the outcome.

    Starts the filing if needed, uploads the file and waits for the edits. verify: also verify the
    quality and macro edits. sign: also sign if nothing is left to verify. patience: seconds to wait
    for the server. watch: called with each event.
    Raises: OSError if the file cannot be read; all other errors are in the outcome.
    """
    run = _Run(client, lei, period, patience, watch)
    try:
        run.begin()
        run.upload(path)
        run.wait()
        run.review()
        if verify:
            run.verify()
        if sign and run.code == Status.VERIFIED:
            run.sign()
    except Trouble as error:
        run.outcome.error = error
    return run.outcome


class _Run:
    def __init__(
        self, client: FilingClient, lei: str, period: Period, patience: float, watch: Watch
    ) -> None:
        self.client, self.filing = client, (lei, period)
        self.patience, self.watch = patience, watch
        self.outcome = Outcome()

    @property
    def code(self) -> int:
        return int(self.outcome.status["code"])

    @property
    def submission(self) -> tuple[str, Period, int]:
        return (*self.filing, self.outcome.submission)

    def begin(self) -> None:
        """Start the filing, unless it exists, and create a submission."""
        try:
            self._report("start", self.client.start_filing(*self.filing))
        except Refused as error:
            if error.status != 400 or "already exists" not in error.message:
                raise
            self._report("start", error.answer)
        created = self.client.create_submission(*self.filing)
        self.outcome.submission = created.body["id"]["sequenceNumber"]
        self.outcome.status = created.body["status"]
        self._report("create", created)

    def upload(self, path: Path) -> None:
        """Upload the file. Without a response, check whether it arrived before trying again."""
        total = path.stat().st_size
        for attempt in range(1, _UPLOADS + 1):
            began = time.monotonic()
            try:
                answer = self.client.upload(
                    *self.submission, path, on_progress=lambda done: self.watch(Sent(done, total))
                )
            except (Unreachable, Refused) as error:
                if isinstance(error, Refused) and error.status not in _TEMPORARY:
                    raise
                self._report("upload", Answer(_NO_RESPONSE, {}, time.monotonic() - began))
                if self._has_arrived():
                    return
                if attempt == _UPLOADS:
                    raise
            else:
                self.outcome.status = answer.body["status"]
                self._report("upload", answer)
                return

    def _has_arrived(self) -> bool:
        self._watch_while(lambda: self.code == Status.UPLOADING)
        return self.code != Status.CREATED

    def wait(self) -> None:
        """Wait until processing finishes."""
        began = time.monotonic()
        last = self._watch_while(lambda: not Status(self.code).is_settled)
        if self.code == Status.QUALITY_ERRORS:  # macro edits may follow at once
            time.sleep(_SECOND_LOOK)
            last = self._watch_while(lambda: not Status(self.code).is_settled)
        self._report("wait", Answer(last.status, {}, time.monotonic() - began))

    def review(self) -> None:
        """Fetch the formatting errors, or the edits with their numbers of records."""
        if self.code == Status.PARSED_WITH_ERRORS:
            self._fetch_format_errors()
        elif self.code in ENDINGS:
            self._fetch_edits()

    def _fetch_format_errors(self) -> None:
        lines, page = self.outcome.format_errors, 1
        while True:
            answer = self._patiently(self.client.format_errors, *self.submission, page=page)
            lines += answer.body["transmittalSheetErrors"] + answer.body["larErrors"]
            self.outcome.format_error_lines = answer.body["total"]
            if len(lines) >= min(answer.body["total"], MAX_FORMAT_ERRORS):
                break
            page += 1
        self._report("format errors", answer)

    def _fetch_edits(self) -> None:
        answer = self._patiently(self.client.edits, *self.submission)
        self._report("edits", answer)
        for kind in KINDS:
            self.outcome.edits[kind] = [
                {**edit, "records": self._records(edit["edit"])}
                for edit in answer.body[kind]["edits"]
            ]

    def _records(self, code: str) -> int:
        page = self._patiently(self.client.edit, *self.submission, code)
        return int(page.body["total"])

    def verify(self) -> None:
        """Verify the quality edits and the macro edits, if there are any."""
        for kind in ("quality", "macro"):
            if self.outcome.edits.get(kind) and self.code in VERIFIABLE:
                answer = self._patiently(self.client.verify, *self.submission, kind)
                self.outcome.status = answer.body["status"]
                self._report(f"verify {kind}", answer)

    def sign(self) -> None:
        """Sign. Without a response, check whether the signature arrived."""
        try:
            answer = self.client.sign(*self.submission)
        except Unreachable:
            answer = self._patiently(self.client.receipt, *self.submission)
            if not answer.body["receipt"]:
                raise
        self.outcome.receipt = answer.body
        self.outcome.status = answer.body["status"]
        self._report("sign", answer)

    def _watch_while(self, continues: Callable[[], bool]) -> Answer:
        """Request the state at the server's pace while the condition holds; return the last one."""
        until, etag = time.monotonic() + self.patience, ""
        while True:
            answer = self._patiently(self._state, etag)
            if answer.body:
                etag = answer.etag
                self.outcome.status = answer.body["status"]
                self._report_status(answer.body)
            if not continues():
                return answer
            pause = _PAUSE if answer.wait is None else max(answer.wait, _LEAST_PAUSE)
            if time.monotonic() + pause > until:
                message = self.outcome.status["message"]
                raise StillWorking(f"After {self.patience:.0f} s, the status is still: {message}")
            time.sleep(pause)

    def _state(self, etag: str) -> Answer:
        """Return the submission; from a server without that endpoint, the latest one."""
        try:
            return self.client.submission(*self.submission, etag=etag)
        except Refused as error:
            if error.status not in _ABSENT:
                raise
        answer = self.client.latest(*self.filing, etag=etag)
        if answer.body and answer.body["id"]["sequenceNumber"] != self.outcome.submission:
            raise Overtaken(f"Submission {self.outcome.submission} is no longer the latest.")
        return answer

    def _patiently(self, call: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
        """Return the response of a call, repeated while the server is temporarily unavailable.

        Only for calls that can be repeated without harm.
        """
        until, pause = time.monotonic() + self.patience, _PAUSE
        while True:
            try:
                return call(*arguments, **options)
            except (Unreachable, Refused) as error:
                retry_after = error.answer.wait if isinstance(error, Refused) else None
                is_temporary = isinstance(error, Unreachable) or error.status in _TEMPORARY
                wait = pause if retry_after is None else max(retry_after, _LEAST_PAUSE)
                if not is_temporary or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _report_status(self, body: dict[str, Any]) -> None:
        progress = body.get("progress") or {}
        self.watch(
            Standing(
                body["status"]["code"],
                body["status"]["message"],
                progress.get("rowsDone", 0),
                progress.get("rowsTotal", 0),
            )
        )

    def _report(self, name: str, answer: Answer) -> None:
        step = Step(name, answer.status, round(answer.seconds, 3))
        self.outcome.steps.append(step)
        self.watch(step)
