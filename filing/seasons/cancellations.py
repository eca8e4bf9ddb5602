"""Filings that nobody owes any more, and how they come back.

Each action has a plan: a sentence of what it would do to this one, or the refusal with why not.
"""

from __future__ import annotations

from django.db import transaction

from filing import audit
from filing.access import Caller
from filing.errors import NotReady
from filing.models import Filing, Happening
from filing.statuses import FilingStatus
from filing.submissions import Overtaken
from filing.submissions.interventions import require_reason


def plan_cancel(filing: Filing) -> str:
    """Return what cancelling would mean.

    Raises: NotReady when it is completed or cancelled.
    """
    if filing.status == FilingStatus.COMPLETED:
        raise NotReady(f"Filing {filing} is completed: what was filed stays on record.")
    if filing.status == FilingStatus.CANCELLED:
        raise NotReady(f"Filing {filing} is already cancelled. It can be reinstated.")
    return (
        "The filing is no longer expected: no submission of it can be created, uploaded or "
        "signed until it is reinstated."
    )


def cancel(filing: Filing, *, by: Caller, reason: str) -> str:
    """Say that nothing is owed any more; return what was done.

    Raises: NotReady when it is completed or cancelled; BadInput without a reason.
    """
    require_reason(reason)
    plan_cancel(filing)
    _change(filing, FilingStatus.CANCELLED, Happening.FILING_CANCELLED, by=by, reason=reason)
    return "Cancelled."


def plan_reinstate(filing: Filing) -> str:
    """Return what reinstating would mean.

    Raises: NotReady unless it is cancelled.
    """
    if filing.status != FilingStatus.CANCELLED:
        raise NotReady(f"Filing {filing} is not cancelled.")
    return "It is expected again: not started, or in progress if it has submissions."


def reinstate(filing: Filing, *, by: Caller, reason: str) -> str:
    """Say that a cancelled filing is owed again; return what was done.

    Raises: NotReady unless it is cancelled; BadInput without a reason.
    """
    require_reason(reason)
    plan_reinstate(filing)
    begun = filing.submissions.exists()
    status = FilingStatus.IN_PROGRESS if begun else FilingStatus.NOT_STARTED
    _change(filing, status, Happening.FILING_REINSTATED, by=by, reason=reason)
    return f"Reinstated: {status.message}."


def _change(
    filing: Filing, status: FilingStatus, happening: Happening, *, by: Caller, reason: str
) -> None:
    with transaction.atomic():
        moved = Filing.objects.filter(pk=filing.pk, status=filing.status).update(status=status)
        if not moved:
            raise Overtaken(f"Filing {filing} was changed by another user just now.")
        lei = filing.institution.lei
        audit.record(happening, by=by, lei=lei, about=str(filing), reason=reason)
    filing.status = status
