"""What counts as filed: of the signed submissions of a filing, the one signed last."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.utils import timezone

from filing import standing, submissions
from filing.access import Caller
from filing.errors import Conflict
from filing.lar.years import Period
from filing.models import Filing, Signature, Submission
from filing.statuses import Event, FilingStatus, Status
from filing.submissions import overview
from tests.at_once import call_all_at_once
from tests.conftest import LEI


def add(filing: Filing, number: int, status: Status = Status.VERIFIED, **columns) -> Submission:
    """Return a submission of a filing with a number, a status and a file of its own."""
    columns = {"sha256": f"{number:064}", "lines": 61, **columns}
    return Submission.objects.create(
        filing=filing, sequence_number=number, status=status, **columns
    )


def add_signed(filing: Filing, number: int, at: datetime) -> Submission:
    """Return a signed submission, as rows of an earlier version have it."""
    submission = add(filing, number, Status.SIGNED)
    Signature.objects.create(
        submission=submission,
        receipt=f"{LEI}-2024-{number}-{at.timestamp():.0f}",
        signed_at=at,
        signer_id="user-1",
        sha256=submission.sha256,
    )
    return submission


@pytest.fixture
def moment() -> datetime:
    return timezone.now()


def test_what_was_signed_last_counts_whatever_its_number(filing, moment) -> None:
    assert standing.find_counting_submission(filing) is None
    nine = add_signed(filing, 9, moment)
    eleven = add_signed(filing, 11, moment - timedelta(hours=1))
    add(filing, 12)
    assert standing.find_counting_submission(filing) == nine
    assert list(Submission.objects.filter(standing.is_counting())) == [nine]
    assert list(Signature.objects.filter(standing.is_counting("submission__"))) == [nine.signature]
    assert standing.find_replacement(eleven) == nine
    assert standing.find_replacement(nine) is None


@pytest.mark.servers
def test_of_two_signed_at_the_same_moment_the_one_recorded_last_counts(filing, moment) -> None:
    add_signed(filing, 2, moment)
    one = add_signed(filing, 1, moment)
    assert standing.find_counting_submission(filing) == one


def test_nothing_counts_in_a_cancelled_filing(filing, moment) -> None:
    first = add_signed(filing, 1, moment)
    second = add_signed(filing, 2, moment + timedelta(hours=1))
    Filing.objects.update(status=FilingStatus.CANCELLED)
    assert standing.find_counting_submissions(Filing.objects.all()) == {}
    assert standing.find_replacement(first) == second


@pytest.mark.servers
def test_no_earlier_submission_is_signed_after_a_later_one(filing, filer: Caller) -> None:
    nine, eleven = add(filing, 9), add(filing, 11)
    signature = submissions.sign_submission(eleven, signed=True, by=filer)
    with pytest.raises(Conflict, match=signature.receipt):
        submissions.require_latest(nine)
    with pytest.raises(Conflict, match=str(eleven)):
        submissions.sign_submission(nine, signed=True, by=filer)
    assert standing.find_counting_submission(filing) == eleven


def test_the_same_file_is_filed_again_only_for_a_reason(filing, filer: Caller) -> None:
    first, second = add(filing, 1, sha256="ab" * 32), add(filing, 2, sha256="ab" * 32)
    signature = submissions.sign_submission(first, signed=True, by=filer)
    with pytest.raises(Conflict, match=signature.receipt):
        submissions.sign_submission(second, signed=True, by=filer, reason=" \n")
    submissions.sign_submission(second, signed=True, by=filer, reason=" The wrong\nperson signed. ")
    change = second.changes.get(event=Event.SIGNED.name)
    assert change.reason == "The wrong person signed."
    assert standing.find_counting_submission(filing) == second


def test_in_progress_is_only_what_can_still_be_signed(filing, moment) -> None:
    nine = add_signed(filing, 9, moment)
    add(filing, 10)
    add_signed(filing, 11, moment - timedelta(hours=1))
    [due] = overview.find_due_filings([LEI], Period(2024))
    assert (due.counting, due.in_progress) == (nine, None)


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_of_two_signatures_at_once_the_later_submission_counts(filing, filer: Caller) -> None:
    for number in (1, 3):
        pair = [add(filing, number), add(filing, number + 1)]

        def sign(submission: Submission) -> None:
            with suppress(Conflict):
                submissions.sign_submission(submission, signed=True, by=filer)

        call_all_at_once([partial(sign, each) for each in pair])
        assert standing.find_counting_submission(filing) == pair[1]
        assert not standing.find_signed_out_of_order().exists()
