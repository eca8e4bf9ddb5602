"""Subscriptions of staff: who is told of which event, once, at once or in a digest."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from filing import registries
from filing.access import Caller
from filing.emails import subscriptions
from filing.errors import BadInput
from filing.jobs import loop
from filing.models import (
    AuditEvent,
    Institution,
    Job,
    Mail,
    StaffNotice,
    Submission,
    Subscription,
    TrailEntry,
)
from filing.registries import StaffEvent
from filing.statuses import Status
from filing.submissions import sign_submission
from filing.tasks import find_events, send_digests
from tests.conftest import LEI
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:subscriptions")
OTHER = "529900OTHERBANK00002"


@pytest.fixture
def olga() -> User:
    return member("operator", email="olga@agency.example")


@pytest.fixture
def signature(submission: Submission, filer: Caller) -> Callable[[], object]:
    def sign() -> object:
        columns = {"status": Status.VERIFIED, "rules_run": "2024", "lines": 61, "size": 1}
        Submission.objects.filter(pk=submission.pk).update(**columns)
        submission.refresh_from_db()
        return sign_submission(submission, signed=True, by=filer)

    return sign


def subscribe(user: User, kind: str, *leis: str, daily: bool = False) -> Subscription:
    return Subscription.objects.create(user=user, kind=kind, leis=list(leis), is_daily=daily)


def sent_to() -> list[str]:
    return sorted(Mail.objects.filter(kind="notice").values_list("to", flat=True))


def happen(key: str = "signature:1", kind: str = "signature", lei: str = LEI) -> None:
    page = "filing_submission_changelist"
    registries.emit_staff_event(StaffEvent(kind, key, f"It happened: {key}", page, (), lei))


def test_a_signature_is_told_to_its_subscribers(
    olga: User, signature: Callable[[], object], submission: Submission
) -> None:
    subscribe(olga, "signature")
    signature()
    email = Mail.objects.get(kind="notice")
    assert reverse("admin:filing_submission_change", args=[submission.pk]) in email.text
    assert PAGE in email.text
    loop.run_job(email.job_id)
    assert [message.to for message in mail.outbox] == [["olga@agency.example"]]


@pytest.mark.servers
def test_failed_jobs_are_told_but_for_emails(olga: User) -> None:
    subscribe(olga, "failure")
    for stage in ("graphs", "mail"):
        Job.objects.create(stage=stage, state=Job.State.FAILED, finished_at=timezone.now())
    long_ago = timezone.now() - timedelta(days=3)
    Job.objects.create(stage="graphs", state=Job.State.FAILED, finished_at=long_ago)
    find_events()
    find_events()
    notice = StaffNotice.objects.get()
    assert notice.key.startswith("job:")
    assert len(sent_to()) == 1


def test_a_queue_that_waits_is_told_once_an_hour(olga: User) -> None:
    subscribe(olga, "queue")
    Job.objects.create(stage="graphs", not_before=timezone.now() - timedelta(hours=1))
    find_events()
    assert not sent_to()
    Job.objects.update(not_before=timezone.now() - timedelta(hours=3))
    find_events()
    find_events()
    assert len(sent_to()) in {1, 2}  # 2 where an hour has just begun


def test_no_one_without_the_right_is_told(olga: User, institution: Institution) -> None:
    rightless = User.objects.create(username="new", is_staff=True, email="new@agency.example")
    former = member("help desk", email="former@agency.example")
    for user in (olga, rightless, former):
        subscribe(user, "signature")
    User.objects.filter(pk=former.pk).update(is_staff=False)
    happen()
    assert sent_to() == ["olga@agency.example"]


@pytest.mark.servers
def test_a_digest_has_all_events_since_the_last_one(olga: User, institution: Institution) -> None:
    subscribe(olga, "signature", daily=True)
    happen("signature:1")
    happen("signature:2")
    assert not sent_to()
    send_digests()
    send_digests()
    email = Mail.objects.get(kind="notice")
    assert "It happened: signature:1" in email.text
    assert "It happened: signature:2" in email.text
    happen("signature:3")
    send_digests()
    assert Mail.objects.filter(kind="notice").count() == 2


def test_a_digest_leaves_out_what_the_reader_may_no_longer_see(
    olga: User, institution: Institution
) -> None:
    subscribe(olga, "signature", daily=True)
    happen()
    olga.groups.clear()
    send_digests()
    assert not sent_to()
    assert not StaffNotice.objects.filter(mailed_at=None).exists()


@pytest.mark.servers
def test_staff_choose_their_own_and_end_them(olga: User) -> None:
    client = signed_in(olga)
    assert client.get(PAGE).status_code == 200
    form = {"signature-wanted": "daily", "signature-leis": f"{LEI.lower()} {OTHER}"}
    assert client.post(PAGE, {**form, "publication-wanted": "now"}).status_code == 302
    chosen = {each.kind: (each.is_daily, each.leis) for each in Subscription.objects.all()}
    assert chosen == {"signature": (True, [LEI, OTHER]), "publication": (False, [])}
    assert TrailEntry.objects.filter(event=AuditEvent.SUBSCRIPTIONS_CHANGED).count() == 2
    happen()
    client.post(PAGE, {"signature-wanted": "", "publication-wanted": "now"})
    assert Subscription.objects.get().kind == "publication"
    send_digests()
    assert not sent_to()
    wrong = client.post(PAGE, {"signature-wanted": "now", "signature-leis": "x"})
    assert wrong.context["has_errors"]


def test_no_one_subscribes_to_what_they_may_not_see(olga: User) -> None:
    rightless = User.objects.create(username="new", is_staff=True, email="new@agency.example")
    client = signed_in(rightless)
    assert not client.get(PAGE).context["forms"]
    by = Caller(id="1", username="new")
    with pytest.raises(BadInput):
        subscriptions.change_subscription(rightless, "signature", wanted="now", leis=[], by=by)
