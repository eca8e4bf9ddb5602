"""What is kept in the database; a table has a module by what it is about."""

from filing.models.jobs import Attempt, Job
from filing.models.mails import FinishedEmail, Mail
from filing.models.operations import Announcement, Note, PanelImport, SeasonOpening
from filing.models.panel import Filing, FilingPeriod, Institution
from filing.models.people import Account, Identity, Membership, PersonalToken
from filing.models.reference import ReferenceData
from filing.models.submissions import EditResult, Signature, StatusChange, Submission
from filing.models.trail import Happening, Repetition, TrailEntry

__all__ = [
    "Account",
    "Announcement",
    "Attempt",
    "EditResult",
    "Filing",
    "FilingPeriod",
    "FinishedEmail",
    "Happening",
    "Identity",
    "Institution",
    "Job",
    "Mail",
    "Membership",
    "Note",
    "PanelImport",
    "PersonalToken",
    "ReferenceData",
    "Repetition",
    "SeasonOpening",
    "Signature",
    "StatusChange",
    "Submission",
    "TrailEntry",
]
