"""The links to the season and its files. Those of other apps come between them by their place."""

from __future__ import annotations

from filing import registries
from filing.registries import AdminLink

# To see the season at a glance.
SEASON_PERMISSIONS = ("filing.view_filing", "filing.view_submission", "filing.view_job")

registries.register_admin_links(
    AdminLink(
        "The season at a glance",
        "admin:season",
        SEASON_PERMISSIONS,
        "Signed and expected filings, submissions by status, jobs and failures.",
        place=10,
    ),
    AdminLink(
        "Who has not filed",
        "admin:season_not_filed",
        SEASON_PERMISSIONS,
        "Institutions without a signed filing, before and after the deadline.",
        place=20,
    ),
    AdminLink(
        "Submissions that need attention",
        "admin:filing_submission_changelist",
        ("filing.view_submission",),
        "Failed and stuck submissions, and why they stopped.",
        query="needs=attention",
        place=30,
    ),
    AdminLink(
        "Cases that need an answer",
        "admin:filing_case_changelist",
        ("filing.view_case",),
        "What people ask of the help desk on the page for that.",
        query="state__exact=open",
        place=35,
    ),
    AdminLink(
        "Failed jobs",
        "admin:filing_job_changelist",
        ("filing.view_job",),
        "Jobs that failed after their last attempt, with the error.",
        query="state__exact=failed",
        place=40,
    ),
    AdminLink(
        "Prepare a filing year",
        "admin:filing_filingyear_add",
        ("filing.add_filingyear",),
        "Copy the rules, stand-in data and thresholds of the year before.",
        place=95,
        verb="Prepare",
        table="filing.FilingYear",
    ),
    AdminLink(
        "Open a season",
        "admin:filing_seasonopening_open",
        ("filing.add_seasonopening",),
        "Create the filing periods and filings of a year, with a preview and a report.",
        place=100,
        verb="Open a season",
        table="filing.SeasonOpening",
    ),
    AdminLink(
        "Import institutions",
        "admin:filing_institution_import",
        ("filing.add_panelimport",),
        "Import a panel file, CSV or XLSX, with a template and a preview.",
        place=110,
        verb="Import",
        table="filing.PanelImport",
    ),
    AdminLink(
        "Load reference data",
        "admin:filing_referencedata_load",
        ("filing.add_referencedata",),
        "Load the census, county loan limits and MSA/MD names of one year or several.",
        place=120,
        verb="Load",
        table="filing.ReferenceData",
    ),
    AdminLink(
        "Write an announcement",
        "admin:filing_announcement_add",
        ("filing.add_announcement",),
        "Show a message at the top of every page and in every API response.",
        place=190,
    ),
    AdminLink(
        "Filing years",
        "admin:filing_filingyear_changelist",
        ("filing.view_filingyear",),
        "The stage and rules of each year, its thresholds, and withdrawn edits.",
        place=195,
    ),
    AdminLink(
        "Reference data by year",
        "admin:filing_referencedata_changelist",
        ("filing.view_referencedata",),
        "Which files are loaded for each year, and which are missing.",
        place=200,
    ),
    AdminLink(
        "Announcements",
        "admin:filing_announcement_changelist",
        ("filing.change_announcement",),
        "Current, planned and past announcements.",
        place=290,
    ),
    AdminLink(
        "Headings of spreadsheets",
        "admin:filing_columnheading_changelist",
        ("filing.change_columnheading",),
        "Which column of a spreadsheet is for which field, besides the built-in names.",
        place=295,
    ),
)
