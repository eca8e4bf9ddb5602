"""Operator and help-desk pages, one module a subject. Importing this registers all of them."""

from filing.admin import (
    announcements,
    filings,
    institutions,
    jobs,
    mails,
    memberships,
    notes,
    owed,
    panel,
    people,
    personal_tokens,
    reference,
    results,
    seasons,
    submissions,
    trail,
)

__all__ = [
    "announcements",
    "filings",
    "institutions",
    "jobs",
    "mails",
    "memberships",
    "notes",
    "owed",
    "panel",
    "people",
    "personal_tokens",
    "reference",
    "results",
    "seasons",
    "submissions",
    "trail",
]
