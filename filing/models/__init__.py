"""The tables of the database, in modules by subject."""

from filing.models.audit_chain import (
    ChainCheck,
    ChainLink,
    ChainState,
    EntryRemoval,
    RemovalPermit,
)
from filing.models.audit_log import AuditEvent, Repetition, TrailEntry
from filing.models.cases import Case
from filing.models.emails import FinishedEmail, Mail
from filing.models.filing_years import FilingYear, WithdrawnEdit
from filing.models.idempotency import IdempotentRequest
from filing.models.jobs import Attempt, Job
from filing.models.operations import Announcement, Note, PanelImport, SeasonOpening
from filing.models.panel import Filing, FilingPeriod, Institution
from filing.models.people import Account, EndedRight, Identity, Membership, PersonalToken
from filing.models.receipts import ReceiptKey, SignedReceipt
from filing.models.reference import ReferenceData
from filing.models.removals import LegalHold, PostponedRemoval
from filing.models.resumable_uploads import ResumableUpload, UploadPart
from filing.models.submissions import EditResult, Signature, StatusChange, Submission
from filing.models.webhooks import Webhook, WebhookAttempt, WebhookDelivery

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
