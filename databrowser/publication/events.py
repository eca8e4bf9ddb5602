"""The events of publication: in the audit log, and as signals for the floors above.

Signals are sent inside the transactions of publication.
"""

from __future__ import annotations

from enum import StrEnum

from django.dispatch import Signal

from filing.registries import StaffEventKind


class PublicationEvent(StrEnum):
    """Events of imported public files, boundaries of maps, data sets and modified LARs."""

    PUBLIC_FILE_IMPORTED = "public file imported"
    PUBLIC_FILE_LEFT_OUT = "public file left out"
    PUBLIC_FILE_TAKEN_IN = "public file taken in again"
    BOUNDARIES_LOADED = "boundaries loaded"
    BOUNDARIES_LEFT_OUT = "boundaries left out"
    BOUNDARIES_TAKEN_IN = "boundaries taken in again"
    DATA_SET_PUBLISHED = "data set published"
    DATA_SET_ROLLED_BACK = "data set rolled back"
    DATA_SET_WITHDRAWN = "data set withdrawn"
    MODIFIED_LAR_WITHDRAWN = "modified LAR withdrawn"
    MODIFIED_LAR_PUBLISHED = "modified LAR published again"
    DISAGREEMENTS_ACCEPTED = "disagreements of a data set accepted"


# The public records and facts of a signed submission are ready. Sends `submission`.
records_disclosed = Signal()

# The published version of a year has changed: published, rolled back or withdrawn. Sends `year`.
version_published = Signal()

# The kind of event that staff subscribe to.
PUBLICATION = "publication"
EVENT_KINDS = {
    PUBLICATION: StaffEventKind(
        "publications",
        "databrowser.view_version",
        "A data set was published, rolled back or withdrawn.",
        is_of_institution=False,
    )
}
