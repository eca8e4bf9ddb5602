"""Imports a panel file: institutions are added and changed, each change with its reason."""

from __future__ import annotations

import logging
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from filing import audit
from filing.access import SERVICE, Caller
from filing.models import AuditEvent, Institution, PanelImport
from filing.panel import history, sheets
from filing.panel.import_reports import ImportReport, check
from filing.panel.resource import KEY
from filing.panel.sheets import Sheet
from filing.people import memberships

log = logging.getLogger(__name__)

_BATCH = 500


def load(
    path: Path, *, dry_run: bool = False, strict: bool = False, by: Caller = SERVICE
) -> ImportReport:
    """Import a panel file: add and change institutions, skip rows with mistakes, return the report.

    The first row names the columns, which are the fields of an institution. dry_run: only report.
    strict: import nothing if any row is skipped.

    Raises: BadInput when the file as a whole cannot be read; TooLarge; OSError.
    """
    sheet = sheets.read(path.name, path.read_bytes())
    if dry_run:
        return check(sheet)
    with transaction.atomic():
        lock()
        report = check(sheet)
        if not (strict and report.skipped):
            write(sheet, report, by=by, reason=f"load_institutions {path.name}")
    return report


def lock() -> None:
    """Lock the panel: other bulk changes wait until the end of the transaction.

    Otherwise two imports that add the same rows would both report them as added.
    """
    ContentType.objects.select_for_update().get(app_label="filing", model="institution")


def write(sheet: Sheet, report: ImportReport, *, by: Caller, reason: str) -> PanelImport:
    """Write the changes of a report, and store the report. In a transaction, after `lock`."""
    updated = [column for column in sheet.known_columns if column not in KEY]
    institutions = [change.institution for change in report.changes]
    for institution in institutions:
        institution.pk = None  # the LEI and the year identify it
    Institution.objects.bulk_create(
        institutions,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=list(KEY),
        update_fields=updated,
    )
    history.record(
        ((change.institution, change.is_new, change.differences) for change in report.changes),
        reason=reason,
    )
    # Those with new email domains; a new year may also change which record is the newest.
    affected = (
        change.institution.lei
        for change in report.changes
        if change.is_new or "email_domains" in change.differences
    )
    memberships.check_institutions(affected, by=by)
    report.loaded = True
    panel_import = PanelImport.objects.create(
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=reason,
        file_name=sheet.name[:255],
        sha256=sheet.sha256,
        read=report.read,
        added=report.added,
        changed=report.changed,
        unchanged=report.unchanged,
        skipped=len(report.skipped),
        details=report.details(),
    )
    audit.record(AuditEvent.PANEL_IMPORTED, by=by, about=sheet.name, reason=reason)
    log.info("Panel file %s was imported by %s: %s", sheet.name, by, report)
    return panel_import
