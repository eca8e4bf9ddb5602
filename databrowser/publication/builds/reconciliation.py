"""The reconciliation of a vintage: whether its figures add up, what is left out, what changed.

It is made with the vintage and stored beside its files, for staff. What does not add up keeps the
vintage from being published until staff name a reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Min

from databrowser.models import Dataset, Version
from databrowser.publication.builds import sources
from databrowser.publication.builds.sources import BuildSources
from databrowser.publication.events import PublicationEvent
from databrowser.publication.layout import LOANS, RECONCILIATION
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import freeze_days, live_versions
from filing import audit, day_hours, standing, storage
from filing.access import Caller
from filing.errors import NotReady
from filing.models import Institution, Signature

_NAMED = 100  # disagreements of institutions that are listed; the others are counted
_LISTED = 1000  # institutions that the page lists


def reconcile_vintage(
    version: Version, inputs: BuildSources, counts: dict[str, int]
) -> dict[str, Any]:
    """Return the reconciliation of a vintage that is being built. counts: its records, by LEI."""
    signed = {each.lei for each in inputs.signed}
    panel = dict(
        Institution.objects.filter(standing.is_real_institution(), activity_year=inputs.year)
        .order_by("lei")
        .values_list("lei", "name")
    )
    disagreements = list(_find_disagreements(inputs, counts))
    left_out = list(_find_left_out(inputs, panel, signed | {*counts}))
    return {
        "records": {
            "Entries on transmittal sheets": sum(
                _sheet_total(each.sheet) for each in inputs.signed
            ),
            "Records that edits judged": sum(each.lines for each in inputs.signed),
            "Records of signed submissions": sum(counts.get(lei, 0) for lei in signed),
            "Records of imported files": sum(
                number for lei, number in counts.items() if lei not in signed
            ),
            "Records in the data set": sum(counts.values()),
        },
        "institutions": {
            "LEIs on transmittal sheets": len(signed),
            "LEIs with records": len(counts),
            "LEIs in the panel, without test institutions": len(panel),
            "LEIs with records that are not in the panel": len(counts.keys() - panel.keys()),
        },
        "disagreements": disagreements[:_NAMED],
        "disagreementCount": len(disagreements),
        "leftOut": left_out[:_LISTED],
        "leftOutCount": len(left_out),
        "before": _compare_with_before(version, counts),
    }


def read_reconciliation(version: Version) -> dict[str, Any] | None:
    """Return the stored reconciliation of a vintage; None of a version that has none."""
    name = f"{version.folder}/{RECONCILIATION}"
    if not version.is_vintage or version.state != Version.State.BUILT:
        return None
    with default_storage.open(name) as file:
        content: dict[str, Any] = json.load(file)
    return content


def plan_acceptance(version: Version) -> str:
    """Return what accepting the disagreements of a vintage would do.

    Raises: NotReady when it is not built, everything adds up, or they are accepted.
    """
    if version.state != Version.State.BUILT or not version.disagreements:
        raise NotReady(f"Nothing in the figures of version {version.name} is to be accepted.")
    if version.disagreements_reason:
        raise NotReady("What does not add up is already accepted.")
    number = len(version.disagreements.splitlines())
    return f"{number_of(number, 'disagreement')} accepted; the vintage can then be published."


def accept_disagreements(version: Version, *, by: Caller, reason: str) -> str:
    """Record why a vintage may be published although its figures disagree.

    Raises: what `plan_acceptance` raises; BadInput without a reason.
    """
    live_versions.require_reason(reason)
    with transaction.atomic():
        locked = Version.objects.select_for_update().get(pk=version.pk)
        summary = plan_acceptance(locked)
        Version.objects.filter(pk=locked.pk).update(disagreements_reason=reason.strip())
        audit.record_event(
            PublicationEvent.DISAGREEMENTS_ACCEPTED, by=by, about=locked.name, reason=reason.strip()
        )
    return summary


def _sheet_total(sheet: dict[str, Any]) -> int:
    total = sheet.get("total_lines")
    return total if isinstance(total, int) else 0


def _find_disagreements(inputs: BuildSources, counts: dict[str, int]) -> Iterator[str]:
    """Yield each institution whose figures disagree, as a sentence."""
    for each in inputs.signed:
        entries, records = _sheet_total(each.sheet), counts.get(each.lei, 0)
        if not entries == each.lines == records:
            yield (
                f"{each.submission}: {entries:,} on its transmittal sheet, {each.lines:,} judged, "
                f"{records:,} in the data set."
            )
        lei = str(each.sheet.get("lei", "")).upper()
        if lei != each.lei.upper():
            yield f"{each.submission}: its transmittal sheet has the LEI {lei or '(none)'}."
    for lei in inputs.missing:
        yield f"{lei}: signed, but its records could not be prepared for publication."


def _find_left_out(
    inputs: BuildSources, panel: dict[str, str], present: set[str]
) -> Iterator[dict[str, str]]:
    """Yield the institutions that are not in a vintage, with the reason."""
    assert inputs.frozen_on
    until = freeze_days.find_end(inputs.frozen_on)
    signatures = Signature.objects.filter(
        submission__filing__period__year=inputs.year, submission__filing__period__quarter=""
    ).order_by()
    lei, real = "submission__filing__institution__lei", standing.is_for_the_public("submission__")
    later = dict(
        signatures.filter(real, signed_at__gte=until).values_list(lei).annotate(Min("signed_at"))
    )
    tests = signatures.filter(~real, signed_at__lt=until)
    for each, name in panel.items():
        if each in present:
            continue
        why = "Not signed."
        if each in inputs.missing:
            why = "Signed, but not prepared for publication."
        elif each in later:
            why = f"Signed later, on {day_hours.describe_day(later[each])}."
        yield {"lei": each, "name": name, "why": why}
    names = "submission__filing__institution__name"
    for each, name in tests.values_list(lei, names).distinct().order_by(lei):
        yield {"lei": each, "name": name, "why": "A test institution."}


def _compare_with_before(version: Version, counts: dict[str, int]) -> dict[str, Any] | None:
    """Return how many institutions and records differ from the vintage before, if there is one.

    That is the published version of the same vintage, or else of the one that was frozen before.
    """
    order = list(Dataset)
    candidates = order[1 : order.index(Dataset(version.dataset)) + 1]
    live = live_versions.published_data_sets().filter(year=version.year, dataset__in=candidates)
    before = live.first()
    if before is None:
        return None
    earlier = sources.count_by_lei(storage.open_local_copy(f"{before.version.folder}/{LOANS}"))
    both = earlier.keys() & counts.keys()
    return {
        "version": before.version.name,
        "dataset": before.dataset,
        "figures": {
            "Institutions before": len(earlier),
            "Institutions now": len(counts),
            "Institutions added": len(counts.keys() - both),
            "Institutions gone": len(earlier.keys() - both),
            "Institutions with another number of records": sum(
                earlier[lei] != counts[lei] for lei in both
            ),
            "Records before": sum(earlier.values()),
            "Records now": sum(counts.values()),
        },
    }
