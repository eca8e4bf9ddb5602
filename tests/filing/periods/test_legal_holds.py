"""Legal holds: placed and lifted by staff, with a reason, once."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import Filing, Institution, LegalHold, Submission, TrailEntry, Webhook
from filing.periods import legal_holds
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
STAFF = Caller(id="9", username="olga", email="olga@agency.example")


def test_a_hold_has_a_reason_is_placed_once_and_stays_on_record(filing: Filing) -> None:
    with pytest.raises(BadInput, match="Enter the reason"):
        legal_holds.hold_filing(filing, by=STAFF, reason=" ")
    assert legal_holds.hold_filing(filing, by=STAFF, reason="Matter 12") == "Placed."
    with pytest.raises(NotReady, match="already"):
        legal_holds.hold_filing(filing, by=STAFF, reason="Matter 13")
    assert legal_holds.hold_institution(filing.institution, by=STAFF, reason="All") == "Placed."
    with pytest.raises(NotReady, match="already"):
        legal_holds.hold_institution(filing.institution, by=STAFF, reason="All")
    assert list(legal_holds.find_held(Filing.objects.all())) == [filing]
    placed = LegalHold.objects.get(filing=filing)
    assert legal_holds.lift_hold(placed, by=STAFF, reason="Settled.") == "Lifted."
    placed.refresh_from_db()
    assert (placed.actor_username, placed.lifted_by, placed.lifted_reason) == (
        "olga", "olga", "Settled.",
    )  # fmt: skip
    with pytest.raises(NotReady, match="lifted already"):
        legal_holds.lift_hold(placed, by=STAFF, reason="Again.")
    legal_holds.hold_filing(filing, by=STAFF, reason="Matter 14")
    log = TrailEntry.objects.filter(event__startswith="legal hold").order_by("pk")
    assert [(entry.event, entry.about, entry.reason) for entry in log] == [
        ("legal hold placed", str(filing), "Matter 12"),
        ("legal hold placed", LEI, "All"),
        ("legal hold lifted", str(filing), "Settled."),
        ("legal hold placed", str(filing), "Matter 14"),
    ]


def test_staff_place_and_lift_holds_on_the_pages_of_the_admin(
    filing: Filing, admin_client: Client
) -> None:
    for page, thing in (("filing", filing), ("institution", filing.institution)):
        address = f"/admin/filing/{page}/act/hold/"
        preview = admin_client.get(address, {"pk": thing.pk})
        assert "until the hold is lifted" in preview.content.decode()
        chosen = preview.context["chosen"]
        report = admin_client.post(address, {"chosen": chosen, "reason": "Matter 12"})
        assert "Placed." in report.content.decode()
    hold = LegalHold.objects.get(filing=filing)
    page = admin_client.get(f"/admin/filing/legalhold/{hold.pk}/change/")
    assert "Lift the legal hold" in page.content.decode()
    assert "Matter 12" in page.content.decode()
    address = "/admin/filing/legalhold/act/lift/"
    chosen = admin_client.get(address, {"pk": hold.pk}).context["chosen"]
    report = admin_client.post(address, {"chosen": chosen, "reason": "Settled."})
    assert "Lifted." in report.content.decode()
    assert legal_holds.find_holds().count() == 1


@pytest.mark.parametrize("whole", [True, False])
def test_one_function_says_of_every_table_what_a_hold_covers(filing: Filing, whole: bool) -> None:
    other = Institution.objects.create(activity_year=2024, lei="529900OTHERBANK00017", agency=1)
    Filing.objects.create(institution=other, period=filing.period)
    for each in Filing.objects.all():
        Submission.objects.create(filing=each, sequence_number=1)
        Webhook.objects.create(lei=each.institution.lei, url="https://bank.example/")
        TrailEntry.objects.create(event="signed in", lei=each.institution.lei)
    covered = (Institution, Filing, Submission, Webhook, TrailEntry)
    for model in covered:
        legal_holds.require_removable(model.objects.all())
    if whole:
        legal_holds.hold_institution(filing.institution, by=STAFF, reason="Matter 12")
    else:
        legal_holds.hold_filing(filing, by=STAFF, reason="Matter 12")
    for model in covered:
        rows = (
            model.objects.exclude(event="legal hold placed")
            if model is TrailEntry
            else (model.objects.all())
        )
        assert legal_holds.find_held(rows).count() == 1, model
        assert legal_holds.find_removable(rows).count() == 1, model
        with pytest.raises(NotReady, match="legal hold"):
            legal_holds.require_removable(rows)
    legal_holds.require_removable(User.objects.all())
    LegalHold.objects.update(lifted_at=timezone.now())
    for model in covered:
        legal_holds.require_removable(model.objects.all())
