"""Filing periods, reference data, published data."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from config.doctor.parts import data
from filing import day_hours
from filing.models import Filing, FilingPeriod
from filing.submissions import ownership
from tests.config.doctor.parts.looking import bad, texts
from tests.conftest import LEI
from tests.filing.test_standing import add_signed

pytestmark = pytest.mark.django_db


def test_a_service_without_any_filing_period_is_warned_of() -> None:
    (line,) = bad(data.periods)
    assert line.startswith("warning: No filing period is open, and none is to open")
    assert bad(data.reference) == bad(data.published) == []


def test_an_open_period_needs_a_panel_a_deadline_and_reference_data() -> None:
    today = day_hours.today()
    period = FilingPeriod.objects.create(
        year=2025,
        opens=today - timedelta(days=9),
        timely_until=today,
        closes=today + timedelta(days=2),
    )
    panel, deadline, closing = bad(data.periods)
    assert panel.startswith("error: The panel of 2025 is empty.")
    assert "is not the computed one" in deadline
    assert closing.startswith(f"warning: 2025 closes on {period.closes}")
    census, limits = bad(data.reference)
    assert census.startswith("error: Not loaded for 2025: census")
    assert limits.startswith("warning: Not loaded for 2025: county loan limits")


def test_a_period_that_opens_later_is_named() -> None:
    today = day_hours.today()
    later = today + timedelta(days=9)
    FilingPeriod.objects.create(year=2025, opens=later, timely_until=later, closes=later)
    assert bad(data.periods) == []
    assert f"opens on {later}" in texts(data.periods)


def test_what_counts_although_a_later_submission_is_signed_is_named(filing: Filing) -> None:
    nine = add_signed(filing, 9, timezone.now())
    assert bad(data.filings) == []
    add_signed(filing, 11, timezone.now() - timedelta(days=1))
    (line,) = bad(data.filings)
    assert line.startswith("warning: ")
    assert f": {nine}." in line


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
    lines = [line for line in bad(data.filings) if "another institution" in line]
    assert [f": {submissions[2]}." in line for line in lines] == [True] * is_foreign
    assert (ownership.foreign_lei(submissions[2]) is not None) is is_foreign


@pytest.mark.parametrize(
    ("year", "quarter", "has_rules"), [(2024, "Q1", True), (2019, "Q1", False), (1990, "", False)]
)
def test_periods_without_rules_and_what_was_signed_in_them_are_named(
    filing: Filing, year: int, quarter: str, has_rules: bool
) -> None:
    assert bad(data.years) == []
    FilingPeriod.objects.update(year=year, quarter=quarter)
    filing.refresh_from_db()
    submission = add_signed(filing, 1, timezone.now())
    lines = bad(data.years)
    assert [line.partition(":")[0] for line in lines] == ([] if has_rules else ["error", "warning"])
    assert [str(submission) in line for line in lines[1:]] == [True] * (not has_rules)
