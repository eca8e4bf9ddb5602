"""Filings are removed with a reason and an entry each; never one with a submission or a hold."""

from __future__ import annotations

import pytest

from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import Filing, LegalHold, Submission, TrailEntry
from filing.periods import legal_holds, removal
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
STAFF = Caller(id="9", username="olga", email="olga@agency.example")
WHY = "Opened twice."


def test_a_filing_without_a_submission_is_removed_with_an_entry(filing: Filing) -> None:
    with pytest.raises(BadInput):
        removal.remove_filings(Filing.objects.all(), by=STAFF, reason=" ")
    assert removal.remove_filings(Filing.objects.all(), by=STAFF, reason=WHY) == 1
    assert not Filing.objects.exists()
    entry = TrailEntry.objects.get(event="filing deleted")
    assert (entry.lei, entry.about, entry.reason) == (LEI, f"{LEI}-2024", WHY)
    assert entry.actor_username == "olga"


def test_a_filing_with_a_submission_is_never_removed(filing: Filing) -> None:
    Submission.objects.create(filing=filing, sequence_number=1)
    with pytest.raises(NotReady, match=f"submissions, which stay on record: 1.*{LEI}-2024"):
        removal.remove_filings(Filing.objects.all(), by=STAFF, reason=WHY)
    assert Filing.objects.exists()
    assert not TrailEntry.objects.filter(event="filing deleted").exists()


@pytest.mark.servers
def test_a_filing_under_a_hold_is_not_removed_nor_one_whose_hold_was_lifted(
    filing: Filing,
) -> None:
    legal_holds.hold_institution(filing.institution, by=STAFF, reason="Matter 12")
    with pytest.raises(NotReady, match="legal hold"):
        removal.remove_filings(Filing.objects.all(), by=STAFF, reason=WHY)
    legal_holds.lift_hold(LegalHold.objects.get(), by=STAFF, reason="Settled.")
    legal_holds.hold_filing(filing, by=STAFF, reason="Matter 13")
    legal_holds.lift_hold(LegalHold.objects.get(filing=filing), by=STAFF, reason="Settled.")
    with pytest.raises(NotReady, match="were under a legal hold"):
        removal.remove_filings(Filing.objects.all(), by=STAFF, reason=WHY)
    assert Filing.objects.exists()
