"""Loading public facts by hand: look at a file first, let it count, let an older one count again.

Between the look and the word to go on the file lies in storage, for a day at most.
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
from django.db import IntegrityError, transaction

from filing import audit, storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.files import fetching
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import Happening, ReferenceData, Submission
from filing.reference import kinds
from filing.reference.kinds import KINDS, Difference, Kind
from filing.reference.listing import BadLine, BadLines
from filing.reference_data import registry
from filing.reference_data.registry import LoadReport
from filing.statuses import Status

AT_MOST = 64 * 1024 * 1024  # bytes; a census of all tracts has 10 million
STAGED = "reference/staged"
STAGED_SECONDS = 24 * 3600
BAD_LINES_SHOWN = 100
YEAR_UNCLEAR = (
    "The data year is not clear: choose it, or give the file a name with one year from "
    f"{FIRST_YEAR} to {LAST_YEAR}, such as census-{LAST_YEAR}.txt."
)
_SALT = "staged reference data"


@dataclass(frozen=True)
class Preview:
    """What loading a file would do. token: what `confirm` wants; blank where it cannot be loaded.

    year: none where it is not clear. before: the file of the same year that counts now. refusal:
    why it cannot be loaded. bad: lines that are wrong, the first of them.
    """

    kind: Kind
    year: int | None
    source: str
    token: str = ""
    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    before: ReferenceData | None = None
    difference: Difference | None = None
    refusal: str = ""
    bad: tuple[BadLine, ...] = ()


@dataclass(frozen=True)
class Held:
    """What there is of a kind for a year: its own file, the one that stands in, or none."""

    kind: Kind
    own: ReferenceData | None
    stands_in: ReferenceData | None


def matrix() -> list[tuple[int, list[Held]]]:
    """Return for each year, the newest first, what there is of each kind; in one statement."""
    active = {(each.kind, each.year): each for each in ReferenceData.objects.filter(active=True)}
    return [
        (
            year,
            [
                Held(
                    kind,
                    active.get((name, year)),
                    active.get((name, registry.stands_in_for(year) or year)),
                )
                for name, kind in KINDS.items()
            ],
        )
        for year in range(LAST_YEAR, FIRST_YEAR - 1, -1)
    ]


def from_address(address: str) -> bytes:
    """Return the file at an address of a host that this site may ask.

    Raises: what `fetching.fetch` raises.
    """
    return fetching.fetch(address, at_most=AT_MOST)


def preview(
    kind: str, year: int | None, files: Iterable[tuple[str, bytes]], *, by: Caller
) -> list[Preview]:
    """Return what loading files would do, each with its name, and stage those that can be loaded.

    year: that of the only file; without it each file says its own, and no two say the same.
    """
    previews: list[Preview] = []
    for name, data in files:
        source = name[:500]
        of = year or kinds.year_of(KINDS[kind], data, name=name)
        same = [each.source for each in previews if each.token and each.year == of]
        if refusal := _refusal(data, of, same):
            previews.append(Preview(KINDS[kind], of, source, refusal=refusal))
        elif of is not None:
            previews.append(_staged(_looked_at(kind, of, data, source), data, by))
    return previews


def _refusal(data: bytes, year: int | None, same: Sequence[str]) -> str:
    if len(data) > AT_MOST:
        return f"The file is larger than {AT_MOST:,} bytes."
    if year is None:
        return YEAR_UNCLEAR
    return f"{same[0]} is of {year}, too: choose one of the two." if same else ""


def _staged(looked: Preview, data: bytes, by: Caller) -> Preview:
    if looked.refusal:
        return looked
    name = default_storage.save(f"{STAGED}/{uuid.uuid4().hex}", ContentFile(data))
    staged = {
        "kind": looked.kind.name,
        "year": looked.year,
        "source": looked.source,
        "name": name,
        "by": by.id,
    }
    return replace(looked, token=signing.dumps(staged, salt=_SALT))


def look_again(tokens: Sequence[str], *, by: Caller) -> list[Preview]:
    """Return the previews of files that were staged.

    Raises: NotReady when one was somebody else's, or too long ago.
    """
    previews = []
    for token in tokens:
        staged, data = _put_aside(token, by)
        looked = _looked_at(staged["kind"], staged["year"], data, staged["source"])
        previews.append(replace(looked, token=token))
    return previews


def _looked_at(kind: str, year: int, data: bytes, source: str) -> Preview:
    of, before = KINDS[kind], registry.own(kind, year)
    try:
        found = of.read(data, year)
    except BadLines as error:
        shown = error.lines[:BAD_LINES_SHOWN]
        return Preview(of, year, source, before=before, refusal=f"{error.summary}.", bad=shown)
    return Preview(
        kind=of,
        year=year,
        source=source,
        rows=found.height,
        counts=of.counts(found),
        before=before,
        difference=kinds.difference(of, of.resolved(found), registry.rows_of(before))
        if before
        else None,
    )


def confirm(tokens: Sequence[str], *, by: Caller, reason: str) -> list[LoadReport]:
    """Load the files of a preview, all of them or none.

    Raises: BadInput without a reason; NotReady when nothing was previewed, or somebody else
    previewed it, or it was too long ago.
    """
    reason = _required(reason)
    if not tokens:
        raise NotReady("No file was previewed. Choose the files again.")
    names, reports = [], []
    with transaction.atomic():
        for token in tokens:
            staged, data = _put_aside(token, by)
            kind, year, source = staged["kind"], staged["year"], staged["source"]
            reports.append(load(kind, year, data, source=source, by=by, reason=reason))
            names.append(staged["name"])
    for name in names:
        default_storage.delete(name)
    return reports


def _put_aside(token: str, by: Caller) -> tuple[dict[str, Any], bytes]:
    try:
        told = signing.loads(token, salt=_SALT, max_age=STAGED_SECONDS)
    except signing.BadSignature as error:
        raise NotReady("The preview is too old. Choose the file again.") from error
    if told["by"] != by.id:
        raise NotReady("Somebody else has looked at this file. Choose it again yourself.")
    try:
        with default_storage.open(told["name"]) as stored:
            return told, stored.read()
    except FileNotFoundError as error:
        raise NotReady("The file was loaded already, or is gone. Choose it again.") from error


def load(
    kind: str, year: int, data: bytes, *, source: str, by: Caller, reason: str = ""
) -> LoadReport:
    """Load a file, whole or not at all, and tell the trail.

    Raises: BadLines; NotReady when somebody loads another one at the same moment.
    """
    try:
        with transaction.atomic():
            report = registry.load(kind, year, data, source=source, by=by.email or by.username)
            if not report.unchanged:
                about = f"{kind} {year} from {source}, SHA-256 {report.sha256}"
                happening = Happening.REFERENCE_DATA_LOADED
                audit.record(happening, by=by, about=about, reason=reason)
    except IntegrityError as error:
        raise NotReady("Somebody else has just loaded another file. Look at it first.") from error
    return report


def restore(again: ReferenceData, *, by: Caller, reason: str) -> None:
    """Let a file that counted before count again.

    Raises: BadInput without a reason; NotReady for the one that counts.
    """
    reason = _required(reason)
    if again.active:
        raise NotReady("This file counts already.")
    with transaction.atomic():
        before = registry.restore(again)
        about = f"{again.kind} {again.year} from {again.source} in place of {before or 'none'}"
        audit.record(Happening.REFERENCE_DATA_RESTORED, by=by, about=about, reason=reason)


def against_present(data: ReferenceData) -> Difference | None:
    """Return how a file differs from the one of its year that counts, if there is one."""
    present = registry.own(data.kind, data.year)
    if present is None or present.pk == data.pk:
        return None
    return kinds.difference(KINDS[data.kind], registry.rows_of(data), registry.rows_of(present))


def checked_before(kind: str, year: int) -> int:
    """Return how many submissions that are not signed have been checked with what counted before.

    Those of a year whose facts this year stands in for count as well; none where no edit looks up
    such a file.
    """
    if not KINDS[kind].in_edits:
        return 0
    years = {year} | {
        other
        for other in range(FIRST_YEAR, LAST_YEAR + 1)
        if registry.stands_in_for(other) == year and registry.own(kind, other) is None
    }
    waiting = [status for status in Status if status.rests and status is not Status.SIGNED]
    return (
        Submission.objects.filter(filing__period__year__in=years, status__in=waiting)
        .exclude(edits_folder="")
        .count()
    )


def sweep() -> int:
    """Delete the files that were put aside more than a day ago; return how many."""
    return storage.remove_older(STAGED, timedelta(seconds=STAGED_SECONDS))


def _required(reason: str) -> str:
    if not reason.strip():
        raise BadInput("Say why: one sentence for the audit log will do.")
    return reason.strip()
