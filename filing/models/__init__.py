"""The tables of the database, in modules by subject."""

from filing.models.audit_log import (
    AuditEvent,
    ChainCheck,
    ChainLink,
    ChainState,
    EntryRemoval,
    RemovalPermit,
    Repetition,
    Seal,
    TrailEntry,
    UnsealedEntry,
)
from filing.models.column_headings import ColumnHeading
from filing.models.filing_years import FilingYear, ReferenceData, WithdrawnEdit
from filing.models.jobs import Attempt, FileComparison, Job
from filing.models.notifications import (
    FinishedEmail,
    Mail,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from filing.models.operations import (
    Announcement,
    Case,
    LegalHold,
    ListExport,
    Note,
    PanelImport,
    PostponedRemoval,
    SeasonOpening,
)
from filing.models.panel import Filing, FilingPeriod, Institution
from filing.models.people import (
    Account,
    EndedRight,
    Identity,
    Membership,
    PersonalToken,
    SecondFactor,
)
from filing.models.record_counts import RecordCounts
from filing.models.requests import IdempotentRequest, ResumableUpload, UploadPart
from filing.models.staff_messages import (
    ListSchedule,
    ProducedList,
    RemindedInstitution,
    Reminder,
)
from filing.models.submissions import (
    EditResult,
    EditReview,
    KeyEndorsement,
    ReceiptKey,
    Signature,
    SignedReceipt,
    StatusChange,
    Submission,
)

__all__ = [
    "Account",
    "Announcement",
    "Attempt",
    "AuditEvent",
    "Case",
    "ChainCheck",
    "ChainLink",
    "ChainState",
    "ColumnHeading",
    "EditResult",
    "EditReview",
    "EndedRight",
    "EntryRemoval",
    "FileComparison",
    "Filing",
    "FilingPeriod",
    "FilingYear",
    "FinishedEmail",
    "IdempotentRequest",
    "Identity",
    "Institution",
    "Job",
    "KeyEndorsement",
    "LegalHold",
    "ListExport",
    "ListSchedule",
    "Mail",
    "Membership",
    "Note",
    "PanelImport",
    "PersonalToken",
    "PostponedRemoval",
    "ProducedList",
    "ReceiptKey",
    "RecordCounts",
    "ReferenceData",
    "RemindedInstitution",
    "Reminder",
    "RemovalPermit",
    "Repetition",
    "ResumableUpload",
    "Seal",
    "SeasonOpening",
    "SecondFactor",
    "Signature",
    "SignedReceipt",
    "StatusChange",
    "Submission",
    "TrailEntry",
    "UnsealedEntry",
    "UploadPart",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
    "WithdrawnEdit",
]
