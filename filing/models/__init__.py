"""The tables of the database, in modules by subject."""

from filing.models.audit_log import AuditEvent, Repetition, TrailEntry
from filing.models.emails import FinishedEmail, Mail
from filing.models.jobs import Attempt, Job
from filing.models.operations import Announcement, Note, PanelImport, SeasonOpening
from filing.models.panel import Filing, FilingPeriod, Institution
from filing.models.people import Account, Identity, Membership, PersonalToken
from filing.models.reference import ReferenceData
from filing.models.removals import LegalHold, PostponedRemoval, RemovalPause
from filing.models.submissions import EditResult, Signature, StatusChange, Submission

__all__ = [
    "Account",
    "Announcement",
    "Attempt",
    "AuditEvent",
    "EditResult",
    "Filing",
    "FilingPeriod",
    "FinishedEmail",
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
    "ReferenceData",
    "RemovalPause",
    "Repetition",
    "SeasonOpening",
    "Signature",
    "StatusChange",
    "Submission",
    "TrailEntry",
]
