"""The command opens a season and says what it made."""

from datetime import date
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

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
        "2024: open 2025-01-01 to 2027-12-31, timely until 2025-03-01; "
        "1 filings made, 0 were there",
        "2024-Q1: open 2024-04-01 to 2024-06-30, timely until 2024-06-30; "
        "1 filings made, 0 were there",
        "2024-Q2: open 2024-07-01 to 2024-09-30, timely until 2024-09-30; "
        "1 filings made, 0 were there",
        "2024-Q3: open 2024-10-01 to 2024-12-31, timely until 2024-12-31; "
        "1 filings made, 0 were there",
    ]


def test_days_can_be_given_and_quarters_left_out(institution):
    days = ["--opens", "2024-01-01", "--timely-until", "2030-01-01", "--closes", "2040-01-01"]
    run("2024", *days, "--no-quarters", "--force")
    found = FilingPeriod.objects.get()
    assert (found.opens, found.timely_until, found.closes) == (
        date(2024, 1, 1),
        date(2030, 1, 1),
        date(2040, 1, 1),
    )
    assert Filing.objects.count() == 1


def test_a_dry_run_makes_nothing(institution):
    assert run("2024", "--force", "--dry-run")[0] == "Nothing was changed; it would be:"
    assert not FilingPeriod.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2024"], "Run `manage.py load_census 2024 FILE` first"),
        (["2017", "--force"], "Year 2017 has no rulebook"),
        (["2024", "--force", "--opens", "2050-01-01"], "these days must follow each other"),
        (["2024", "--opens", "tomorrow"], "invalid fromisoformat value: 'tomorrow'"),
    ],
)
def test_a_refusal_is_explained(arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)
