"""Count the queries of an admin page."""

from datetime import UTC, date, datetime, timedelta

from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from databrowser.models import ModifiedLar
from filing import audit
from filing.access import SERVICE
from filing.jobs import queue
from filing.models import (
    Announcement,
    AuditEvent,
    EditResult,
    Identity,
    Job,
    Mail,
    PanelImport,
    PersonalToken,
    SeasonOpening,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.models.filing_years import known_years
from ratespread.models import AporKind, AporLoad, AporTable, AporWeek
from tests import make

MOST_QUERIES = 18  # of the page of a user, with what five tables know


def add_filer(number: int) -> Submission:
    """Make one of everything around one institution."""
    lei = f"529900TESTBANK{number:06d}"
    institution = make.institution(lei, name=f"Bank {number}", tax_id=f"12-{number:07d}")
    facts = {"file_name": f"loans_{number}.txt", "sha256": f"{number:064d}"}
    submission = make.submission(make.filing(lei), **facts)
    StatusChange.objects.create(submission=submission, after=1, event="CREATED")
    Job.objects.create(submission=submission, stage="parse", state="done")
    EditResult.objects.create(submission=submission, code="Q603", kind="quality", total=3)
    EditResult.objects.create(
        submission=submission,
        code="V625-2",
        kind="validity",
        total=0,
        not_run="There is no census for 2024.",
    )
    signature = {"signed_at": datetime(2025, 3, 3, tzinfo=UTC), "signer_id": "1"}
    receipt = f"{submission}-1741000999000"
    make.signed(submission, receipt=receipt, signer_email="ann@bank.example", **signature)
    disclosing = Job.objects.create(stage="disclose", state="failed", last_error="Disk full")
    ModifiedLar.objects.create(submission=submission, job=disclosing)
    PanelImport.objects.create(
        file_name=f"panel_{number}.csv",
        sha256=f"{number:064d}",
        **dict.fromkeys(("read", "added", "changed", "unchanged", "skipped"), 1),
        details={"skipped": [[2, ["lei: 'x' is no LEI"]]]},
    )
    job = Job.objects.create(stage="mail", state="failed", last_error="Connection refused")
    mail = Mail.objects.create(
        kind="receipt", key=lei, to="ann@bank.example", submission=submission, job=job
    )
    for about in (submission, submission.filing, institution, mail, job):
        audit.add_note(about, by=SERVICE, text="They called.")
    add_user(number, lei)
    add_rates(number)
    Announcement.objects.bulk_create([Announcement(text=f"Number {number}.")])
    return submission


def add_rates(number: int) -> None:
    """Make a load of rates, and the row of its table."""
    load = AporLoad.objects.create(kind=AporKind.FIXED, rows=1, added=1, changed=0)
    week = date(2017, 1, 2) + timedelta(days=7 * number)
    AporWeek.objects.create(kind=AporKind.FIXED, week=week, rates=["3.5"] * 50, load=load)
    AporTable.objects.update_or_create(kind=AporKind.FIXED, defaults={"load": load})


def add_user(number: int, lei: str) -> None:
    """Make a user with everything around them."""
    user = User.objects.create(username=f"user-{number}")
    user.groups.add(Group.objects.get(name="operator"), Group.objects.create(name=f"n {number}"))
    Identity.objects.create(user=user, issuer="https://id.example", subject=f"{number}")
    make.member(user, lei)
    PersonalToken.objects.create(
        user=user,
        name="nightly",
        start="hmda_pat_abcd",
        sha256=f"{number:064d}",
        leis=[lei],
        expires_at=timezone.now() + timedelta(days=1),
    )
    SeasonOpening.objects.create(year=2024, windows={}, job=queue.add_job("season"))
    TrailEntry.objects.create(
        event=AuditEvent.ACCESS_REFUSED, actor_id=f"{number}", request_id=f"request-{number}"
    )


def queries_of(client: Client, page: str) -> int:
    known_years()  # each process reads them by itself, not for a page
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200
    return len(queries)
