"""What staff come to the admin for: the doors on its front page, and what is done with a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from config.navigation import address_of
from filing.admin.dashboard import NEEDED


class Permitted(Protocol):
    """A user, as far as doors ask."""

    def has_perms(self, perm_list: Any) -> bool:
        """Return whether the user has all these permissions."""
        ...


@dataclass(frozen=True, slots=True)
class Door:
    """A link that begins with a verb where something is done. to: the name of its address.

    Shown where the site has the page and the user has the permissions.
    """

    label: str
    to: str
    permissions: tuple[str, ...]
    about: str = ""
    query: str = ""

    def address_for(self, user: Permitted) -> str:
        """Return where it leads to, or nothing for a user who may not go there."""
        address = address_of(self.to) if user.has_perms(self.permissions) else ""
        return f"{address}?{self.query}" if address and self.query else address


DOORS = (
    Door(
        "The season at a glance",
        "admin:season",
        NEEDED,
        "Signed against expected, where submissions stand, what the workers do.",
    ),
    Door(
        "Who has not filed",
        "admin:season_not_filed",
        NEEDED,
        "Institutions without a signed filing, before and after the deadline.",
    ),
    Door(
        "What needs attention",
        "admin:filing_submission_changelist",
        ("filing.view_submission",),
        "Submissions that failed or are stuck, and why.",
        "needs=attention",
    ),
    Door(
        "Failed jobs",
        "admin:filing_job_changelist",
        ("filing.view_job",),
        "Work that failed after its last attempt, and the error.",
        "state__exact=failed",
    ),
    Door(
        "Open a season",
        "admin:filing_seasonopening_open",
        ("filing.add_seasonopening",),
        "Filing periods and filings of a year, with a preview and a report.",
    ),
    Door(
        "Import institutions",
        "admin:filing_institution_import",
        ("filing.add_panelimport",),
        "A panel as CSV or XLSX, with a template and a preview.",
    ),
    Door(
        "Load reference data",
        "admin:filing_referencedata_load",
        ("filing.add_referencedata",),
        "Census, county loan limits and MSA/MD names, for one year or many.",
    ),
    Door(
        "Load an APOR table",
        "admin:ratespread_aporload_add",
        ("ratespread.add_aporload",),
        "The rates of the rate spread tool, fixed or variable.",
    ),
    Door(
        "Publish a data set",
        "admin:databrowser_version_build",
        ("databrowser.add_version",),
        "Build and publish the public data of a year.",
    ),
    Door(
        "Compute the graphs",
        "admin:graphs_computation_add",
        ("graphs.add_computation",),
        "The quarterly graphs, from what is signed now.",
    ),
    Door(
        "Write an announcement",
        "admin:filing_announcement_add",
        ("filing.add_announcement",),
        "A message on top of every page and in every API answer.",
    ),
    Door(
        "Reference data by year",
        "admin:filing_referencedata_changelist",
        ("filing.view_referencedata",),
        "Which years have their files, and what is missing.",
    ),
    Door(
        "APOR tables",
        "admin:ratespread_aportable_changelist",
        ("ratespread.view_aportable",),
        "How recent the rates are, and what went wrong.",
    ),
    Door(
        "Data set versions",
        "admin:databrowser_version_changelist",
        ("databrowser.view_version",),
        "What is published of each year, since when and by whom.",
    ),
    Door(
        "Graph versions",
        "admin:graphs_computation_changelist",
        ("graphs.view_computation",),
        "Which figures the graphs show, and since when.",
    ),
    Door(
        "Announcements",
        "admin:filing_announcement_changelist",
        ("filing.change_announcement",),
        "What the site tells everyone, now and before.",
    ),
    Door("Operators' guide", "admin:guide", (), "How each of these is done, with pictures."),
)

# What is done with a table of the list below the doors, where it is more than to add a row.
DEEDS = {
    "filing.SeasonOpening": Door(
        "Open a season", "admin:filing_seasonopening_open", ("filing.add_seasonopening",)
    ),
    "filing.PanelImport": Door(
        "Import", "admin:filing_institution_import", ("filing.add_panelimport",)
    ),
    "filing.ReferenceData": Door(
        "Load", "admin:filing_referencedata_load", ("filing.add_referencedata",)
    ),
    "ratespread.AporLoad": Door(
        "Load", "admin:ratespread_aporload_add", ("ratespread.add_aporload",)
    ),
    "databrowser.Version": Door(
        "Publish", "admin:databrowser_version_build", ("databrowser.add_version",)
    ),
    "graphs.Computation": Door(
        "Compute", "admin:graphs_computation_add", ("graphs.add_computation",)
    ),
}


def doors_of(user: Permitted) -> Iterator[dict[str, str]]:
    """Yield the doors of a user, as the front page shows them."""
    for door in DOORS:
        if address := door.address_for(user):
            yield {"label": door.label, "address": address, "about": door.about}


def deed_of(label: str, add_address: str | None, user: Permitted) -> dict[str, str] | None:
    """Return what a user does with a table by the name of its model; none who only looks.

    add_address: of the page that adds a row, where the user may.
    """
    if door := DEEDS.get(label):
        address = door.address_for(user)
        return {"label": door.label, "address": address} if address else None
    return {"label": "Add", "address": add_address} if add_address else None
