"""The lists of what happened find by what stands in them, and by what finds a submission."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from filing import audit, submissions
from filing.access import Caller
from filing.models import AuditEvent, EditResult, Job, Signature, StatusChange, Submission
from filing.statuses import Event
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
REQUEST = "7F3K-9QXM-2BTD"
AS_HEARD = "7f3k 9qxm2btd"  # on the telephone


@pytest.fixture
def told(submission: Submission, filer: Caller) -> Submission:
    """A submission that a person uploaded and the service stopped."""
    with audit.set_origin(address="198.51.100.7", request_id=REQUEST):
        submissions.move_submission(submission, Event.UPLOAD_STARTED, by=filer)
        audit.record_event(AuditEvent.TOKEN_ISSUED, by=filer, lei=LEI, about="password")
    submissions.fail_submission(submission, "The disk was full.")
    audit.record_event(AuditEvent.SEASON_OPENED, by=None, about="2024")
    Job.objects.create(
        submission=submission, stage="parse", state="failed", owner="worker-3:1", last_error="full"
    )
    Job.objects.create(stage="season", state="done", owner="worker-4:1", request_id=REQUEST)
    quality = {"code": "Q603", "kind": "quality", "level": "lar", "total": 1}
    validity = {"code": "V625-2", "kind": "validity", "level": "ts", "not_run": "No census."}
    for result in (quality, validity | {"total": 0}):
        EditResult.objects.create(submission=submission, **result)
    return submission


def found(client: Any, name: str, **asked: str) -> list[Any]:
    answer = client.get(reverse(f"admin:filing_{name}_changelist"), asked)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


@pytest.mark.servers
def test_status_changes(admin_client, told):
    for asked, events in [
        ({}, ["FAILED", "UPLOAD_STARTED", "CREATED"]),
        ({"q": LEI}, ["FAILED", "UPLOAD_STARTED", "CREATED"]),
        ({"q": "Test Bank"}, ["FAILED", "UPLOAD_STARTED", "CREATED"]),
        ({"q": f"{LEI}-2024-2"}, []),
        ({"q": "upload_started"}, ["UPLOAD_STARTED"]),
        ({"q": "ann"}, ["UPLOAD_STARTED", "CREATED"]),
        ({"q": "ann@bank.example"}, ["UPLOAD_STARTED", "CREATED"]),
        ({"q": "@bank.example"}, ["UPLOAD_STARTED", "CREATED"]),
        ({"q": "@elsewhere.example"}, []),
        ({"q": "198.51.100.7"}, ["UPLOAD_STARTED"]),
        ({"q": REQUEST}, ["UPLOAD_STARTED"]),
        ({"q": AS_HEARD}, ["UPLOAD_STARTED"]),
        ({"after": "-1"}, ["FAILED"]),
        ({"after": "15"}, []),
        ({"after": "x"}, ["FAILED", "UPLOAD_STARTED", "CREATED"]),
    ]:
        changes = found(admin_client, "statuschange", **asked)
        assert [change.event for change in changes] == events


def test_the_trail(admin_client, told):
    for typed, events in [
        ("", ["season opened", "token issued"]),
        (LEI, ["token issued"]),
        ("@bank.example", ["token issued"]),
        ("198.51.100.7", ["token issued"]),
        (AS_HEARD, ["token issued"]),
        ("ann", ["token issued"]),
        ("202", ["season opened"]),
        ("nothing", []),
    ]:
        entries = found(admin_client, "trailentry", q=typed)
        assert [entry.event for entry in entries] == events


@pytest.mark.servers
def test_jobs(admin_client, told):
    for asked, stages in [
        ({}, ["season", "parse", "mail"]),
        ({"q": LEI}, ["parse"]),
        ({"q": "full"}, ["parse"]),
        ({"q": "worker-3"}, ["parse"]),
        ({"q": "worker-4"}, []),  # it is done
        ({"q": REQUEST}, ["season"]),
        ({"q": AS_HEARD}, ["season"]),
        ({"q": "test"}, ["parse"]),
        ({"stage__exact": "season"}, ["season"]),
    ]:
        assert [job.stage for job in found(admin_client, "job", **asked)] == stages


@pytest.mark.servers
def test_edit_results(admin_client, told):
    for asked, codes in [
        ({}, ["V625-2", "Q603"]),
        ({"q": "q603"}, ["Q603"]),
        ({"q": "Q60"}, []),
        ({"q": LEI}, ["V625-2", "Q603"]),
        ({"kind__exact": "quality"}, ["Q603"]),
        ({"level": "ts"}, ["V625-2"]),
        ({"not_run": "1"}, ["V625-2"]),
        ({"o": "1"}, ["V625-2", "Q603"]),  # no column is sorted by, whatever the address says
    ]:
        assert [result.code for result in found(admin_client, "editresult", **asked)] == codes


@pytest.mark.servers
def test_signatures(admin_client, told):
    facts = {"receipt": f"{LEI}-2024-1-1741000999000", "sha256": "f" * 64}
    zoe = {"signer_username": "zoe", "signer_email": "Zoe@Counsel.example"}
    make.signed(told, signed_at=StatusChange.objects.latest("pk").at, **facts, **zoe)
    signatures = list(Signature.objects.all())
    for typed, is_found in [
        (LEI, True),
        (f"{LEI}-2024-1-1741000999000", True),
        ("f" * 64, True),
        ("e" * 64, False),
        ("zoe", True),
        ("zoe@counsel.example", True),
        ("@counsel.example", True),
        ("ann@bank.example", False),  # who uploaded, and did not sign
        ("test bank", True),
        ("nobody", False),
    ]:
        assert found(admin_client, "signature", q=typed) == (signatures if is_found else [])
