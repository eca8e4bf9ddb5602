"""A panel is carried over to a later year: once, with its history, and without what was filed."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.models import AuditEvent, Institution, TrailEntry
from filing.panel.carry_over import carry_panel_over
from filing.seasons.plans import InstitutionChoice

pytestmark = pytest.mark.django_db
OPERATOR = Caller(id="user:1", username="op", email="op@service.example")
WHY = "The season of 2025."


def institution(number: int, **facts: Any) -> Institution:
    usual: dict[str, Any] = {
        "activity_year": 2024,
        "lei": f"529900TESTBANK{number:06d}",
        "name": f"Bank {number}",
        "agency": 9,
        "email_domains": ["bank.example"],
    }
    return Institution(**usual | facts)


@pytest.fixture
def panel() -> None:
    flags = {f"quarterly_filer_has_filed_q{number}": True for number in (1, 2, 3)}
    Institution.objects.bulk_create(
        [
            institution(1, quarterly_filer=True, hmda_filer=True, rssd=42, notes="big", **flags),
            institution(2, agency=5, state="CA"),
            institution(3, state="NY"),
            institution(3, activity_year=2025, name="Renamed Bank"),
        ]
    )


def of(year: int) -> set[str]:
    return set(Institution.objects.filter(activity_year=year).values_list("name", flat=True))


def test_what_is_missing_is_added_and_what_is_there_stays(panel: None) -> None:
    report = carry_panel_over(2024, 2025, reason=WHY, by=OPERATOR)
    assert (report.added, report.existing, report.differ) == (2, 1, 1)
    assert of(2025) == {"Bank 1", "Bank 2", "Renamed Bank"}
    made = Institution.objects.get(activity_year=2025, name="Bank 1")
    assert (made.quarterly_filer, made.rssd, made.notes) == (True, 42, "big")
    assert made.email_domains == ["bank.example"]
    assert not made.hmda_filer
    assert not made.quarterly_filer_has_filed_q1
    assert not made.quarterly_filer_has_filed_q3
    assert Institution.objects.get(activity_year=2024, name="Bank 1").hmda_filer


def test_it_is_written_down_why_and_by_whom(panel: None) -> None:
    carry_panel_over(2024, 2025, reason=WHY, choice=InstitutionChoice(agencies=(5,)), by=OPERATOR)
    entry = TrailEntry.objects.get()
    assert (entry.event, entry.actor_username) == (AuditEvent.PANEL_CARRIED_OVER, "op")
    assert entry.reason == WHY
    assert entry.about == (
        "2024 to 2025: 1 institutions added, 0 already existed, 0 of them differ and are "
        "unchanged. Institutions: agency NCUA."
    )
    made = Institution.objects.get(activity_year=2025, name="Bank 2")
    kept = LogEntry.objects.get_for_object(made).get()
    assert (kept.action, kept.additional_data) == (LogEntry.Action.CREATE, {"reason": WHY})
    assert kept.changes["name"] == ["None", "Bank 2"]


def test_done_again_it_adds_nothing(panel: None) -> None:
    carry_panel_over(2024, 2025, reason=WHY, by=OPERATOR)
    report = carry_panel_over(2024, 2025, reason=WHY, by=OPERATOR)
    assert (report.added, report.existing, report.differ) == (0, 3, 1)
    assert Institution.objects.filter(activity_year=2025).count() == 3


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        (InstitutionChoice(agencies=(5,)), {"Bank 2"}),
        (InstitutionChoice(states=("CA",)), {"Bank 2"}),
        (InstitutionChoice(quarterly_only=True), {"Bank 1"}),
    ],
)
def test_only_the_chosen_ones_are_carried_over(
    panel: None, choice: InstitutionChoice, names: set[str]
) -> None:
    carry_panel_over(2024, 2026, choice=choice, reason=WHY, by=OPERATOR)
    assert of(2026) == names


@pytest.mark.parametrize(
    ("years", "reason", "refusal", "message"),
    [
        ((2025, 2024), WHY, BadInput, "The panel of 2025 cannot be carried over to 2024"),
        ((2024, 2024), WHY, BadInput, "The panel of 2024 cannot be carried over to 2024"),
        ((2017, 2024), WHY, BadInput, "Years are 2018 to "),
        ((2024, 2045), WHY, BadInput, "Years are 2018 to "),
        ((2020, 2021), WHY, NotReady, "The panel of 2020 has no such institutions to carry over."),
        ((2024, 2025), " ", BadInput, "Enter the reason for carrying the panel over."),
    ],
)
def test_what_cannot_be_carried_over_is_explained(
    panel: None, years: tuple[int, int], reason: str, refusal: Any, message: str
) -> None:
    with pytest.raises(refusal, match=message):
        carry_panel_over(*years, reason=reason, by=OPERATOR)


def test_many_institutions_take_few_queries() -> None:
    Institution.objects.bulk_create(institution(number) for number in range(400))
    with CaptureQueriesContext(connection) as queries:
        assert carry_panel_over(2024, 2025, reason=WHY, by=SERVICE).added == 400
    assert len(queries) < 60  # SQLite takes few values at a time


def run(*words: str) -> list[str]:
    out = StringIO()
    call_command("carry_panel", *words, stdout=out)
    return out.getvalue().splitlines()


def test_the_command_carries_over_or_only_tells(panel: None) -> None:
    told = (
        "2024 to 2025: 2 institutions added, 1 already existed, 1 of them differ and are unchanged."
    )
    assert run("2024", "2025", "--dry-run") == [
        told,
        "529900TESTBANK000003 Renamed Bank: name 'Bank 3', now 'Renamed Bank', state 'NY', now ''",
        "Nothing was added: this was a dry run.",
    ]
    assert run("2024", "2025") == [told]
    assert len(of(2025)) == 3
    with pytest.raises(CommandError, match="cannot be carried over"):
        run("2025", "2024")
