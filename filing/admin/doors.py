"""What staff come for: the season and its files. Other apps stand between these by their place."""

from __future__ import annotations

from filing.registries import doors
from filing.registries.doors import Door

# To see the season at a glance.
NEEDED = ("filing.view_filing", "filing.view_submission", "filing.view_job")

doors.register(
    Door(
        "The season at a glance",
        "admin:season",
        NEEDED,
        "Signed against expected, where submissions stand, what the workers do.",
        place=10,
    ),
    Door(
        "Who has not filed",
        "admin:season_not_filed",
        NEEDED,
        "Institutions without a signed filing, before and after the deadline.",
        place=20,
    ),
    Door(
        "What needs attention",
        "admin:filing_submission_changelist",
        ("filing.view_submission",),
        "Submissions that failed or are stuck, and why.",
        query="needs=attention",
        place=30,
    ),
    Door(
        "Failed jobs",
        "admin:filing_job_changelist",
        ("filing.view_job",),
        "Work that failed after its last attempt, and the error.",
        query="state__exact=failed",
        place=40,
    ),
    Door(
        "Open a season",
        "admin:filing_seasonopening_open",
        ("filing.add_seasonopening",),
        "Filing periods and filings of a year, with a preview and a report.",
        place=100,
        verb="Open a season",
        table="filing.SeasonOpening",
    ),
    Door(
        "Import institutions",
        "admin:filing_institution_import",
        ("filing.add_panelimport",),
        "A panel as CSV or XLSX, with a template and a preview.",
        place=110,
        verb="Import",
        table="filing.PanelImport",
    ),
    Door(
        "Load reference data",
        "admin:filing_referencedata_load",
        ("filing.add_referencedata",),
        "Census, county loan limits and MSA/MD names, for one year or many.",
        place=120,
        verb="Load",
        table="filing.ReferenceData",
    ),
    Door(
        "Write an announcement",
        "admin:filing_announcement_add",
        ("filing.add_announcement",),
        "A message on top of every page and in every API answer.",
        place=190,
    ),
    Door(
        "Reference data by year",
        "admin:filing_referencedata_changelist",
        ("filing.view_referencedata",),
        "Which years have their files, and what is missing.",
        place=200,
    ),
    Door(
        "Announcements",
        "admin:filing_announcement_changelist",
        ("filing.change_announcement",),
        "What the site tells everyone, now and before.",
        place=290,
    ),
)
