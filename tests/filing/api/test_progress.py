"""Server-sent events of a submission: its state now, each change, and the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from filing import submissions
from filing.jobs import queue
from filing.models import Submission
from filing.statuses import Event
from filing.submissions import watching
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/progress"
STREAM = {"Accept": "text/event-stream"}


@contextmanager
def following(client: Client, **headers: str) -> Iterator[Iterator[bytes]]:
    response = cast(StreamingHttpResponse, client.get(ADDRESS, headers={**STREAM, **headers}))
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response["X-Accel-Buffering"] == "no"
    try:
        yield iter(cast(Any, response.streaming_content))
    finally:
        response.close()


def state_of(event: bytes) -> tuple[str, dict[str, Any]]:
    """Return the id and the submission of an event."""
    name, number, data, *rest = event.decode().split("\n")
    assert (name, rest) == ("event: state", ["", ""])
    return number.removeprefix("id: "), json.loads(data.removeprefix("data: "))


def test_the_state_comes_at_once_then_each_change_and_the_last_one_ends_it(program, submission):
    with following(program) as events:
        assert state_of(next(events))[1]["status"]["code"] == 1
        submissions.move_submission(submission, Event.UPLOAD_STARTED)
        assert state_of(next(events))[1]["status"]["code"] == 2
        submissions.move_submission(submission, Event.UPLOAD_FINISHED)
        job = queue.add_job("parse", submission=submission, rows_total=12)
        state = state_of(next(events))[1]
        if state["progress"] is None:  # a look between the two
            state = state_of(next(events))[1]
        assert state["progress"] == {"stage": "parse", "rowsDone": 0, "rowsTotal": 12}
        type(job).objects.filter(pk=job.pk).update(rows_done=7)
        assert state_of(next(events))[1]["progress"]["rowsDone"] == 7
        Submission.objects.filter(pk=submission.pk).update(status=5)
        assert state_of(next(events))[1]["status"]["code"] == 5
        assert list(events) == []


def test_whoever_has_the_last_state_is_told_that_nothing_follows(program, submission):
    Submission.objects.filter(pk=submission.pk).update(status=5)
    with following(program) as events:
        number, state = state_of(next(events))
        assert state["progress"] is None
        assert list(events) == []
    assert program.get(ADDRESS, headers={**STREAM, "Last-Event-ID": number}).status_code == 204
    with following(program, **{"Last-Event-ID": "1-00"}) as events:
        assert len(list(events)) == 1


def test_while_nothing_changes_comments_keep_the_connection(program, submission, monkeypatch):
    monkeypatch.setattr(watching, "PING_SECONDS", 0.01)
    monkeypatch.setattr(watching, "LISTEN_SECONDS", 0.2)
    with following(program) as events:
        next(events)
        assert set(events) == {b": no change\n\n"}  # until the time is over


def test_more_than_the_site_allows_are_sent_to_the_status(program, submission, settings):
    settings.PROGRESS_LISTENERS = 1
    with following(program) as events:
        next(events)
        refusal = program.get(ADDRESS, headers=STREAM)
        assert (refusal.status_code, refusal["Retry-After"]) == (503, "30")
        assert "Read the status instead" in refusal.json()["message"]
    with following(program) as events:
        next(events)


def test_all_who_follow_get_each_change_and_leave_nothing_behind(program, submission):
    with following(program) as first, following(program) as second:
        assert [state_of(next(each))[1]["status"]["code"] for each in (first, second)] == [1, 1]
        submissions.move_submission(submission, Event.UPLOAD_STARTED)
        assert [state_of(next(each))[1]["status"]["code"] for each in (first, second)] == [2, 2]
    assert not watching.WATCH.has_listeners


@pytest.mark.parametrize(
    ("leis", "address", "status"),
    [
        (["529900OTHERBANK00042"], ADDRESS, 403),
        ([LEI], ADDRESS.replace("/1/", "/9/"), 404),
    ],
)
def test_strangers_and_unknown_submissions_are_refused_in_json(submission, leis, address, status):
    refusal = make.program(leis=leis).get(address, headers=STREAM)
    assert (refusal.status_code, refusal["Content-Type"]) == (status, "application/json")
