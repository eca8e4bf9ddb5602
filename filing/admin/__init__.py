"""Pages for operators and the help desk, one module per subject. Importing this registers all."""

# ruff: noqa: F401 -- imported to register their pages

from filing.admin import (
    admin_links,
    audit_log,
    column_headings,
    correspondence,
    edits,
    filing_periods,
    filing_years,
    filings,
    institution_events,
    institutions,
    invitations,
    jobs,
    list_exports,
    lists,
    memberships,
    notes,
    organizations,
    panel,
    people,
    record_proposals,
    reference,
    reminders,
    seasons,
    submissions,
    webhooks,
)
