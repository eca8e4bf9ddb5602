"""An exported list says what the list says, of every row, and holds no formulas."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse
from openpyxl import load_workbook

from filing.models import EditResult, Filing, FilingPeriod, Signature, Submission
from filing.statuses import Status
from tests import make

pytestmark = pytest.mark.django_db
LIST = reverse("admin:filing_submission_changelist")
CSV, XLSX = LIST + "export.csv", LIST + "export.xlsx"


@pytest.fixture
def made(open_period: FilingPeriod) -> list[Submission]:
    """More submissions than a page shows: every third one signed."""
    filings = Filing.objects.bulk_create(
        Filing(institution=institution, period=open_period) for institution in make.panel(60)
    )
    submissions = Submission.objects.bulk_create(
        Submission(
            filing=filing,
            sequence_number=1,
            status=Status.CREATED if number % 3 else Status.SIGNED,
            lines=number,
        )
        for number, filing in enumerate(filings)
    )
    Signature.objects.bulk_create(
        Signature(
            submission=submission,
            receipt=f"{submission}-1741000999000",
            signed_at=datetime(2025, 3, 3, 12, tzinfo=UTC),
            signer_id="1",
            signer_email="ann@bank.example",
        )
        for submission in submissions[::3]
    )
    EditResult.objects.create(submission=submissions[3], code="Q603", kind="quality", total=7)
    return submissions


def read_csv(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def read_xlsx(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code == 200
    content = io.BytesIO(b"".join(answer.streaming_content))
    header, *rows = load_workbook(content, read_only=True)["list"].iter_rows(values_only=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_both_files_say_the_same(admin_client, made):
    asked = {"q": "529900TESTBANK000003"}
    [row] = read_csv(admin_client.get(CSV, asked))
    [cells] = read_xlsx(admin_client.get(XLSX, asked))
    assert row == {name: "" if value is None else str(value) for name, value in cells.items()}
    assert row.items() >= {
        ("LEI", "529900TESTBANK000003"),
        ("Institution", "Bank 3"),
        ("Agency", "CFPB"),
        ("Period", "2024"),
        ("Number", "1"),
        ("Status code", "15"),
        ("Status", "Your submission has been accepted."),
        ("Records", "2"),
        ("Quality edits", "1"),
        ("Validity edits", "0"),
        ("Late or timely", "timely"),
        ("Signed (America/New_York)", "2025-03-03 07:00:00"),
        ("Signed by", "ann@bank.example"),
        ("Receipt number", "529900TESTBANK000003-2024-1-1741000999000"),
    }


def test_nothing_a_filer_wrote_is_a_formula(admin_client, made):
    for name in ["=1+1", "\t=1", "\r=1", "a\x0bb", 'a,"b']:
        Submission.objects.filter(pk=made[1].pk).update(file_name=name)
        asked = {"q": made[1].lei}
        [row] = read_csv(admin_client.get(CSV, asked))
        guarded = name if name.startswith("a") else f"'{name}"
        assert row["File"].replace("\r", "") == guarded.replace("\r", "")
        [cells] = read_xlsx(admin_client.get(XLSX, asked))
        assert cells["File"].startswith(("'", "a"))


def test_a_bad_filter_leads_back_to_the_list(admin_client, made):
    answer = admin_client.get(CSV, {"created_at__year": "x"})
    assert (answer.status_code, answer.url) == (302, f"{LIST}?e=1")


def test_who_may_look_may_export_and_nobody_else(made):
    desk = User.objects.create(username="desk", is_staff=True)
    client = make.browser(desk)
    assert client.get(CSV).status_code == 403
    desk.groups.add(Group.objects.get(name="help desk"))
    assert len(read_csv(client.get(CSV))) == len(made)
    assert client.post(CSV).status_code == 405


def test_filings_are_exported_too(admin_client, made):
    address = reverse("admin:filing_filing_export_csv")
    [row] = read_csv(admin_client.get(address, {"q": made[5].lei}))
    assert row["Late or timely"] == "not due yet"
    assert row["Status"] == "not-started"
