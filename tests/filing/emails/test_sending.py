"""Emails are handed over once; where nobody can know what became of one, it says so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.access import Caller
from filing.emails import outbox, sending
from filing.emails.outbox import Draft
from filing.errors import NotReady
from filing.jobs import claims, loop
from filing.models import Attempt, FilingPeriod, Job, Mail, Note
from tests.filing.mail_server import MailServer, reach, serving

pytestmark = pytest.mark.django_db
DESK = Caller(id="7", username="desk")


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with serving() as running:
        reach(settings, running.port)
        yield running


@pytest.fixture
def mail() -> Mail:
    (written,) = outbox.queue([Draft("season", "k", "ann@bank.example", "A subject", "Hello.\n")])
    return written


def work(mail: Mail) -> Mail:
    """Do the job of an email once, whatever the pause, and return what the email is then."""
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    loop.run_job(mail.job_id)
    return Mail.objects.select_related("job").get(pk=mail.pk)


def take_over(mail: Mail) -> None:
    """Let the lease of whoever sends an email be over, and another worker find it."""
    Job.objects.filter(pk=mail.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    loop.run_job(mail.job_id)


def test_what_the_server_takes_is_noted_before_and_after(server: MailServer, mail: Mail) -> None:
    seen = []
    server.may_answer.clear()
    sender = threading.Thread(target=_when_received, args=(server, seen))
    sender.start()
    done = work(mail)
    sender.join()
    assert len(server.mails) == 1
    assert done.handed_over_at
    assert done.sent_at
    assert done.handed_over_at <= seen[0] <= done.sent_at
    assert (done.job.state, done.state_label) == ("done", "sent")


def _when_received(server: MailServer, seen: list[Any]) -> None:
    while not server.received:
        threading.Event().wait(0.01)
    seen.append(timezone.now())
    server.may_answer.set()


def test_after_a_kill_before_the_note_of_the_answer_no_worker_sends_it_again(
    server: MailServer, mail: Mail
) -> None:
    lease = claims.claim(mail.job_id)
    assert lease is not None
    Mail.objects.update(handed_over_at=timezone.now())  # and then the worker was killed
    take_over(mail)
    found = work(mail)
    assert server.mails == []
    assert (found.job.state, found.state_label) == ("failed", "unknown")
    assert "The mail server may have accepted it on" in found.job.last_error
    assert found.job.last_error.endswith("it did not answer before the worker ended.")


def test_a_worker_that_wakes_after_its_job_was_taken_over_sends_nothing(
    server: MailServer, mail: Mail
) -> None:
    asleep = claims.claim(mail.job_id)
    assert asleep is not None
    take_over(mail)
    loop.run_attempt(asleep)
    assert len(server.mails) == 1
    assert work(mail).state_label == "sent"


def test_an_answer_that_comes_after_the_job_was_given_up_still_counts(
    server: MailServer, mail: Mail
) -> None:
    slow = claims.claim(mail.job_id)
    assert slow is not None
    Job.objects.update(state="failed", last_error="It may have been received.")
    Mail.objects.update(handed_over_at=timezone.now(), sent_at=timezone.now())
    Job.objects.update(state="queued", owner="", not_before=timezone.now())
    found = work(mail)  # as after staff had it sent again in between
    assert server.mails == []
    assert (found.job.state, found.state_label) == ("done", "sent")


@pytest.mark.parametrize("verb", ["EHLO", "MAIL", "RCPT", "DATA"])
def test_a_server_that_hangs_up_before_the_message_has_not_taken_it(
    server: MailServer, mail: Mail, verb: str
) -> None:
    server.hangs_up.add(verb)
    if verb == "EHLO":
        server.hangs_up.add("HELO")
    found = work(mail)
    assert (found.job.state, found.handed_over_at) == ("queued", None)
    server.hangs_up.clear()
    assert work(mail).state_label == "sent"
    assert len(server.mails) == 1


@pytest.mark.parametrize(("verb", "answer"), [
    ("MAIL", b"451 not now"), ("RCPT", b"450 greylisted"), ("DATA", b"451 not now"),
    ("END", b"452 full"), ("END", b"421 going down"),
])  # fmt: skip
def test_a_message_that_is_refused_for_now_was_not_taken(
    server: MailServer, mail: Mail, verb: str, answer: bytes
) -> None:
    server.answers[verb] = answer
    found = work(mail)
    assert (found.job.state, found.handed_over_at) == ("queued", None)
    server.answers.clear()
    assert work(mail).state_label == "sent"


@pytest.mark.parametrize("way", ["hangs up", "says nothing", "says what nobody understands"])
def test_a_server_without_an_answer_may_have_taken_the_message(
    server: MailServer, mail: Mail, settings: Any, way: str
) -> None:
    if way == "hangs up":
        server.hangs_up.add("END")
    elif way == "says nothing":
        settings.EMAIL_ANSWER_SECONDS = 0.2
        server.may_answer.clear()
    else:
        server.answers["END"] = b"??? ???"
    found = work(mail)
    assert (found.job.state, found.state_label, found.sent_at) == ("failed", "unknown", None)
    assert Attempt.objects.get().outcome == "failed"
    assert found.job.last_error.startswith("The mail server may have accepted it on ")
    work(mail)
    assert len(server.received) == 1


def test_a_farewell_that_goes_wrong_changes_nothing(server: MailServer, mail: Mail) -> None:
    server.answers["QUIT"] = b"2" * 9000
    assert work(mail).state_label == "sent"


def test_staff_send_what_may_have_been_received_once_more_with_the_same_id(
    server: MailServer, mail: Mail, admin_client: Client
) -> None:
    server.hangs_up.add("END")
    work(mail)
    server.hangs_up.clear()
    listed = admin_client.get("/admin/filing/mail/?answer=unknown")
    assert [each.pk for each in listed.context["cl"].result_list] == [mail.pk]
    act = reverse("admin:filing_mail_send_again")
    preview = admin_client.get(act, {"pk": mail.pk})
    assert "The mail server may have accepted it on" in preview.text
    assert "with the same Message-ID" in preview.text
    admin_client.post(act, {"chosen": preview.context["chosen"], "reason": "Ann has nothing."})
    assert Note.objects.get().reason == "Ann has nothing."
    assert work(mail).state_label == "sent"
    first, second = server.mails
    assert first["Message-ID"] == second["Message-ID"]
    assert not admin_client.get("/admin/filing/mail/?answer=unknown").context["cl"].result_list
    with pytest.raises(NotReady, match="It was sent on"):
        sending.plan_send_again(Mail.objects.select_related("job").get())


def test_the_season_page_leads_to_what_may_have_been_received(
    server: MailServer, mail: Mail, admin_client: Client, open_period: FilingPeriod
) -> None:
    page = reverse("admin:season")
    assert "answer=unknown" not in admin_client.get(page).text
    server.hangs_up.add("END")
    work(mail)
    shown = admin_client.get(page).text
    assert "The mail server did not confirm 1 email; it may have been delivered" in shown
    assert "/admin/filing/mail/?answer=unknown" in shown


def test_sending_again_what_was_sent_in_between_is_refused(mail: Mail) -> None:
    Job.objects.update(state="failed")
    Mail.objects.update(handed_over_at=timezone.now())
    as_read = Mail.objects.select_related("job").get()
    Mail.objects.update(sent_at=timezone.now())
    with pytest.raises(NotReady, match="It was just sent, or another user"):
        sending.send_again(as_read, by=DESK, reason="It has not arrived.")
    assert not Note.objects.exists()
    assert Mail.objects.get().handed_over_at


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_an_email_once(server: MailServer, mail: Mail) -> None:
    together = threading.Barrier(2)

    def send() -> None:
        try:
            together.wait()
            loop.run_job(mail.job_id)
        finally:
            connection.close()

    workers = [threading.Thread(target=send) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(server.mails) == 1
    assert work(mail).state_label == "sent"
