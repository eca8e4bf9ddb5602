"""Cancels filings that are no longer expected, and reinstates them.

Each action has a plan: a sentence that says what it would do, or the refusal with the reason.
"""

from __future__ import annotations

from django.db import transaction

from filing import audit, standing
from filing.access import Caller
from filing.errors import NotReady
from filing.models import AuditEvent, Filing
from filing.statuses import FilingStatus, Status
from filing.submissions import ConcurrentChange
from filing.submissions.interventions import require_reason


def plan_cancellation(filing: Filing) -> str:
    """Return what canceling would mean.

    Raises: NotReady when it is canceled, or completed unless the institution is made up.
    """
    is_completed = filing.status == FilingStatus.COMPLETED
    if is_completed and not filing.institution.lei.startswith(standing.MADE_UP_LEIS):
        raise NotReady(f"Filing {filing} is completed: what was filed stays on record.")
    if filing.status == FilingStatus.CANCELLED:
        raise NotReady(f"Filing {filing} is already canceled. It can be reinstated.")
    return (
        "The filing is no longer expected: no submission of it can be created, uploaded or "
        "signed until it is reinstated."
    )


def cancel_filing(filing: Filing, *, by: Caller, reason: str) -> str:
    """Cancel a filing, which is then no longer expected; return what was done.

    Raises: what `plan_cancellation` raises; BadInput without a reason.
    """
    require_reason(reason)
    plan_cancellation(filing)
    _change(filing, FilingStatus.CANCELLED, AuditEvent.FILING_CANCELLED, by=by, reason=reason)
    return "Canceled."


def plan_reinstatement(filing: Filing) -> str:
    """Return what reinstating would mean.

    Raises: NotReady unless it is canceled.
    """
    if filing.status != FilingStatus.CANCELLED:
        raise NotReady(f"Filing {filing} is not canceled.")
    return (
        "It is expected again: not started, in progress if it has submissions, or completed if one "
        "of them is signed."
    )


def reinstate_filing(filing: Filing, *, by: Caller, reason: str) -> str:
    """Reinstate a canceled filing, which is then expected again; return what was done.

    Raises: NotReady unless it is canceled; BadInput without a reason.
    """
    require_reason(reason)
    plan_reinstatement(filing)
    statuses = set(filing.submissions.values_list("status", flat=True))
    status = FilingStatus.IN_PROGRESS if statuses else FilingStatus.NOT_STARTED
    if Status.SIGNED in statuses:
        status = FilingStatus.COMPLETED
    _change(filing, status, AuditEvent.FILING_REINSTATED, by=by, reason=reason)
    return f"Reinstated: {status.label}."


def _change(
    filing: Filing, status: FilingStatus, event: AuditEvent, *, by: Caller, reason: str
) -> None:
    with transaction.atomic():
        is_changed = Filing.objects.filter(pk=filing.pk, status=filing.status).update(status=status)
        if not is_changed:
            raise ConcurrentChange(f"Another user has just changed filing {filing}.")
        lei = filing.institution.lei
        audit.record_event(event, by=by, lei=lei, about=str(filing), reason=reason)
    filing.status = status
