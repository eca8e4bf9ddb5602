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
from filing.emails.requested import WrittenEmail
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
