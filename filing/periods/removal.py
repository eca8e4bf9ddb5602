"""Removes filings: those without a submission and outside any legal hold, with a reason."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.lar.years import Period
from filing.models import AuditEvent, Filing, LegalHold, Submission
from filing.periods import legal_holds
from filing.previews import require_previewed

_SUBMITTED = Exists(Submission.objects.filter(filing=OuterRef("pk")))
# A hold that was lifted stays on record, and names its filing.
_HAD_HOLD = Exists(LegalHold.objects.filter(filing=OuterRef("pk")))


@dataclass(frozen=True)
class RemovalPlan:
    """What removing filings would mean. submitted, held: how many of them cannot be removed."""

    filings: int
    submitted: int
    held: int
    names: tuple[str, ...]

    @property
    def is_possible(self) -> bool:
        return bool(self.filings) and not self.submitted and not self.held

    def __str__(self) -> str:
        if self.is_possible:
            return f"Filings without a submission that are removed: {self.filings:,}."
        if not self.filings:
            return "There is no filing to remove."
        reasons = [
            f" Filings with submissions, which stay on record: {self.submitted:,}.",
            f" Filings that are or were under a legal hold: {self.held:,}.",
        ]
        sentences = reasons[0] * bool(self.submitted) + reasons[1] * bool(self.held)
        names = legal_holds.name_few(self.names)
        return f"Nothing is removed.{sentences} These stay: {names}."


def plan_removal(filings: QuerySet[Filing]) -> RemovalPlan:
    """Return what removing filings would mean; in a few queries, however many they are."""
    plain = filings.order_by()
    # Of all filings: the condition of each row names its own, and would look through the others.
    under_hold = legal_holds.find_held(Filing.objects.all()).values("pk")
    has_hold = Q(Exists(under_hold.filter(pk=OuterRef("pk")))) | Q(_HAD_HOLD)
    submitted = plain.filter(_SUBMITTED)
    rows = plain.filter(Q(_SUBMITTED) | has_hold).select_related("institution", "period")
    return RemovalPlan(
        filings=plain.count(),
        submitted=submitted.count(),
        held=plain.filter(has_hold).count(),
        names=tuple(str(filing) for filing in rows.order_by("pk")[: legal_holds.NAMED + 1]),
    )


def lock_filings(filings: QuerySet[Filing]) -> None:
    """Lock filings until the transaction ends: none of them gets a submission meanwhile."""
    list(filings.order_by("pk").only("pk").select_for_update(of=("self",)))


def remove_filings(
    filings: QuerySet[Filing], *, by: Caller, reason: str, digest: str | None = None
) -> int:
    """Remove filings, with an entry of the audit log for each; return how many.

    digest: of the plan that is confirmed, if it was shown.

    Raises: BadInput without a reason; PreviewChanged; NotReady if one of them has to stay.
    """
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded in the audit log.")
    with transaction.atomic():
        lock_filings(filings)
        require_previewed(digest, plan_removal(filings))
        rows = filings.order_by("pk").values_list(
            "institution__lei", "period__year", "period__quarter"
        )
        entries = [
            audit.make_entry(
                AuditEvent.FILING_DELETED,
                by=by,
                lei=lei,
                about=f"{lei}-{Period.of(year, quarter)}",
                reason=reason.strip(),
            )
            for lei, year, quarter in rows
        ]
        removed = remove_unfiled(filings)
        audit.record_entries(entries)
    return removed


def remove_unfiled(filings: QuerySet[Filing]) -> int:
    """Remove filings in one statement; return how many. Lock them first, in the transaction.

    Raises: NotReady if one of them has to stay.
    """
    plan = plan_removal(filings)
    if not plan.is_possible:
        raise NotReady(str(plan))
    # Without the signals of each row, which would write 23,000 entries one by one.
    return filings.order_by()._raw_delete(filings.db)
