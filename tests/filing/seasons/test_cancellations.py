"""A filing that is cancelled takes nothing any more until it is reinstated."""

from __future__ import annotations

import pytest
from django.utils import timezone

from filing import submissions
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.lar.years import Period
from filing.models import Filing, Signature, Submission, TrailEntry
from filing.periods import filings
from filing.seasons import cancellations
from filing.statuses import FilingStatus, Status
from tests.conftest import LEI

pytestmark = pytest.mark.django_db

OPERATOR = Caller(id="user:7", username="olga")
WHY = "It was merged into another bank."


def test_a_filing_is_cancelled_and_reinstated_with_a_reason(filing):
    assert "no longer expected" in cancellations.plan_cancellation(filing)
    cancellations.cancel_filing(filing, by=OPERATOR, reason=WHY)
    assert Filing.objects.get().status == FilingStatus.CANCELLED
    assert "expected again" in cancellations.plan_reinstatement(filing)
    cancellations.reinstate_filing(filing, by=OPERATOR, reason="It was not.")
    assert Filing.objects.get().status == FilingStatus.NOT_STARTED
    told = TrailEntry.objects.order_by("pk").values_list(
        "event", "actor_username", "lei", "about", "reason"
    )
    about = f"{LEI}-2024"
    assert list(told) == [
        ("filing cancelled", "olga", LEI, about, WHY),
        ("filing reinstated", "olga", LEI, about, "It was not."),
    ]


def test_a_filing_with_submissions_comes_back_in_progress(submission):
    filing = Filing.objects.get()
    cancellations.cancel_filing(filing, by=OPERATOR, reason=WHY)
    cancellations.reinstate_filing(filing, by=OPERATOR, reason=WHY)
    assert Filing.objects.get().status == FilingStatus.IN_PROGRESS


def test_what_was_filed_is_not_cancelled(filing):
    filings.mark_filing_completed(filing, timezone.now(), by=SERVICE)
    with pytest.raises(NotReady, match=f"Filing {LEI}-2024 is completed"):
        cancellations.cancel_filing(filing, by=OPERATOR, reason=WHY)


def test_doing_it_twice_is_told(filing):
    with pytest.raises(NotReady, match="is not canceled"):
        cancellations.reinstate_filing(filing, by=OPERATOR, reason=WHY)
    theirs = Filing.objects.get()
    cancellations.cancel_filing(filing, by=OPERATOR, reason=WHY)
    with pytest.raises(NotReady, match="is already canceled"):
        cancellations.cancel_filing(filing, by=OPERATOR, reason=WHY)
    with pytest.raises(NotReady, match="Another user"):
        cancellations.cancel_filing(theirs, by=OPERATOR, reason=WHY)
    assert TrailEntry.objects.count() == 1


def test_nothing_is_done_without_a_reason(filing):
    with pytest.raises(BadInput, match="Enter a reason"):
        cancellations.cancel_filing(filing, by=OPERATOR, reason="")
    assert Filing.objects.get().status == FilingStatus.NOT_STARTED


def test_a_cancelled_filing_takes_no_submission_no_file_and_no_signature(submission, filer):
    Submission.objects.update(status=Status.VERIFIED)
    # The two were read before it was cancelled.
    verified, fresh = Submission.objects.get(), Submission(filing=submission.filing)
    cancellations.cancel_filing(Filing.objects.get(), by=OPERATOR, reason=WHY)
    refused = pytest.raises(
        NotReady, match=f"Filing {LEI}-2024 is canceled: it is no longer expected"
    )
    with refused:
        submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    with refused:
        submissions.sign_submission(verified, signed=True, by=filer)
    fresh.filing.refresh_from_db()
    with refused, submissions.Reception(fresh, by=filer).opened():
        pass
    assert not Signature.objects.exists()
    assert Submission.objects.get().status == Status.VERIFIED
    assert Filing.objects.get().status == FilingStatus.CANCELLED


def test_a_signature_does_not_slip_past_a_cancellation(submission, filer):
    Submission.objects.update(status=Status.VERIFIED)
    verified = Submission.objects.select_related("filing__institution", "filing__period").get()
    Filing.objects.update(status=FilingStatus.CANCELLED)
    with pytest.raises(NotReady, match="is canceled"):
        submissions.sign_submission(verified, signed=True, by=filer)
    assert not Signature.objects.exists()
    assert Submission.objects.get().status == Status.VERIFIED


def test_a_reinstated_filing_is_filed_as_ever(submission, filer):
    filing = Filing.objects.get()
    cancellations.cancel_filing(filing, by=OPERATOR, reason=WHY)
    cancellations.reinstate_filing(filing, by=OPERATOR, reason=WHY)
    assert (
        submissions.create_submission(lei=LEI, period=Period(2024), by=filer).sequence_number == 2
    )
