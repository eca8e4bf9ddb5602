"""Adds, changes and removes single institutions of the panel, for programs of the operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotFound, NotReady
from filing.models import AuditEvent, Institution
from filing.panel import carry_over, panel_imports
from filing.panel.resource import cell_text
from filing.panel.sheets import PanelSheet
from filing.people import memberships
from filing.people.institutions import normalize_lei
from filing.people.own_rights import record_own_rights, refuse_own_rights
from filing.periods import legal_holds

_OF_NEW = {"name", "agency"}  # columns that have no usual value


def save_institution(
    values: Mapping[str, Any], *, reason: str, by: Caller, is_new: bool = False
) -> Institution:
    """Add an institution of a year to the panel, or change it; return it.

    It is checked as a row of a panel file is. Columns that are left out keep their values, and the
    flags of signed filings always do.

    values: by column of the panel, with the LEI and the activity year. is_new: only add one.

    Raises: BadInput for values that are not accepted; OwnRight.
    """
    _require_reason(reason)
    cells = {column: cell_text(value) for column, value in values.items()}
    cells["lei"] = normalize_lei(cells["lei"])
    sheet = PanelSheet("", "", list(cells), rows=[tuple(cells.values())], numbers=[1])
    with record_own_rights(by), transaction.atomic():
        panel_imports.lock_panel()
        report = panel_imports.check_import(sheet)
        if report.skipped:
            raise BadInput("; ".join(report.skipped[0].reasons) + ".")
        missing = sorted(_OF_NEW - cells.keys())
        if report.added and missing:
            raise BadInput(f"Enter {' and '.join(missing)} of a new institution.")
        if is_new and not report.added:
            raise BadInput(
                f"Institution {cells['lei']} already exists in {cells['activity_year']}."
            )
        if report.changes:
            panel_imports.write_changes(sheet, report, reason=reason, by=by)
            change = report.changes[0]
            audit.record_event(
                AuditEvent.RECORD_ADDED if change.is_new else AuditEvent.RECORD_CHANGED,
                by=by,
                lei=change.institution.lei,
                about=f"institution {change.institution}",
                reason=reason,
            )
    return find_institution(cells["lei"], int(cells["activity_year"]))


def copy_institution(
    institution: Institution, *, lei: str, year: int, reason: str, by: Caller
) -> Institution:
    """Add the record of an institution to the panel under another LEI, or in another year.

    The flags of signed filings are off, as after a panel was carried over. In a transaction, after
    `lock_panel`.

    Raises: OwnRight.
    """
    values = {name: getattr(institution, name) for name in carry_over.CARRIED if name != "lei"}
    with refuse_own_rights([lei], by=by), audit.set_reason(reason):
        copy = Institution.objects.create(lei=lei, activity_year=year, **values)
        memberships.check_institution_memberships([lei], by=by)
    audit.record_event(
        AuditEvent.RECORD_ADDED, by=by, lei=lei, about=f"institution {copy}", reason=reason
    )
    return copy


def remove_institution(lei: str, year: int, *, reason: str, by: Caller) -> None:
    """Remove an institution of a year from the panel.

    Raises: NotFound; NotReady where it has filings, or under a legal hold; OwnRight.
    """
    _require_reason(reason)
    with record_own_rights(by), refuse_own_rights([lei], by=by), audit.set_reason(reason):
        institution = find_institution(lei, year)
        legal_holds.require_removable(Institution.objects.filter(pk=institution.pk))
        name = str(institution)
        try:
            institution.delete()
        except ProtectedError as error:
            raise NotReady(
                f"{name} has filings, so it is not removed. Delete them first."
            ) from error
        memberships.check_institution_memberships([lei], by=by)
        audit.record_event(
            AuditEvent.RECORD_DELETED, by=by, lei=lei, about=f"institution {name}", reason=reason
        )


def find_institution(lei: str, year: int | None = None) -> Institution:
    """Return an institution of a year, or of its newest year. Raises: NotFound."""
    institutions = Institution.objects.filter(lei=lei).order_by("-activity_year")
    if year is not None:
        institutions = institutions.filter(activity_year=year)
    institution = institutions.first()
    if institution is None:
        raise NotFound(f"There is no institution {lei[:20]}" + (f" in {year}" if year else ""))
    return institution


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise BadInput("Enter the reason for the change.")
