"""Previews of panel files: what an import would do is shown, and done once a user confirms it."""

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
    """What importing a file would do now. ticket: confirms exactly this import."""

    file_name: str
    report: ImportReport
    ticket: str


def preview(name: str, content: bytes, *, by: Caller) -> Preview:
    """Return what importing a file would do, and store the file until a user confirms.

    Raises: BadInput when the file as a whole cannot be read; TooLarge.
    """
    sheet = sheets.read(name, content)
    storage.remove_older(PREVIEW_FOLDER, PREVIEW_LASTS)
    stored = uuid.uuid4().hex
    _file(stored).save(content)
    return _preview(sheet, stored, by)


def confirm(ticket: str, *, reason: str, by: Caller) -> PanelImport | Preview:
    """Import a previewed file and return the report, or a new preview if the result would differ.

    Raises: NotReady when the file is no longer stored; BadInput without a reason.
    """
    if not reason.strip():
        raise BadInput("Enter the reason for the import.")
    facts = _ticket_facts(ticket, by)
    sheet = _stored_sheet(facts)
    with transaction.atomic():
        imports.lock()
        report = check(sheet)
        if report.fingerprint != facts["shows"]:
            return _preview(sheet, facts["file"], by)
        panel_import = imports.write(sheet, report, by=by, reason=reason.strip())
    _file(facts["file"]).remove()
    return panel_import


def show_again(ticket: str, *, by: Caller) -> Preview:
    """Return a preview again, as it is now.

    Raises: NotReady when the file is no longer stored.
    """
    facts = _ticket_facts(ticket, by)
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


def _ticket_facts(ticket: str, by: Caller) -> dict[str, str]:
    try:
        facts: dict[str, str] = signing.loads(ticket, salt=_SALT, max_age=PREVIEW_LASTS)
    except signing.BadSignature as error:
        raise NotReady("This preview has expired. Upload the file again.") from error
    if facts["by"] != by.id:
        raise NotReady("This preview belongs to another user. Upload the file yourself.")
    return facts


def _stored_sheet(facts: dict[str, str]) -> Sheet:
    try:
        content = _file(facts["file"]).read()
    except FileNotFoundError as error:
        raise NotReady(
            "This preview was already confirmed, or has expired. If it is not among the panel "
            "imports, upload the file again."
        ) from error
    sheet = sheets.read(facts["name"], content)
    if sheet.sha256 != facts["sha256"]:
        raise NotReady("The file differs from the one in the preview. Upload it again.")
    return sheet


def _file(stored: str) -> Any:
    return MediaStorage(name=stored, MEDIA_FOLDER=PREVIEW_FOLDER)
