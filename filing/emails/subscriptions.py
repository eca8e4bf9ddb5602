"""Subscriptions of staff: whom an event is told, at once or in a digest of the day.

Events come from one place, `registries.emit_staff_event`. Who subscribes to one and may see it has
a notice of it, written in the transaction of the event, and no second one: the database refuses it.
The email of a notice or digest is written in the transaction that marks the notices as mailed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Min
from django.urls import reverse
from django.utils import timezone

from filing import audit, day_hours, registries, standing
from filing.access import Caller
from filing.emails import outbox
from filing.errors import BadInput
from filing.jobs import queue
from filing.models import (
    AuditEvent,
    Institution,
    Signature,
    StaffNotice,
    Submission,
    Subscription,
)
from filing.registries import STAFF_EVENT_KINDS, StaffEvent, StaffEventKind

KIND = "notice"  # of the email
DIGEST_LISTED = 200  # events in one digest
NOTICE_DAYS = 90  # after which a notice is deleted
MOST_LEIS = 500  # of one subscription
_FAILURE_DAYS = 1  # in which a failed job is told of
_MAIL = "mail"  # an email about emails that fail would fail as well

EVENT_KINDS: Mapping[str, StaffEventKind] = {
    "signature": StaffEventKind(
        "signatures", "filing.view_submission", "An institution signed a filing.", True
    ),
    "failure": StaffEventKind(
        "failures", "filing.view_job", "A submission or a job failed for good.", True
    ),
    "queue": StaffEventKind(
        "queue", "filing.view_job", "Jobs wait longer than the alerts allow.", False
    ),
}


def follow_event(event: StaffEvent, **options: Any) -> None:
    """Write the notices of an event, and the emails of those that are told at once."""
    now = timezone.now()
    for subscription in find_subscriptions(event):
        try:
            with transaction.atomic():
                notice = StaffNotice.objects.create(
                    user=subscription.user,
                    key=event.key,
                    kind=event.kind,
                    title=outbox.remove_line_breaks(event.title)[:300],
                    address=reverse(f"admin:{event.page}", args=event.keys),
                    mailed_at=None if subscription.is_daily else now,
                )
        except IntegrityError:  # another process has told of it
            continue
        if not subscription.is_daily:
            outbox.queue_emails([_draft(subscription.user, event.key, [notice])])


def find_subscriptions(event: StaffEvent) -> list[Subscription]:
    """Return the subscriptions to an event, of those who may see it.

    A subscription to all institutions leaves out test institutions.
    """
    right = STAFF_EVENT_KINDS[event.kind].right
    subscriptions = list(
        Subscription.objects.filter(
            kind=event.kind, user__is_active=True, user__is_staff=True
        ).select_related("user")
    )
    if not subscriptions:
        return []
    institutions = Institution.objects.filter(standing.is_real_institution(), lei=event.lei)
    is_for_all = not event.lei or institutions.exists()
    return [
        each
        for each in subscriptions
        if (event.lei in each.leis if each.leis else is_for_all) and _may_see(each.user, right)
    ]


def _may_see(user: User, right: str) -> bool:
    return outbox.is_email_address(user.email) and user.has_perm(right)


def follow_signature(submission: Submission, signature: Signature, **options: Any) -> None:
    """Tell of a signature."""
    registries.emit_staff_event(
        StaffEvent(
            "signature",
            f"signature:{signature.receipt}",
            f"{submission.filing.institution.name} signed {submission.period}",
            "filing_submission_change",
            (submission.pk,),
            submission.lei,
        )
    )


@transaction.atomic
def find_events() -> None:
    """Tell of jobs that failed for good, and of queues in which a job waits too long.

    The beat asks; a job of a submission is told of with it.
    """
    now = timezone.now()
    since = now - timedelta(days=_FAILURE_DAYS)
    failed = queue.find_failed_jobs().filter(finished_at__gte=since, submission=None)
    failed = failed.exclude(stage=_MAIL)
    for key, stage, finished_at in failed.values_list("pk", "stage", "finished_at"):
        registries.emit_staff_event(
            StaffEvent(
                "failure",
                f"job:{key}:{finished_at:%Y%m%d%H%M%S}",
                f"Job {key} ({registries.find_job_kind(stage).label or stage}) failed",
                "filing_job_change",
                (key,),
            )
        )
    for name, seconds in queue.OLD_QUEUE_SECONDS.items():
        oldest = queue.find_oldest_due(name)
        if oldest and (now - oldest).total_seconds() > seconds:
            registries.emit_staff_event(
                StaffEvent(
                    "queue",
                    f"queue:{name}:{now:%Y%m%d%H}",  # once an hour while it lasts
                    f"Jobs of the queue {name} wait since {day_hours.moment_in_words(oldest)}",
                    "filing_job_changelist",
                )
            )


def send_digests() -> int:
    """Queue the digest of each subscriber with events since the last one; return how many."""
    users = (
        StaffNotice.objects.filter(mailed_at=None)
        .order_by()
        .values_list("user")
        .annotate(first=Min("pk"))
    )
    return sum(_send_digest(user) for user, _ in users)


@transaction.atomic
def _send_digest(key: int) -> bool:
    user = User.objects.select_for_update().get(pk=key)
    notices = list(StaffNotice.objects.filter(user=user, mailed_at=None))
    visible = [
        notice
        for notice in notices
        if user.is_active and user.is_staff and _may_see(user, STAFF_EVENT_KINDS[notice.kind].right)
    ]
    last = notices[-1].pk if notices else 0
    if visible:
        outbox.queue_emails([_draft(user, f"digest:{last}", visible)])
    StaffNotice.objects.filter(user=user, pk__lte=last, mailed_at=None).update(
        mailed_at=timezone.now()
    )
    return bool(visible)


def _draft(user: User, about: str, notices: list[StaffNotice]) -> outbox.EmailDraft:
    facts = {
        "notices": notices[:DIGEST_LISTED],
        "number": len(notices),
        "more": max(0, len(notices) - DIGEST_LISTED),
        "title": notices[0].title,
    }
    return outbox.draft_email(KIND, (about, str(user.pk)), user.email, facts)


def change_subscription(user: User, kind: str, *, wanted: str, leis: list[str], by: Caller) -> bool:
    """Subscribe a user to a kind of event, or end that; tell whether anything changed.

    wanted: `now`, `daily`, or blank for none. leis: some institutions; none for all.

    Raises: BadInput for an event that the user may not see, and for too many institutions.
    """
    if wanted and not user.has_perm(STAFF_EVENT_KINDS[kind].right):
        raise BadInput("You may not see these events.")
    if len(leis) > MOST_LEIS:
        raise BadInput(f"Enter at most {MOST_LEIS} LEIs.")
    with transaction.atomic():
        before = Subscription.objects.filter(user=user, kind=kind).first()
        if not wanted:
            if before is None:
                return False
            before.delete()
            StaffNotice.objects.filter(user=user, kind=kind, mailed_at=None).update(
                mailed_at=timezone.now()
            )
        else:
            columns = {"is_daily": wanted == "daily", "leis": leis}
            if before and all(getattr(before, name) == value for name, value in columns.items()):
                return False
            Subscription.objects.update_or_create(user=user, kind=kind, defaults=columns)
        text = f"{kind}: {wanted or 'none'}" + (f", {', '.join(leis)}" if wanted and leis else "")
        audit.record_event(AuditEvent.SUBSCRIPTIONS_CHANGED, by=by, about=text[:255])
    return True


def remove_old_notices() -> int:
    """Delete the notices of long ago; return how many."""
    until = timezone.now() - timedelta(days=NOTICE_DAYS)
    return StaffNotice.objects.filter(at__lt=until).exclude(mailed_at=None).delete()[0]
