"""The tables of the database, in modules by subject."""

from filing.models.audit_log import (
    AuditEvent,
    ChainCheck,
    ChainLink,
    ChainState,
    EntryRemoval,
    RemovalPermit,
    Repetition,
    TrailEntry,
)
from filing.models.filing_years import FilingYear, ReferenceData, WithdrawnEdit
from filing.models.jobs import Attempt, Job
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
from filing.models.requests import IdempotentRequest, ResumableUpload, UploadPart
from filing.models.submissions import (
    EditResult,
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
    "EditResult",
    "EndedRight",
    "EntryRemoval",
    "Filing",
    "FilingPeriod",
    "FilingYear",
    "FinishedEmail",
    "IdempotentRequest",
    "Identity",
    "Institution",
    "Job",
    "LegalHold",
    "Mail",
    "Membership",
    "Note",
    "PanelImport",
    "PersonalToken",
    "PostponedRemoval",
    "ReceiptKey",
    "ReferenceData",
    "RemovalPermit",
    "Repetition",
    "ResumableUpload",
    "SeasonOpening",
    "SecondFactor",
    "Signature",
    "SignedReceipt",
    "StatusChange",
    "Submission",
    "TrailEntry",
    "UploadPart",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
    "WithdrawnEdit",
]
