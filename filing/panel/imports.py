"""Imports a panel file: what it would do is shown first, and done when somebody confirms it."""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core import signing
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from import_export.tmp_storages import MediaStorage

from filing import memberships, trail
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.models import Happening, Institution, PanelImport
from filing.panel import history, sheets
from filing.panel.resource import KEY, Change, InstitutionResource, shown
from filing.panel.sheets import Sheet

log = logging.getLogger(__name__)

PREVIEW_FOLDER = "panel-previews"
PREVIEW_LASTS = timedelta(days=1)
MOST_CHANGES_KEPT = 500  # in a report, of those that it shows; the history has all of them

_BATCH = 500
_SALT = "panel preview"


@dataclass(frozen=True)
class SkippedRow:
    """A row that was not loaded, by its line in the file, and everything that is wrong with it."""

    row: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"row {self.row}: {'; '.join(self.reasons)}"


@dataclass
class ImportReport:
    """What an import found and did. changes: what each row adds or changes."""

    read: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[SkippedRow] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    ignored_columns: tuple[str, ...] = ()
    loaded: bool = False

    def __str__(self) -> str:
        return (
            f"{self.read:,} rows read: {self.added:,} added, {self.changed:,} changed, "
            f"{self.unchanged:,} unchanged, {len(self.skipped):,} skipped."
        )

    @property
    def differences(self) -> list[str]:
        """One sentence per row that changes something that is there."""
        return [str(change) for change in self.changes if not change.is_new]

    def details(self) -> dict[str, Any]:
        """Return what is kept of the rows: all that were skipped, the first that changed."""
        changing = [change for change in self.changes if not change.is_new]
        return {
            "skipped": [[each.row, list(each.reasons)] for each in self.skipped],
            "changed": _told(changing[:MOST_CHANGES_KEPT]),
            "added": _told([each for each in self.changes if each.is_new][:MOST_CHANGES_KEPT]),
            "ignored_columns": list(self.ignored_columns),
        }


@dataclass(frozen=True)
class Preview:
    """What a file would do now. ticket: with it exactly this is imported, with nothing else."""

    file_name: str
    report: ImportReport
    ticket: str


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
            _write(sheet, report, by=by, reason=f"load_institutions {path.name}")
    return report


def preview(name: str, content: bytes, *, by: Caller) -> Preview:
    """Return what a file would do, and keep the file until somebody confirms.

    Raises: BadInput when the file as a whole cannot be read; TooLarge.
    """
    sheet = sheets.read(name, content)
    _forget_old_previews()
    stored = f"{timezone.now():%Y%m%d%H%M%S}-{uuid.uuid4().hex}"
    _kept(stored).save(content)
    return _preview(sheet, stored, by)


def confirm(ticket: str, *, reason: str, by: Caller) -> PanelImport | Preview:
    """Import what a preview showed, and return the report; or a new preview if it is no longer so.

    Raises: NotReady when the file is not there any more; BadInput without a reason.
    """
    if not reason.strip():
        raise BadInput("Write down why the panel is imported.")
    told = _opened(ticket, by)
    sheet = _stored_sheet(told)
    with transaction.atomic():
        hold()
        report = check(sheet)
        if _fingerprint(report) != told["shows"]:
            return _preview(sheet, told["file"], by)
        done = _write(sheet, report, by=by, reason=reason.strip())
    _kept(told["file"]).remove()
    return done


def show_again(ticket: str, *, by: Caller) -> Preview:
    """Return a preview once more, as it would be now.

    Raises: NotReady when the file is not there any more.
    """
    told = _opened(ticket, by)
    return _preview(_stored_sheet(told), told["file"], by)


def check(sheet: Sheet) -> ImportReport:
    """Return what a file would do now."""
    resource = InstitutionResource(sheet)
    resource.read()
    added = sum(change.is_new for change in resource.changes)
    return ImportReport(
        read=len(sheet.rows) + len(sheet.faults),
        added=added,
        changed=len(resource.changes) - added,
        unchanged=resource.unchanged,
        skipped=[SkippedRow(row, tuple(why)) for row, why in sorted(resource.skipped.items())],
        changes=resource.changes,
        ignored_columns=sheet.ignored_columns,
    )


def hold() -> None:
    """Let others who change many institutions wait until the end of the transaction.

    Two who add the same rows would else both report them as theirs.
    """
    ContentType.objects.select_for_update().get(app_label="filing", model="institution")


def _write(sheet: Sheet, report: ImportReport, *, by: Caller, reason: str) -> PanelImport:
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
    trail.record(Happening.PANEL_IMPORTED, by=by, about=sheet.name, reason=reason)
    log.info("Panel %s was imported by %s: %s", sheet.name, by, report)
    return done


def _preview(sheet: Sheet, stored: str, by: Caller) -> Preview:
    report = check(sheet)
    told = {
        "file": stored,
        "name": sheet.name,
        "sha256": sheet.sha256,
        "shows": _fingerprint(report),
        "by": by.id,
    }
    return Preview(sheet.name, report, signing.dumps(told, salt=_SALT))


def _opened(ticket: str, by: Caller) -> dict[str, str]:
    try:
        told: dict[str, str] = signing.loads(ticket, salt=_SALT, max_age=PREVIEW_LASTS)
    except signing.BadSignature as error:
        raise NotReady("This preview is too old or damaged: upload the file again.") from error
    if told["by"] != by.id:
        raise NotReady("Somebody else was shown this preview: upload the file yourself.")
    return told


def _stored_sheet(told: dict[str, str]) -> Sheet:
    try:
        content = _kept(told["file"]).read()
    except FileNotFoundError as error:
        raise NotReady(
            "This preview was confirmed already, or is too old. Look at the panel imports; if it "
            "is not among them, upload the file again."
        ) from error
    sheet = sheets.read(told["name"], content)
    if sheet.sha256 != told["sha256"]:
        raise NotReady("The file is not the one of the preview: upload it again.")
    return sheet


def _fingerprint(report: ImportReport) -> str:
    """Return a text that differs whenever a person would be shown something else."""
    changes = [[each.row, each.is_new, each.institution.lei, str(each)] for each in report.changes]
    seen = [report.read, report.unchanged, changes, [str(each) for each in report.skipped]]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def _told(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {
            "row": change.row,
            "lei": change.institution.lei,
            "year": change.institution.activity_year,
            "name": change.institution.name,
            "fields": [
                [name, shown(before), shown(value)]
                for name, (before, value) in change.differences.items()
            ]
            if not change.is_new
            else [],
        }
        for change in changes
    ]


def _kept(stored: str) -> Any:
    return MediaStorage(name=stored, MEDIA_FOLDER=PREVIEW_FOLDER)


def _forget_old_previews() -> None:
    """Delete the files that nobody has confirmed; their names begin with when they came."""
    oldest = f"{timezone.now() - PREVIEW_LASTS:%Y%m%d%H%M%S}"
    try:
        _, names = default_storage.listdir(PREVIEW_FOLDER)
    except FileNotFoundError:
        return
    for name in names:
        if name < oldest:
            _kept(name).remove()
