"""What reads cost, and what an unexpected error shows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing import submissions
from filing.jobs import queue
from filing.lar.years import Period
from filing.models import Institution, Submission
from filing.statuses import Event
from tests.conftest import LEI
from tests.errors import error_of

pytestmark = pytest.mark.django_db
F = f"/v2/filing/institutions/{LEI}/filings/2024"


@pytest.fixture
def client(program: Client, submission: Submission) -> Client:
    assert program.get(F).status_code == 200
    return program


def cost(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.mark.parametrize("address", ["/submissions/latest", "/submissions/1"])
def test_a_status_read_costs_at_most_three_queries(client, submission, address):
    assert cost(client, F + address) <= 3
    submissions.move_submission(submission, Event.UPLOAD_STARTED)
    submissions.move_submission(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        queue.add_job("parse", submission=submission, rows_total=12)
    assert cost(client, F + address) <= 3
    progress = client.get(F + address).json()["progress"]
    assert progress == {"stage": "parse", "rowsDone": 0, "rowsTotal": 12}


@pytest.mark.parametrize(("still", "pause"), [(7, "1"), (8, "2"), (3600, "15")])
def test_the_longer_a_status_stays_the_later_is_the_next_call(client, submission, still, pause):
    address = F + "/submissions/latest"
    assert "Retry-After" not in client.get(address)  # it waits for the filer
    submissions.move_submission(submission, Event.UPLOAD_STARTED)
    since = timezone.now() - timedelta(seconds=still)
    Submission.objects.filter(pk=submission.pk).update(changed_at=since)
    answer = client.get(address)
    assert answer["Retry-After"] == pause
    unchanged = client.get(address, headers={"If-None-Match": answer["ETag"]})
    assert (unchanged.status_code, unchanged["Retry-After"]) == (304, pause)


@pytest.mark.parametrize("address", ["", "/submissions?page=2"])
def test_a_list_of_submissions_costs_the_same_however_many_there_are(client, filer, address):
    before = cost(client, F + address)
    for _ in range(45):
        submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    after = cost(client, F + address)
    assert after <= before + 1 <= 5  # an empty page is not asked for


def test_filers_read_their_tin_but_no_notes_of_staff(client, institution):
    Institution.objects.update(notes="Call them first.")
    for part in ("", "/quarter/Q1"):
        body = client.get(f"/v2/filing/institutions/{LEI}/year/2024{part}").json()["institution"]
        assert (body["taxId"], body["notes"], body["respondent"]["name"]) == (
            "12-3456789",
            "",
            "Test Bank",
        )


def test_an_error_nobody_expected_shows_nothing_of_the_inside(client, submission, caplog):
    # The database knows of format errors, but their files are gone.
    Submission.objects.filter(pk=submission.pk).update(
        format_errors=3, raw_file="secret/place", parse_folder="secret/folder"
    )
    client.raise_request_exception = False
    answer = client.get(F + "/submissions/1/parseErrors")
    assert answer.status_code == 500
    assert set(error_of(answer)) == {"httpStatus", "message", "path"}
    assert "secret" not in answer.content.decode()
    assert "secret/folder" in caplog.text
    assert answer["Cache-Control"] == "no-cache"
