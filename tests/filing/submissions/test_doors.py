"""No rule is never a pass: a file of a period without rules is refused at each door, with why.

The period, the filing and the submission are as an earlier release accepted them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from filing import seasons
from filing.access import SERVICE
from filing.edits.examples import records
from filing.errors import PERIOD_CLOSED, BadInput, Refusal
from filing.jobs import queue
from filing.lar.years import Period, describe_missing_rules
from filing.models import (
    EditResult,
    Filing,
    FilingPeriod,
    Institution,
    Job,
    ResumableUpload,
    Signature,
    Submission,
    TrailEntry,
)
from filing.receipts import checking, documents
from filing.seasons import Window, years
from filing.statuses import Event, Status
from filing.submissions import interventions, moves, rules_run
from tests.conftest import LEI
from tests.filing.pages.steps import member, signed_in
from tests.filing.people import members
from tests.filing.restored import restore_period
from tests.filing.submissions.resuming import Sending, begin, caller
from tests.filing.submissions.stages import work

pytestmark = pytest.mark.django_db

DAYS = Window(date(2020, 1, 1), date(2040, 1, 1), date(2060, 1, 1))
WITHOUT_RULES = (Period(2045), Period(2019, 1), Period(1990))
JSON = {"content_type": "application/json"}
KEY = "ab" * 16  # of an upload in parts
OTHER = "529900OTHERBANK00017"


def wrong_file(period: Period) -> bytes:
    """Return a file of another institution whose loan type, state and total are wrong."""
    loan = records.correct_loan(period, OTHER) | {"loan_type": 9, "state": "ZZ"}
    sheet = records.correct_transmittal_sheet(period, OTHER, 77)
    return f"{records.write_record_line(sheet)}\n{records.write_record_line(loan)}\n".encode()


def accepted_before(period: Period) -> Submission:
    """Return a new submission in a period, with all rows as an earlier release accepted them."""
    filer = Institution.objects.create(
        activity_year=period.year, lei=LEI, name="Test Bank", agency=9, quarterly_filer=True
    )
    window = restore_period(period.year, period.quarter_name, **DAYS._asdict())
    filing = Filing.objects.create(institution=filer, period=window)
    return moves.begin_submission(filing, 1, by=SERVICE)


def with_file(submission: Submission, status: Status, **columns: Any) -> Submission:
    content = wrong_file(submission.period)
    name = default_storage.save(f"doors/{submission}/raw.txt", ContentFile(content))
    Submission.objects.filter(pk=submission.pk).update(
        status=status,
        raw_file=name,
        size=len(content),
        lines=2,
        sha256=hashlib.sha256(content).hexdigest(),
        **columns,
    )
    submission.refresh_from_db()
    return submission


@pytest.fixture(params=WITHOUT_RULES[:2], ids=str)
def period(request: pytest.FixtureRequest) -> Period:
    return request.param


@pytest.fixture
def old(period: Period) -> Submission:
    return accepted_before(period)


def api(period: Period, rest: str = "") -> str:
    quarter = f"/quarter/{period.quarter_name}" if period.is_quarterly else ""
    return f"/v2/filing/institutions/{LEI}/filings/{period.year}{quarter}{rest}"


def page(period: Period, rest: str = "") -> str:
    quarter = f"{period.quarter_name}/" if period.is_quarterly else ""
    return f"/filing/{LEI}/{period.year}/{quarter}{rest}"


def file_of(period: Period) -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile("lar.txt", wrong_file(period))}


# By door: the status in which the submission waits there, the request, and the status answered.
DOORS: dict[str, tuple[Status, Callable[[Period], Any], int]] = {
    "start by API": (Status.CREATED, lambda p: caller().post(api(p)), 400),
    "create by API": (Status.CREATED, lambda p: caller().post(api(p, "/submissions")), 400),
    "upload by API": (
        Status.CREATED,
        lambda p: caller().post(api(p, "/submissions/1"), file_of(p)),
        400,
    ),
    "upload in parts": (Status.CREATED, lambda p: begin(caller(), 99, at=api(p)), 400),
    "a further part": (
        Status.UPLOADING,
        lambda p: Sending(caller(), api(p, f"/submissions/1/uploads/{KEY}")).patch(b"1|", 0),
        400,
    ),
    "verify by API": (
        Status.MACRO_ERRORS,
        lambda p: caller().post(api(p, "/submissions/1/edits/macro"), {"verified": True}, **JSON),
        400,
    ),
    "sign by API": (
        Status.VERIFIED,
        lambda p: caller().post(api(p, "/submissions/1/sign"), {"signed": True}, **JSON),
        400,
    ),
    "start by page": (Status.CREATED, lambda p: browser().post(page(p)), 400),
    "upload form": (Status.CREATED, lambda p: browser().get(page(p, "1/upload/")), 400),
    "upload by page": (
        Status.CREATED,
        lambda p: browser().post(page(p, "1/upload/"), file_of(p)),
        400,
    ),
    "verify by page": (
        Status.MACRO_ERRORS,
        lambda p: browser().post(page(p, "1/verify/macro/"), {"verified": "true"}),
        400,
    ),
    "sign form": (Status.VERIFIED, lambda p: browser().get(page(p, "1/sign/")), 400),
    "sign by page": (
        Status.VERIFIED,
        lambda p: browser().post(page(p, "1/sign/"), {"certified": "on"}),
        400,
    ),
    "public check": (
        Status.CREATED,
        lambda p: caller().post(
            reverse("publicapi:validate-lar", args=[p.year])
            if not p.is_quarterly
            else reverse("publicapi:quarter-validate-lar", args=[p.year, p.quarter_name]),
            {"lar": "2|"},
            **JSON,
        ),
        400,
    ),
}


def browser() -> Any:
    return signed_in(member("ann", LEI))


@pytest.mark.parametrize("door", DOORS)
def test_each_door_refuses_a_period_without_rules_and_says_why(door, old, period):
    status, request, answered = DOORS[door]
    submission = with_file(old, status) if status != Status.CREATED else old
    if status == Status.UPLOADING:
        ResumableUpload.objects.create(submission=old, key=KEY, file_name="l.txt", length=99)
    answer = request(period)
    assert answer.status_code == answered
    if door != "public check":  # which names its own years
        assert describe_missing_rules(period) in answer.content.decode().replace("&#x27;", "'")
    left = Submission.objects.filter(pk=submission.pk).values_list("status", flat=True)
    assert list(left) in ([], [status])
    assert not Signature.objects.exists()


@pytest.mark.parametrize("status", [Status.CREATED, Status.VERIFIED], ids=lambda s: s.name)
def test_pages_of_a_submission_say_that_it_stops_and_lead_to_no_door(status, old, period):
    with_file(old, status)
    reader = browser()
    shown = reader.get(page(period, "1/"))
    assert shown.context["state"].next.startswith(describe_missing_rules(period))
    assert "/1/sign/" not in shown.content.decode()
    assert str(period) in reader.get("/filing/").content.decode()
    assert f"The year {period.year} is not open" in reader.get(page(period)).content.decode()


@pytest.mark.parametrize("door", ["create by API", "upload by API", "sign by API"])
def test_programs_get_the_literal_message_of_a_closed_period(door, old, period):
    status, request, _ = DOORS[door]
    if status != Status.CREATED:
        with_file(old, status)
    body = request(period).json()
    assert (body["message"], body["detail"]) == (PERIOD_CLOSED, describe_missing_rules(period))


def _by_form(period: Period) -> Any:
    days = {"opens": "2020-01-01", "timely_until": "2040-01-01", "closes": "2060-01-01"}
    chosen = {"year": period.year, "quarter": period.quarter_name, "reason": "A test."}
    operator = members.signed_in(members.member("operator"))
    answer = operator.post(reverse("admin:filing_filingperiod_add"), days | chosen)
    raise BadInput(str(answer.context["errors"])) if answer.status_code == 200 else AssertionError


def _new(period: Period) -> FilingPeriod:
    return FilingPeriod(year=period.year, quarter=period.quarter_name, **DAYS._asdict())


WAYS_TO_ADD: dict[str, Callable[[Period], Any]] = {
    "form": _by_form,
    "action": lambda p: seasons.add_filing_period(p, DAYS, by=SERVICE, reason="A test."),
    "command": lambda p: call_command("open_season", p.year),
    "save": lambda p: _new(p).save(),
    "create": lambda p: FilingPeriod.objects.create(
        year=p.year, quarter=p.quarter_name, **DAYS._asdict()
    ),
    "bulk_create": lambda p: FilingPeriod.objects.bulk_create([_new(p)]),
}


@pytest.mark.parametrize("period", [*WITHOUT_RULES, Period(2027, 1)], ids=str)
def test_no_way_adds_a_period_without_rules(period):
    for way, add in WAYS_TO_ADD.items():
        if (way, period) == ("command", Period(2019, 1)):
            continue  # it opens the quarters that exist
        with pytest.raises((BadInput, CommandError)):
            add(period)
    assert not FilingPeriod.objects.exists()


def test_staff_add_no_filing_to_an_old_period(old, period):
    other = Institution.objects.create(activity_year=period.year, lei=OTHER, name="B", agency=9)
    with pytest.raises(ValidationError, match="rules"):
        Filing(institution=other, period=old.filing.period).full_clean()


def test_what_was_filed_without_rules_stays_readable(old, period):
    with_file(old, Status.VERIFIED, edits_folder="doors", parse_folder="doors")
    for address in ("", "/submissions", "/submissions/latest", "/submissions/1/sign"):
        assert caller().get(api(period, address)).status_code == 200, address
    for address in ("", "/csv", "/Q601"):
        answer = caller().get(api(period, f"/submissions/1/edits{address}"))
        assert answer.status_code == 200, address
        assert address or answer.json()["rulebook"] is None


def test_a_worker_without_edits_fails_the_job_and_the_filer_reads_why(old, period):
    submission = with_file(old, Status.UPLOADED)
    queue.add_job("parse", submission=submission)
    work(submission)
    job = Job.objects.get(submission=submission, stage="edits")
    assert (submission.status, job.state, job.attempts) == (Status.FAILED, "failed", 1)
    change = submission.changes.last()
    assert change.event == Event.NO_RULES_FOUND.name
    for said in (job.last_error, submission.failure, change.reason):
        assert str(period) in said
        assert "rule" in said
    assert submission.failure in browser().get(page(period, "1/")).content.decode()
    assert not EditResult.objects.exists()


# --- signed without rules: checked again once the year is prepared


@pytest.fixture
def signed() -> Submission:
    """A file of 2028 that an earlier release let pass, and that was signed."""
    submission = accepted_before(Period(2028))
    with_file(submission, Status.UPLOADED)
    queue.add_job("parse", submission=submission)
    work(submission)
    signed = {"status": Status.SIGNED, "failure": "", "edits_folder": "doors"}
    Submission.objects.filter(pk=submission.pk).update(**signed)
    submission.refresh_from_db()
    signature = Signature(
        submission=submission,
        receipt=f"{LEI}-2028-1-1741000999000",
        signed_at=timezone.now(),
        signer_id="user-1",
        sha256=submission.sha256,
    )
    signature.claims = documents.write_claims(signature, unchecked={})
    signature.save()
    documents.issue_receipt(signature)
    return Submission.objects.select_related(*RELATED).get(pk=submission.pk)


RELATED = ("filing__institution", "filing__period", "signature")


@pytest.mark.servers
def test_its_receipt_names_no_rules_and_its_pages_say_so(signed):
    claims = checking.verify_own_proof(signed.signature.signed_receipt.jws)
    assert claims["rulebook"] is None
    assert "none" in claims["rulesVersion"]
    for address in ("1/", "1/edits/", "1/edits/report/", "1/receipt/"):
        assert 'id="unchecked"' in ann_reads(signed.period, address)


def ann_reads(period: Period, address: str) -> str:
    user = User.objects.filter(username="ann").first() or member("ann", LEI)
    answer = signed_in(user).get(page(period, address))
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_file_signed_without_rules_is_checked_once_its_year_is_prepared(signed):
    (listed,) = years.signed_without_rules()
    assert listed == signed
    with pytest.raises(Refusal, match="Prepare the year"):
        interventions.plan_check_signed(signed)
    years.prepare_year(2028, by=SERVICE, reason="A test.")
    assert list(years.signed_without_rules()) == [signed]
    before = (
        Signature.objects.values().get(),
        documents.write_receipt_file(signed.signature.signed_receipt),
    )
    interventions.check_signed(signed, by=SERVICE, reason="Signed without rules.")
    entry = TrailEntry.objects.get(event="edits run on a signed file")
    assert (entry.about, entry.reason) == (str(signed), "Signed without rules.")
    changes = signed.changes.count()
    work(signed)
    codes = set(EditResult.objects.filter(total__gt=0).values_list("code", flat=True))
    assert {"Q303", "S304"} <= codes
    assert (signed.status, signed.changes.count()) == (Status.SIGNED, changes)
    assert signed.rules_run.startswith("2026")
    assert (
        Signature.objects.values().get(),
        documents.write_receipt_file(signed.signature.signed_receipt),
    ) == before
    assert not years.signed_without_rules()
    with pytest.raises(Refusal, match="signed in a period without rules"):
        interventions.check_signed(signed, by=SERVICE, reason="Again.")
    assert "S304" in ann_reads(signed.period, "1/edits/")


def test_what_was_signed_with_rules_keeps_its_results(submission, filer):
    with_file(submission, Status.SIGNED)
    with pytest.raises(Refusal, match="stay those that its signer saw"):
        interventions.plan_check_signed(submission)
    assert not Submission.objects.filter(rules_run.is_signed_without_rules()).exists()
