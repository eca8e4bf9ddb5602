"""What is kept in the database; a table has a module by what it is about."""

from filing.models.jobs import Job
from filing.models.panel import Filing, FilingPeriod, Institution
from filing.models.people import Identity, Membership, PersonalToken
from filing.models.reference import ReferenceData
from filing.models.submissions import EditResult, Signature, StatusChange, Submission
from filing.models.trail import Happening, TrailEntry

__all__ = [
    "EditResult",
    "Filing",
    "FilingPeriod",
    "Happening",
    "Identity",
    "Institution",
    "Job",
    "Membership",
    "PersonalToken",
    "ReferenceData",
    "Signature",
    "StatusChange",
    "Submission",
    "TrailEntry",
]
