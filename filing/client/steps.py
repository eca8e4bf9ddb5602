"""A whole filing, step by step: start, upload, wait, review, verify, sign."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from filing.client import resumption
from filing.client.api import FilingClient
from filing.client.calls import (
    LEAST_RETRY_PAUSE,
    RETRY_PAUSE,
    RETRY_SECONDS,
    Answer,
    Refused,
    Trouble,
    Unreachable,
    call_with_retries,
    is_temporary_failure,
    new_key,
)
from filing.client.outcome import ENDINGS, Event, NotRun, Outcome, Sent, Standing, Step
from filing.client.resumption import JournalEntry
from filing.lar.years import Period
from filing.statuses import VERIFIABLE, Status

MAX_FORMAT_ERRORS = 100  # lines with formatting errors that are fetched

KINDS = ("syntactical", "validity", "quality", "macro")

_SECOND_LOOK = 1.0  # seconds
_FIRST_CONTACT = 20.0  # seconds in which a server must respond at all
_ISSUING = 120.0  # seconds in which a signed receipt is issued
_UPLOADS = 3  # attempts
_NO_RESPONSE = 0
_ABSENT = frozenset({404, 405})
_BAD_REQUEST, _NOT_FOUND, _CONFLICT = 400, 404, 409

Watch = Callable[[Event], object]


class StillWorking(Trouble):
    """The server responds, but did not finish in time."""


class CannotSign(Trouble):
    """The owner of the token may prepare the filing, but not sign it."""


class LaterSubmission(Trouble):
    """Someone created a later submission, and the server shows only the latest."""


def file(
    client: FilingClient,
    path: Path,
    *,
    lei: str,
    period: Period,
    verify: bool = False,
    sign: bool = False,
    reason: str = "",
    patience: float = RETRY_SECONDS,
    watch: Watch = lambda event: None,
    entry: JournalEntry | None = None,
    piece: int = resumption.PIECE,
) -> Outcome:
    """File a Loan Application Register and return the outcome.

    Starts the filing if needed, uploads the file and waits for the edits. verify: also verify the
    quality and macro edits. sign: also sign if nothing is left to verify; who may not sign sends
    nothing. reason: why the filing is signed again. patience: seconds to wait for the server.
    watch: called with each event. entry: of an earlier run with this file, which is continued.
    piece: bytes; larger files are sent in pieces, if the server accepts them.
    Raises: OSError if the file cannot be read; all other errors are in the outcome.
    """
    run = FilingRun(client, lei, period, patience=patience, watch=watch, entry=entry, piece=piece)
    try:
        if sign:  # before anything is sent that could not be finished
            require_signer(client, lei, period, patience=min(patience, _FIRST_CONTACT))
        run.begin()
        if run.code in {Status.CREATED, Status.UPLOADING}:
            run.upload(path)
        run.finish(verify=verify, sign=sign, reason=reason)
    except CannotSign as error:
        prepare = f"prepare it with --no-sign; a signer then runs hmda sign {lei} {period}."
        run.outcome.error = CannotSign(f"{error} Nothing was sent. Or {prepare}")
    except Trouble as error:
        run.outcome.error = error
    return run.outcome


def require_signer(
    client: FilingClient, lei: str, period: Period, *, patience: float = RETRY_SECONDS
) -> None:
    """Return if the owner of the token may sign for the institution.

    Servers of earlier releases do not say it; they refuse the signature itself.
    Raises: CannotSign.
    """
    try:
        answer = call_with_retries(partial(client.rights, lei, period), patience=patience)
    except Refused as error:
        if error.status in _ABSENT:
            return
        raise
    rights = answer.body.get("rights")
    if isinstance(rights, list) and "sign" not in rights:
        limits = answer.body.get("limits") or "You cannot sign here."
        raise CannotSign(f"{limits} Use the token of a signer, or sign in as one with hmda login.")


def read_number(answer: Answer) -> int:
    """Return the number of the submission in an answer. Raises: Trouble if it is none."""
    number = answer.body["id"]["sequenceNumber"]
    if type(number) is not int or number < 1:
        raise Trouble(f"The server names the submission {number!r}, which is not a number from 1.")
    return number


class FilingRun:
    """The steps of one filing; `outcome` says how far they came. Each raises Trouble."""

    def __init__(
        self,
        client: FilingClient,
        lei: str,
        period: Period,
        *,
        patience: float = RETRY_SECONDS,
        watch: Watch = lambda event: None,
        entry: JournalEntry | None = None,
        piece: int = resumption.PIECE,
    ) -> None:
        self.client, self.filing = client, (lei, period)
        self.patience, self.watch, self.piece = patience, watch, piece
        self.entry = entry or JournalEntry()
        self.outcome = Outcome()

    @property
    def code(self) -> int:
        """The status of the submission."""
        return int(self.outcome.status["code"])

    @property
    def submission(self) -> tuple[str, Period, int]:
        """The submission as the calls name it."""
        return (*self.filing, self.outcome.submission)

    def begin(self) -> None:
        """Go on with the submission of an earlier run; else start the filing and create one."""
        if not self._continues():
            self._start()
            self._create()

    def _continues(self) -> bool:
        if not self.entry.submission:
            return False
        self.outcome.submission = self.entry.submission
        try:
            answer = self._patiently(self._state, "")
        except Refused as error:
            if error.status not in _ABSENT:
                raise
        else:
            self.outcome.status = answer.body["status"]
            if self.code != Status.FAILED:
                self._report("continue", answer)
                return True
        self.entry.forget()
        return False

    def _start(self) -> None:
        """Start the filing, unless it exists."""
        try:
            call = partial(self.client.start_filing, *self.filing, key=new_key())
            started = call_with_retries(call, patience=min(self.patience, _FIRST_CONTACT))
            self._report("start", started)
        except Refused as error:
            if error.status != _BAD_REQUEST or "already exists" not in error.message:
                raise
            self._report("start", error.answer)

    def _create(self) -> None:
        self.entry.save()  # the next run creates it with the same key
        created = self._patiently(
            self.client.create_submission, *self.filing, key=f"{self.entry.key}-create"
        )
        self.outcome.submission = read_number(created)
        self.outcome.status = created.body["status"]
        self.entry.submission = self.outcome.submission
        self.entry.save()
        self._report("create", created)

    def upload(self, path: Path) -> None:
        """Upload the file: a large one in pieces, if the server accepts them."""
        if self.entry.upload or path.stat().st_size > self.piece:
            try:
                if self._upload_in_pieces(path):
                    return
            except Refused as error:
                if error.status != _CONFLICT:
                    raise
                # It has an open upload whose address is not known here.
                self.entry.forget()
                self._create()
                if self._upload_in_pieces(path):
                    return
        self._upload_whole(path)

    def _upload_in_pieces(self, path: Path) -> bool:
        began, total = time.monotonic(), path.stat().st_size
        is_sent = resumption.upload_in_pieces(
            self.client,
            self.submission,
            path,
            entry=self.entry,
            piece=self.piece,
            patience=self.patience,
            on_progress=lambda done: self.watch(Sent(done, total)),
        )
        if is_sent:
            answer = self._patiently(self._state, "")
            self.outcome.status = answer.body["status"]
            self._report("upload", Answer(answer.status, {}, time.monotonic() - began))
        return is_sent

    def _upload_whole(self, path: Path) -> None:
        """Upload the file. Without a response, check whether it arrived before trying again."""
        total, key = path.stat().st_size, new_key()
        for attempt in range(1, _UPLOADS + 1):
            began = time.monotonic()
            try:
                answer = self.client.upload(
                    *self.submission,
                    path,
                    key=key,
                    on_progress=lambda done: self.watch(Sent(done, total)),
                )
            except (Unreachable, Refused) as error:
                if not is_temporary_failure(error):
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

    def finish(self, *, verify: bool, sign: bool, reason: str = "") -> None:
        """Wait for the edits and fetch them; verify and sign as wished."""
        if self.code != Status.SIGNED:
            self.wait()
            self.review()
        if verify:
            self.verify()
        if sign and self.code == Status.VERIFIED:
            self.sign(reason)
        elif self.code == Status.SIGNED:
            self.fetch_receipt()

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
        answer = self.fetch_unrun()
        for kind in KINDS:
            self.outcome.edits[kind] = [
                {**edit, "records": self._records(edit["edit"])}
                for edit in answer.body[kind]["edits"]
            ]

    def fetch_unrun(self) -> Answer:
        """Fetch the edits and report those that were not run; return the answer with all edits.

        Call this before anything is verified or signed.
        """
        answer = self._patiently(self.client.edits, *self.submission)
        self._report("edits", answer)
        # Servers of earlier releases do not say either.
        self.outcome.not_run = answer.body.get("notRun", [])
        self.outcome.rulebook = answer.body.get("rulebook")
        if self.outcome.not_run:
            self.watch(NotRun(self.outcome.not_run))
        return answer

    def _records(self, code: str) -> int:
        page = self._patiently(self.client.edit, *self.submission, code)
        return int(page.body["total"])

    def verify(self) -> None:
        """Verify the quality edits and the macro edits, if there are any."""
        for kind in ("quality", "macro"):
            if self.outcome.edits.get(kind) and self.code in VERIFIABLE:
                answer = self._patiently(self.client.verify, *self.submission, kind, key=new_key())
                self.outcome.status = answer.body["status"]
                self._report(f"verify {kind}", answer)

    def sign(self, reason: str = "") -> None:
        """Sign. Without a response, check whether the signature arrived."""
        key = new_key()
        until = time.monotonic() + self.patience
        while True:
            try:
                answer = self.client.sign(*self.submission, reason=reason, key=key)
                break
            except (Unreachable, Refused) as error:
                if not is_temporary_failure(error) or time.monotonic() > until:
                    raise
                time.sleep(RETRY_PAUSE)
                answer = self._patiently(self.client.receipt, *self.submission)
                if answer.body["receipt"]:
                    break
        self._signed("sign", answer)

    def fetch_receipt(self) -> None:
        """Fetch the receipt of a signed submission."""
        self._signed("receipt", self._patiently(self.client.receipt, *self.submission))

    def signed_receipt(self, number: int) -> bytes:
        """Return the signed receipt of a submission, byte for byte; wait until it is issued."""
        until = time.monotonic() + min(self.patience, _ISSUING)
        while True:
            try:
                call = partial(self.client.receipt_file, *self.filing, number)
                return call_with_retries(call, patience=self.patience).content
            except Refused as error:
                is_issued_later = error.status == _NOT_FOUND and "not issued yet" in error.message
                if not is_issued_later or time.monotonic() > until:
                    raise
            time.sleep(RETRY_PAUSE)

    def _signed(self, step: str, answer: Answer) -> None:
        self.outcome.receipt = answer.body
        self.outcome.status = answer.body["status"]
        self._report(step, answer)

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
            pause = RETRY_PAUSE if answer.wait is None else max(answer.wait, LEAST_RETRY_PAUSE)
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
        if answer.body and read_number(answer) != self.outcome.submission:
            raise LaterSubmission(f"Submission {self.outcome.submission} is no longer the latest.")
        return answer

    def _patiently(self, call: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
        """Return the response of a call, repeated while the server is temporarily unavailable."""
        return call_with_retries(partial(call, *arguments, **options), patience=self.patience)

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
