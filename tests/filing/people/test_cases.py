"""Cases: whoever cannot sign up asks the help desk on a page, and gets an answer by email."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from filing.models import AuditEvent, Case, Mail, TrailEntry
from filing.people import cases
from tests import make

pytestmark = pytest.mark.django_db
LEI = "529900EXAMPLELEI0001"
PAGE = "/filing/case/"
WORDS = "Please add the domain bank.example."
TYPED = {
    "name": "Ann Example",
    "email": "Ann@bank.example",
    "institution": "Example Bank",
    "lei": LEI.lower(),
    "text": WORDS,
}


def send(browser: Client | None = None, **changes: str) -> Any:
    return (browser or Client()).post(PAGE, {**TYPED, **changes})


def answer(desk: Client, case: Case, text: str) -> Any:
    page = reverse("admin:filing_case_answer")
    preview = desk.get(page, {"pk": case.pk})
    return desk.post(page, {"chosen": preview.context["chosen"], "reason": text})


def test_the_way_there_begins_where_no_institution_has_the_domain() -> None:
    page = Client().post("/sign-up/", {"email": "ann@bank.example"})
    assert f'href="{PAGE}?email=ann%40bank.example"' in page.text
    assert 'value="ann@bank.example"' in Client().get(PAGE, {"email": "ann@bank.example"}).text


def test_a_request_becomes_a_case_with_a_number() -> None:
    sent = send()
    assert sent.status_code == 302
    case = Case.objects.get()
    page = Client().get(sent["Location"])
    assert case.number in page.text
    assert "What happens next" in page.text
    assert (case.email, case.lei, case.institution) == ("ann@bank.example", LEI, "Example Bank")
    assert (case.text, case.state, case.user) == (WORDS, "open", None)
    entry = TrailEntry.objects.get(event=AuditEvent.CASE_OPENED)
    assert (entry.about, entry.lei, entry.actor_id) == (case.number, LEI, "")
    mail = Mail.objects.get()
    assert (mail.kind, mail.to) == ("case", "ann@bank.example")
    assert case.number in mail.subject
    # The address may be that of someone else: nothing typed goes there.
    assert WORDS not in mail.text
    assert "Ann Example" not in mail.text


def test_what_cannot_be_a_case_is_refused() -> None:
    for changes in [
        {"email": "nobody"},
        {"text": " "},
        {"text": "x" * (cases.LONGEST_TEXT + 1)},
        {"text": "a\0b"},
        {"institution": ""},
        {"lei": "529900"},
    ]:
        assert send(**changes).status_code == 400
        assert not Case.objects.exists()
        assert not Mail.objects.exists()


def test_nobody_floods_a_mailbox() -> None:
    for _ in range(cases.MOST_OPEN):
        assert send().status_code == 302
    refused = send()
    assert refused.status_code == 400
    assert str(cases.MOST_OPEN) in refused.text
    assert Case.objects.count() == Mail.objects.count() == cases.MOST_OPEN
    Case.objects.first().delete()
    assert send().status_code == 302


def test_a_number_is_not_guessed() -> None:
    sent = send()
    assert Client().get(f"{PAGE}{Case.objects.get().pk}/").status_code == 404
    assert Client().get(f"{sent['Location'][:-2]}x/").status_code == 404


def test_a_user_writes_with_their_own_address() -> None:
    user = make.user("ann", is_verified=True)
    browser = make.browser(user)
    assert send(browser, email="eve@other.example").status_code == 302
    case = Case.objects.get()
    assert (case.user, case.email) == (user, "ann@bank.example")


@pytest.mark.servers
def test_the_help_desk_answers_and_closes_it(desk: Client) -> None:
    send()
    case = Case.objects.get()
    assert reverse("admin:filing_case_changelist") in desk.get(reverse("admin:index")).text
    page = desk.get(reverse("admin:filing_case_change", args=[case.pk])).text
    assert WORDS in page
    assert reverse("admin:filing_case_answer") in page
    assert answer(desk, case, "Added.\nSign up again.").status_code == 200
    case.refresh_from_db()
    assert (case.state, case.closed_by) == ("closed", "help-desk")
    assert case.answer == "Added.\nSign up again."
    entry = TrailEntry.objects.get(event=AuditEvent.CASE_CLOSED)
    assert (entry.about, entry.actor_username, entry.lei) == (case.number, "help-desk", LEI)
    mail = Mail.objects.order_by("pk").last()
    assert mail is not None
    assert mail.to == "ann@bank.example"
    assert "Added.\nSign up again.\n" in mail.text
    refused = desk.get(reverse("admin:filing_case_answer"), {"pk": case.pk})
    assert "closed already" in refused.content.decode()


def test_it_is_found_by_what_a_caller_quotes(desk: Client) -> None:
    send()
    send(email="eve@other.example", lei="", institution="Other", name="Eve")
    case = Case.objects.get(lei=LEI)
    for query in ["number", LEI, "@bank.example"]:
        query = case.number.lower() if query == "number" else query
        found = desk.get(reverse("admin:filing_case_changelist"), {"q": query}).text
        assert (case.number in found, f"CASE-{case.pk + 1}" in found) == (True, False)
        anything = desk.get(reverse("admin:filing_submission_find"), {"q": query}).text
        assert reverse("admin:filing_case_change", args=[case.pk]) in anything


def test_requests_are_limited_by_address(settings: Any) -> None:
    from config.limits.policies import read_policy

    settings.LIMITS = {**settings.LIMITS, "sign-in": read_policy("sign-in", "1/h:2")}
    answers = [Client(REMOTE_ADDR="192.0.2.77").post(PAGE, {}).status_code for _ in range(3)]
    assert answers == [400, 400, 429]
