"""The command opens a season and says what it made."""

from datetime import date
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing.lar.years import YearStage, describe_supported
from filing.models import Filing, FilingPeriod

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("open_season", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_a_season_is_opened(institution):
    call_command("load_census", "2024", "--demo", stdout=StringIO())
    assert run("2024") == [
        "Season opened:",
        "2024: open January 1, 2025 to December 31, 2027, filing deadline March 3, 2025; "
        "1 filings created, 0 already existed",
        "2024-Q1: open April 1, 2024 to June 30, 2024, filing deadline May 30, 2024; "
        "1 filings created, 0 already existed",
        "2024-Q2: open July 1, 2024 to September 30, 2024, filing deadline August 29, 2024; "
        "1 filings created, 0 already existed",
        "2024-Q3: open October 1, 2024 to December 31, 2024, filing deadline November 29, 2024; "
        "1 filings created, 0 already existed",
    ]


@pytest.mark.parametrize("option", ["--deadline", "--timely-until"])
def test_days_can_be_given_and_quarters_left_out(institution, option):
    days = ["--opens", "2024-01-01", option, "2030-01-01", "--closes", "2040-01-01"]
    lines = run("2024", *days, "--no-quarters", "--force")
    assert lines[-1] == (
        "2024: The filing deadline January 1, 2030 is not the computed one. Computed: Monday, "
        "March 3, 2025. March 1 is a Saturday, so the deadline moves to the next Monday "
        "(12 CFR 1003.5(a)(1)(i) and (iii))."
    )
    found = FilingPeriod.objects.get()
    assert (found.opens, found.timely_until, found.closes) == (
        date(2024, 1, 1),
        date(2030, 1, 1),
        date(2040, 1, 1),
    )
    assert Filing.objects.count() == 1


def test_a_dry_run_makes_nothing(institution):
    assert run("2024", "--force", "--dry-run")[0] == "Dry run, nothing was changed. It would be:"
    assert not FilingPeriod.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2024"], "Run `manage.py load_census 2024 FILE` first"),
        (["2017", "--force"], "Year 2017 has no rulebook"),
        (["1990", "--force"], describe_supported(YearStage.FILING)),
        (["2045", "--force"], describe_supported(YearStage.FILING)),
        (["2024", "--force", "--opens", "2050-01-01"], "these days must follow each other"),
        (["2024", "--opens", "tomorrow"], "invalid fromisoformat value: 'tomorrow'"),
    ],
)
def test_a_refusal_is_explained(arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)
