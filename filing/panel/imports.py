"""Imports a panel file: institutions are added and changed, each change with its reason."""

from __future__ import annotations

import logging
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from filing import audit
from filing.access import SERVICE, Caller
from filing.models import Happening, Institution, PanelImport
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
    """Add and change institutions as a file says; rows with mistakes are skipped.

    The first row names the columns, which are the fields of an institution. dry_run: only report.
    strict: load nothing when any row is bad.

    Raises: BadInput when the file as a whole cannot be read; TooLarge; OSError.
    """
    sheet = sheets.read(path.name, path.read_bytes())
    if dry_run:
        return check(sheet)
    with transaction.atomic():
        hold()
        report = check(sheet)
        if not (strict and report.skipped):
            write(sheet, report, by=by, reason=f"load_institutions {path.name}")
    return report


def hold() -> None:
    """Let others who change many institutions wait until the end of the transaction.

    Two who add the same rows would else both report them as theirs.
    """
    ContentType.objects.select_for_update().get(app_label="filing", model="institution")


def write(sheet: Sheet, report: ImportReport, *, by: Caller, reason: str) -> PanelImport:
    """Do what a report says of a file, and keep the report. Inside a transaction, after `hold`."""
    changing = [column for column in sheet.known_columns if column not in KEY]
    institutions = [change.institution for change in report.changes]
    for institution in institutions:
        institution.pk = None  # the LEI and the year tell which one it is
    Institution.objects.bulk_create(
        institutions,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=list(KEY),
        update_fields=changing,
    )
    history.keep(
        ((change.institution, change.is_new, change.differences) for change in report.changes),
        reason=reason,
    )
    # Whose email domains changed; also where a new year changes which record is the newest.
    affected = (
        each for each in report.changes if each.is_new or "email_domains" in each.differences
    )
    memberships.check_institutions((each.institution.lei for each in affected), by=by)
    report.loaded = True
    done = PanelImport.objects.create(
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
    audit.record(Happening.PANEL_IMPORTED, by=by, about=sheet.name, reason=reason)
    log.info("Panel %s was imported by %s: %s", sheet.name, by, report)
    return done
