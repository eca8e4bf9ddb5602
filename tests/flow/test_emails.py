"""Emails, with a real mail server that is away, slow, or loses whoever talks to it."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from config.running.supervisor import ROOT
from tests.filing.mail_server import MailServer
from tests.flow.conftest import LEASE_SECONDS, Service
from tests.flow.processes import frozen, kill, wait_until
from tests.resilience.between import Between

pytestmark = pytest.mark.slow

DOMAIN = "bank0.example"  # of an institution of the panel
PASSWORD = "quiet lake 9 morning"
WRITE = """
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
draft = EmailDraft("season", {key!r}, "ann@bank.example", {key!r}, "Hello.")
(mail,) = outbox.queue_emails([draft])
print(mail.pk)
"""
LOOK = """
from filing.models import Mail
mail = Mail.objects.select_related("job").get(pk={pk})
print(mail.job.state, mail.sent_at is not None, mail.job.owner)
"""
LOOK_AT_ALL = """
from filing.models import Mail
for mail in Mail.objects.select_related("job").order_by("pk"):
    print(mail.kind, mail.to, mail.job.state, mail.job.attempts > 0)
"""
# The pause after an attempt that came to nothing is over: a test does not wait for minutes. On a
# slow machine it says so more often than a job has attempts, so they are not used up.
HURRY = """
from django.utils import timezone
from filing.models import Job
waiting = Job.objects.filter(stage="mail", state="queued")
waiting.filter(attempts__gt=1).update(attempts=1)
waiting.update(not_before=timezone.now())
"""


def write(service: Service, key: str) -> int:
    return int(service.shell(WRITE.format(key=key)))


def is_sent(service: Service, pk: int) -> bool:
    job, sent, *_ = service.shell(LOOK.format(pk=pk)).split()
    return (job, sent) == ("done", "True")


def received(server: MailServer, subject: str) -> list[str]:
    """Return the ids of the messages with a subject."""
    return [str(mail["Message-ID"]) for mail in server.mails if mail["Subject"] == subject]


def hold(service: Service, server: MailServer, key: str) -> tuple[int, int]:
    """Write an email that the server takes without saying so; return it and who sends it."""
    server.may_answer.clear()
    pk = write(service, key)
    wait_until(lambda: received(server, key), "the server has the email")
    return pk, int(service.shell(LOOK.format(pk=pk)).split()[2].split(":")[1])


@contextmanager
def another_worker(service: Service) -> Iterator[None]:
    """Run a second worker for messages, as another machine would."""
    words = ["-A", "config", "worker", "--queues", "messages", "--pool", "threads"]
    program = [sys.executable, "-m", "celery", "--quiet", *words, "--hostname", "second@%h"]
    with (service.stack.logs / "worker-second.log").open("w") as log:
        worker = subprocess.Popen(
            program, cwd=ROOT, env=service.environment, stdout=log, stderr=log
        )
        try:
            yield
        finally:
            worker.terminate()
            worker.wait()


@pytest.fixture(autouse=True)
def answering(mail_server: MailServer) -> Iterator[None]:
    yield
    mail_server.may_answer.set()


def test_an_email_of_a_worker_killed_before_the_answer_is_sent_again_with_the_same_id(
    breakable: Service, mail_server: MailServer
) -> None:
    pk, process = hold(breakable, mail_server, "killed")
    kill([process])
    mail_server.may_answer.set()
    wait_until(lambda: is_sent(breakable, pk), "it is sent again")
    first, second = received(mail_server, "killed")
    assert first == second


@pytest.mark.servers
def test_an_email_of_a_worker_frozen_past_its_lease_is_sent_by_another_with_the_same_id(
    breakable: Service, mail_server: MailServer
) -> None:
    pk, process = hold(breakable, mail_server, "frozen")
    with frozen(breakable, [process]):
        mail_server.may_answer.set()
        with another_worker(breakable):
            wait_until(lambda: is_sent(breakable, pk), "the other worker sends it")
    first, second = received(mail_server, "frozen")
    assert first == second
    assert is_sent(breakable, pk)


if os.environ.get("DATABASE_URL", "").startswith("postgresql"):  # else no connection can end

    @pytest.mark.servers
    def test_a_database_that_ends_its_connections_during_the_answer_makes_no_second_email(
        breakable: Service, mail_server: MailServer
    ) -> None:
        pk, _ = hold(breakable, mail_server, "cut")
        address = breakable.environment["DATABASE_URL"]
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        mail_server.may_answer.set()
        breakable.end_console()
        wait_until(lambda: is_sent(breakable, pk), "it is recorded")
        breakable.shell(HURRY)
        time.sleep(2 * LEASE_SECONDS)  # in which another attempt would have come
        assert len(received(mail_server, "cut")) == 1


def fill_in(client: httpx.Client, path: str, **answers: str) -> httpx.Response:
    """Fill in the form of a page, as a browser does."""
    form = client.get(path)
    assert form.status_code == 200, form.text
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="([^"]*)"', form.text)
    return client.post(path, data={"csrfmiddlewaretoken": html.unescape(token), **answers})


def test_while_the_mail_server_is_away_people_sign_up_and_the_email_comes_once_it_is_back(
    breakable: Service, mail_server: MailServer, mail_line: Between
) -> None:
    address = f"ann@{DOMAIN}"
    person = {"first_name": "Ann", "last_name": "Example", "email": address}
    mail_line.close()
    with httpx.Client(base_url=breakable.url, timeout=60) as client:
        for _ in range(2):  # who sees no email fills in the form again
            answer = fill_in(client, "/sign-up/", **person, password=PASSWORD)
            assert (answer.status_code, answer.headers["location"]) == (302, "/sign-up/sent/")
            wait_until(lambda: f"sign-up {address} queued True" in all_of(breakable), "it is tried")
        answer = fill_in(client, "/forgotten/", email=f"nobody@{DOMAIN}")
        assert (answer.status_code, answer.headers["location"]) == (302, "/forgotten/sent/")
        wait_until(lambda: hurried(breakable, "password") == [], "nobody gets no email")
        mail_line.open()
        sent_to_ann = [f"sign-up {address} done True"]
        wait_until(lambda: hurried(breakable, address) == sent_to_ann, "the email is sent")
        (sent,) = [mail for mail in mail_server.mails if mail["To"] == address]
        assert sent["Subject"] == "Confirm your email address for the HMDA filing service"
        (link,) = re.findall(rf"{breakable.url}(/sign-up/\S+)", sent.get_content())
        assert fill_in(client, link, password=PASSWORD).status_code == 302
        assert client.get(link).status_code == 410


def all_of(service: Service) -> list[str]:
    return service.shell(LOOK_AT_ALL).splitlines()


def hurried(service: Service, word: str) -> list[str]:
    """Return the emails whose line has a word, after the pauses of all were cut short."""
    service.shell(HURRY)
    return [line for line in all_of(service) if word in line]
