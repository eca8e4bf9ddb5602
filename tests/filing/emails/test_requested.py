"""Emails that anyone can ask for: one pause for an address, and nothing left of old ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from filing import tasks
from filing.emails import requested
from filing.emails.requested import LEFT_OUT, WrittenEmail
from filing.jobs import loop
from filing.models import Job, Mail
from tests.at_once import call_all_at_once
from tests.filing.mail_server import MailServer, reach, serving

pytestmark = pytest.mark.django_db
ANN = "ann@bank.example"


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with serving() as running:
        reach(settings, running.port)
        yield running


@pytest.fixture(autouse=True)
def writers() -> Iterator[None]:
    """Write to Ann alone, with a secret, whatever kind it is."""
    before = dict(requested.WRITERS)
    for kind in ("sign-up", "password"):
        requested.register_email_writer(
            kind,
            lambda to, kind=kind: (
                WrittenEmail(to, kind, f"Here: https://x/{kind}\n", (f"https://x/{kind}",))
                if to == ANN
                else None
            ),
        )
    yield
    requested.WRITERS.update(before)


def ask(kind: str = "password", to: str = ANN) -> Mail:
    with transaction.atomic():
        return requested.request_email(kind, to, subject="Soon")


def work(mail: Mail) -> Mail | None:
    loop.run_job(mail.job_id)
    return Mail.objects.select_related("job").filter(pk=mail.pk).first()


@pytest.mark.servers
def test_what_is_sent_has_the_secret_and_what_is_kept_has_not(server: MailServer) -> None:
    mail = ask(to=" Ann@Bank.example ")
    assert (mail.to, mail.text) == (ANN, requested.NOT_YET)
    sent = work(mail)
    assert sent is not None
    assert server.mails[0].get_content().strip() == "Here: https://x/password"
    assert (sent.subject, sent.text) == ("password", f"Here: {LEFT_OUT}\n")


@pytest.mark.servers
def test_what_nobody_gets_is_deleted_even_while_the_mail_server_is_away(settings: Any) -> None:
    with serving() as gone:
        reach(settings, gone.port)
    assert work(ask(to="nobody@bank.example")) is None
    assert not Job.objects.exists()


def test_in_the_pause_a_second_one_waits_for_its_end_and_that_is_no_attempt(
    server: MailServer,
) -> None:
    first = work(ask())
    assert first is not None
    assert first.sent_at is not None
    waiting = work(ask("sign-up"))
    assert waiting is not None
    assert (waiting.job.state, waiting.job.attempts) == ("queued", 0)
    assert waiting.job.not_before == first.sent_at + requested.PAUSE
    assert not waiting.job.tries.exists()
    Mail.objects.filter(pk=first.pk).update(sent_at=first.sent_at - requested.PAUSE)
    Job.objects.filter(pk=waiting.job_id).update(not_before=timezone.now())
    assert work(waiting).state_label == "sent"
    assert [str(mail["Subject"]) for mail in server.mails] == ["password", "sign-up"]


def test_of_two_that_wait_the_newer_one_is_sent(server: MailServer) -> None:
    first, second = ask(), ask()
    assert work(first) is None
    assert work(second).state_label == "sent"
    assert len(server.mails) == 1


def test_after_the_newer_one_was_given_up_the_older_one_is_sent(server: MailServer) -> None:
    first, second = ask(), ask()
    Job.objects.filter(pk=second.job_id).update(state="failed")
    assert work(first).state_label == "sent"


def test_a_refused_one_begins_no_pause(server: MailServer) -> None:
    server.answers["RCPT"] = b"450 greylisted"
    assert work(ask("sign-up")).job.state == "queued"
    server.answers.clear()
    assert work(ask()).state_label == "sent"


@pytest.mark.django_db(transaction=True)
def test_workers_at_the_same_time_keep_the_pause(server: MailServer) -> None:
    asked = [ask(kind) for kind in ("sign-up", "password") * 3]
    call_all_at_once([partial(loop.run_job, mail.job_id) for mail in asked])
    assert len(server.mails) == 1
    found = Job.objects.order_by("state").values_list("state", "attempts")
    assert list(found) == [("done", 1), ("queued", 0)]


def test_old_ones_are_deleted_with_their_jobs_and_others_stay(server: MailServer) -> None:
    old, waiting = ask(), ask("sign-up")
    work(old)
    Mail.objects.update(made_at=timezone.now() - requested.RETENTION - timedelta(hours=1))
    kept = Mail.objects.create(
        kind="season", key="k", to=ANN, made_at=timezone.now() - timedelta(days=999),
        job=Job.objects.create(stage="mail", state="done"),
    )  # fmt: skip
    tasks.sweep_emails()
    assert set(Mail.objects.all()) == {waiting, kept}
    assert Job.objects.count() == 2
