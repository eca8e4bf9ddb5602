"""A merger: who owes what for which part of the year, by Regulation C."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing.access import SERVICE, caller_of
from filing.models import (
    EndedRight,
    Filing,
    Institution,
    InstitutionEvent,
    Membership,
)
from filing.panel import carry_over
from filing.people import invitations
from filing.people.invitations import Roles
from filing.seasons import open_season
from filing.statuses import FilingStatus
from filing.submissions import overview
from tests import make
from tests.filing.lives.recorded import (
    BANK,
    NEW,
    OTHER,
    preview,
    record,
    refusal,
    take_back,
    texts_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_up_leis")]
MERGER = {
    "other_lei": OTHER,
    "effective_on": "2025-05-15",  # in the second quarter
    "way": "consolidated",
    "people": "keep",
}
ALL = {"2024-Q1", "2024", "2025-Q1", "2025-Q2", "2025-Q3", "2025"}


def expected(lei: str) -> set[str]:
    """Return the periods whose filings are expected of an institution."""
    rows = Filing.objects.filter(institution__lei=lei).exclude(status=FilingStatus.CANCELLED)
    return {str(filing.period) for filing in rows.select_related("period")}


@pytest.mark.parametrize(
    ("way", "absorbed", "surviving"),
    [
        ("consolidated", {"2024-Q1", "2024", "2025-Q1"}, ALL),
        ("separate", {"2024-Q1", "2024", "2025-Q1", "2025-Q2", "2025"}, ALL),
        ("absorbed-not-covered", {"2024-Q1", "2024", "2025-Q1"}, ALL),
        (
            "survivor-not-covered",
            {"2024-Q1", "2024", "2025-Q1", "2025-Q2", "2025"},
            {"2024-Q1", "2024", "2025-Q1"},
        ),
        ("survivor-covered-after", {"2024-Q1", "2024", "2025-Q1"}, ALL),
    ],
)
def test_each_lawful_way_says_who_files_what(
    operator: Client,
    filings: dict[str, Filing],
    way: str,
    absorbed: set[str],
    surviving: set[str],
) -> None:
    report = preview(operator, BANK, "merger", **{**MERGER, "way": way})
    duties = texts_of(report, "Who files what")
    assert len(duties["2025"]) >= 2
    assert any(text.startswith(f"{BANK} files") for text in duties["2025"])
    assert any(text.startswith(f"{OTHER} files") for text in duties["2025"])
    assert any("files it under" in text for text in duties["2024"])
    assert expected(BANK) == expected(OTHER) == ALL
    record(operator, BANK, "merger", **{**MERGER, "way": way})
    assert expected(BANK) == absorbed
    assert expected(OTHER) == surviving


@pytest.mark.parametrize(
    ("day", "absorbed"),
    [
        ("2025-01-01", {"2024-Q1", "2024"}),
        ("2025-04-01", {"2024-Q1", "2024", "2025-Q1", "2025"}),
    ],
)
def test_on_the_first_day_of_a_time_it_had_no_loans_in_it(
    operator: Client, filings: dict[str, Filing], day: str, absorbed: set[str]
) -> None:
    fields = {**MERGER, "way": "separate", "effective_on": day}
    report = preview(operator, BANK, "merger", **fields)
    texts = texts_of(report, "Who files what")["2025"]
    assert (f"{BANK} files nothing." in texts) == ("2025" not in absorbed)
    event = record(operator, BANK, "merger", **fields)
    assert expected(BANK) == absorbed
    take_back(operator, event)
    assert expected(BANK) == ALL


def test_a_season_opened_after_the_merger_respects_it(
    operator: Client, bank: Institution, other: Institution
) -> None:
    record(operator, BANK, "merger", **{**MERGER, "way": "separate"})
    carry_over.carry_panel_over(2025, 2026, reason="New year.", by=SERVICE)
    leis = Institution.objects.filter(activity_year=2026).values_list("lei", flat=True)
    assert set(leis) == {OTHER}
    open_season(2025, force=True, by=SERVICE)
    assert expected(BANK) == {"2025-Q1", "2025-Q2", "2025"}
    assert expected(OTHER) == {"2025-Q1", "2025-Q2", "2025-Q3", "2025"}
    assert {str(due.period) for due in overview.find_due_filings([BANK])} == expected(BANK)


@pytest.mark.parametrize(
    ("people", "at_bank", "at_other"),
    [("keep", True, False), ("take", True, True), ("end", False, False)],
)
def test_its_people_are_kept_taken_over_or_ended(
    operator: Client,
    filings: dict[str, Filing],
    ann: User,
    people: str,
    at_bank: bool,
    at_other: bool,
) -> None:
    report = preview(operator, BANK, "merger", **{**MERGER, "people": people})
    assert bool(texts_of(report, "People and programs")) is (people != "keep")
    record(operator, BANK, "merger", **{**MERGER, "people": people})
    assert Membership.objects.filter(user=ann, lei=BANK).exists() is at_bank
    assert Membership.objects.filter(user=ann, lei=OTHER).exists() is at_other
    assert EndedRight.objects.filter(user=ann, lei=BANK).exists() is (not at_bank)


def test_where_rights_end_open_invitations_end_too(
    operator: Client, filings: dict[str, Filing], ann: User
) -> None:
    Membership.objects.filter(user=ann).update(administrator_since=timezone.now())
    by = caller_of(ann)
    invitations.invite_person("ida@prairie.example", Roles(is_signer=True), by=by, lei=BANK)
    record(operator, BANK, "merger", **MERGER)
    assert invitations.find_open_invitations(lei=BANK).exists()
    take_back(operator, InstitutionEvent.objects.get())
    event = record(operator, BANK, "merger", **{**MERGER, "people": "end"})
    assert not invitations.find_open_invitations(lei=BANK).exists()
    assert ["People and programs", "Invitations", f"1 for {BANK} withdrawn."] in event.facts[
        "report"
    ]


def test_the_survivors_may_file_what_the_absorbed_one_owes(
    operator: Client, filings: dict[str, Filing], ann: User
) -> None:
    bob = make.user("bob", lei=OTHER)
    body = {**MERGER, "people": "end", "survivor_files": "on"}
    event = record(operator, BANK, "merger", **body)
    members = Membership.objects.filter(lei=BANK)
    assert [member.user for member in members] == [bob]
    take_back(operator, event)
    assert not Membership.objects.filter(lei=BANK).exists()
    assert expected(BANK) == ALL


def test_it_is_taken_back(operator: Client, filings: dict[str, Filing]) -> None:
    event = record(operator, BANK, "merger", **{**MERGER, "way": "survivor-not-covered"})
    assert "reinstated" in take_back(operator, event)
    assert expected(BANK) == expected(OTHER) == ALL


def test_refusals_say_what_to_do_instead(operator: Client, filings: dict[str, Filing]) -> None:
    body = {**MERGER, "other_lei": NEW}
    assert "not in the panel" in refusal(operator, BANK, "merger", **body)
    assert "itself" in refusal(operator, OTHER, "merger", **MERGER)
    assert "required" in refusal(operator, BANK, "merger", **{**MERGER, "way": ""})
    record(operator, BANK, "merger", **MERGER)
    assert "has ended" in refusal(operator, BANK, "merger", **MERGER)
    assert "has ended" in refusal(operator, OTHER, "merger", **{**MERGER, "other_lei": BANK})
