"""The record of an institution on its page: what is shown, proposed, answered and refused."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.access import caller_of
from filing.lives.recording import record_event
from filing.lives.reports import EventDraft
from filing.models import (
    AuditEvent,
    Case,
    Institution,
    InstitutionEvent,
    Mail,
    Membership,
    RecordProposal,
    Submission,
    TrailEntry,
)
from filing.panel import proposal_answers, proposals, records
from filing.people import memberships
from filing.previews import PreviewChanged
from tests import make
from tests.at_once import call_at_once
from tests.conftest import LEI
from tests.filing.api.test_signing import bearer
from tests.filing.pages.steps import OTHER_LEI, prepare, sign, signed_in, text
from tests.filing.panel.proposing import (
    PAGE,
    WHY,
    add_member,
    add_staff,
    answer_in_admin,
    correct_in_admin,
    fill_record_form,
    propose_on_page,
)
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
NEW_TIN = "98-7654321"


@pytest.fixture
def ann(institution: Institution) -> User:
    return add_member("ann", LEI)


@pytest.fixture
def browser(ann: User) -> Client:
    return make.browser(ann)


@pytest.fixture
def proposal(browser: Client) -> RecordProposal:
    assert propose_on_page(browser, tax_id=NEW_TIN).status_code == 303
    return RecordProposal.objects.get()


def test_the_page_shows_what_edits_compare(browser: Client) -> None:
    make.institution(year=2025, name="Newer Bank")
    page = text(browser.get(PAGE))
    assert "Newer Bank" in page
    assert "Q303" in page
    of_2024 = text(browser.get(PAGE, {"year": "2024"}))
    assert "12-3456789" in of_2024
    assert "S303" in of_2024
    assert of_2024.count(" compared ") >= 3  # LEI, agency, TIN
    assert "bank.example" in of_2024
    assert "Nothing is signed yet" in of_2024
    assert "no institution" in text(browser.get(PAGE, {"year": "2019"}), 404)
    assert text(browser.get(PAGE, {"year": "x"})) == page


def test_the_page_shows_what_was_filed_last(browser: Client, open_period, census) -> None:
    browser = signed_in(User.objects.get(username="ann"))
    page = prepare(browser, register())
    assert sign(browser, page).status_code == 303
    Institution.objects.update(tax_id=NEW_TIN)
    sheet = Submission.objects.get().transmittal_sheet
    assert sheet is not None
    shown = text(browser.get(PAGE))
    assert sheet["contact_email"] in shown
    assert f"{NEW_TIN} {sheet['tax_id']} (differs)" in shown
    filed = bearer(LEI).get(f"/v2/filing/institutions/{LEI}/record").json()["filedLast"]
    assert filed["submission"] == f"{LEI}-2024-1"
    assert filed["taxId"] == sheet["tax_id"]
    assert filed["contact"]["email"] == sheet["contact_email"]


def test_only_who_belongs_to_it_sees_it(browser: Client, operator: Client) -> None:
    assert text(browser.get(f"/filing/{OTHER_LEI}/record/"), 403)
    assert Client().get(PAGE).status_code == 302
    assert "You see this page as the filer does" in text(operator.get(PAGE))
    main = operator.get(PAGE).text.partition("<main")[2].partition("</main>")[0]
    assert 'method="post"' not in main
    assert text(operator.post(PAGE, {}), 403)
    Institution.objects.all().delete()
    assert "not in the panel" in text(browser.get(PAGE), 404)


def test_a_proposal_becomes_a_case(browser: Client, proposal: RecordProposal) -> None:
    case = Case.objects.get()
    assert proposal.case == case
    assert proposal.changes == {"tax_id": ["12-3456789", NEW_TIN]}
    assert (proposal.lei, proposal.activity_year, proposal.reason) == (LEI, 2024, WHY)
    assert (case.lei, case.email, case.institution) == (LEI, "ann@bank.example", "Test Bank")
    assert NEW_TIN in case.text
    assert WHY in case.text
    mail = Mail.objects.get()
    assert mail.to == "ann@bank.example"
    assert case.number in mail.subject
    assert NEW_TIN in mail.text
    entry = TrailEntry.objects.get(event=AuditEvent.RECORD_PROPOSED)
    assert (entry.lei, entry.about, entry.actor_username) == (LEI, case.number, "ann")
    assert Institution.objects.get().tax_id == "12-3456789"
    page = text(browser.get(PAGE))
    assert f"{case.number}" in page
    assert "Waiting for staff" in page


def test_what_cannot_be_proposed_is_refused(browser: Client) -> None:
    for changes, part in [
        ({}, "Change at least one value"),
        ({"tax_id": "987654321"}, "99-9999999"),
        ({"email_domains": "gmail.com"}, "public email domain"),
        ({"email_domains": "bank.example, nodot"}, "not an email domain"),
        ({"email_domains": " @BANK.example "}, "Change at least one value"),
        ({"agency": "4"}, "valid choice"),
        ({"name": ""}, "Enter the name"),
        ({"name": "A\x07B"}, "control character"),
        ({"city": "A\u202eB"}, "(U+202E)"),
        ({"parent_name": "A\u2028B"}, "control character"),
        ({"rssd": "many"}, "RSSD"),
        ({"tax_id": NEW_TIN, "reason": " "}, "Enter what has changed"),
    ]:
        refused = propose_on_page(browser, **changes)
        assert part in text(refused, 400)
        assert not RecordProposal.objects.exists()
        assert not Mail.objects.exists()


def test_the_same_and_too_many_are_refused(browser: Client, proposal: RecordProposal) -> None:
    assert proposal.number in text(propose_on_page(browser, tax_id=NEW_TIN), 400)
    for number in range(proposals.MOST_OPEN - 1):
        assert propose_on_page(browser, city=f"Town {number}").status_code == 303
    assert "withdraw one" in text(propose_on_page(browser, city="Town"), 400)
    assert browser.post(f"{PAGE}{proposal.pk}/withdraw/").status_code == 303
    assert propose_on_page(browser, city="Town").status_code == 303


def test_a_form_of_before_a_change_proposes_nothing(browser: Client) -> None:
    form = fill_record_form(browser, city="Springfield")
    Institution.objects.update(name="Renamed Bank")
    refused = browser.post(PAGE, form)
    assert "has changed since" in text(refused, 409)
    assert refused.context["form"]["name"].value() == "Renamed Bank"
    assert refused.context["form"]["reason"].value() == WHY
    assert not RecordProposal.objects.exists()


def test_with_an_administrator_only_they_propose(browser: Client, ann: User) -> None:
    boss = add_member("bea", LEI, administrator_since=timezone.now())
    assert "administrator" in text(propose_on_page_of(boss, browser), 403)
    page = text(browser.get(PAGE))
    assert "An administrator of the institution proposes changes." in page
    assert propose_on_page(make.browser(boss), tax_id=NEW_TIN).status_code == 303
    Membership.objects.filter(user=ann).update(is_preparer=False, is_signer=False)
    assert text(browser.get(PAGE))


def propose_on_page_of(shown_to: User, browser: Client) -> Any:
    """Send the form that one person sees from the browser of another."""
    return browser.post(PAGE, fill_record_form(make.browser(shown_to), tax_id=NEW_TIN))


def test_a_proposal_is_withdrawn_once(browser: Client, proposal: RecordProposal) -> None:
    assert browser.post(f"{PAGE}{proposal.pk}/withdraw/").status_code == 303
    proposal.refresh_from_db()
    assert (proposal.state, proposal.case.state) == ("withdrawn", "closed")
    assert "withdrawn already" in text(browser.post(f"{PAGE}{proposal.pk}/withdraw/"), 400)
    assert text(browser.post(f"{PAGE}{proposal.pk + 1}/withdraw/"), 404)
    other = make.browser(add_member("eve", OTHER_LEI))
    assert text(other.post(f"/filing/{OTHER_LEI}/record/{proposal.pk}/withdraw/"), 404)


def test_staff_accept_it(browser: Client, operator: Client, proposal: RecordProposal) -> None:
    detail = operator.get(reverse("admin:filing_recordproposal_change", args=[proposal.pk]))
    assert "12-3456789" in detail.text
    assert NEW_TIN in detail.text
    assert "No other institution has the TIN" in detail.text
    report = answer_in_admin(operator, proposal, "accept", "Thank you.\nDone.")
    assert report.status_code == 200
    assert Institution.objects.get().tax_id == NEW_TIN
    proposal.refresh_from_db()
    assert (proposal.state, proposal.answered_by) == ("accepted", "olga")
    assert (proposal.case.state, proposal.case.answer) == ("closed", "Thank you.\nDone.")
    mail = Mail.objects.order_by("pk").last()
    assert mail is not None
    assert mail.to == "ann@bank.example"
    assert "accepted" in mail.subject
    assert "Thank you.\nDone.\n" in mail.text
    entry = TrailEntry.objects.get(event=AuditEvent.PROPOSAL_ACCEPTED)
    assert (entry.actor_username, entry.lei) == ("olga", LEI)
    assert NEW_TIN in entry.reason
    page = text(browser.get(PAGE))
    assert "Thank you. Done." in page
    assert "olga" not in page
    assert "the institution Changed TIN: 12-3456789 → 98-7654321" in page
    again = answer_in_admin(operator, proposal, "refuse")
    assert "accepted already" in again.text
    assert Mail.objects.count() == 2


def test_changes_of_staff_are_those_of_staff(browser: Client, ann: User) -> None:
    staff = caller_of(add_staff("olga"))
    records.save_institution(
        {"lei": LEI, "activity_year": 2024, "city": "Springfield", "notes": "Odd people."},
        reason="A secret reason.",
        by=staff,
    )
    page = text(browser.get(PAGE))
    assert "staff Changed City: (blank) → Springfield" in page
    for hidden in ("olga", "Odd people", "A secret reason"):
        assert hidden not in page


def test_staff_refuse_it(browser: Client, operator: Client, proposal: RecordProposal) -> None:
    answer_in_admin(operator, proposal, "refuse", "Send us the IRS letter.")
    assert Institution.objects.get().tax_id == "12-3456789"
    proposal.refresh_from_db()
    assert (proposal.state, proposal.case.state) == ("refused", "closed")
    mail = Mail.objects.order_by("pk").last()
    assert mail is not None
    assert "did not accept" in mail.subject
    assert "Send us the IRS letter." in mail.text
    assert "Send us the IRS letter." in text(browser.get(PAGE))
    assert TrailEntry.objects.filter(event=AuditEvent.PROPOSAL_REFUSED).count() == 1


def test_a_correction_is_checked_too(operator: Client, proposal: RecordProposal) -> None:
    refused = correct_in_admin(operator, proposal, tax_id="9")
    assert "99-9999999" in refused.text
    assert Institution.objects.get().tax_id == "12-3456789"


def test_a_record_that_changed_meanwhile_is_shown_not_overwritten(
    operator: Client, proposal: RecordProposal
) -> None:
    preview = operator.get(reverse("admin:filing_recordproposal_accept"), {"pk": proposal.pk})
    correct = reverse("admin:filing_recordproposal_correct", args=[proposal.pk])
    stale = {"tax_id": NEW_TIN}
    stale["digest"] = operator.post(correct, stale).context["digest"]
    Institution.objects.update(tax_id="11-1111111")
    done = operator.post(
        reverse("admin:filing_recordproposal_accept"),
        {"chosen": preview.context["chosen"], "reason": "Done."},
    )
    assert "has changed since" in done.text
    assert "11-1111111" in done.text
    detail = operator.get(reverse("admin:filing_recordproposal_change", args=[proposal.pk]))
    assert "(changed since)" in detail.text
    refused = operator.post(correct, {**stale, "reason": "Done."})
    assert PreviewChanged().message in refused.text
    assert Institution.objects.get().tax_id == "11-1111111"
    assert correct_in_admin(operator, proposal, "Yours is newer.").status_code == 302
    assert Institution.objects.get().tax_id == NEW_TIN


def test_a_record_that_has_the_values_by_now_is_accepted(
    operator: Client, proposal: RecordProposal
) -> None:
    Institution.objects.update(tax_id=NEW_TIN)
    answer_in_admin(operator, proposal, "accept")
    proposal.refresh_from_db()
    assert proposal.state == "accepted"


def test_a_record_that_is_gone_cannot_be_changed(
    operator: Client, proposal: RecordProposal
) -> None:
    Institution.objects.all().delete()
    assert "no longer in the panel" in answer_in_admin(operator, proposal, "accept").text
    answer_in_admin(operator, proposal, "refuse")
    proposal.refresh_from_db()
    assert proposal.state == "refused"


def test_staff_read_what_happened_since_to_the_lei_and_the_person(
    operator: Client, ann: User, proposal: RecordProposal
) -> None:
    page = reverse("admin:filing_recordproposal_accept")
    assert "ann may no longer" not in operator.get(page, {"pk": proposal.pk}).text
    by = caller_of(add_staff("omar"))
    memberships.end_right(Membership.objects.get(user=ann), by=by, reason="She left.")
    ended = operator.get(page, {"pk": proposal.pk}).text
    assert "ann may no longer propose" in ended
    change = EventDraft(InstitutionEvent.Kind.LEI, LEI, date(2024, 5, 1), OTHER_LEI)
    record_event(change, by=by, reason="A new LEI.")
    replaced = operator.get(page, {"pk": proposal.pk}).text
    assert f"{LEI} goes on as {OTHER_LEI} since May 1, 2024." in replaced
    answer_in_admin(operator, proposal, "accept")
    assert dict(Institution.objects.values_list("lei", "tax_id")) == {
        LEI: NEW_TIN,
        OTHER_LEI: "12-3456789",
    }


def test_no_one_accepts_the_domain_of_their_own_address(
    browser: Client, institution: Institution
) -> None:
    propose_on_page(browser, email_domains="bank.example, service.example")
    proposal = RecordProposal.objects.get()
    refused = answer_in_admin(make.browser(add_staff("olga")), proposal, "accept")
    assert "your own email address" in refused.text
    assert Institution.objects.get().email_domains == ["bank.example"]
    assert TrailEntry.objects.filter(event=AuditEvent.ACCESS_REFUSED).count() == 1
    other = make.browser(add_staff("omar", domain="other.example"))
    answer_in_admin(other, proposal, "accept")
    assert Institution.objects.get().email_domains == ["bank.example", "service.example"]


def test_no_one_accepts_their_own_proposal(institution: Institution) -> None:
    olga = add_staff("olga")
    make.member(olga, LEI)
    propose_on_page(make.browser(olga), tax_id=NEW_TIN)
    proposal = RecordProposal.objects.get()
    assert "another operator" in answer_in_admin(make.browser(olga), proposal, "accept").text
    assert "another operator" in correct_in_admin(make.browser(olga), proposal).text
    assert Institution.objects.get().tax_id == "12-3456789"


def test_the_help_desk_reads_and_does_not_answer(desk: Client, proposal: RecordProposal) -> None:
    page = desk.get(reverse("admin:filing_recordproposal_change", args=[proposal.pk]))
    assert NEW_TIN in page.text
    assert reverse("admin:filing_recordproposal_correct", args=[proposal.pk]) not in page.text
    closing = desk.get(reverse("admin:filing_case_answer"), {"pk": proposal.case_id})
    assert "accept or refuse" in closing.text


def test_those_that_wait_are_first(browser: Client, operator: Client) -> None:
    for number in range(3):
        propose_on_page(browser, city=f"Town {number}")
    first, second, third = RecordProposal.objects.order_by("pk")
    answer_in_admin(operator, second, "refuse")
    listed = operator.get(reverse("admin:filing_recordproposal_changelist"))
    order = [row.pk for row in listed.context["cl"].result_list]
    assert order == [first.pk, third.pk, second.pk]
    front = operator.get(reverse("admin:index")).text
    assert reverse("admin:filing_recordproposal_changelist") in front


def test_the_help_desk_finds_it(operator: Client, proposal: RecordProposal) -> None:
    for query in (proposal.number, LEI, "@bank.example", NEW_TIN):
        page = reverse("admin:filing_recordproposal_change", args=[proposal.pk])
        listed = operator.get(reverse("admin:filing_recordproposal_changelist"), {"q": query})
        assert page in listed.text
        assert page in operator.get(reverse("admin:filing_submission_find"), {"q": query}).text
        nothing = operator.get(reverse("admin:filing_recordproposal_changelist"), {"q": OTHER_LEI})
        assert page not in nothing.text


@pytest.mark.django_db(transaction=True)
def test_two_of_staff_answer_at_once(ann: User) -> None:
    proposal = proposals.propose_change(
        LEI, 2024, {"tax_id": NEW_TIN}, reason=WHY, by=caller_of(ann), user=ann
    )
    callers = [caller_of(add_staff(name)) for name in ("olga", "omar")]
    answers = [proposal_answers.accept_proposal, proposal_answers.refuse_proposal]

    def answer_once() -> str:
        by, answer = callers.pop(), answers.pop()
        try:
            return answer(proposal, by=by, reason="Done.")
        except proposals.NotReady as refusal:
            return f"refused: {refusal.message}"

    results = call_at_once(answer_once, 2)
    assert sum(result.startswith("refused: ") for result in results) == 1
    proposal.refresh_from_db()
    is_accepted = proposal.state == "accepted"
    assert (Institution.objects.get().tax_id == NEW_TIN) is is_accepted
    assert Mail.objects.count() == 2  # its number, and one answer


@pytest.mark.django_db(transaction=True)
def test_the_same_is_proposed_at_once(ann: User) -> None:
    def propose_once() -> bool:
        try:
            proposals.propose_change(
                LEI, 2024, {"tax_id": NEW_TIN}, reason=WHY, by=caller_of(ann), user=ann
            )
        except proposals.AlreadyExists:
            return False
        return True

    assert sum(call_at_once(propose_once, 3)) == 1
    assert RecordProposal.objects.count() == Case.objects.count() == 1
