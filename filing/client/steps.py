"""A filing from the file to the receipt, step by step, as somebody at a keyboard would do it."""

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
SHOWN_FORMAT_ERRORS = 100  # lines with format errors that are fetched

KINDS = ("syntactical", "validity", "quality", "macro")

# Seconds between questions when the server names none; and the least, whatever it names.
_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
_LEAST_PAUSE = 0.05
_SECOND_LOOK = 1.0
_UPLOADS = 3  # attempts
_NO_ANSWER = 0
# Answers of a server that may do better a moment later.
_PASSING = frozenset({429, 500, 502, 503, 504})
_ABSENT = frozenset({404, 405})

Watch = Callable[[Event], object]


class StillWorking(Trouble):
    """The server answers, but did not finish in time."""


class Overtaken(Trouble):
    """Somebody else has created a later submission, and the server shows only the latest."""


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
    """File a register: start the filing if nobody has, upload, wait, and show what was found.

    verify: confirm the quality and macro edits. sign: sign when nothing is left to verify.
    patience: seconds to wait for the server. watch: told what happens.
    Raises: OSError when the file cannot be read; everything else is in the outcome.
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
        self.client, self.where = client, (lei, period)
        self.patience, self.watch = patience, watch
        self.outcome = Outcome()

    @property
    def code(self) -> int:
        return int(self.outcome.status["code"])

    @property
    def here(self) -> tuple[str, Period, int]:
        return (*self.where, self.outcome.submission)

    def begin(self) -> None:
        """Start the filing, if nobody has, and create a submission."""
        try:
            self._did("start", self.client.start_filing(*self.where))
        except Refused as error:
            if error.status != 400 or "already exists" not in error.message:
                raise
            self._did("start", error.answer)
        created = self.client.create_submission(*self.where)
        self.outcome.submission = created.body["id"]["sequenceNumber"]
        self.outcome.status = created.body["status"]
        self._did("create", created)

    def upload(self, path: Path) -> None:
        """Upload the file. Where no answer comes, look first whether it has arrived."""
        total = path.stat().st_size
        for attempt in range(1, _UPLOADS + 1):
            began = time.monotonic()
            try:
                answer = self.client.upload(
                    *self.here, path, sent=lambda done: self.watch(Sent(done, total))
                )
            except (Unreachable, Refused) as error:
                if isinstance(error, Refused) and error.status not in _PASSING:
                    raise
                self._did("upload", Answer(_NO_ANSWER, {}, time.monotonic() - began))
                if self._has_arrived():
                    return
                if attempt == _UPLOADS:
                    raise
            else:
                self.outcome.status = answer.body["status"]
                self._did("upload", answer)
                return

    def _has_arrived(self) -> bool:
        self._watch_while(lambda: self.code == Status.UPLOADING)
        return self.code != Status.CREATED

    def wait(self) -> None:
        """Wait until the submission rests."""
        began = time.monotonic()
        last = self._watch_while(lambda: not Status(self.code).rests)
        if self.code == Status.QUALITY_ERRORS:  # macro edits may follow at once
            time.sleep(_SECOND_LOOK)
            last = self._watch_while(lambda: not Status(self.code).rests)
        self._did("wait", Answer(last.status, {}, time.monotonic() - began))

    def review(self) -> None:
        """Fetch what was found: lines that cannot be read, or edits with their numbers."""
        if self.code == Status.PARSED_WITH_ERRORS:
            self._fetch_format_errors()
        elif self.code in ENDINGS:
            self._fetch_edits()

    def _fetch_format_errors(self) -> None:
        found, page = self.outcome.format_errors, 1
        while True:
            answer = self._patiently(self.client.format_errors, *self.here, page=page)
            found += answer.body["transmittalSheetErrors"] + answer.body["larErrors"]
            self.outcome.format_error_lines = answer.body["total"]
            if len(found) >= min(answer.body["total"], SHOWN_FORMAT_ERRORS):
                break
            page += 1
        self._did("format errors", answer)

    def _fetch_edits(self) -> None:
        answer = self._patiently(self.client.edits, *self.here)
        self._did("edits", answer)
        for kind in KINDS:
            self.outcome.edits[kind] = [
                {**edit, "records": self._records(edit["edit"])}
                for edit in answer.body[kind]["edits"]
            ]

    def _records(self, code: str) -> int:
        page = self._patiently(self.client.edit, *self.here, code)
        return int(page.body["total"])

    def verify(self) -> None:
        """Verify the quality edits and the macro edits, as far as there are any."""
        for kind in ("quality", "macro"):
            if self.outcome.edits.get(kind) and self.code in VERIFIABLE:
                answer = self._patiently(self.client.verify, *self.here, kind)
                self.outcome.status = answer.body["status"]
                self._did(f"verify {kind}", answer)

    def sign(self) -> None:
        """Sign. Where no answer comes, look whether the signature has arrived."""
        try:
            answer = self.client.sign(*self.here)
        except Unreachable:
            answer = self._patiently(self.client.receipt, *self.here)
            if not answer.body["receipt"]:
                raise
        self.outcome.receipt = answer.body
        self.outcome.status = answer.body["status"]
        self._did("sign", answer)

    def _watch_while(self, goes_on: Callable[[], bool]) -> Answer:
        """Ask for the state, as often as the server likes, until it is reached."""
        until, etag = time.monotonic() + self.patience, ""
        while True:
            answer = self._patiently(self._state, etag)
            if answer.body:
                etag = answer.etag
                self.outcome.status = answer.body["status"]
                self._tell(answer.body)
            if not goes_on():
                return answer
            pause = _PAUSE if answer.wait is None else max(answer.wait, _LEAST_PAUSE)
            if time.monotonic() + pause > until:
                message = self.outcome.status["message"]
                raise StillWorking(f"After {self.patience:.0f} s the status is still: {message}")
            time.sleep(pause)

    def _state(self, etag: str) -> Answer:
        """Return the submission, by way of the latest one where a server knows no other."""
        try:
            return self.client.submission(*self.here, etag=etag)
        except Refused as error:
            if error.status not in _ABSENT:
                raise
        answer = self.client.latest(*self.where, etag=etag)
        if answer.body and answer.body["id"]["sequenceNumber"] != self.outcome.submission:
            raise Overtaken(f"Submission {self.outcome.submission} is not the latest any more.")
        return answer

    def _patiently(self, ask: Callable[..., Answer], *about: Any, **options: Any) -> Answer:
        """Return an answer, asking again while the server is away for a moment.

        Only for what may be asked twice without harm.
        """
        until, pause = time.monotonic() + self.patience, _PAUSE
        while True:
            try:
                return ask(*about, **options)
            except (Unreachable, Refused) as error:
                named = error.answer.wait if isinstance(error, Refused) else None
                passes = isinstance(error, Unreachable) or error.status in _PASSING
                wait = pause if named is None else max(named, _LEAST_PAUSE)
                if not passes or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _tell(self, body: dict[str, Any]) -> None:
        progress = body.get("progress") or {}
        self.watch(
            Standing(
                body["status"]["code"],
                body["status"]["message"],
                progress.get("rowsDone", 0),
                progress.get("rowsTotal", 0),
            )
        )

    def _did(self, name: str, answer: Answer) -> None:
        step = Step(name, answer.status, round(answer.seconds, 3))
        self.outcome.steps.append(step)
        self.watch(step)
