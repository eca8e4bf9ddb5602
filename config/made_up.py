"""What is made up on this site: where it is in use, and how it is taken out of use.

Evidence stays: submissions and their history, signatures, receipts, and the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from config.checks import DEMO_LOGINS
from databrowser.models import LiveVersion, Publication, PublicImport, Version
from databrowser.publication.imports import public_files
from databrowser.publication.versions import live_versions
from filing import audit, seasons, standing
from filing.access import Caller
from filing.errors import NotReady, Refusal
from filing.models import AuditEvent, Filing, Institution, ReferenceData, SeasonOpening
from filing.panel import records
from filing.people import accounts
from filing.reference_data import loading as reference_data
from filing.seasons import cancellations
from filing.seasons.opening import find_opened_filings
from filing.statuses import FilingStatus
from graphs import computing, importing
from graphs.models import FactsImport, Shown
from ratespread import loading as rates
from ratespread.models import AporTable

# Of the accounts that `prepare --demo` creates; no one can have an email address of this domain.
_LOGINS = ("filer", "helpdesk", "operator", "administrator")
_DOMAIN = ".example"
_SOURCE = "made-up "  # begins the sources of reference data that our commands make up


@dataclass(frozen=True)
class MadeUpKind:
    """A kind of made-up rows.

    name: of the rows, in the plural. find: those that are in use. remove: takes one out of use, and
    raises a refusal that says why it stays.
    """

    name: str
    find: Callable[[], QuerySet[Any]]
    remove: Callable[..., object]


def count_made_up() -> dict[str, int]:
    """Return how many made-up rows of each kind are in use, by the name of the kind."""
    numbers = {kind.name: kind.find().count() for kind in KINDS}
    return {name: number for name, number in numbers.items() if number}


def remove_made_up(*, by: Caller, reason: str, dry_run: bool = False) -> list[str]:
    """Take everything made up out of use; return what was done, what was skipped and why.

    dry_run: do it, report it, and undo it.
    """
    with transaction.atomic():
        lines = [line for kind in KINDS for line in _remove_kind(kind, by=by, reason=reason)]
        if lines:
            report = "\n".join([reason, *lines])
            audit.record_event(AuditEvent.DEMO_REMOVED, by=by, about="made-up data", reason=report)
        transaction.set_rollback(dry_run)
    if not dry_run:
        Path(settings.DATA_DIR, DEMO_LOGINS).unlink(missing_ok=True)
        if Shown.objects.filter(computation__is_demo=True).exists():
            computing.compute_graphs_now(reason=reason, force=True)
            lines.append("Graphs: computed again.")
    return lines


def _remove_kind(kind: MadeUpKind, *, by: Caller, reason: str) -> Iterator[str]:
    removed, skipped = 0, []
    for row in kind.find():
        name = str(row)
        try:
            with transaction.atomic():
                kind.remove(row, by=by, reason=reason)
        except Refusal as refusal:
            skipped.append(f"  skipped {name}: {refusal.message}")
        else:
            removed += 1
    if removed or skipped:
        yield f"{kind.name}: {removed:,} taken out of use, {len(skipped):,} skipped."
        yield from skipped


def _find_accounts() -> QuerySet[User]:
    return User.objects.filter(
        username__in=_LOGINS, first_name="Demo", email__endswith=_DOMAIN, is_active=True
    )


def _disable_account(user: User, *, by: Caller, reason: str) -> None:
    user.is_active = False
    user.save(update_fields=["is_active"])
    accounts.record_account_disabled(user, by=by, reason=reason, notifies=False)


def _find_imports() -> QuerySet[PublicImport]:
    return PublicImport.objects.filter(is_demo=True, active=True)


def _find_versions() -> QuerySet[Any]:
    """Return the versions that were published and not withdrawn since, the published ones last."""
    last = Publication.objects.filter(version=OuterRef("pk")).order_by("-pk").values("what")[:1]
    is_live = Exists(LiveVersion.objects.filter(version=OuterRef("pk")))
    published = Version.objects.filter(is_demo=True, state=Version.State.BUILT)
    return (
        published.annotate(last=Subquery(last), is_live=is_live)
        .exclude(last=None)
        .exclude(last=Publication.What.WITHDRAWN)
        .order_by("year", "is_live", "number")
    )


def _withdraw(version: Version, *, by: Caller, reason: str) -> None:
    """Withdraw a version; one that was replaced is published for that, and then the later one."""
    live = live_versions.live_version(version.year, version.dataset)
    if live is None or live.version_id != version.pk:
        live_versions.publish_version(version, by=by, reason=reason)
    live_versions.withdraw_version(version, by=by, reason=reason)
    if live and live.version_id != version.pk:
        live_versions.publish_version(live.version, by=by, reason=reason)


def _find_openings() -> QuerySet[SeasonOpening]:
    """Return the openings of years whose panel is made up, with filings that still count."""
    real = Institution.objects.filter(~standing.is_made_up(), activity_year=OuterRef("year"))
    openings = SeasonOpening.objects.filter(~Exists(real), undone_at=None)
    counting = [status for status in FilingStatus if status is not FilingStatus.CANCELLED]
    keys = [
        each.pk
        for each in openings
        if find_opened_filings(each).filter(status__in=counting).exists()
    ]
    return SeasonOpening.objects.filter(pk__in=keys)


def _find_filings() -> QuerySet[Filing]:
    filings = Filing.objects.filter(standing.is_made_up("institution__"))
    return filings.exclude(status=FilingStatus.CANCELLED).select_related("institution", "period")


def _find_institutions() -> QuerySet[Institution]:
    return Institution.objects.filter(standing.is_made_up(), standing.is_real_institution())


def _remove_institution(institution: Institution, *, by: Caller, reason: str) -> None:
    """Remove an institution without filings; one with filings becomes a test institution."""
    lei, year = institution.lei, institution.activity_year
    try:
        with transaction.atomic():
            records.remove_institution(lei, year, by=by, reason=reason)
    except NotReady:
        values = {"lei": lei, "activity_year": year, "is_test": True}
        records.save_institution(values, by=by, reason=reason)


def _find_rates() -> QuerySet[AporTable]:
    return AporTable.objects.filter(load__is_demo=True)


def _find_reference_data() -> QuerySet[ReferenceData]:
    return ReferenceData.objects.filter(source__startswith=_SOURCE, active=True)


def _find_facts() -> QuerySet[FactsImport]:
    return FactsImport.objects.filter(is_demo=True, active=True)


# In this order: what is published goes first, an institution after its filings.
KINDS = (
    MadeUpKind("Accounts", _find_accounts, _disable_account),
    MadeUpKind("Imported public files", _find_imports, public_files.leave_import_out),
    MadeUpKind("Published versions", _find_versions, _withdraw),
    MadeUpKind("Facts of the graphs", _find_facts, importing.leave_facts_out),
    MadeUpKind("APOR tables", _find_rates, rates.remove_demo_rates),
    MadeUpKind("Season openings", _find_openings, seasons.undo_opening),
    MadeUpKind("Filings", _find_filings, cancellations.cancel_filing),
    MadeUpKind("Institutions", _find_institutions, _remove_institution),
    MadeUpKind("Reference data", _find_reference_data, reference_data.leave_out_with_reason),
)
