"""The statuses of a submission and the moves between them, for all other modules to read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, unique


class Status(IntEnum):
    """The status of a submission; the value is the code that callers see."""

    FAILED = -1
    CREATED = 1
    UPLOADING = 2
    UPLOADED = 3
    PARSING = 4
    PARSED_WITH_ERRORS = 5
    PARSED = 6
    VALIDATING = 7
    SYNTACTICAL_OR_VALIDITY = 8
    SYNTACTICAL_OR_VALIDITY_ERRORS = 9
    QUALITY = 10
    QUALITY_ERRORS = 11
    MACRO = 12
    MACRO_ERRORS = 13
    VERIFIED = 14
    SIGNED = 15

    @property
    def message(self) -> str:
        return _MEANINGS[self].message

    def description(self, *, signing: bool) -> str:
        """Return what the status means and what comes next, on a site with or without signing."""
        meaning = _MEANINGS[self]
        if signing and meaning.if_signing:
            return f"{meaning.description} {meaning.if_signing}"
        return meaning.description

    @property
    def is_settled(self) -> bool:
        """True where only a person can change the status, false while the service works on it."""
        return _MEANINGS[self].settled


@dataclass(frozen=True)
class _Meaning:
    """The texts of a status.

    settled: whether only a person can change it. if_signing: what the description adds on a site
    that takes signatures.
    """

    message: str
    description: str
    settled: bool = False
    if_signing: str = ""


_MEANINGS = {
    Status.CREATED: _Meaning(
        "No data has been uploaded yet.",
        "The filing period is open and a file can be uploaded. The file must be pipe-delimited "
        "text (.txt).",
        settled=True,
    ),
    Status.UPLOADING: _Meaning(
        "Your file is uploading.",
        "The upload is in progress.",
    ),
    Status.UPLOADED: _Meaning(
        "Your file has been uploaded.",
        "The data is stored and ready to be analyzed.",
    ),
    Status.PARSING: _Meaning(
        "Checking the formatting of your data.",
        "The formatting of the data is being checked.",
    ),
    Status.PARSED_WITH_ERRORS: _Meaning(
        "Your data has formatting errors.",
        "The formatting errors must be fixed and a corrected file uploaded in a new submission.",
        settled=True,
    ),
    Status.PARSED: _Meaning(
        "Your data is formatted correctly.",
        "The formatting of the data is correct. The analysis of edits follows.",
    ),
    Status.VALIDATING: _Meaning(
        "Your data is being analyzed.",
        "The edits are being run on the data.",
    ),
    Status.SYNTACTICAL_OR_VALIDITY: _Meaning(
        "Your data has been analyzed for Syntactical and Validity Errors.",
        "The data has no syntactical or validity errors.",
    ),
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: _Meaning(
        "Your data has syntactical and/or validity edits that need to be reviewed.",
        "The filing cannot continue until the file is corrected and uploaded in a new submission.",
        settled=True,
        if_signing="Syntactical and validity edits cannot be verified.",
    ),
    Status.QUALITY: _Meaning(
        "Your data has been analyzed for Quality Errors.",
        "The data has no quality errors.",
    ),
    Status.QUALITY_ERRORS: _Meaning(
        "Your data has quality edits that need to be reviewed.",
        "The filing cannot continue until the quality edits are verified, or the file is corrected "
        "and uploaded in a new submission.",
        settled=True,
    ),
    Status.MACRO: _Meaning(
        "Your data has been analyzed for macro errors.",
        "The data has no macro errors.",
    ),
    Status.MACRO_ERRORS: _Meaning(
        "Your data has macro edits that need to be reviewed.",
        "The filing cannot continue until the edits are verified, or the file is corrected and "
        "uploaded in a new submission.",
        settled=True,
    ),
    Status.VERIFIED: _Meaning(
        "Your data is ready for submission.",
        "The data has been certified by the institution, but it is not submitted yet.",
        settled=True,
    ),
    Status.SIGNED: _Meaning(
        "Your submission has been accepted.",
        "The filing is complete. A later upload does not replace it until all edits of the new "
        "file are cleared or verified and the new file is submitted.",
        settled=True,
    ),
    Status.FAILED: _Meaning(
        "An error occurred while submitting the data.",
        "The file must be uploaded again in a new submission.",
        settled=True,
    ),
}
# The statuses in which a kind of edit may be verified, or its verification removed.
VERIFIABLE = frozenset(
    {
        Status.QUALITY,
        Status.QUALITY_ERRORS,
        Status.MACRO,
        Status.MACRO_ERRORS,
        Status.VERIFIED,
    }
)


@unique
class Event(Enum):
    """An event in the history of a submission, stored by name and shown by label.

    Most events change the status (see `MOVES`); the others are only recorded.
    """

    CREATED = "Submission created"
    UPLOAD_STARTED = "Upload began"
    UPLOAD_REFUSED = "Upload refused"
    UPLOAD_ABANDONED = "Upload timed out"
    UPLOAD_FINISHED = "Upload complete"
    PARSE_STARTED = "Reading the file began"
    PARSE_FOUND_ERRORS = "Formatting errors found"
    PARSE_PASSED = "No formatting errors found"
    EDITS_STARTED = "Running the edits began"
    SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS = "Syntactical or validity edits triggered"
    SYNTACTICAL_AND_VALIDITY_PASSED = "Syntactical and validity edits passed"
    QUALITY_FOUND_ERRORS = "Quality edits triggered"
    QUALITY_PASSED = "Quality edits passed"
    MACRO_FOUND_ERRORS = "Macro edits triggered"
    MACRO_PASSED = "Macro edits passed"
    NOTHING_TO_VERIFY = "Nothing to verify"
    QUALITY_VERIFIED = "Quality edits verified"
    QUALITY_NOT_VERIFIED = "Verification of the quality edits removed"
    MACRO_VERIFIED = "Macro edits verified"
    MACRO_NOT_VERIFIED = "Verification of the macro edits removed"
    EVERYTHING_VERIFIED = "Everything verified"
    MACRO_UNVERIFIED = "Macro edits must be verified"
    QUALITY_UNVERIFIED = "Quality edits must be verified"
    SIGNED = "Signed"
    FAILED = "Failed"
    NOT_TEXT_FOUND = "The file is not UTF-8 text"
    NO_RULES_FOUND = "The period has no rules to check files with"
    STOPPED = "Stopped by staff"
    WORKERS_TOLD_AGAIN = "Workers notified again by staff"
    PARSE_RETRIED = "Retried by staff, from the reading of the file"
    EDITS_RETRIED = "Retried by staff, from the edits"
    EDITS_RUN_AGAIN = "Edits run again"
    DISCARDED = "Discarded"

    @property
    def label(self) -> str:
        return self.value

    @property
    def is_setback(self) -> bool:
        """True where an upload, a check or the submission failed."""
        return self in _SETBACKS


_SETBACKS = frozenset(
    {
        Event.UPLOAD_REFUSED,
        Event.UPLOAD_ABANDONED,
        Event.FAILED,
        Event.NOT_TEXT_FOUND,
        Event.NO_RULES_FOUND,
        Event.STOPPED,
    }
)
_AUTOMATIC = (
    Status.UPLOADING,
    Status.UPLOADED,
    Status.PARSING,
    Status.PARSED,
    Status.VALIDATING,
    Status.SYNTACTICAL_OR_VALIDITY,
    Status.QUALITY,
    Status.QUALITY_ERRORS,
    Status.MACRO,
)

# The statuses with results of edits, before signing.
EDITED = (
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS,
    Status.QUALITY_ERRORS,
    Status.MACRO_ERRORS,
    Status.VERIFIED,
)

# Anything not in this table is refused. After any verification the status is: verified when every
# kind that has edits is verified, else macro errors when macro edits exist, else quality errors.
MOVES: dict[tuple[Status, Event], Status] = {
    (Status.CREATED, Event.UPLOAD_STARTED): Status.UPLOADING,
    (Status.UPLOADING, Event.UPLOAD_REFUSED): Status.CREATED,
    (Status.UPLOADING, Event.UPLOAD_ABANDONED): Status.CREATED,
    (Status.UPLOADING, Event.UPLOAD_FINISHED): Status.UPLOADED,
    (Status.UPLOADED, Event.PARSE_STARTED): Status.PARSING,
    (Status.PARSING, Event.PARSE_FOUND_ERRORS): Status.PARSED_WITH_ERRORS,
    (Status.PARSING, Event.PARSE_PASSED): Status.PARSED,
    (Status.PARSED, Event.EDITS_STARTED): Status.VALIDATING,
    (
        Status.VALIDATING,
        Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS,
    ): Status.SYNTACTICAL_OR_VALIDITY_ERRORS,
    (Status.VALIDATING, Event.SYNTACTICAL_AND_VALIDITY_PASSED): Status.SYNTACTICAL_OR_VALIDITY,
    (Status.SYNTACTICAL_OR_VALIDITY, Event.QUALITY_FOUND_ERRORS): Status.QUALITY_ERRORS,
    (Status.SYNTACTICAL_OR_VALIDITY, Event.QUALITY_PASSED): Status.QUALITY,
    (Status.QUALITY_ERRORS, Event.MACRO_FOUND_ERRORS): Status.MACRO_ERRORS,
    (Status.QUALITY, Event.MACRO_FOUND_ERRORS): Status.MACRO_ERRORS,
    (Status.QUALITY, Event.MACRO_PASSED): Status.MACRO,
    (Status.MACRO, Event.NOTHING_TO_VERIFY): Status.VERIFIED,
    (Status.QUALITY_ERRORS, Event.EVERYTHING_VERIFIED): Status.VERIFIED,
    (Status.MACRO_ERRORS, Event.EVERYTHING_VERIFIED): Status.VERIFIED,
    (Status.VERIFIED, Event.MACRO_UNVERIFIED): Status.MACRO_ERRORS,
    (Status.VERIFIED, Event.QUALITY_UNVERIFIED): Status.QUALITY_ERRORS,
    (Status.VERIFIED, Event.SIGNED): Status.SIGNED,
    **{(status, Event.FAILED): Status.FAILED for status in _AUTOMATIC},
    (Status.PARSING, Event.NOT_TEXT_FOUND): Status.FAILED,
    (Status.VALIDATING, Event.NOT_TEXT_FOUND): Status.FAILED,
    (Status.VALIDATING, Event.NO_RULES_FOUND): Status.FAILED,
    # Actions of staff. No move leads away from a signature.
    **{
        (status, Event.STOPPED): Status.FAILED
        for status in Status
        if status not in {Status.SIGNED, Status.FAILED}
    },
    (Status.FAILED, Event.PARSE_RETRIED): Status.UPLOADED,
    (Status.FAILED, Event.EDITS_RETRIED): Status.PARSED,
    **{(status, Event.EDITS_RUN_AGAIN): Status.PARSED for status in EDITED},
}


@unique
class Side(Enum):
    """Whose fault a failure is."""

    SENDER = "sender"
    RULES = "rules"
    SERVICE = "service"
    OPERATOR = "operator"


@dataclass(frozen=True)
class Fault:
    """Why a submission failed, as its filer reads it: whose turn it is, and what to do.

    side: whose fault it is. title: on pages. subject: of the email, after the name of the
    submission. next_step: who acts next, and how. takes_again: whether uploading the file again
    may help.
    """

    side: Side
    title: str
    subject: str
    next_step: str
    takes_again: bool = True

    @property
    def is_ours(self) -> bool:
        """True where staff act next, and the filer need not do anything."""
        return self.side in {Side.SERVICE, Side.RULES}


# By the event that ended the submission; its `failure` adds what is wrong in this case.
FAULTS = {
    Event.FAILED: Fault(
        Side.SERVICE,
        "Something went wrong on our side",
        "could not be checked, by a fault of ours",
        "The help desk acts next: it sees this submission in its list of those that need "
        "attention. You can also upload the file again.",
    ),
    Event.NOT_TEXT_FOUND: Fault(
        Side.SENDER,
        "Your file is not UTF-8 text",
        "cannot be read: save the file as UTF-8",
        "You act next: save the file as UTF-8, and upload it again in a new submission.",
    ),
    Event.NO_RULES_FOUND: Fault(
        Side.RULES,
        "No edits could be run on your file",
        "could not be checked: its period has no rules",
        "The help desk acts next: once the period has rules, it runs the edits on this file. You "
        "need not upload it again.",
        takes_again=False,
    ),
    Event.STOPPED: Fault(
        Side.OPERATOR,
        "Stopped by the help desk",
        "was stopped by the help desk",
        "The help desk stopped this submission for this reason. You act next: upload the file "
        "again in a new submission.",
    ),
}
_BY_US = {
    "parse": "We could not read your file.",
    "edits": "We could not run the edits on your file.",
}


def fault_of_ours(stage: str, *, reference: str) -> str:
    """Return what the filer reads when a stage of checking failed, in sentences.

    reference: the number to quote, by which the help desk finds the submission.
    """
    beginning = _BY_US.get(stage, "We could not check your file.")
    return f"{beginning} This is our fault; you need not do anything. Reference {reference}."


class FilingStatus(IntEnum):
    """The status of a filing, from its submissions and the actions of operators."""

    CANCELLED = -1
    NOT_STARTED = 1
    IN_PROGRESS = 2
    COMPLETED = 3

    @property
    def message(self) -> str:
        """The status as programs match it."""
        return self.name.lower().replace("_", "-")

    @property
    def label(self) -> str:
        """The status as people read it."""
        return "canceled" if self is FilingStatus.CANCELLED else self.message
