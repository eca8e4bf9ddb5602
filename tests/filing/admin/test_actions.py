"""Actions of staff in the admin: what would happen, why, what has happened; from list and page."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from filing.admin import actions
from filing.jobs import claims
from filing.models import (
    Filing,
    Job,
    Mail,
    Note,
    Submission,
    TrailEntry,
)
from filing.statuses import FilingStatus, Status
from tests import make
from tests.conftest import LEI
from tests.filing.submissions.stages import analysed, fail_it, uploaded  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db

RETRY, STOP, RECEIPT = (
    f"admin:filing_submission_{name}" for name in ("retry", "stop", "send_receipt_again")
)
SUBMISSIONS = "admin:filing_submission_changelist"
WHY = {"reason": "The disk was full."}


def preview(client: Client, name: str, *things: Any) -> Any:
    """Go where the button on the page of the things leads."""
    answer = client.get(reverse(name), {"pk": [thing.pk for thing in things]})
    assert answer.status_code == 200
    return answer


def confirm(client: Client, name: str, shown: Any, **typed: str) -> Any:
    """Send the form that a preview shows."""
    chosen = re.search(r'name="chosen" value="([^"]*)"', shown.content.decode())
    assert chosen
    return client.post(reverse(name), {"chosen": html.unescape(chosen[1]), **WHY, **typed})


def rows(answer: Any) -> list[tuple[str, bool, str]]:
    return [(line.name, line.done, line.text) for line in answer.context["outcomes"]]


def many(filing: Filing, number: int, status: Status, first: int = 2) -> list[Submission]:
    return Submission.objects.bulk_create(
        Submission(filing=filing, sequence_number=first + each, status=status)
        for each in range(number)
    )


def test_the_page_of_a_submission_has_a_button_for_each_action(operator, submission):
    page = operator.get(reverse("admin:filing_submission_change", args=[submission.pk]))
    for name in ("retry", "run_edits_again", "check_signed", "stop", "send_receipt_again"):
        address = reverse(f"admin:filing_submission_{name}")
        assert f'href="{address}?pk={submission.pk}"' in page.content.decode()
        assert operator.get(f"{address}?pk={submission.pk}").status_code == 200


def test_sent_twice_it_is_done_once(operator, uploaded):
    fail_it(uploaded)()
    shown = preview(operator, RETRY, uploaded)
    assert rows(confirm(operator, RETRY, shown))[0][1]
    again = confirm(operator, RETRY, shown)
    assert again.context["chosen"] != shown.context["chosen"]  # it is shown as it is now
    assert uploaded.changes.filter(event="PARSE_RETRIED").count() == 1


def test_of_two_operators_one_is_told(operator, admin_client, submission):
    first, second = (preview(client, STOP, submission) for client in (operator, admin_client))
    assert rows(confirm(operator, STOP, first))[0][1]
    assert rows(confirm(admin_client, STOP, second)) == [
        (str(submission), False, "It has already failed.")
    ]
    assert submission.changes.filter(event="STOPPED").get().actor_username == "operator"
    assert Mail.objects.count() == 1


def test_the_help_desk_sends_a_receipt_again_once_for_two_clicks(desk, submission):
    make.signed(submission, signer_email="ann@bank.example")
    shown = preview(desk, RECEIPT, submission)
    assert "ann@bank.example" in rows(shown)[0][2]
    report = confirm(desk, RECEIPT, shown, reason="They lost it.")
    assert rows(report)[0][1:] == (True, "Queued for ann@bank.example.")
    Job.objects.filter(stage="mail").update(state="done")
    again = confirm(desk, RECEIPT, shown)
    assert again.context["chosen"] != shown.context["chosen"]  # it is shown as it is now
    assert Mail.objects.count() == 1
    entry = TrailEntry.objects.get(event="receipt sent again")
    assert (entry.actor_username, entry.about) == ("help-desk", str(submission))


def test_the_help_desk_sees_no_other_action_and_cannot_take_it(desk, submission):
    page = desk.get(reverse("admin:filing_submission_change", args=[submission.pk])).text
    listed = desk.get(reverse(SUBMISSIONS)).text
    assert 'value="send_receipt_again"' in listed
    chosen = json.dumps({submission.pk: ""})
    for name in ("retry", "run_edits_again", "check_signed", "stop"):
        address = reverse(f"admin:filing_submission_{name}")
        assert address not in page
        assert desk.get(address, {"pk": submission.pk}).status_code == 403
        assert desk.post(address, {"chosen": chosen, **WHY}).status_code == 403
        assert f'value="{name}"' not in listed
        desk.post(reverse(SUBMISSIONS), {"action": name, "_selected_action": [submission.pk]})
    submission.refresh_from_db()
    assert submission.status == Status.CREATED
    cancel = reverse("admin:filing_filing_cancel")
    assert desk.get(cancel, {"pk": submission.filing_id}).status_code == 403


def choose(client: Client, name: str, things: list[Submission], **more: str) -> Any:
    keys = [thing.pk for thing in things]
    asked = {"action": name, "_selected_action": keys, "index": "0", **more}
    return client.post(reverse(SUBMISSIONS), asked)


def test_all_that_the_list_has_can_be_chosen_up_to_a_limit(operator, filing, monkeypatch):
    monkeypatch.setattr(actions, "LIMIT", 60)
    chosen = many(filing, 60, Status.CREATED)
    shown = choose(operator, "stop", chosen[:1], select_across="1")
    assert len(rows(shown)) == 60
    report = confirm(operator, STOP, shown)
    assert report.context["done"] == 60
    many(filing, 1, Status.CREATED, first=100)
    refused = choose(operator, "stop", chosen[:1], select_across="1")
    assert refused.status_code == 302
    told = [str(message) for message in get_messages(refused.wsgi_request)]
    assert told == [
        "Nothing was done: more than 60 are selected; an action takes at most 60. Filter the list "
        "first."
    ]


@pytest.mark.parametrize(
    "name", ["retry", "run_edits_again", "check_signed", "stop", "send_receipt_again"]
)
def test_a_preview_takes_as_many_queries_for_many_as_for_one(operator, filing, name):
    def queries(things: list[Submission]) -> int:
        with CaptureQueriesContext(connection) as found:
            assert len(rows(choose(operator, name, things))) == len(things)
        return len(found)

    made = many(filing, 40, Status.FAILED)
    for number, submission in enumerate(made):
        status = Status.SIGNED if number % 2 else Status.UPLOADED
        Submission.objects.filter(pk=submission.pk).update(status=status, raw_file="r")
        Job.objects.create(submission=submission, stage="parse")
        mail = Job.objects.create(stage="mail")
        Mail.objects.create(kind="receipt", key=f"{number}", submission=submission, job=mail)
    choose(operator, name, made[:2])
    assert queries(made) <= queries(made[:2])


def test_junk_for_what_is_chosen_is_told_without_an_error(operator, submission):
    junk = ["", "{", "[1]", "[[1, 2, 3]]", "null", '{"a": "b"}', '{"9999999999999999999": ""}']
    for number, chosen in enumerate(junk, start=1):
        answer = operator.post(reverse(STOP), {"chosen": chosen, **WHY})
        assert answer.status_code == 302
        told = [str(message) for message in get_messages(answer.wsgi_request)]
        assert told == ["Nothing was done: nothing is selected."] * number
    assert operator.get(reverse(STOP), {"pk": ["x", "-1", "²"]}).status_code == 302


def test_one_that_breaks_does_not_hide_what_was_done_to_others(operator, submission, filing):
    # Its signature is missing, which the database allows and the service never writes.
    (broken,) = many(filing, 1, Status.SIGNED)
    make.signed(submission, signer_email="a@b.example")
    shown = choose(operator, "send_receipt_again", [submission, broken])
    said = {name: (done, text) for name, done, text in rows(shown)}
    assert said[str(submission)][0]
    assert said[str(broken)][1].startswith("Something went wrong on our side; request id ")
    assert shown["X-Request-ID"] in said[str(broken)][1]


# --- filings


def test_a_filing_is_cancelled_and_reinstated(operator, filing):
    cancel, reinstate = (f"admin:filing_filing_{name}" for name in ("cancel", "reinstate"))
    confirm(operator, cancel, preview(operator, cancel, filing), reason="Merged.")
    filing.refresh_from_db()
    assert filing.status == FilingStatus.CANCELLED
    assert rows(preview(operator, cancel, filing))[0][2].startswith(
        f"Filing {LEI}-2024 is already canceled."
    )
    report = confirm(operator, reinstate, preview(operator, reinstate, filing))
    assert rows(report) == [(f"{LEI}-2024", True, "Reinstated: not-started.")]
    assert [entry.reason for entry in TrailEntry.objects.order_by("pk")] == [
        "Merged.",
        "The disk was full.",
    ]


# --- mails


def test_a_mail_that_was_given_up_is_sent_again_with_a_note_of_who_did_so(desk, submission):
    job = Job.objects.create(stage="mail", state="failed", attempts=10, last_error="Refused")
    mail = Mail.objects.create(kind="failure", key="k", to="ann@bank.example", job=job)
    name = "admin:filing_mail_send_again"
    shown = preview(desk, name, mail)
    assert rows(confirm(desk, name, shown))[0][1:] == (True, "It is in the queue.")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 0)
    note = Note.objects.get()
    assert (note.about, note.actor_username, note.reason) == (
        mail,
        "help-desk",
        "The disk was full.",
    )
    assert rows(confirm(desk, name, shown)) == [
        (str(mail), False, "It has not been sent yet. It is retried automatically.")
    ]
    assert claims.claim_job(job.pk)
