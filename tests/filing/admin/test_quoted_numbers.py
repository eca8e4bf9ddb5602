"""Every number that the service tells a person to quote is found by the help desk's search."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path, reverse

from config.errors import handlers, pages
from filing import requests, submissions
from filing.access import Caller
from filing.models import Job, Mail, Submission
from filing.statuses import Event
from filing.submissions import pipeline
from tests.filing.receipts.signing import to_be_signed

pytestmark = pytest.mark.django_db
FIND = reverse("admin:filing_submission_find")


def broken(request: HttpRequest, status: int = 500) -> HttpResponse:
    if status == 500:
        raise ZeroDivisionError("A record of 123 Main Street")
    return (
        pages.render_problem(request, status)
        if status != 503
        else pages.render_failure(request, status=503)
    )


urlpatterns = [
    path("broken/", broken),
    path("broken/<int:status>/", broken),
    path("v2/filing/broken", broken),
    path("", include("config.urls")),
]
handler404, handler500 = handlers.answer_not_found, handlers.answer_server_error


def get(address: str) -> HttpResponse:
    with override_settings(ROOT_URLCONF=__name__):
        return Client(raise_request_exception=False).get(address)


def shown_on(page: HttpResponse) -> str:
    match = re.search(r'<code class="site-id">([^<]+)</code>', page.content.decode())
    assert match, page.content
    return match[1]


def matches(desk: Client, number: str) -> str:
    """Return the page that the search leads to."""
    answer = desk.get(FIND, {"q": number}, follow=True)
    assert answer.status_code == 200
    if not answer.redirect_chain:
        assert answer.context["groups"], f"{number} is not found"
    return str(answer.content.decode())


def test_an_unexpected_error_is_found_by_the_number_on_its_page(desk: Client) -> None:
    number = shown_on(get("/broken/"))
    for typed in (number, number.lower(), number.replace("-", " ")):
        page = matches(desk, typed)
        assert "Unexpected error" in page
        assert "GET /broken/" in page
        assert "ZeroDivisionError" in page
        assert "Main Street" not in page


def test_an_unexpected_error_is_found_by_the_number_in_an_answer_of_the_api(desk: Client) -> None:
    answer = get("/v2/filing/broken")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in matches(desk, answer.json()["requestId"])


def test_the_number_of_a_refusal_is_recognized(desk: Client) -> None:
    for status in (404, 503):
        page = matches(desk, shown_on(get(f"/broken/{status}/")))
        assert "changed nothing and met no error" in page


def of_failed(submission: Submission, filer: Caller) -> str:
    Submission.objects.filter(pk=submission.pk).update(status=4)
    submissions.record_remark(submission, Event.UPLOAD_STARTED, by=filer)
    job = Job.objects.create(submission=submission, stage="parse", state=Job.State.FAILED)
    pipeline.fail_submission_of_job(job.pk)
    submission.refresh_from_db()
    return str(re.search(r"Reference (\S+)\.", submission.failure)[1])  # type: ignore[index]


def of_email(submission: Submission, filer: Caller) -> str:
    of_failed(submission, filer)
    text = Mail.objects.get(kind="failure").text
    return str(re.search(r"Reference (\S+)\.", text)[1])  # type: ignore[index]


def of_receipt(submission: Submission, filer: Caller) -> str:
    return submissions.sign_submission(to_be_signed(submission), signed=True, by=filer).receipt


@pytest.mark.parametrize("number_of", [of_failed, of_email, of_receipt])
def test_what_filers_quote_leads_to_the_submission(
    desk: Client,
    submission: Submission,
    filer: Caller,
    number_of: Callable[[Submission, Caller], str],
) -> None:
    assert f"{submission}" in matches(desk, number_of(submission, filer))


@pytest.mark.servers
def test_a_reference_in_an_email_of_before_is_found(desk: Client, submission: Submission) -> None:
    old = "The parse stage did not succeed. Tell the help desk the reference 0123abcdef."
    Job.objects.create(submission=submission, stage="parse", state=Job.State.FAILED, last_error=old)
    assert f"{submission}" in matches(desk, "0123abcdef")


def test_what_a_request_changed_and_queued_is_found_by_its_number(
    desk: Client, submission: Submission
) -> None:
    number = requests.make_request_id()
    Job.objects.create(submission=submission, stage="parse", request_id=number)
    page = matches(desk, number)
    assert f"{submission}" in page
    assert "Queued" in page
