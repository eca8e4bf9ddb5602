"""Filing periods, reference data, published data; the audit log and signed receipts."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config.doctor import data
from filing import day_hours
from filing.audit import keys
from filing.models import ChainCheck, Filing, FilingPeriod, Signature, Submission
from filing.submissions import ownership
from tests import make
from tests.config.doctor.messages import problems, texts
from tests.conftest import LEI
from tests.filing.test_standing import add_signed

pytestmark = pytest.mark.django_db


def test_a_service_without_any_filing_period_is_warned_of() -> None:
    assert problems(data.check_periods) == ["warning periods.none"]
    assert problems(data.check_reference_data) == problems(data.check_published) == []


def test_an_open_period_needs_a_panel_a_deadline_and_reference_data() -> None:
    today = day_hours.today()
    make.period(2025, opens=today - timedelta(9), timely_until=today, closes=today + timedelta(2))
    assert problems(data.check_periods) == [
        "error periods.empty_panel",
        "warning periods.deadline",
        "warning periods.closing",
    ]
    assert problems(data.check_reference_data) == [
        "error reference.no_census",
        "warning reference.no_limits",
    ]


def test_a_period_that_opens_later_is_named() -> None:
    today = day_hours.today()
    later = today + timedelta(days=9)
    make.period(2025, opens=later, timely_until=later, closes=later)
    assert problems(data.check_periods) == []
    assert f"opens on {later}" in texts(data.check_periods)


@pytest.mark.servers
def test_what_counts_although_a_later_submission_is_signed_is_named(filing: Filing) -> None:
    nine = add_signed(filing, 9, timezone.now())
    assert problems(data.check_filings) == []
    add_signed(filing, 11, timezone.now() - timedelta(days=1))
    assert problems(data.check_filings) == ["warning filings.out_of_order"]
    assert f": {nine}." in texts(data.check_filings)


@pytest.mark.servers
@pytest.mark.parametrize(
    ("lei", "is_foreign"),
    [(LEI, False), (LEI.lower(), False), ("529900OTHERBANK00017", True), ("", True), (None, False)],
)
def test_what_counts_although_its_file_names_another_institution_is_named(
    filing: Filing, lei: str | None, is_foreign: bool
) -> None:
    # The second one is not in force: a file of the institution replaced it.
    sheets = (None if lei is None else {"lei": lei}, {"lei": "529900OTHERBANK00017"}, None)
    submissions = [
        add_signed(filing, number, timezone.now() - timedelta(days=number)) for number in (3, 2, 1)
    ]
    for submission, sheet in zip(reversed(submissions), sheets, strict=True):
        submission.transmittal_sheet = sheet
        submission.save(update_fields=["transmittal_sheet"])
    assert ("warning filings.foreign" in problems(data.check_filings)) is is_foreign
    assert (f"another institution: {submissions[2]}." in texts(data.check_filings)) is is_foreign
    assert (ownership.find_foreign_lei(submissions[2]) is not None) is is_foreign


@pytest.mark.parametrize(
    ("year", "quarter", "has_rules"), [(2024, "Q1", True), (2019, "Q1", False), (1990, "", False)]
)
def test_periods_without_rules_and_what_was_signed_in_them_are_named(
    filing: Filing, year: int, quarter: str, has_rules: bool
) -> None:
    assert problems(data.check_filing_years) == []
    FilingPeriod.objects.update(year=year, quarter=quarter)
    filing.refresh_from_db()
    submission = add_signed(filing, 1, timezone.now())
    ids = ["error years.unprepared", "warning years.signed_unchecked"]
    assert problems(data.check_filing_years) == ([] if has_rules else ids)
    assert (f": {submission}." in texts(data.check_filing_years)) is not has_rules


def record_verification(*findings: str, days: int = 0) -> None:
    at = timezone.now() - timedelta(days=days)
    ChainCheck.objects.create(
        began_at=at, ended_at=at, after=0, entries=8, head="ab" * 32,
        finding_count=len(findings), findings=findings,
    )  # fmt: skip


def test_the_audit_log_is_verified_every_day_without_findings(settings: Any) -> None:
    assert problems(data.check_audit_log) == []
    assert "was not verified yet" in texts(data.check_audit_log)
    record_verification(days=3)
    assert problems(data.check_audit_log) == ["warning audit_log.late"]
    record_verification()
    assert problems(data.check_audit_log) == []
    settings.AUDIT_HEADS_EMAIL = ["audit@site.example"]
    assert texts(data.check_audit_log).endswith("8 entries, no findings.")
    record_verification("Entry 4 of the chain is missing.")
    assert problems(data.check_audit_log) == ["error audit_log.findings"]
    assert texts(data.check_audit_log).endswith("1 finding: Entry 4 of the chain is missing.")


@pytest.fixture
def key_folder(settings: Any, tmp_path: Path) -> Path:
    settings.RECEIPT_KEY_DIR = tmp_path / "receipts"
    return settings.RECEIPT_KEY_DIR


def test_a_key_that_signs_receipts_is_made_used_or_an_error(key_folder: Path) -> None:
    assert "is made with the first receipt" in texts(data.check_receipts)
    key = keys.require_signing_key()
    assert problems(data.check_receipts) == []
    assert key.kid in texts(data.check_receipts)
    (key_folder / "0001.pem").chmod(0o644)
    assert problems(data.check_receipts) == ["error receipts.key"]


@pytest.mark.servers
@pytest.mark.usefixtures("key_folder")
def test_receipts_that_are_missing_for_long_are_a_warning(submission: Submission) -> None:
    at = timezone.now() - timedelta(hours=2)
    Signature.objects.create(submission=submission, receipt="r", signed_at=at)
    assert problems(data.check_receipts) == ["warning receipts.late"]
    assert texts(data.check_receipts).endswith(": 1.")


def test_a_site_without_signatures_needs_no_key(settings: Any) -> None:
    settings.SIGNING_ENABLED = False
    settings.RECEIPT_SIGNING_KEY = "no key"
    assert problems(data.check_receipts) == []
