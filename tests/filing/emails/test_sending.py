"""Emails are sent at least once, and each time with the same Message-ID."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.jobs import claims, loop
from filing.models import Job, Mail
from tests.at_once import call_at_once
from tests.filing.mail_server import MailServer, reach, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with serving() as running:
        reach(settings, running.port)
        yield running


@pytest.fixture
def mail() -> Mail:
    (written,) = outbox.queue_emails(
        [EmailDraft("season", "k", "ann@bank.example", "A subject", "Hello.\n")]
    )
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


@pytest.mark.servers
def test_a_worker_that_wakes_after_its_job_was_taken_over_sends_nothing(
    server: MailServer, mail: Mail
) -> None:
    asleep = claims.claim_job(mail.job_id)
    assert asleep is not None
    take_over(mail)
    loop.run_attempt(asleep)
    assert len(server.mails) == 1
    assert work(mail).state_label == "sent"


@pytest.mark.parametrize(
    ("hangs_up", "answers"),
    [
        ({"EHLO", "HELO"}, {}),
        ({"DATA"}, {}),
        (set(), {"RCPT": b"450 greylisted"}),
        (set(), {"END": b"421 going down"}),
    ],
)
def test_what_a_server_has_not_taken_is_sent_once_it_takes_it(
    server: MailServer, mail: Mail, hangs_up: set[str], answers: dict[str, bytes]
) -> None:
    server.hangs_up |= hangs_up
    server.answers |= answers
    found = work(mail)
    assert (found.job.state, found.sent_at) == ("queued", None)
    server.hangs_up.clear()
    server.answers.clear()
    assert work(mail).state_label == "sent"
    assert len(server.mails) == 1 + ("END" in answers)  # it heard all of that one


@pytest.mark.parametrize("way", ["hangs up", "says nothing", "says what nobody understands"])
def test_without_an_answer_the_message_is_sent_again_with_the_same_id(
    server: MailServer, mail: Mail, settings: Any, way: str
) -> None:
    if way == "hangs up":
        server.hangs_up.add("END")
    elif way == "says nothing":
        settings.EMAIL_TIMEOUT = 0.2
        server.may_answer.clear()
    else:
        server.answers["END"] = b"??? ???"
    found = work(mail)
    assert (found.job.state, found.sent_at) == ("queued", None)
    server.hangs_up.clear()
    server.answers.clear()
    server.may_answer.set()
    assert work(mail).state_label == "sent"
    first, second = server.mails
    assert first["Message-ID"] == second["Message-ID"]


def test_a_farewell_that_goes_wrong_changes_nothing(server: MailServer, mail: Mail) -> None:
    server.answers["QUIT"] = b"2" * 9000
    assert work(mail).state_label == "sent"


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_an_email_once(server: MailServer, mail: Mail) -> None:
    call_at_once(lambda: loop.run_job(mail.job_id), 2)
    assert len(server.mails) == 1
    assert work(mail).state_label == "sent"
