"""The public JSON shapes of the panel."""

from __future__ import annotations

import json
from typing import Any

from rest_framework import serializers

from filing.access.fields import Readers
from filing.api.serializers.institutions import InstitutionBody
from filing.lar.fields import AGENCY_NAMES
from filing.models import Institution
from filing.panel.history import Snapshot


class PublicInstitution(InstitutionBody):
    """An institution for the public: TIN and notes, which are for staff only, are blank."""

    reader = Readers.ANYONE


class _StaffInstitution(InstitutionBody):
    reader = Readers.STAFF


class PublicInstitutions(serializers.Serializer[Any]):
    """Institutions, sorted by name."""

    institutions = PublicInstitution(many=True)


class NoteHistoryItem(serializers.Serializer[Any]):
    """An institution in the panel of a year, after one change."""

    id = serializers.IntegerField()
    year = serializers.CharField(help_text="The year of the panel.")
    lei = serializers.CharField()
    historyID = serializers.CharField(  # noqa: N815
        help_text="LEI, year and time of the change, in milliseconds since 1970-01-01 UTC."
    )
    notes = serializers.CharField(help_text="For staff; blank for all other callers.")
    updatedPanel = serializers.CharField(  # noqa: N815
        help_text="The institution after the change, as a JSON object in a text."
    )


class NoteHistory(serializers.Serializer[Any]):
    """The changes of an institution in the panel of a year, newest first."""

    institutionNoteHistoryItems = NoteHistoryItem(many=True)  # noqa: N815


class LarCountBody(serializers.Serializer[Any]):
    """The number of records in signed annual filings of a year."""

    year = serializers.CharField()
    count = serializers.IntegerField()


class QuarterlyFilerBody(serializers.Serializer[Any]):
    """A quarterly filer with its numbers of records, for the years in which it filed."""

    lei = serializers.CharField(source="institution.lei")
    name = serializers.CharField(source="institution.name")
    agency = serializers.SerializerMethodField()
    larCounts = LarCountBody(many=True, source="lar_counts")  # noqa: N815

    def get_agency(self, filer: Any) -> str:
        return AGENCY_NAMES.get(filer.institution.agency, "")


class LarCountSummary(serializers.Serializer[Any]):
    """The numbers of records filed in past years: in all, and by each quarterly filer."""

    yearly = LarCountBody(many=True)
    quarterly = QuarterlyFilerBody(many=True)


def body(institution: Institution, *, for_staff: bool) -> dict[str, Any]:
    """Return an institution as the caller may see it."""
    shape = _StaffInstitution if for_staff else PublicInstitution
    return dict(shape(institution).data)


def history_item(snapshot: Snapshot, *, for_staff: bool) -> dict[str, Any]:
    """Return an item of the history of an institution as the caller may see it."""
    institution, milliseconds = snapshot.institution, int(snapshot.at.timestamp() * 1000)
    panel = body(institution, for_staff=for_staff)
    return {
        "id": snapshot.id,
        "year": str(institution.activity_year),
        "lei": institution.lei,
        "historyID": f"{institution.lei}-{institution.activity_year}-{milliseconds}",
        "notes": panel["notes"],
        "updatedPanel": json.dumps(panel, ensure_ascii=False),
    }
