"""Records an event of an institution with all that it changes, in one transaction.

A preview is the same, rolled back: so it shows exactly what will be done.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from django.db import transaction

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotFound
from filing.lives import (
    closings,
    conditions,
    extending,
    mergers,
    names,
    notices,
    quarters,
    successions,
)
from filing.lives.reports import EventDraft, EventReport
from filing.lives.steps import EventSteps
from filing.models import AuditEvent, Institution, InstitutionEvent
from filing.models.extensions import forget_extensions
from filing.panel.panel_imports import lock_panel
from filing.people.own_rights import record_own_rights
from filing.previews import require_previewed

log = logging.getLogger(__name__)
Kind = InstitutionEvent.Kind
_CARRY_OUT: dict[str, Callable[[EventDraft, EventSteps], None]] = {
    Kind.NAME: names.change_name,
    Kind.LEI: successions.change_lei,
    Kind.MERGER: mergers.merge_institutions,
    Kind.CLOSING: closings.close_institution,
    Kind.EXTENSION: extending.extend_deadline,
    Kind.QUARTERLY: quarters.begin_quarterly_duty,
    Kind.QUARTERLY_END: quarters.end_quarterly_duty,
}


def record_event(
    draft: EventDraft,
    *,
    by: Caller,
    reason: str = "",
    dry_run: bool = False,
    digest: str | None = None,
) -> EventReport:
    """Record an event and carry it out; return what it changed.

    dry_run: only return what it would change; then no reason is needed. digest: of the preview that
    is confirmed, if there was one.

    Raises: BadInput, also without a reason; NotReady, which says what to do instead, also for an
    event that was just recorded; PreviewChanged; NotFound for an institution that is not in the
    panel; OwnRight.
    """
    reason = reason.strip()
    if not dry_run and not reason:
        raise BadInput("Enter the reason for the change. It is recorded with the event.")
    try:
        with record_own_rights(by), transaction.atomic():
            lock_panel()  # so that two events of an institution follow each other
            report = _carry_out(draft, by=by, reason=reason or "Preview")
            require_previewed(digest, report.kind, report.lines, report.emails)
            transaction.set_rollback(dry_run)
    finally:
        forget_extensions()  # also what was rolled back
    return EventReport(report.kind, report.lines, report.emails) if dry_run else report


def _carry_out(draft: EventDraft, *, by: Caller, reason: str) -> EventReport:
    if not Institution.objects.filter(lei=draft.lei).exists():
        raise NotFound(f"Institution {draft.lei} is not in the panel of any year.")
    event = InstitutionEvent.objects.create(
        kind=draft.kind,
        lei=draft.lei,
        other_lei=draft.other_lei,
        effective_on=draft.effective_on,
        reason=reason,
        **by.actor_columns,
    )
    steps = EventSteps(event, by=by)
    with audit.set_reason(reason):
        _CARRY_OUT[draft.kind](draft, steps)
    conditions.require_new(event, steps.facts)
    event.facts = steps.facts
    emails = notices.queue_notices(event, steps.lines)
    event.facts = {
        **steps.facts,
        "report": [[line.part, line.about, line.text] for line in steps.lines],
        "emails": len(emails),
    }
    event.save(update_fields=["facts"])
    for lei in event.leis:
        audit.record_event(
            AuditEvent.INSTITUTION_EVENT_RECORDED, by=by, lei=lei, about=str(event), reason=reason
        )
    transaction.on_commit(partial(log.info, "%s was recorded by %s", event, by))
    return EventReport(draft.kind, tuple(steps.lines), len(emails), event)
