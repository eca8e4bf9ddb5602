"""The events during a filing, and its outcome."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any

from filing.statuses import Status


class Ending(IntEnum):
    """How a filing ended; the value is the exit code of the command."""

    DONE = 0
    MUST_BE_CORRECTED = 1
    MUST_BE_VERIFIED = 2
    FAILED = 3
    UNREACHABLE = 4

    @property
    def word(self) -> str:
        """The name in JSON documents."""
        return self.name.lower().replace("_", "-")


ENDINGS = {
    Status.PARSED_WITH_ERRORS: Ending.MUST_BE_CORRECTED,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: Ending.MUST_BE_CORRECTED,
    Status.QUALITY_ERRORS: Ending.MUST_BE_VERIFIED,
    Status.MACRO_ERRORS: Ending.MUST_BE_VERIFIED,
    Status.VERIFIED: Ending.DONE,
    Status.SIGNED: Ending.DONE,
}


@dataclass(frozen=True, slots=True)
class Step:
    """One completed step. status: the HTTP status, 0 without a response."""

    name: str
    status: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Sent:
    """The progress of the upload, in bytes."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The status of the submission: code and message, and the progress of a running stage."""

    code: int
    message: str
    rows_done: int = 0
    rows_total: int = 0


@dataclass(frozen=True, slots=True)
class NotRun:
    """Edits that were not run, each with its reason: they neither passed nor were triggered."""

    edits: list[dict[str, str]]

    def sentences(self) -> list[str]:
        """Return a sentence for each reason, with the codes of its edits."""
        reasons = dict.fromkeys(edit["reason"] for edit in self.edits)
        codes = {
            reason: dict.fromkeys(e["edit"] for e in self.edits if e["reason"] == reason)
            for reason in reasons
        }
        return [f"Not run: {', '.join(codes[reason])} ({reason})." for reason in reasons]


Event = Step | Sent | Standing | NotRun


@dataclass(slots=True)
class Outcome:
    """The outcome of a filing, complete up to the point where it ended.

    was_signed: an earlier run or another person had signed the same file, so nothing was sent.
    status: code, message and description. edits: by kind, each with its number of records.
    not_run: edits that neither passed nor were triggered, each with its reason. rulebook: the year
    of the rules, and whether they are provisional; None from an earlier release of the server.
    format_errors: the first lines with formatting errors; format_error_lines: how many there are.
    """

    submission: int = 0
    status: dict[str, Any] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    format_errors: list[dict[str, Any]] = field(default_factory=list)
    format_error_lines: int = 0
    edits: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    not_run: list[dict[str, str]] = field(default_factory=list)
    rulebook: dict[str, Any] | None = None
    receipt: dict[str, Any] | None = None
    error: Exception | None = None
    was_signed: bool = False

    @property
    def ending(self) -> Ending:
        from filing.client.calls import Unreachable  # an HTTP client, which checks do not need

        if isinstance(self.error, Unreachable):
            return Ending.UNREACHABLE
        if self.error is not None:
            return Ending.FAILED
        if self.was_signed:
            return Ending.DONE
        return ENDINGS.get(self.status["code"], Ending.FAILED)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {
            "ending": self.ending.word,
            "error": str(self.error) if self.error else None,
            "submission": self.submission,
            "status": self.status,
            "steps": [asdict(step) for step in self.steps],
            "formatErrors": self.format_errors,
            "formatErrorLines": self.format_error_lines,
            "edits": self.edits,
            "notRun": self.not_run,
            "rulebook": self.rulebook,
            "receipt": self.receipt,
        }
