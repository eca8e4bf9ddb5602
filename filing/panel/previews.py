"""Previews of panel files: what one would do is shown first, and done once somebody confirms it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from import_export.tmp_storages import MediaStorage

from filing import storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import PanelImport
from filing.panel import imports, sheets
from filing.panel.import_reports import ImportReport, check
from filing.panel.sheets import Sheet

PREVIEW_FOLDER = "panel-previews"
PREVIEW_LASTS = timedelta(days=1)

_SALT = "panel preview"


@dataclass(frozen=True)
class Preview:
    """What a file would do now. ticket: with it exactly this is imported, with nothing else."""

    file_name: str
    report: ImportReport
    ticket: str


def preview(name: str, content: bytes, *, by: Caller) -> Preview:
    """Return what a file would do, and keep the file until somebody confirms.

    Raises: BadInput when the file as a whole cannot be read; TooLarge.
    """
    sheet = sheets.read(name, content)
    storage.remove_older(PREVIEW_FOLDER, PREVIEW_LASTS)
    stored = uuid.uuid4().hex
    _file(stored).save(content)
    return _preview(sheet, stored, by)


def confirm(ticket: str, *, reason: str, by: Caller) -> PanelImport | Preview:
    """Import what a preview showed, and return the report; or a new preview if it is no longer so.

    Raises: NotReady when the file is not there any more; BadInput without a reason.
    """
    if not reason.strip():
        raise BadInput("Write down why the panel is imported.")
    facts = _opened(ticket, by)
    sheet = _stored_sheet(facts)
    with transaction.atomic():
        imports.hold()
        report = check(sheet)
        if report.fingerprint != facts["shows"]:
            return _preview(sheet, facts["file"], by)
        done = imports.write(sheet, report, by=by, reason=reason.strip())
    _file(facts["file"]).remove()
    return done


def show_again(ticket: str, *, by: Caller) -> Preview:
    """Return a preview once more, as it would be now.

    Raises: NotReady when the file is not there any more.
    """
    facts = _opened(ticket, by)
    return _preview(_stored_sheet(facts), facts["file"], by)


def _preview(sheet: Sheet, stored: str, by: Caller) -> Preview:
    report = check(sheet)
    facts = {
        "file": stored,
        "name": sheet.name,
        "sha256": sheet.sha256,
        "shows": report.fingerprint,
        "by": by.id,
    }
    return Preview(sheet.name, report, signing.dumps(facts, salt=_SALT))


def _opened(ticket: str, by: Caller) -> dict[str, str]:
    try:
        facts: dict[str, str] = signing.loads(ticket, salt=_SALT, max_age=PREVIEW_LASTS)
    except signing.BadSignature as error:
        raise NotReady("This preview is too old or damaged: upload the file again.") from error
    if facts["by"] != by.id:
        raise NotReady("Somebody else was shown this preview: upload the file yourself.")
    return facts


def _stored_sheet(facts: dict[str, str]) -> Sheet:
    try:
        content = _file(facts["file"]).read()
    except FileNotFoundError as error:
        raise NotReady(
            "This preview was confirmed already, or is too old. Look at the panel imports; if it "
            "is not among them, upload the file again."
        ) from error
    sheet = sheets.read(facts["name"], content)
    if sheet.sha256 != facts["sha256"]:
        raise NotReady("The file is not the one of the preview: upload it again.")
    return sheet


def _file(stored: str) -> Any:
    return MediaStorage(name=stored, MEDIA_FOLDER=PREVIEW_FOLDER)
