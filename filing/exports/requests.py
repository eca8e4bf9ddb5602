"""Requests for exports, and who may download the files."""

from __future__ import annotations

from datetime import timedelta
from typing import BinaryIO, cast

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction

from filing import access, audit, day_hours
from filing.errors import Busy, Forbidden, Gone, NotReady
from filing.exports.sources import find_source
from filing.jobs import queue
from filing.models import AuditEvent, Job, ListExport

KIND = "export"
RETENTION = timedelta(days=7)
MAX_UNFINISHED = 5  # of one user
_READS_ALL = "filing.read_any_listexport"


def request_export(
    source: str, *, user: User, form: str = "csv", query: str = "", reason: str = ""
) -> ListExport:
    """Queue the export of a list and return it; a job writes the file.

    source: the name of a registered list. user: whose rights decide, now and when the job runs.
    form: `csv` or `xlsx`. query: filters, search and order, as in the address of the list.

    Raises: NotFound for an unknown list; Forbidden if the user may not read it; Busy if too many
    exports of the user are unfinished.
    """
    found = find_source(source)
    if not (user.is_active and user.has_perm(found.permission)):
        raise Forbidden(f"You may not read the list of {found.label}.")
    of_user = Job.objects.filter(list_export__user=user)
    with transaction.atomic():
        if of_user.filter(state__in=Job.UNFINISHED).count() >= MAX_UNFINISHED:
            raise Busy(
                f"{MAX_UNFINISHED} of your exports are unfinished. Wait until one is done.", 60
            )
        by = access.caller_of(user)
        export = ListExport.objects.create(
            user=user,
            source=source,
            query=query,
            format=ListExport.Format(form),
            reason=reason,
            job=queue.add_job(KIND, fair_among=of_user),
            **by.actor_columns,
        )
        filters = f"?{query}" if query else ""
        audit.record_event(
            AuditEvent.LIST_EXPORTED,
            by=by,
            about=f"{export}, {found.label}{filters}",
            reason=reason,
        )
    return export


def open_stored_export(export: ListExport, *, user: User) -> BinaryIO:
    """Return the open file of an export, and record who downloads it.

    Raises: Forbidden if another user exported the list and the user has no right to files of
    others, or if they may not read the list any more; NotReady until the file is written; Gone if
    it was removed.
    """
    stored = _require_stored(export, user=user)
    try:
        file = default_storage.open(stored)
    except FileNotFoundError:
        raise Gone("The file was removed. Export the list again.") from None
    audit.record_event(
        AuditEvent.EXPORT_DOWNLOADED, by=access.caller_of(user), about=f"{export}, {export.source}"
    )
    return cast(BinaryIO, file)


def may_download_export(export: ListExport, *, user: User) -> bool:
    """Return whether an export is the user's, or they have the right to those of others."""
    return export.user_id == user.pk or user.has_perm(_READS_ALL)


def find_missing_right(export: ListExport, *, user: User) -> str:
    """Return the right that a user lacks to download an export; blank if none is missing."""
    if not may_download_export(export, user=user):
        return _READS_ALL
    permission = find_source(export.source).permission
    return "" if user.has_perm(permission) else permission


def _require_stored(export: ListExport, *, user: User) -> str:
    if not may_download_export(export, user=user):
        raise Forbidden("Another user exported this list. Export it yourself.")
    source = find_source(export.source)
    if not user.has_perm(source.permission):
        raise Forbidden(f"You may not read the list of {source.label}.")
    if not export.stored_as:
        raise NotReady("The export has no file yet.")
    return export.stored_as


def name_file(export: ListExport) -> str:
    """Return the name under which a browser saves the file."""
    label = find_source(export.source).label.replace(" ", "-")
    return f"{label}-{day_hours.to_filing_zone(export.at):%Y-%m-%d-%H%M}.{export.format}"
