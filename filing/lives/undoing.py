"""Takes an event back as one thing, while nothing was filed since."""

from __future__ import annotations

import logging
from datetime import date
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from filing import access, audit
from filing.access import Caller
from filing.errors import NotReady
from filing.lives import notices
from filing.lives.reports import Part, ReportLine
from filing.lives.steps import TAKEN_BACK
from filing.models import (
    AuditEvent,
    DeadlineExtension,
    Delegation,
    DutyRelease,
    EndedRight,
    Filing,
    Institution,
    InstitutionEvent,
    LegalHold,
    Membership,
    PeopleList,
    PersonalToken,
    Signature,
    Submission,
    Webhook,
)
from filing.models.extensions import forget_extensions
from filing.panel import records
from filing.panel.panel_imports import lock_panel
from filing.people import administrators, invitations, memberships, personal_tokens
from filing.people.own_rights import record_own_rights
from filing.periods import removal
from filing.periods.duties import ENDINGS
from filing.seasons import cancellations
from filing.statuses import FilingStatus
from filing.webhooks import endpoints

log = logging.getLogger(__name__)
Kind = InstitutionEvent.Kind
_QUARTERLY = (Kind.QUARTERLY, Kind.QUARTERLY_END)


def plan_undo(event: InstitutionEvent) -> str:
    """Return what taking an event back would do.

    Raises: NotReady if it was taken back, something was filed since, or a later event needs it.
    """
    if event.undone_at:
        raise NotReady("It was taken back already.")
    _require_last(event)
    _require_nothing_filed(event)
    _require_unchanged(event)
    facts = event.facts
    numbers = {
        "filings reinstated": len(facts.get("cancelled", ())),
        "filings removed": len(facts.get("created", ())),
        "filings canceled again": len(facts.get("reinstated", ())),
        "panel records changed back": len(facts.get("records", ())),
        "panel records removed": len(facts.get("added_records", ())),
        "rights ended": _find_memberships(event).count(),
        "tokens, webhooks and delegations changed back": len(facts.get("tokens", ()))
        + _find_webhooks(event).count()
        + _find_delegations(event).count(),
        "extensions ended": DeadlineExtension.objects.filter(event=event, is_active=True).count(),
    }
    texts = [f"{what}: {number}" for what, number in numbers.items() if number]
    ended = " Rights that the event ended stay ended." if facts.get("people") == "end" else ""
    what = f"{'; '.join(texts)}." if texts else "What was due before is due again."
    return f"{what[:1].upper()}{what[1:]} The people of the institution get an email.{ended}"


def undo_event(event: InstitutionEvent, *, by: Caller, reason: str) -> str:
    """Take an event back; return what was done.

    Raises: BadInput without a reason; what `plan_undo` raises; OwnRight.
    """
    reason = memberships.required_reason(reason)
    try:
        with record_own_rights(by), transaction.atomic():
            lock_panel()
            locked = InstitutionEvent.objects.select_for_update().get(pk=event.pk)
            done = plan_undo(locked)
            _undo(locked, by=by, why=f"{TAKEN_BACK}{locked}: {reason}")
            locked.undone_at, locked.undone_by = timezone.now(), by.username
            locked.undo_reason = reason
            locked.save(update_fields=["undone_at", "undone_by", "undo_reason"])
            lines = [ReportLine(*line) for line in locked.facts.get("report", ())]
            shown = [line for line in lines if line.part != Part.KEPT]
            notices.queue_notices(locked, shown, is_undone=True)
            for lei in locked.leis:
                audit.record_event(
                    AuditEvent.INSTITUTION_EVENT_UNDONE,
                    by=by,
                    lei=lei,
                    about=str(locked),
                    reason=reason,
                )
            transaction.on_commit(partial(log.info, "%s was taken back by %s", locked, by))
    finally:
        forget_extensions()
    event.undone_at = locked.undone_at
    return f"Taken back. {done}"


def _require_last(event: InstitutionEvent) -> None:
    related = _QUARTERLY if event.kind in _QUARTERLY else (event.kind,)
    later = InstitutionEvent.objects.filter(
        Q(kind__in=(*related, *ENDINGS)),
        Q(lei__in=event.leis) | Q(other_lei__in=event.leis),
        undone_at=None,
        pk__gt=event.pk,
    )
    if newer := later.order_by("-pk").first():
        raise NotReady(f"A later event builds on it. Take this one back first: {newer}.")


def _require_nothing_filed(event: InstitutionEvent) -> None:
    keys = [*event.facts.get("created", ()), *event.facts.get("reinstated", ())]
    created = Submission.objects.filter(filing__in=keys)
    if submission := created.order_by("pk").first():
        raise NotReady(
            f"Submission {submission} was created since in a filing that the event created, so it "
            "cannot be taken back. Record what holds now as a new event."
        )
    if event.kind in (Kind.NAME, *_QUARTERLY):
        return
    signed = Signature.objects.filter(
        signed_at__gt=event.at, submission__filing__institution__lei__in=event.leis
    ).select_related("submission__filing__institution", "submission__filing__period")
    periods = event.facts.get("periods")
    for signature in signed.order_by("pk"):
        filing = signature.submission.filing
        if periods is None or str(filing.period) in periods:
            raise NotReady(
                f"{signature.submission} was signed since, so the event cannot be taken back. "
                "Record what holds now as a new event."
            )


def _require_unchanged(event: InstitutionEvent) -> None:
    """Refuse where staff have changed since what the event changed. Raises: NotReady."""
    for key, _, after in event.facts.get("records", ()):
        record = Institution.objects.filter(pk=key).first()
        changed = [name for name, value in after.items() if getattr(record, name, None) != value]
        if record is None or changed:
            raise NotReady(
                f"The panel record {record or key} was changed since"
                f"{': ' + ', '.join(changed) if changed else ''}. Change it on its own page."
            )
    added = Institution.objects.filter(pk__in=event.facts.get("added_records", ()))
    others = Filing.objects.filter(institution__in=added).exclude(
        pk__in=event.facts.get("created", ())
    )
    if filing := others.select_related("institution", "period").first():
        raise NotReady(
            f"Filing {filing} was created since for a panel record that the event added. Delete it "
            "first, if nothing was filed in it."
        )
    created = Filing.objects.filter(pk__in=event.facts.get("created", ()))
    if created.exists() and not removal.plan_removal(created).is_possible:
        raise NotReady(str(removal.plan_removal(created)))
    if LegalHold.objects.filter(lei__in=added.values("lei"), lifted_at=None).exists():
        raise NotReady("The new LEI is under a legal hold. Lift it first.")


def _undo(event: InstitutionEvent, *, by: Caller, why: str) -> None:
    facts = event.facts
    _end_extensions(event)
    for key, last_day in facts.get("trimmed", ()):
        day = date.fromisoformat(last_day) if last_day else None
        DutyRelease.objects.filter(pk=key).update(last_day=day)
    created = Filing.objects.filter(pk__in=facts.get("created", ()))
    if created.exists():
        removal.remove_filings(created, by=by, reason=why)
    again = Filing.objects.filter(
        pk__in=facts.get("reinstated", ()), status=FilingStatus.NOT_STARTED
    )
    for filing in again.select_related("institution", "period"):
        cancellations.cancel_filing(filing, by=by, reason=why)
    cancelled = Filing.objects.filter(
        pk__in=facts.get("cancelled", ()), status=FilingStatus.CANCELLED
    )
    for filing in cancelled.select_related("institution", "period"):
        cancellations.reinstate_filing(filing, by=by, reason=why)
    for key, before, _ in facts.get("records", ()):
        record = Institution.objects.get(pk=key)
        records.save_institution(
            {"lei": record.lei, "activity_year": record.activity_year, **before},
            reason=why,
            by=by,
        )
    _end_programs(event, by=by, why=why)
    _end_memberships(event, by=by, why=why)
    for record in Institution.objects.filter(pk__in=facts.get("added_records", ())):
        records.remove_institution(record.lei, record.activity_year, reason=why, by=by)


def _end_extensions(event: InstitutionEvent) -> None:
    DeadlineExtension.objects.filter(event=event).update(is_active=False)
    replaced = DeadlineExtension.objects.filter(pk__in=event.facts.get("replaced", ()))
    replaced.update(is_active=True)
    forget_extensions()


def _is_unknown_again(event: InstitutionEvent) -> bool:
    """Tell whether no panel record of the new LEI stays: it may be that of someone else."""
    records_of_new = Institution.objects.filter(lei=event.other_lei)
    added = event.facts.get("added_records", ())
    return event.kind == Kind.LEI and not records_of_new.exclude(pk__in=added).exists()


def _match_given(event: InstitutionEvent, name: str, since: str) -> Q:
    """Return the condition on what an event gave, and on what was given since for the new LEI.

    name: of the fact with the keys. since: the field with the time.
    """
    given = Q(pk__in=event.facts.get(name, ()))
    if _is_unknown_again(event):
        given |= Q(lei=event.other_lei, **{f"{since}__gte": event.at})
    return given


def _find_memberships(event: InstitutionEvent) -> QuerySet[Membership]:
    return Membership.objects.filter(_match_given(event, "memberships", "added_at"))


def _find_webhooks(event: InstitutionEvent) -> QuerySet[Webhook]:
    return Webhook.objects.filter(_match_given(event, "webhooks", "added_at"), deleted_at=None)


def _find_delegations(event: InstitutionEvent) -> QuerySet[Delegation]:
    return Delegation.objects.filter(_match_given(event, "delegations", "agreed_at"), ended_at=None)


def _end_programs(event: InstitutionEvent, *, by: Caller, why: str) -> None:
    facts, lei = event.facts, event.other_lei
    tokens = PersonalToken.objects.filter(pk__in=facts.get("tokens", ()), revoked_at=None)
    for token in tokens.select_for_update():
        personal_tokens.change_institutions(token, {*token.leis} - {lei}, by=by, lei=lei)
    for webhook in _find_webhooks(event):
        endpoints.delete_webhook(webhook, by=by)
    end = {"ended_at": timezone.now(), "ended_by": by.username[:150], "reason": why}
    _find_delegations(event).update(**end)
    if _is_unknown_again(event):
        invitations.withdraw_open_invitations(lei=lei, by=by, reason=why)
        for user in User.objects.filter(access_requests__lei=lei):
            administrators.end_requests(user, lei)
    PeopleList.objects.filter(pk__in=facts.get("people_lists", ())).delete()
    ended = access.find_ended_rights().filter(pk__in=facts.get("ended_rights", ()))
    EndedRight.objects.filter(pk__in=ended.values("pk")).update(given_again_at=timezone.now())


def _end_memberships(event: InstitutionEvent, *, by: Caller, why: str) -> None:
    """End the rights that the event gave; they are not marked as ended by staff."""
    for member in _find_memberships(event).select_related("user"):
        user, lei = member.user, member.lei
        member.delete()
        personal_tokens.remove_institutions(user, [lei], by=by)
        invitations.withdraw_void_invitations([user], by=by)
        audit.record_event(
            AuditEvent.MEMBERSHIP_REMOVED, by=by, lei=lei, about=str(user), reason=why
        )
