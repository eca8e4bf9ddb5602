"""Three institutions whose figures are counted by hand: every row of every figure."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from filing.figures import answer_figure, list_figures
from filing.models import Attempt, EditResult, Job, RecordCounts, StatusChange, Submission, ToolUse
from filing.statuses import Event, Status
from filing.submissions import record_counts
from tests.filing.figures.conftest import LEIS
from tests.filing.figures.season import Season, at

pytestmark = pytest.mark.django_db
A, B, C = LEIS[:3]
SITE_BUILT, MANUFACTURED = 1, 2


def loan(line: int, action: int, month: int, **others: Any) -> dict[str, Any]:
    return {
        "open_end_line_of_credit": line,
        "action_taken": action,
        "action_taken_date": 20240015 + 100 * month,
        "construction_method": SITE_BUILT,
        "county": "06037",
        **others,
    }


LOANS_OF_A = [
    loan(2, 1, 2),
    loan(2, 1, 5, construction_method=MANUFACTURED, total_units=2),
    loan(1, 1, 8, total_units=4, county="06059"),
    loan(2, 3, 11, total_units=5, county="NA", denial_reason_1=1, denial_reason_2=3),
]
FIRST_LOANS_OF_B = [loan(1, 1, 1, total_units=60), loan(2, 1, 1)]
LOANS_OF_B = [loan(1, 1, 1, total_units=60), loan(1, 2, 7, street="Exempt"), loan(1, 6, 7)]
LOANS_OF_C = [
    loan(
        1111,
        3,
        12,
        construction_method=MANUFACTURED,
        county="36061",
        denial_reason_1=1111,
    )
]


def trigger(submission: Submission, code: str, kind: str, total: int) -> None:
    EditResult.objects.create(submission=submission, code=code, kind=kind, level="lar", total=total)


def verify(submission: Submission, *, hours: int) -> None:
    signed_at = submission.signature.signed_at
    for event, moment in (
        (Event.QUALITY_FOUND_ERRORS, signed_at - timedelta(hours=hours)),
        (Event.QUALITY_VERIFIED, signed_at),
    ):
        StatusChange.objects.create(submission=submission, after=1, event=event.name, at=moment)


@pytest.fixture
def three(db: None, now: datetime, settings: Any, tmp_path: Path) -> Season:
    settings.FILING_TIME_ZONE = "America/New_York"
    season = Season(tmp_path)
    season.expect(A, "2024", quarterly_filer=True)
    of_a = season.sign(A, "2024", 1, at("2025-01-03"), LOANS_OF_A)
    austin: Any = {"agency": 3, "city": "Austin", "state": "TX"}
    first_of_b = season.sign(B, "2024", 1, at("2025-02-28"), FIRST_LOANS_OF_B, **austin)
    of_b = season.sign(B, "2024", 2, at("2025-03-10"), LOANS_OF_B, **austin)
    season.sign(C, "2024", 3, at("2025-03-05"), LOANS_OF_C, agency=7, city="Reno", state="NV")
    season.sign(A, "2024-Q1", 1, at("2024-05-20"), [loan(2, 1, 2)])
    season.sign(A, "2024-Q2", 1, at("2024-09-02"), [loan(2, 1, 5)])
    for year, day in (("2022", "2023-02-01"), ("2023", "2024-02-01")):
        season.sign(A, year, 1, at(day), [loan(2, 1, 2)])
    season.sign(B, "2023", 1, at("2024-02-01"), [loan(1, 1, 2), loan(1, 3, 2)], agency=3)
    trigger(of_a, "Q603", "quality", 2)
    trigger(first_of_b, "V625", "validity", 1)
    trigger(of_b, "Q603", "quality", 3)
    verify(of_a, hours=6)
    verify(of_b, hours=2)
    unsigned = season.expect(LEIS[3], "2024")
    Submission.objects.create(
        filing=unsigned,
        sequence_number=4,
        status=Status.QUALITY_ERRORS,
        changed_at=at("2025-03-01"),
        uploaded_at=at("2025-03-01"),
    )
    season.expect(LEIS[4], "2024")
    job = Job.objects.create(
        submission=of_a, stage="parse", state="done", queued_at=at("2025-03-19")
    )
    Attempt.objects.create(
        job=job,
        number=1,
        outcome="done",
        started_at=at("2025-03-19") + timedelta(seconds=3),
        ended_at=at("2025-03-19") + timedelta(seconds=8),
    )
    for day, tool, uses in (
        ("2025-03-06", "check digit", 9),  # 15 days ago
        ("2025-03-19", "check digit", 3),
        ("2025-03-20", "rate spread", 1),
    ):
        ToolUse.objects.create(day=day, tool=tool, uses=uses)
    record_counts.compare_corrections()
    return season


TO_REVIEW = f"11 {Status.QUALITY_ERRORS.message}"
BANK_A, BANK_B, BANK_C = ("Bank 00", "Bank 01", "Bank 02")
SIGNED = {
    A: "2025-01-03T07:30:00-05:00",
    B: "2025-03-10T08:30:00-04:00",
    C: "2025-03-05T07:30:00-05:00",
}
EXPECTED: dict[str, list[list[Any]]] = {
    "total_filers": [[3]],
    "total_records": [[8]],
    "total_sheets": [[3]],
    "single_attempts": [[1]],
    "multiple_attempts": [[2]],
    "filer_attempts": [[BANK_C, 1, 3, C], [BANK_B, 3, 2, B], [BANK_A, 4, 1, A]],
    "top_filers": [
        [BANK_A, A, 4, "Denver", "CO", SIGNED[A]],
        [BANK_B, B, 3, "Austin", "TX", SIGNED[B]],
        [BANK_C, C, 1, "Reno", "NV", SIGNED[C]],
    ],
    "filer_all_periods": [
        ["2024-Q2", BANK_A, 1, "Denver", "CO", "2024-09-02T08:30:00-04:00", "CFPB"],
        ["2024-Q1", BANK_A, 1, "Denver", "CO", "2024-05-20T08:30:00-04:00", "CFPB"],
        ["2024", BANK_A, 4, "Denver", "CO", SIGNED[A], "CFPB"],
        ["2023", BANK_A, 1, "Denver", "CO", "2024-02-01T07:30:00-05:00", "CFPB"],
        ["2022", BANK_A, 1, "Denver", "CO", "2023-02-01T07:30:00-05:00", "CFPB"],
    ],
    "filers_by_records": [[BANK_B, B, 3]],  # more than 1 and fewer than 4
    "filers_count_by_records": [[1]],
    "filers_by_agency": [["CFPB", 1], ["FDIC", 1], ["HUD", 1]],
    "records_by_agency": [["CFPB", 4], ["FDIC", 3], ["HUD", 1]],
    "signatures_by_day": [  # of the last 11 days; the one of January and February are before
        *[[f"2025-03-{day}", int(day == 10)] for day in range(10, 21)],
    ],
    "filers_by_week_by_agency": [
        [1, "CFPB", 1, "2025-01-01"],
        [10, "FDIC", 1, "2025-03-05"],
        [10, "HUD", 1, "2025-03-05"],
    ],
    "records_by_week_by_agency": [
        [1, "CFPB", 4, "2025-01-01"],
        [10, "FDIC", 3, "2025-03-05"],
        [10, "HUD", 1, "2025-03-05"],
    ],
    "top_counties": [["06037", 5], ["06059", 1], ["36061", 1]],
    "records_by_property": [
        ["single family, site-built", 4],
        ["manufactured", 2],
        ["multifamily", 2],
    ],
    "denial_reasons_by_agency": [
        ["CFPB", 1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        ["FDIC", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ["HUD", 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    ],
    "filers_using_exemption_by_agency": [["FDIC", 1], ["HUD", 1]],
    "records_using_exemption_by_agency": [["FDIC", 1], ["HUD", 1]],
    "filers_claiming_exemption": [[BANK_B, B, "FDIC", 1], [BANK_C, C, "HUD", 1]],
    "open_end_filers_by_agency": [["CFPB", 1], ["FDIC", 1]],
    "open_end_records_by_agency": [["CFPB", 1], ["FDIC", 3]],
    "filers_only_open_end_by_agency": [["FDIC", 1]],
    "filers_only_open_end": [[BANK_B, B, "FDIC", 3]],
    "filers_only_closed_end_by_agency": [],
    "filers_only_closed_end": [],
    "closed_end_originations_below": [["FDIC", 1], ["HUD", 1]],  # 2
    "closed_end_originations_at_least": [["CFPB", 1]],
    "open_end_originations_below": [["CFPB", 1], ["FDIC", 1], ["HUD", 1]],
    "open_end_originations_at_least": [],
    "top_open_end": [[BANK_B, B, "FDIC", 3], [BANK_A, A, "CFPB", 1]],
    "quarterly_filers": [[BANK_A, A, True, True, False, 1]],
    "quarterly_records": [
        [BANK_A, A, 1, 1, 1, 1],
        [BANK_B, B, 1, 0, 2, 0],
        [BANK_C, C, 0, 0, 0, 1],
    ],
    "late_filers": [["HUD", BANK_C, 1, "2025-03-05", f"{C}-2024-3"]],
    "late_filers_by_quarter": [["Q2", "CFPB", BANK_A, 1, "2024-09-02", f"{A}-2024-Q2-1"]],
    "voluntary_filers": [
        [BANK_A, A, "CFPB", "voluntary", 1, 0, 1, 0],
        [BANK_B, B, "FDIC", "unknown", 0, 1, None, None],
        [BANK_C, C, "HUD", "unknown", None, None, None, None],
    ],
    "edits_triggered": [
        ["Q603", "quality", 2, 50.0, 2, 2, 5],
        ["V625", "validity", 1, 25.0, 1, 0, 0],
    ],
    "edits_by_size": [["under 100", "Q603", "quality", 2, 66.67, 5, 62.5]],
    "edits_verified": [["Q603", "quality", 2, 4.0, 5.6]],
    # The first uploads came 2, 2 and 6 hours before the first signature.
    "time_to_signature": [["under 100", 3, 2.0, 5.2, 2.0, 2.8], ["all", 3, 2.0, 5.2, 2.0, 2.8]],
    "open_filings_by_status": [
        [TO_REVIEW, 1, "2025-03-01T07:30:00-05:00"],
        ["no submission", 1, None],
    ],
    "open_filings": [["Bank 03", LEIS[3], TO_REVIEW, "2025-03-01T07:30:00-05:00", 4]],
    "not_filed": [
        ["Bank 03", LEIS[3], TO_REVIEW, "", "", "", "", ""],
        ["Bank 04", LEIS[4], "no submission", "", "", "", "", ""],
    ],
    # A closed-end record became an open-end one, and one was added.
    "corrections": [[BANK_B, B, "FDIC", 3, 1, 2, SIGNED[B]]],
    "tool_use_by_day": [["2025-03-19", "check digit", 3], ["2025-03-20", "rate spread", 1]],
    "queue_by_day": [["2025-03-19", "parse", 1, 3.0, 3.0, 5.0, 5.0]],
}
PARAMETERS = {
    "filer_all_periods": {"lei": A},
    "filers_by_records": {"min": "1", "max": "4"},
    "filers_count_by_records": {"min": "1", "max": "4"},
    "signatures_by_day": {"n": "11"},
    **{name: {"x": "2"} for name in EXPECTED if "originations" in name},
}


@pytest.mark.servers
def test_every_row_is_as_counted_by_hand(three: Season) -> None:
    for name, rows in EXPECTED.items():
        answer = answer_figure(name, period="2024", parameters=PARAMETERS.get(name))
        assert answer.as_json()["rows"] == rows, name


def test_every_figure_is_counted_by_hand() -> None:
    assert EXPECTED.keys() == {figure.name for figure in list_figures()}


@pytest.mark.servers
def test_the_thresholds_of_the_year_count_where_no_number_is_given(three: Season) -> None:
    answer = answer_figure("closed_end_originations_below", period="2024")
    assert "fewer than 25" in answer.definition
    assert answer.rows == [["CFPB", 1], ["FDIC", 1], ["HUD", 1]]


def test_files_that_are_not_counted_yet_are_said(three: Season) -> None:
    RecordCounts.objects.filter(submission__filing__institution__lei=C).delete()
    answer = answer_figure("records_by_agency", period="2024")
    assert answer.rows == [["CFPB", 4], ["FDIC", 3], ["not counted yet", 1]]
    assert answer.definition.endswith("Not counted yet: the records of 1 file.")
    assert record_counts.count_signed_files() == 1
    assert answer_figure("records_by_agency", period="2024").rows == EXPECTED["records_by_agency"]
