"""Emails, with a real mail server that is away, slow, or loses whoever talks to it."""

from __future__ import annotations

import html
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from config.running.supervisor import ROOT
from tests.filing.mail_server import MailServer, closed_port, serving
from tests.flow.conftest import Service
from tests.flow.processes import signal_all

pytestmark = pytest.mark.slow

LEASE_SECONDS = 4
TIMEOUT_SECONDS = 90
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


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def service(run_service: Callable[..., Service], server: MailServer) -> Iterator[Service]:
    service = run_service(
        JOB_LEASE_SECONDS=str(LEASE_SECONDS),
        JOB_SWEEP_SECONDS="1",
        EMAIL_URL=f"smtp://127.0.0.1:{server.port}",
    )
    yield service
    service.end()


def shell(service: Service, code: str, **values: object) -> str:
    return service.manage("shell", "-v", "0", "-c", code.format(**values)).strip()


def write(service: Service, key: str) -> int:
    return int(shell(service, WRITE, key=key))


def state(service: Service, pk: int) -> tuple[str, bool]:
    job, sent, *_ = shell(service, LOOK, pk=pk).split()
    return job, sent == "True"


def wait_for(what: Callable[[], bool], service: Service) -> None:
    until = time.monotonic() + TIMEOUT_SECONDS
    while not what():
        assert time.monotonic() < until, [
            (path.name, path.read_text()[-3000:]) for path in service.stack.logs.glob("work*")
        ]
        time.sleep(0.1)


def received(server: MailServer, subject: str) -> list[str]:
    """Return the ids of the messages with a subject."""
    return [str(mail["Message-ID"]) for mail in server.mails if mail["Subject"] == subject]


def hold(service: Service, server: MailServer, key: str) -> tuple[int, int]:
    """Write an email that the server takes without saying so; return it and who sends it."""
    server.may_answer.clear()
    pk = write(service, key)
    wait_for(lambda: bool(received(server, key)), service)
    return pk, int(shell(service, LOOK, pk=pk).split()[2].split(":")[1])


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
def answering(server: MailServer) -> Iterator[None]:
    yield
    server.may_answer.set()


def test_an_email_of_a_worker_killed_before_the_answer_is_sent_again_with_the_same_id(
    service: Service, server: MailServer
) -> None:
    pk, process = hold(service, server, "killed")
    os.kill(process, signal.SIGKILL)
    server.may_answer.set()
    wait_for(lambda: state(service, pk) == ("done", True), service)
    first, second = received(server, "killed")
    assert first == second


def test_an_email_of_a_worker_frozen_past_its_lease_is_sent_by_another_with_the_same_id(
    service: Service, server: MailServer
) -> None:
    pk, process = hold(service, server, "frozen")
    signal_all([process], signal.SIGSTOP)
    try:
        server.may_answer.set()
        with another_worker(service):
            wait_for(lambda: state(service, pk) == ("done", True), service)
    finally:
        signal_all([process], signal.SIGCONT)
    first, second = received(server, "frozen")
    assert first == second
    assert state(service, pk) == ("done", True)


if os.environ.get("DATABASE_URL", "").startswith("postgresql"):  # else no connection can end

    def test_a_database_that_ends_its_connections_during_the_answer_makes_no_second_email(
        service: Service, server: MailServer
    ) -> None:
        pk, _ = hold(service, server, "cut")
        address = service.environment["DATABASE_URL"]
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        server.may_answer.set()
        service.end_console()
        wait_for(lambda: state(service, pk) == ("done", True), service)
        shell(service, HURRY)
        time.sleep(2 * LEASE_SECONDS)  # in which another attempt would have come
        assert len(received(server, "cut")) == 1


def fill_in(client: httpx.Client, path: str, **answers: str) -> httpx.Response:
    """Fill in the form of a page, as a browser does."""
    form = client.get(path)
    assert form.status_code == 200, form.text
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="([^"]*)"', form.text)
    return client.post(path, data={"csrfmiddlewaretoken": html.unescape(token), **answers})


def test_while_the_mail_server_is_away_people_sign_up_and_the_email_comes_once_it_is_back(
    run_service: Callable[..., Service],
) -> None:
    port = closed_port()
    service = run_service(JOB_SWEEP_SECONDS="1", EMAIL_URL=f"smtp://127.0.0.1:{port}")
    person = {"first_name": "Ann", "last_name": "Example", "email": f"ann@{DOMAIN}"}
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for _ in range(2):  # who sees no email fills in the form again
            answer = fill_in(client, "/sign-up/", **person, password=PASSWORD)
            assert (answer.status_code, answer.headers["location"]) == (302, "/sign-up/sent/")
            wait_for(lambda: "sign-up ann@bank0.example queued True" in all_of(service), service)
        answer = fill_in(client, "/forgotten/", email=f"nobody@{DOMAIN}")
        assert (answer.status_code, answer.headers["location"]) == (302, "/forgotten/sent/")
        wait_for(lambda: hurried(service, "password") == [], service)
        with serving(port) as back:
            sent_to_ann = [f"sign-up ann@{DOMAIN} done True"]
            wait_for(lambda: hurried(service, "@") == sent_to_ann, service)
            (sent,) = back.mails
            assert (sent["To"], sent["Subject"]) == (
                f"ann@{DOMAIN}",
                "Confirm your email address for the HMDA filing service",
            )
            (link,) = re.findall(rf"{service.url}(/sign-up/\S+)", sent.get_content())
        assert fill_in(client, link, password=PASSWORD).status_code == 302
        assert client.get(link).status_code == 410
    service.end()


def all_of(service: Service) -> list[str]:
    return shell(service, LOOK_AT_ALL).splitlines()


def hurried(service: Service, word: str) -> list[str]:
    """Return the emails whose line has a word, after the pauses of all were cut short."""
    shell(service, HURRY)
    return [line for line in all_of(service) if word in line]
