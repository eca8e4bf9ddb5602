"""Every admin page answers, and its number of queries does not grow with its rows."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from databrowser.models import ModifiedLar
from filing.access import SERVICE
from filing.audit import notes
from filing.jobs import queue
from filing.models import (
    Announcement,
    EditResult,
    Filing,
    FilingPeriod,
    Happening,
    Identity,
    Institution,
    Job,
    Mail,
    Membership,
    Note,
    PanelImport,
    PersonalToken,
    ReferenceData,
    SeasonOpening,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.statuses import Status
from ratespread.models import AporLoad, AporTable, AporWeek, Kind
from tests.filing.admin.unmarked import unmarked

pytestmark = pytest.mark.django_db
NOT_RUN = "There is no census for 2024."
MODELS = [
    AporLoad,
    AporTable,
    AporWeek,
    Announcement,
    EditResult,
    Filing,
    FilingPeriod,
    Group,
    Institution,
    Job,
    LogEntry,
    Mail,
    Membership,
    ModifiedLar,
    Note,
    PanelImport,
    PersonalToken,
    ReferenceData,
    SeasonOpening,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    User,
]
READ_ONLY = [
    AporTable,
    AporWeek,
    EditResult,
    Job,
    LogEntry,
    Mail,
    ModifiedLar,
    Note,
    PanelImport,
    PersonalToken,
    ReferenceData,
    SeasonOpening,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
]
MOST_QUERIES = 15


def address(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{page}", args=arguments)


def add_filer(number: int, period: FilingPeriod) -> Submission:
    """Make one of everything around one institution."""
    lei = f"529900TESTBANK{number:06d}"
    institution = Institution.objects.create(
        activity_year=2024, lei=lei, name=f"Bank {number}", tax_id=f"12-{number:07d}", agency=9
    )
    submission = Submission.objects.create(
        filing=Filing.objects.create(institution=institution, period=period),
        sequence_number=1,
        status=Status.SIGNED,
        file_name=f"loans_{number}.txt",
        sha256=f"{number:064d}",
    )
    StatusChange.objects.create(submission=submission, after=1, event="CREATED")
    Job.objects.create(submission=submission, stage="parse", state="done")
    EditResult.objects.create(submission=submission, code="Q603", kind="quality", total=3)
    EditResult.objects.create(
        submission=submission, code="V625-2", kind="validity", total=0, not_run=NOT_RUN
    )
    Signature.objects.create(
        submission=submission,
        receipt=f"{lei}-2024-1-1741000999000",
        signed_at=datetime(2025, 3, 3, tzinfo=UTC),
        signer_id="1",
        signer_email="ann@bank.example",
    )
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
        notes.add(about, by=SERVICE, text="They called.")
    add_user(number, lei)
    add_rates(number)
    Announcement.objects.bulk_create([Announcement(text=f"Number {number}.")])
    return submission


def add_rates(number: int) -> None:
    """Make a load of rates, and the row of its table."""
    load = AporLoad.objects.create(kind=Kind.FIXED, rows=1, added=1, changed=0)
    week = date(2017, 1, 2) + timedelta(days=7 * number)
    AporWeek.objects.create(kind=Kind.FIXED, week=week, rates=["3.5"] * 50, load=load)
    AporTable.objects.update_or_create(kind=Kind.FIXED, defaults={"load": load})


def add_user(number: int, lei: str) -> None:
    """Make a user with everything around them."""
    user = User.objects.create(username=f"user-{number}")
    user.groups.add(Group.objects.get(name="operator"), Group.objects.create(name=f"n {number}"))
    Identity.objects.create(user=user, issuer="https://id.example", subject=f"{number}")
    Membership.objects.create(user=user, lei=lei)
    PersonalToken.objects.create(
        user=user,
        name="nightly",
        start="hmda_pat_abcd",
        sha256=f"{number:064d}",
        leis=[lei],
        expires_at=timezone.now() + timedelta(days=1),
    )
    SeasonOpening.objects.create(year=2024, windows={}, job=queue.add("season"))
    TrailEntry.objects.create(
        happening=Happening.ACCESS_REFUSED, actor_id=f"{number}", request_id=f"request-{number}"
    )


@pytest.fixture
def submission(open_period) -> Submission:
    ReferenceData.objects.create(
        kind="census", year=2024, source="census.txt", rows=1, sha256="0" * 64, path="test"
    )
    return add_filer(1, open_period)


def queries_of(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200
    return len(queries)


@pytest.mark.parametrize("model", MODELS)
def test_a_list_takes_as_many_queries_for_many_rows_as_for_one(
    admin_client, submission, open_period, model
):
    page = address(model, "changelist")
    one = queries_of(admin_client, page)
    for number in range(2, 25):
        add_filer(number, open_period)
    assert queries_of(admin_client, page) <= min(one, MOST_QUERIES)


@pytest.mark.parametrize("model", MODELS)
def test_a_list_can_be_searched(admin_client, submission, model):
    assert queries_of(admin_client, address(model, "changelist") + "?q=x") <= MOST_QUERIES


@pytest.mark.parametrize("model", MODELS)
def test_a_page_shows_its_object(admin_client, submission, model):
    page = address(model, "change", model.objects.latest("pk").pk)
    assert queries_of(admin_client, page) <= MOST_QUERIES


@pytest.mark.parametrize("model", [model for model in MODELS if model not in READ_ONLY])
def test_what_operators_keep_can_be_added(admin_client, submission, model):
    assert admin_client.get(address(model, "add")).status_code == 200


@pytest.mark.parametrize("model", READ_ONLY)
def test_what_the_service_writes_cannot_be_added_changed_or_deleted(
    admin_client, submission, model
):
    found = model.objects.latest("pk")
    assert admin_client.get(address(model, "add")).status_code == 403
    assert admin_client.post(address(model, "change", found.pk), {}).status_code == 403
    assert admin_client.post(address(model, "delete", found.pk), {}).status_code == 403
    assert b"delete_selected" not in admin_client.get(address(model, "changelist")).content


@pytest.mark.parametrize(
    "asked",
    [
        "529900TESTBANK000002",
        "529900TESTBANK000002-2024-1-1741000999000",
        "Bank 2",
        "12-0000002",
        "loans_2.txt",
        f"{2:064d}",
    ],
)
def test_a_submission_is_found_by_what_a_caller_has_at_hand(
    admin_client, submission, open_period, asked
):
    second = add_filer(2, open_period)
    answer = admin_client.get(address(Submission, "changelist"), {"q": asked})
    assert list(answer.context["cl"].queryset) == [second]


def test_a_submission_page_tells_the_whole_story(admin_client, submission):
    page = unmarked(admin_client.get(address(Submission, "change", submission.pk)).text)
    for expected in (
        "529900TESTBANK000001-2024",
        "15 Your submission has been accepted.",
        "loans_1.txt",
        "Submission created",
        "Q603",
        "V625-2",
        NOT_RUN,
        "529900TESTBANK000001-2024-1-1741000999000",
        "ann@bank.example",
    ):
        assert expected in page
    buttons = re.findall(r'<(?:input|button) type="submit"[^>]*', page)
    assert buttons == ['<button type="submit"', '<input type="submit" value="Add note"']


def test_a_submission_page_takes_no_query_per_row(admin_client, submission):
    page = address(Submission, "change", submission.pk)
    before = queries_of(admin_client, page)
    StatusChange.objects.bulk_create(
        StatusChange(submission=submission, after=2, event="UPLOAD_STARTED") for _ in range(30)
    )
    EditResult.objects.bulk_create(
        EditResult(submission=submission, code=f"V{number}", kind="validity", total=1)
        for number in range(600, 700)
    )
    assert queries_of(admin_client, page) == before


def test_a_filing_page_lists_its_submissions_without_a_query_for_each(admin_client, submission):
    page = address(Filing, "change", submission.filing.pk)
    before = queries_of(admin_client, page)
    for number in range(2, 20):
        Submission.objects.create(filing=submission.filing, sequence_number=number)
    assert queries_of(admin_client, page) == before


def test_help_desk_with_the_right_to_view_sees_a_submission_and_its_trail(client, submission):
    user = User.objects.create(username="help", is_staff=True)
    models = ["submission", "statuschange", "editresult", "job", "signature"]
    user.user_permissions.set(
        Permission.objects.filter(codename__in=[f"view_{model}" for model in models])
    )
    client.force_login(user)
    page = client.get(address(Submission, "change", submission.pk)).content.decode()
    assert NOT_RUN in page
    assert "1741000999000" in page
    assert client.get(address(Institution, "changelist")).status_code == 403
