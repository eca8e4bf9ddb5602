"""The command prepares a year, opens it, and shows before what it would do."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing.lar.years import RULEBOOKS, YearStage
from filing.models import AuditEvent, FilingYear, TrailEntry

pytestmark = pytest.mark.django_db
NEXT = RULEBOOKS[-1] + 1
AFTER = str(NEXT + 1)


def run(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("prepare_year", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_a_dry_run_shows_what_the_year_takes_over_and_changes_nothing():
    for year in (AFTER, str(NEXT)):
        lines = run(year, "--dry-run", "--set", "asset_threshold=60000000")
        assert "asset threshold: $60,000,000" in "\n".join(lines)
        assert f"rulebook: {RULEBOOKS[-1]}" in lines
    assert not FilingYear.objects.filter(asset_threshold=60_000_000).exists()
    assert not TrailEntry.objects.exists()


def test_a_year_is_prepared_once_and_opened_step_by_step():
    names = {"asset_threshold": 60_000_000, "census_year": None, "signing_waits_for_panel": True}
    given = ["asset_threshold=60000000", "census_year=", "signing_waits_for_panel=true"]
    sets = [text for each in given for text in ("--set", each)]
    run(AFTER, *sets, "--stage", "checks", "--by", "olga", "--reason", "For programs.")
    prepared = FilingYear.objects.get(pk=AFTER)
    assert {name: getattr(prepared, name) for name in names} == names
    assert prepared.stage == YearStage.CHECKS
    run(AFTER, "--stage", "filing")
    run(AFTER, "--stage", "draft")  # it does not go back
    assert FilingYear.objects.get(pk=AFTER).stage == YearStage.FILING
    run(AFTER, "--set", "asset_threshold=61000000")
    entries = TrailEntry.objects.order_by("pk").values_list("event", "actor_username")
    assert list(entries) == [
        (AuditEvent.YEAR_PREPARED, "olga"),
        (AuditEvent.YEAR_CHANGED, "olga"),
        *[(AuditEvent.YEAR_CHANGED, "command line")] * 2,
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        [str(NEXT + 2)], ["1990"], [AFTER, "--reason", ""], [AFTER, "--set", "rulebook=2018"],
        [AFTER, "--set", "asset_threshold=many"], [AFTER, "--set", f"census_year={AFTER}"],
        [AFTER, "--stage", "open"],
    ],
)  # fmt: skip
def test_a_year_that_cannot_be_prepared_is_refused(arguments):
    with pytest.raises(CommandError):
        run(*arguments)
    assert not FilingYear.objects.filter(pk=AFTER).exists()
