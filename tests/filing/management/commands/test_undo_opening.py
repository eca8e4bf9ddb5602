"""The command lists openings, and undoes one in which nothing was filed."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing import seasons
from filing.access import SERVICE
from filing.models import Filing, SeasonOpening, Submission

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("undo_opening", *arguments, stdout=out)
    return out.getvalue()


def test_an_opening_is_undone(institution):
    seasons.open_season(2024, force=True, by=SERVICE)
    key = str(SeasonOpening.objects.get().pk)
    assert run().startswith(f"{key}: season 2024")
    assert "Dry run" in run(key, "--dry-run")
    assert Filing.objects.count() == 4
    with pytest.raises(CommandError, match="reason"):
        run(key)
    assert "4 filings were removed" in run(key, "--reason", "The wrong year.")
    assert not Filing.objects.exists()
    assert run() == ""


def test_an_opening_with_a_submission_and_an_unknown_one_are_refused(institution):
    seasons.open_season(2024, force=True, by=SERVICE)
    opening = SeasonOpening.objects.get()
    Submission.objects.create(filing=Filing.objects.first(), sequence_number=1)
    with pytest.raises(CommandError, match="submissions"):
        run(str(opening.pk), "--reason", "The wrong year.")
    with pytest.raises(CommandError, match="no season opening"):
        run(str(opening.pk + 1), "--reason", "The wrong year.")
