"""How far the checking of a file is, as its filer reads it; and the email when it finishes."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from filing.jobs import claims, queue
from filing.models import FinishedEmail, Job, Mail, StatusChange, Submission
from filing.statuses import Event, Status
from filing.submissions import moves
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, OTHER_LEI, begin, member, signed_in, text, upload, work
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
PAGE = f"{FILING}1/"
PART = {"HX-Request": "true"}


@pytest.fixture
def job(browser) -> Job:
    """A file of ann's that waits to be read."""
    upload(browser, begin(browser), register())
    return Job.objects.get(stage="parse")


def let_it_be_silent(since: datetime) -> None:
    """Let nothing have happened to the submission since, as the help desk sees it."""
    Submission.objects.update(changed_at=since)
    Job.objects.update(heartbeat=None)


def other_file(job: Job, *, large: bool = False) -> Job:
    """Return the job of a file of another filing, queued after this one."""
    submission = job.submission
    other = Submission.objects.create(
        filing=submission.filing, sequence_number=Submission.objects.count() + 1, status=3
    )
    with transaction.atomic():
        other_job = queue.add_job("parse", submission=other)
    make.change(other_job, large=large)
    return other_job


def test_a_file_that_waits_says_how_many_are_ahead(browser, job):
    assert "Your file is in the queue Your file is next. In the queue for" in text(
        browser.get(PAGE)
    )
    others = [other_file(job), other_file(job), other_file(job, large=True)]
    make.change(
        job, fair_queued_at=timezone.now() + timedelta(minutes=1)
    )  # after those of the others
    assert "2 files are ahead of yours." in text(browser.get(PAGE))
    make.change(others[0], state="done")
    assert "1 file is ahead of yours." in text(browser.get(PAGE))


def test_a_file_that_waits_for_others_of_the_institution_says_so(browser, job):
    for _ in range(2):
        claims.claim_job(other_file(job).pk)
    page = text(browser.get(PAGE))
    assert "Other files of your institution are being checked. Yours is checked after them." in page


def test_a_job_that_waits_to_retry_says_when(browser, job):
    make.change(job, attempts=1, not_before=timezone.now() + timedelta(seconds=40))
    page = text(browser.get(PAGE))
    assert "Waiting to retry The last attempt did not succeed. Attempt 2 of 5 begins at" in page
    assert "seconds. You do not need to do anything." in page


@pytest.mark.django_db(transaction=True)
def test_the_page_gets_an_event_after_each_change(browser, job):
    response = browser.get(f"{PAGE}events/")
    assert response["Content-Type"] == "text/event-stream; charset=utf-8"
    events = iter(response.streaming_content)
    first = next(events)
    assert first.endswith(b"data: changed\n\n")
    make.change(job, rows_done=7)
    assert next(events) != first
    Submission.objects.update(status=Status.PARSED_WITH_ERRORS)
    next(events)
    assert list(events) == []
    response.close()


def test_events_are_for_the_institution_alone(job):
    for user in (member("eve", OTHER_LEI), User.objects.create_superuser("olga")):
        assert signed_in(user).get(f"{PAGE}events/").status_code == 403
    assert signed_in(member("ann2", LEI)).get(f"{FILING}9/events/").status_code == 404


def test_checking_that_does_not_start_is_said_plainly(browser, job):
    ago = timezone.now() - timedelta(minutes=5)
    make.change(job, queued_at=ago, not_before=ago)
    listed = "The help desk sees this submission in its list of those that need attention."
    page = text(browser.get(PAGE))
    assert "Checking has not started for 5 minutes." in page
    assert listed not in page  # it moved a moment ago
    let_it_be_silent(ago)
    assert listed in text(browser.get(PAGE))


def test_a_file_without_a_job_is_said_only_once_staff_sees_it(browser, job):
    job.delete()
    assert "Checking has stopped" not in text(browser.get(PAGE))
    let_it_be_silent(timezone.now() - timedelta(minutes=2))
    assert "Checking has stopped No work is queued for your file." in text(browser.get(PAGE))


def test_a_running_stage_shows_records_and_time_in_the_title_too(browser, job):
    claims.claim_job(job.pk)
    make.change(job, rows_done=31, rows_total=61, started_at=timezone.now() - timedelta(minutes=1))
    answer = browser.get(PAGE)
    page = text(answer)
    assert "Reading the file 30 of about 60 records · about 1 minute left Started 1" in page
    title = "<title>Reading the file, 50% "
    assert title in answer.content.decode()
    assert title in browser.get(PAGE, headers=PART).content.decode()


def test_a_worker_that_does_not_respond_is_said(browser, job):
    claims.claim_job(job.pk)
    ago = timezone.now() - timedelta(minutes=2)
    make.change(job, lease_until=ago, heartbeat=ago, attempts=2)
    page = text(browser.get(PAGE))
    assert "This is attempt 2 of 5." in page
    assert "The worker has not responded for 2 minutes; another one takes over." in page


@pytest.mark.parametrize("edits", [{"Q611": 2}, {"V617": 2}])
def test_who_watches_is_led_to_what_they_review(browser, census, edits):
    upload(browser, begin(browser), register(**edits))
    work()
    assert browser.get(PAGE, headers=PART)["HX-Redirect"] == f"{FILING}1/edits/"
    assert "HX-Redirect" not in browser.get(PAGE)


def test_the_page_loads_again_once_there_is_a_next_step(
    browser,
    job,
    census,
    django_assert_max_num_queries,
):
    work()
    with django_assert_max_num_queries(12) as queries:
        answer = browser.get(PAGE, headers=PART)
    assert (answer["HX-Refresh"], answer.content) == ("true", b"")
    # One is for edits that were not run: no summary of the edits is made for a page that is left.
    assert len([each for each in queries if "editresult" in each["sql"].lower()]) <= 1
    assert "Ready to certify and sign" in text(browser.get(PAGE))


def notify(browser, wanted: str = "true"):
    answer = browser.post(f"{PAGE}notify/", {"wanted": wanted})
    assert (answer.status_code, answer["Location"]) == (303, PAGE)


def mails() -> list[tuple[str, str]]:
    return list(Mail.objects.order_by("pk").values_list("kind", "to"))


def test_an_email_is_asked_for_and_taken_back(browser, job):
    assert "Email me when checking finishes" in text(browser.get(PAGE))
    notify(browser)
    notify(browser)
    asked = FinishedEmail.objects.get()
    assert (asked.email, asked.user.username) == ("ann@bank.example", "ann")
    page = text(browser.get(PAGE))
    assert "We will email you at ann@bank.example when checking finishes." in page
    notify(browser, "false")
    assert not FinishedEmail.objects.exists()


@pytest.mark.parametrize(
    ("fails", "tail", "subject", "next_step"),
    [
        ({}, b"2|three|fields\n", "formatting errors", "Review the formatting errors, correct"),
        ({"V617": 3}, b"", "syntactical or validity edits", "Review the edits, correct"),
        ({"Q611": 2}, b"", "quality edits to verify", "Review the edits and verify them"),
        ({}, b"", "ready to sign", "Certify and sign."),
    ],
)
def test_one_email_says_what_came_of_the_file(
    browser,
    census,
    settings,
    fails,
    tail,
    subject,
    next_step,
):
    upload(browser, begin(browser), register(**fails) + tail)
    notify(browser)
    work()
    mail = Mail.objects.get()
    assert (mail.kind, mail.to) == ("finished", "ann@bank.example")
    assert mail.subject == f"HMDA file of Test Bank for 2024 checked: {subject}"
    assert f"Next step: {next_step}" in mail.text
    assert f"Institution:   Test Bank (LEI {LEI})\nFiling period: 2024\n" in mail.text
    assert f"\n{settings.PUBLIC_URL}{PAGE}\n" in mail.text
    assert not FinishedEmail.objects.exists()


def test_who_is_told_of_a_failure_anyway_gets_one_email(browser, job):
    bob = member("bob", LEI)
    FinishedEmail.objects.create(submission=job.submission, user=bob, email=bob.email)
    notify(browser)
    moves.fail_submission(job.submission, "The disk is full.", event=Event.STOPPED)
    assert mails() == [("failure", "ann@bank.example"), ("finished", "bob@bank.example")]
    assert "The disk is full." in Mail.objects.last().text
    assert StatusChange.objects.last().after == Status.FAILED


def test_who_may_no_longer_file_gets_no_email(browser, job, ann, census):
    gone, moved = member("gone", LEI), member("moved", LEI)
    off = member("off", LEI)
    for user in (gone, moved, off):
        FinishedEmail.objects.create(submission=job.submission, user=user, email=user.email)
    gone.memberships.all().delete()
    User.objects.filter(pk=moved.pk).update(email="elsewhere@bank.example")
    User.objects.filter(pk=off.pk).update(is_active=False)
    work()
    assert Submission.objects.get().status == Status.VERIFIED
    assert mails() == []
    assert not FinishedEmail.objects.exists()


def test_nothing_is_asked_for_once_checking_has_finished(browser, job, census):
    work()
    notify(browser)
    assert not FinishedEmail.objects.exists()
    assert "Email me" not in text(browser.get(PAGE))


def test_without_an_address_there_is_nothing_to_ask(browser, job, ann):
    User.objects.update(email="")
    assert "Email me" not in text(browser.get(PAGE))
    notify(browser)
    assert not FinishedEmail.objects.exists()
