"""What the panel has for an institution, beside what it filed last, as its own people read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from filing import standing
from filing.access.fields import Readers, may_read_field
from filing.audit.value_changes import describe_value
from filing.edits import catalogue
from filing.edits.edit import EditNeed
from filing.errors import NotFound
from filing.lar.years import NoRulebookError, Period, rulebook_period
from filing.models import Institution, RecordProposal, Submission
from filing.panel import history
from filing.panel.proposals import PROPOSABLE
from filing.panel.records import find_institution

# Columns of the panel that the transmittal sheet has too, by its fields.
_ON_THE_SHEET = {
    "lei": "lei",
    "name": "institution_name",
    "agency": "federal_agency",
    "tax_id": "tax_id",
}
NO_RECORD = "This institution is not in the panel. If it should be, ask the help desk."
SHOWN = (
    *("lei", "name", "agency", "tax_id"),
    *(name for name in PROPOSABLE if name not in _ON_THE_SHEET),
    *("institution_id_2017", "is_test"),
)
CONTACT = {
    "name": "contact_name",
    "phone": "contact_phone",
    "email": "contact_email",
    "street": "contact_street",
    "city": "contact_city",
    "state": "contact_state",
    "zipCode": "contact_zip_code",
}


@dataclass(frozen=True)
class RecordField:
    """A field of the record, as people read it.

    filed: what the newest signed submission has, none where its transmittal sheet has no such
    field. is_compared: by edits of the year.
    """

    name: str
    label: str
    value: str
    filed: str | None
    is_compared: bool

    @property
    def differs(self) -> bool:
        """Whether the newest signed submission has another value."""
        return self.filed is not None and self.filed != self.value


@dataclass(frozen=True)
class InstitutionRecord:
    """The record of a year. years: of which there are records, the newest first.

    edits: codes of those that compare a transmittal sheet of the year with it. filed: the newest
    signed submission of the institution, of any year.
    """

    institution: Institution
    years: list[int]
    edits: list[str]
    fields: list[RecordField]
    filed: Submission | None

    @property
    def contact(self) -> dict[str, str]:
        """The contact on the newest transmittal sheet; empty if nothing is signed."""
        sheet = (self.filed and self.filed.transmittal_sheet) or {}
        return {name: str(sheet.get(column) or "") for name, column in CONTACT.items() if sheet}


def read_year(text: str) -> int | None:
    """Return the year in an address; none if there is none, or if it is no year."""
    is_year = text.isascii() and text.isdecimal() and len(text) == 4
    return int(text) if is_year else None


def read_record(lei: str, year: int | None = None) -> InstitutionRecord:
    """Return the record of an institution in a year, or in its newest year.

    Raises: NotFound.
    """
    try:
        institution = find_institution(lei, year)
    except NotFound as error:
        if year is not None and Institution.objects.filter(lei=lei).exists():
            raise
        raise NotFound(NO_RECORD) from error
    filed = find_newest_signed(lei)
    codes, compared = find_comparing_edits(institution.activity_year)
    years = Institution.objects.filter(lei=lei).order_by("-activity_year")
    sheet = (filed and filed.transmittal_sheet) or {}
    return InstitutionRecord(
        institution=institution,
        years=list(years.values_list("activity_year", flat=True)),
        edits=codes,
        fields=[
            _field(institution, name, sheet, is_compared=_ON_THE_SHEET.get(name) in compared)
            for name in SHOWN
            if may_read_field(Readers.FILERS, Institution, name)
        ],
        filed=filed,
    )


def find_newest_signed(lei: str) -> Submission | None:
    """Return the submission of an institution that was signed last, of any period."""
    signed = Submission.objects.filter(standing.is_on_record(), filing__institution__lei=lei)
    related = signed.select_related("signature", "filing__institution", "filing__period")
    return related.order_by("-signature__signed_at", "-signature__pk").first()


def describe_filed(lei: str, names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the label and the value of fields in the newest signed submission that has them."""
    filed = find_newest_signed(lei)
    sheet = (filed and filed.transmittal_sheet) or {}
    return [
        (
            history.label_field(name),
            describe_value(sheet.get(_ON_THE_SHEET[name]), field=Institution._meta.get_field(name)),
        )
        for name in names
        if sheet and name in _ON_THE_SHEET
    ]


def find_comparing_edits(year: int) -> tuple[list[str], frozenset[str]]:
    """Return the edits of a year that compare the transmittal sheet with the panel, and its fields.

    Those of annual filing. None for a year without rules.
    """
    try:
        edits = [
            edit
            for edit in catalogue.list_edits(rulebook_period(Period(year)))
            if EditNeed.INSTITUTION in edit.needs
        ]
    except NoRulebookError:
        return [], frozenset()
    return [edit.code for edit in edits], frozenset(name for edit in edits for name in edit.fields)


def find_proposed_entries(lei: str) -> frozenset[int]:
    """Return the keys of the changes in the history that the institution proposed."""
    rows = RecordProposal.objects.filter(lei=lei).values_list("log_entries", flat=True)
    return frozenset(key for keys in rows for key in keys)


def _field(
    institution: Institution, name: str, sheet: dict[str, Any], *, is_compared: bool
) -> RecordField:
    column: Any = Institution._meta.get_field(name)
    on_sheet = sheet.get(_ON_THE_SHEET.get(name, ""))
    return RecordField(
        name=name,
        label=history.label_field(name),
        value=describe_value(getattr(institution, name), field=column),
        filed=describe_value(on_sheet, field=column) if name in _ON_THE_SHEET and sheet else None,
        is_compared=is_compared,
    )
