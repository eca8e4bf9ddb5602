"""Loading reference data in the admin: preview a file, load it, or restore an earlier one.

Between the preview and the confirmation the file is staged in storage, for a day at most.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from filing import audit, registries, storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.files import remote_files
from filing.lar.years import YearStage, describe_years, filing_years, newest_year
from filing.models import AuditEvent, ReferenceData
from filing.previews import require_previewed
from filing.reference import kinds
from filing.reference.kinds import REFERENCE_KINDS, ListDifference, ReferenceKind
from filing.reference.listing import BadLine, BadLines
from filing.reference_data import registry
from filing.reference_data.registry import LoadReport

MAX_BYTES = 64 * 1024 * 1024  # a census of all tracts has 10 million
STAGED = "reference/staged"
STAGED_SECONDS = 24 * 3600
BAD_LINES_SHOWN = 100
_SALT = "staged reference data"
_GONE = "The file was already loaded, or has expired. Choose it again."


@dataclass(frozen=True)
class ReferencePreview:
    """What loading a file would do. token: for `confirm_previews`; blank where it cannot be loaded.

    year: none if unknown. before: the file of the same year in use now. refusal: why it cannot be
    loaded. bad: the first lines that are wrong.
    """

    kind: ReferenceKind
    year: int | None
    source: str
    token: str = ""
    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    before: ReferenceData | None = None
    difference: ListDifference | None = None
    refusal: str = ""
    bad: tuple[BadLine, ...] = ()


@dataclass(frozen=True)
class Availability:
    """The file of a kind for a year: its own, the one that stands in for it, or none."""

    kind: ReferenceKind
    own: ReferenceData | None
    stands_in: ReferenceData | None


def list_availability() -> list[tuple[int, list[Availability]]]:
    """Return the files of each kind for each year, newest first, in one statement."""
    active = {(file.kind, file.year): file for file in ReferenceData.objects.filter(active=True)}
    return [
        (
            year,
            [
                Availability(
                    kind,
                    active.get((name, year)),
                    active.get((name, registry.find_stand_in_year(name, year) or year)),
                )
                for name, kind in REFERENCE_KINDS.items()
            ],
        )
        for year in sorted(filing_years(), reverse=True)
    ]


def fetch_file(address: str) -> bytes:
    """Return the file at an address of an allowed host.

    Raises: what `remote_files.fetch_file` raises.
    """
    return remote_files.fetch_file(address, max_bytes=MAX_BYTES)


def preview_files(
    kind: str, year: int | None, files: Iterable[tuple[str, bytes]], *, by: Caller
) -> list[ReferencePreview]:
    """Return what loading files would do, each with its name, and stage those that can be loaded.

    year: of the only file; without it each file tells its own, and no two may have the same.
    """
    previews: list[ReferencePreview] = []
    for name, data in files:
        source = name[:500]
        file_year = year or kinds.find_data_year(REFERENCE_KINDS[kind], data, name=name)
        same = [other.source for other in previews if other.token and other.year == file_year]
        if refusal := _refusal(data, file_year, same):
            previews.append(
                ReferencePreview(REFERENCE_KINDS[kind], file_year, source, refusal=refusal)
            )
        elif file_year is not None:
            previews.append(_stage(_preview(kind, file_year, data, source), data, by))
    return previews


def _refusal(data: bytes, year: int | None, same: Sequence[str]) -> str:
    if len(data) > MAX_BYTES:
        return f"The file is larger than {MAX_BYTES:,} bytes."
    if year is None:
        return describe_unclear_year()
    return f"{same[0]} also has the data of {year}. Choose one of the two." if same else ""


def describe_unclear_year() -> str:
    """Return why a file whose year is unknown cannot be loaded."""
    years, last = describe_years(YearStage.DRAFT), newest_year(YearStage.DRAFT)
    return (
        f"The data year is unknown. Choose it, or give the file a name with one year from {years}, "
        f"such as census-{last}.txt."
    )


def _stage(preview: ReferencePreview, data: bytes, by: Caller) -> ReferencePreview:
    """Store a file that can be loaded, and return its preview with a token."""
    if preview.refusal:
        return preview
    name = default_storage.save(f"{STAGED}/{uuid.uuid4().hex}", ContentFile(data))
    staged = {
        "kind": preview.kind.name,
        "year": preview.year,
        "source": preview.source,
        "name": name,
        "by": by.id,
    }
    return replace(preview, token=signing.dumps(staged, salt=_SALT))


def repeat_previews(tokens: Sequence[str], *, by: Caller) -> list[ReferencePreview]:
    """Return the previews of staged files.

    Raises: NotReady when one belongs to another user, or has expired.
    """
    previews = []
    for token in tokens:
        staged, data = _staged_file(token, by)
        preview = _preview(staged["kind"], staged["year"], data, staged["source"])
        previews.append(replace(preview, token=token))
    return previews


def _preview(name: str, year: int, data: bytes, source: str) -> ReferencePreview:
    kind, before = REFERENCE_KINDS[name], registry.find_own_file(name, year)
    try:
        rows = kinds.read_reference_file(kind, data, year=year)
    except BadLines as error:
        bad = error.lines[:BAD_LINES_SHOWN]
        return ReferencePreview(
            kind, year, source, before=before, refusal=f"{error.summary}.", bad=bad
        )
    return ReferencePreview(
        kind=kind,
        year=year,
        source=source,
        rows=rows.height,
        counts=kind.counts(rows),
        before=before,
        difference=kinds.compare_lists(
            kind, kind.resolved(rows), registry.read_rows_of_file(before)
        )
        if before
        else None,
    )


def list_load_facts(tokens: Sequence[str], *, by: Caller) -> list[object]:
    """Return what previews show: the files to load, each with the key of that which it replaces.

    How two files differ follows from both, as no stored file changes.

    Raises: NotReady when one belongs to another user, or has expired.
    """
    staged_files = [(token, _read_token(token, by)) for token in tokens]
    return [
        (token, _find_key_in_use(staged["kind"], staged["year"])) for token, staged in staged_files
    ]


def confirm_previews(
    tokens: Sequence[str], *, by: Caller, reason: str, digest: str
) -> list[LoadReport]:
    """Load the files of a preview, all of them or none. digest: of the preview.

    Raises: BadInput without a reason; NotReady without a preview, or when it belongs to another
    user or has expired; PreviewChanged.
    """
    reason = _require_reason(reason)
    if not tokens:
        raise NotReady("No file was previewed. Choose the files again.")
    names, reports = [], []
    with transaction.atomic():
        registry.lock_files()
        require_previewed(digest, *list_load_facts(tokens, by=by))
        for token in tokens:
            staged, data = _staged_file(token, by)
            kind, year, source = staged["kind"], staged["year"], staged["source"]
            reports.append(load_with_reason(kind, year, data, source=source, by=by, reason=reason))
            names.append(staged["name"])
    for name in names:
        default_storage.delete(name)
    return reports


def _read_token(token: str, by: Caller) -> dict[str, Any]:
    """Return the facts of a staged file."""
    try:
        staged: dict[str, Any] = signing.loads(token, salt=_SALT, max_age=STAGED_SECONDS)
    except signing.BadSignature as error:
        raise NotReady("The preview has expired. Choose the file again.") from error
    if staged["by"] != by.id:
        raise NotReady("This preview belongs to another user. Choose the file yourself.")
    if not default_storage.exists(staged["name"]):
        raise NotReady(_GONE)
    return staged


def _staged_file(token: str, by: Caller) -> tuple[dict[str, Any], bytes]:
    """Return the facts and the content of a staged file."""
    staged = _read_token(token, by)
    try:
        with default_storage.open(staged["name"]) as stored:
            return staged, stored.read()
    except FileNotFoundError as error:
        raise NotReady(_GONE) from error


def load_with_reason(
    kind: str, year: int, data: bytes, *, source: str, by: Caller, reason: str = ""
) -> LoadReport:
    """Load a file, completely or not at all, with an audit log entry.

    Raises: BadLines.
    """
    with transaction.atomic():
        registry.lock_files()
        report = registry.load_file(kind, year, data, source=source, by=by.email or by.username)
        if not report.unchanged:
            about = f"{kind} {year} from {source}, SHA-256 {report.sha256}"
            event = AuditEvent.REFERENCE_DATA_LOADED
            audit.record_event(event, by=by, about=about, reason=reason)
            registries.reference_data_changed.send(ReferenceData)
    return report


def restore_with_reason(
    data: ReferenceData, *, by: Caller, reason: str, digest: str | None = None
) -> None:
    """Use an earlier file again. digest: of the preview that is confirmed, if there was one.

    Raises: BadInput without a reason; NotReady for the file in use; PreviewChanged.
    """
    reason = _require_reason(reason)
    with transaction.atomic():
        registry.lock_files()
        require_previewed(digest, *list_restore_facts(data))
        data.refresh_from_db()
        if data.active:
            raise NotReady("This file is already in use.")
        before = registry.restore_file(data)
        about = f"{data.kind} {data.year} from {data.source} in place of {before or 'none'}"
        audit.record_event(AuditEvent.REFERENCE_DATA_RESTORED, by=by, about=about, reason=reason)
        registries.reference_data_changed.send(ReferenceData)


def list_restore_facts(data: ReferenceData) -> list[object]:
    """Return what the preview of restoring a file shows: the file, and the one it replaces."""
    return [data.pk, _find_key_in_use(data.kind, data.year)]


def _find_key_in_use(kind: str, year: int) -> int | None:
    active = registry.find_own_file(kind, year)
    return active.pk if active else None


def leave_out_with_reason(data: ReferenceData, *, by: Caller, reason: str) -> None:
    """Use a file no longer, and none of its kind and year in its place."""
    reason = _require_reason(reason)
    with transaction.atomic():
        ReferenceData.objects.filter(pk=data.pk).update(active=False)
        about = f"{data.kind} {data.year} from {data.source}"
        audit.record_event(AuditEvent.REFERENCE_DATA_LEFT_OUT, by=by, about=about, reason=reason)
        registries.reference_data_changed.send(ReferenceData)


def compare_with_active(data: ReferenceData) -> ListDifference | None:
    """Return how a file differs from the one in use for its year, if there is another."""
    active = registry.find_own_file(data.kind, data.year)
    if active is None or active.pk == data.pk:
        return None
    return kinds.compare_lists(
        REFERENCE_KINDS[data.kind],
        registry.read_rows_of_file(data),
        registry.read_rows_of_file(active),
    )


def delete_staged_files() -> int:
    """Delete the files that were staged more than a day ago; return how many."""
    return storage.remove_older_files(STAGED, timedelta(seconds=STAGED_SECONDS))


def _require_reason(reason: str) -> str:
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded in the audit log.")
    return reason.strip()
