"""The states of a submission and the moves between them: one table that everybody reads."""

from __future__ import annotations

from enum import Enum, IntEnum, auto


class Status(IntEnum):
    """Where a submission stands; the value is the code that callers see."""

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
        return _TEXTS[self][0]

    def description(self, *, signing: bool) -> str:
        """Return what the status means and what comes next, on a site with or without signing."""
        text = _TEXTS[self][1]
        if self is Status.SYNTACTICAL_OR_VALIDITY_ERRORS and signing:
            return f"{text} {_CANNOT_BE_VERIFIED}"
        return text

    @property
    def rests(self) -> bool:
        """True where the submission waits for a person, false where a worker goes on."""
        return self in _RESTS


_TEXTS = {
    Status.CREATED: (
        "No data has been uploaded yet.",
        "The filing period is open and a file can be uploaded. The file must be pipe-delimited "
        "text (.txt).",
    ),
    Status.UPLOADING: (
        "Your file is uploading.",
        "The upload is in progress.",
    ),
    Status.UPLOADED: (
        "Your file has been uploaded.",
        "The data is stored and ready to be analyzed.",
    ),
    Status.PARSING: (
        "Checking the formatting of your data.",
        "The formatting of the data is being checked.",
    ),
    Status.PARSED_WITH_ERRORS: (
        "Your data has formatting errors.",
        "The formatting errors must be fixed and a corrected file uploaded in a new submission.",
    ),
    Status.PARSED: (
        "Your data is formatted correctly.",
        "The formatting of the data is correct. The analysis of edits follows.",
    ),
    Status.VALIDATING: (
        "Your data is being analyzed.",
        "The edits are being run on the data.",
    ),
    Status.SYNTACTICAL_OR_VALIDITY: (
        "Your data has been analyzed for Syntactical and Validity Errors.",
        "The data has no syntactical or validity errors.",
    ),
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: (
        "Your data has syntactical and/or validity edits that need to be reviewed.",
        "The filing cannot go on until the file is corrected and uploaded in a new submission.",
    ),
    Status.QUALITY: (
        "Your data has been analyzed for Quality Errors.",
        "The data has no quality errors.",
    ),
    Status.QUALITY_ERRORS: (
        "Your data has quality edits that need to be reviewed.",
        "The filing cannot go on until the quality edits are verified, or the file is corrected "
        "and uploaded in a new submission.",
    ),
    Status.MACRO: (
        "Your data has been analyzed for macro errors.",
        "The data has no macro errors.",
    ),
    Status.MACRO_ERRORS: (
        "Your data has macro edits that need to be reviewed.",
        "The filing cannot go on until the edits are verified, or the file is corrected and "
        "uploaded in a new submission.",
    ),
    Status.VERIFIED: (
        "Your data is ready for submission.",
        "The data has been certified by the institution, but it is not submitted yet.",
    ),
    Status.SIGNED: (
        "Your submission has been accepted.",
        "The filing is complete. A later upload does not replace it until all edits of the new "
        "file are cleared or verified and the new file is submitted.",
    ),
    Status.FAILED: (
        "An error occurred while submitting the data.",
        "The file must be uploaded again in a new submission.",
    ),
}
_CANNOT_BE_VERIFIED = "Syntactical and validity edits cannot be verified."
_RESTS = frozenset(
    {
        Status.FAILED,
        Status.CREATED,
        Status.PARSED_WITH_ERRORS,
        Status.SYNTACTICAL_OR_VALIDITY_ERRORS,
        Status.QUALITY_ERRORS,
        Status.MACRO_ERRORS,
        Status.VERIFIED,
        Status.SIGNED,
    }
)
# The states in which a kind of edit may be verified, or its verification taken back.
VERIFIABLE = frozenset(
    {
        Status.QUALITY,
        Status.QUALITY_ERRORS,
        Status.MACRO,
        Status.MACRO_ERRORS,
        Status.VERIFIED,
    }
)


class Event(Enum):
    """What happened to a submission."""

    UPLOAD_STARTED = auto()
    UPLOAD_REFUSED = auto()
    UPLOAD_ABANDONED = auto()
    UPLOAD_FINISHED = auto()
    PARSE_STARTED = auto()
    PARSE_FOUND_ERRORS = auto()
    PARSE_PASSED = auto()
    EDITS_STARTED = auto()
    SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS = auto()
    SYNTACTICAL_AND_VALIDITY_PASSED = auto()
    QUALITY_FOUND_ERRORS = auto()
    QUALITY_PASSED = auto()
    MACRO_FOUND_ERRORS = auto()
    MACRO_PASSED = auto()
    NOTHING_TO_VERIFY = auto()
    EVERYTHING_VERIFIED = auto()
    MACRO_UNVERIFIED = auto()
    QUALITY_UNVERIFIED = auto()
    SIGNED = auto()
    FAILED = auto()
    STOPPED = auto()
    PARSE_RETRIED = auto()
    EDITS_RETRIED = auto()
    EDITS_RUN_AGAIN = auto()


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

# Where the results of edits are shown that nobody has signed yet.
EDITED = (
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS,
    Status.QUALITY_ERRORS,
    Status.MACRO_ERRORS,
    Status.VERIFIED,
)

# Anything not in this table is refused. After any verification the state is: verified when every
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
    # What staff do. Nothing leads away from a signature.
    **{
        (status, Event.STOPPED): Status.FAILED
        for status in Status
        if status not in {Status.SIGNED, Status.FAILED}
    },
    (Status.FAILED, Event.PARSE_RETRIED): Status.UPLOADED,
    (Status.FAILED, Event.EDITS_RETRIED): Status.PARSED,
    **{(status, Event.EDITS_RUN_AGAIN): Status.PARSED for status in EDITED},
}


class FilingStatus(IntEnum):
    """Where a filing stands, derived from its submissions and the operator."""

    CANCELLED = -1
    NOT_STARTED = 1
    IN_PROGRESS = 2
    COMPLETED = 3

    @property
    def message(self) -> str:
        return self.name.lower().replace("_", "-")
