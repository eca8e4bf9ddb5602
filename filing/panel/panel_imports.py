"""Imports a panel file: a preview of what each row changes, the confirmation, and the report."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core import signing
from django.db import transaction
from import_export.tmp_storages import MediaStorage

from filing import audit, storage
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.models import AuditEvent, Filing, Institution, PanelImport
from filing.models.database import lock_table
from filing.panel import history, sheets
from filing.panel.resource import KEY, InstitutionChange, InstitutionResource, cell_text
from filing.panel.sheets import PanelSheet
from filing.people import memberships
from filing.people.own_rights import record_own_rights, refuse_own_rights
from filing.periods import filings
from filing.previews import require_previewed

log = logging.getLogger(__name__)

MOST_CHANGES_STORED = 500  # in a report; the history has all changes

_BATCH = 500

PREVIEW_FOLDER = "panel-previews"
PREVIEW_LASTS = timedelta(days=1)

_SALT = "panel preview"


@dataclass(frozen=True)
class SkippedRow:
    """A row that was not imported, with everything that is wrong with it."""

    row: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"row {self.row}: {'; '.join(self.reasons)}"


@dataclass
class ImportReport:
    """The result of an import, or its preview. changes: what each row adds or changes."""

    read: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[SkippedRow] = field(default_factory=list)
    changes: list[InstitutionChange] = field(default_factory=list)
    ignored_columns: tuple[str, ...] = ()
    filings: list[Filing] = field(default_factory=list)  # created once it is written
    loaded: bool = False

    def __str__(self) -> str:
        return (
            f"{self.read:,} rows read: {self.added:,} added, {self.changed:,} changed, "
            f"{self.unchanged:,} unchanged, {len(self.skipped):,} skipped."
        )

    @property
    def differences(self) -> list[str]:
        """One line for each row that changes an existing institution."""
        return [str(change) for change in self.changes if not change.is_new]

    def list_facts(self) -> list[object]:
        """Return what the report says, as people read it."""
        changes = [
            [change.row, change.is_new, change.institution.lei, str(change)]
            for change in self.changes
        ]
        return [self.read, self.unchanged, changes, [str(row) for row in self.skipped]]

    def details(self) -> dict[str, Any]:
        """Return the rows to store: all that were skipped, and the first that changed."""
        added = [change for change in self.changes if change.is_new]
        changed = [change for change in self.changes if not change.is_new]
        return {
            "skipped": [[row.row, list(row.reasons)] for row in self.skipped],
            "changed": _rows_of(changed[:MOST_CHANGES_STORED]),
            "added": _rows_of(added[:MOST_CHANGES_STORED]),
            "ignored_columns": list(self.ignored_columns),
            "filings": filings.describe_new_filings(self.filings),
        }


def check_import(sheet: PanelSheet) -> ImportReport:
    """Return what importing a file would do now."""
    resource = InstitutionResource(sheet)
    resource.read()
    added = sum(change.is_new for change in resource.changes)
    return ImportReport(
        read=len(sheet.rows) + len(sheet.faults),
        added=added,
        changed=len(resource.changes) - added,
        unchanged=resource.unchanged,
        skipped=[
            SkippedRow(row, tuple(reasons)) for row, reasons in sorted(resource.skipped.items())
        ],
        changes=resource.changes,
        ignored_columns=sheet.ignored_columns,
    )


def _rows_of(changes: Sequence[InstitutionChange]) -> list[dict[str, Any]]:
    return [
        {
            "row": change.row,
            "lei": change.institution.lei,
            "year": change.institution.activity_year,
            "name": change.institution.name,
            "fields": [
                [name, cell_text(before), cell_text(value)]
                for name, (before, value) in change.differences.items()
            ]
            if not change.is_new
            else [],
        }
        for change in changes
    ]


def load_panel(
    path: Path, *, dry_run: bool = False, strict: bool = False, by: Caller = SERVICE
) -> ImportReport:
    """Import a panel file: add and change institutions, skip rows with mistakes, return the report.

    The first row names the columns, which are the fields of an institution. dry_run: only report.
    strict: import nothing if any row is skipped.

    Raises: BadInput when the file as a whole cannot be read; TooLarge; OSError.
    """
    sheet = sheets.read_panel_file(path.name, path.read_bytes())
    if dry_run:
        return check_import(sheet)
    with record_own_rights(by), transaction.atomic():
        lock_panel()
        report = check_import(sheet)
        if not (strict and report.skipped):
            write_import(sheet, report, by=by, reason=f"load_institutions {path.name}")
    return report


def lock_panel() -> None:
    """Lock the panel: other bulk changes wait until the end of the transaction.

    Otherwise two imports that add the same rows would both report them as added.
    """
    lock_table(Institution)


def write_import(
    sheet: PanelSheet, report: ImportReport, *, by: Caller, reason: str
) -> PanelImport:
    """Write the changes of a report, and store the report. In a transaction, after `lock_panel`.

    Raises: OwnRight if they would give a right to file to the person who imports them.
    """
    write_changes(sheet, report, by=by, reason=reason)
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
    audit.record_event(AuditEvent.PANEL_IMPORTED, by=by, about=sheet.name, reason=reason)
    log.info("Panel file %s was imported by %s: %s", sheet.name, by, report)
    return panel_import


def write_changes(sheet: PanelSheet, report: ImportReport, *, by: Caller, reason: str) -> None:
    """Write the changes of a report, without a row of panel imports.

    In a transaction, after `lock_panel`.

    Raises: OwnRight if they would give a right to file to the person who makes them.
    """
    with refuse_own_rights((change.institution.lei for change in report.changes), by=by):
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
        history.record_bulk_changes(
            ((change.institution, change.is_new, change.differences) for change in report.changes),
            reason=reason,
        )
        # Those with new email domains; a new year may also change which record is the newest.
        affected = (
            change.institution.lei
            for change in report.changes
            if change.is_new or "email_domains" in change.differences
        )
        memberships.check_institution_memberships(affected, by=by)
        report.filings = _expect_filings(report, by=by, reason=reason)


def _expect_filings(report: ImportReport, *, by: Caller, reason: str) -> list[Filing]:
    """Create what new records owe, and the quarters of those that now file quarterly."""
    new = [change.institution for change in report.changes if change.is_new]
    turned = [
        change.institution
        for change in report.changes
        if not change.is_new and "quarterly_filer" in change.differences
    ]
    return [
        *filings.expect_filings(_read_again(new), by=by, reason=reason),
        *filings.expect_filings(_read_again(turned), by=by, reason=reason, quarters_only=True),
    ]


def _read_again(institutions: Sequence[Institution]) -> Iterator[Institution]:
    """Yield the rows of panel records whose keys are not known."""
    for start in range(0, len(institutions), _BATCH):
        batch = institutions[start : start + _BATCH]
        wanted = {(each.lei, each.activity_year) for each in batch}
        rows = Institution.objects.filter(lei__in={lei for lei, _ in wanted})
        yield from (row for row in rows if (row.lei, row.activity_year) in wanted)


@dataclass(frozen=True)
class PanelPreview:
    """What importing a file would do now. ticket: names the stored file."""

    file_name: str
    report: ImportReport
    ticket: str


def preview_import(name: str, content: bytes, *, by: Caller) -> PanelPreview:
    """Return what importing a file would do, and store the file until a user confirms.

    Raises: BadInput when the file as a whole cannot be read; TooLarge.
    """
    sheet = sheets.read_panel_file(name, content)
    storage.remove_older_files(PREVIEW_FOLDER, PREVIEW_LASTS)
    stored = uuid.uuid4().hex
    _file(stored).save(content)
    return _preview(sheet, stored, by)


def confirm_import(ticket: str, *, reason: str, by: Caller, digest: str) -> PanelImport:
    """Import a previewed file and return the report. digest: of the report in the preview.

    Raises: NotReady when the file is no longer stored; BadInput without a reason; PreviewChanged.
    """
    if not reason.strip():
        raise BadInput("Enter the reason for the import.")
    facts = _ticket_facts(ticket, by)
    sheet = _stored_sheet(facts)
    with record_own_rights(by), transaction.atomic():
        lock_panel()
        report = check_import(sheet)
        require_previewed(digest, *report.list_facts())
        panel_import = write_import(sheet, report, by=by, reason=reason.strip())
    _file(facts["file"]).remove()
    return panel_import


def repeat_preview(ticket: str, *, by: Caller) -> PanelPreview:
    """Return a preview again, as it is now.

    Raises: NotReady when the file is no longer stored.
    """
    facts = _ticket_facts(ticket, by)
    return _preview(_stored_sheet(facts), facts["file"], by)


def _preview(sheet: PanelSheet, stored: str, by: Caller) -> PanelPreview:
    report = check_import(sheet)
    facts = {
        "file": stored,
        "name": sheet.name,
        "sha256": sheet.sha256,
        "by": by.id,
    }
    return PanelPreview(sheet.name, report, signing.dumps(facts, salt=_SALT))


def _ticket_facts(ticket: str, by: Caller) -> dict[str, str]:
    try:
        facts: dict[str, str] = signing.loads(ticket, salt=_SALT, max_age=PREVIEW_LASTS)
    except signing.BadSignature as error:
        raise NotReady("This preview has expired. Upload the file again.") from error
    if facts["by"] != by.id:
        raise NotReady("This preview belongs to another user. Upload the file yourself.")
    return facts


def _stored_sheet(facts: dict[str, str]) -> PanelSheet:
    try:
        content = _file(facts["file"]).read()
    except FileNotFoundError as error:
        raise NotReady(
            "This preview was already confirmed, or has expired. If it is not among the panel "
            "imports, upload the file again."
        ) from error
    sheet = sheets.read_panel_file(facts["name"], content)
    if sheet.sha256 != facts["sha256"]:
        raise NotReady("The file differs from the one in the preview. Upload it again.")
    return sheet


def _file(stored: str) -> Any:
    return MediaStorage(name=stored, MEDIA_FOLDER=PREVIEW_FOLDER)
