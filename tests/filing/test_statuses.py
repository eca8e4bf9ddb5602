"""The table of moves, walked over its whole cross product through the one writer of status."""

import json
import re

import pytest
from django.conf import settings

from filing import submissions
from filing.errors import NotReady
from filing.models import StatusChange, Submission
from filing.statuses import MOVES, Event, FilingStatus, Status

SPEC = {
    1: "No data has been uploaded yet.",
    2: "Your file is uploading.",
    3: "Your file has been uploaded.",
    4: "Checking the formatting of your data.",
    5: "Your data has formatting errors.",
    6: "Your data is formatted correctly.",
    7: "Your data is being analyzed.",
    8: "Your data has been analyzed for Syntactical and Validity Errors.",
    9: "Your data has syntactical and/or validity edits that need to be reviewed.",
    10: "Your data has been analyzed for Quality Errors.",
    11: "Your data has quality edits that need to be reviewed.",
    12: "Your data has been analyzed for macro errors.",
    13: "Your data has macro edits that need to be reviewed.",
    14: "Your data is ready for submission.",
    15: "Your submission has been accepted.",
    -1: "An error occurred while submitting the data.",
}


def test_codes_and_messages_are_those_of_the_specification():
    assert {status.value: status.message for status in Status} == SPEC


def test_each_status_says_what_it_means():
    assert all(status.description(signing=True).endswith(".") for status in Status)


def test_without_signing_nine_says_nothing_of_verification():
    nine = Status.SYNTACTICAL_OR_VALIDITY_ERRORS
    assert "verified" in nine.description(signing=True)
    assert "verified" not in nine.description(signing=False)


def test_filing_statuses_are_named_as_the_contract_has_them():
    named = {status.value: status.message for status in FilingStatus}
    assert named == {-1: "cancelled", 1: "not-started", 2: "in-progress", 3: "completed"}


@pytest.mark.django_db
@pytest.mark.parametrize("status", Status)
def test_every_event_moves_or_is_refused_in_every_status(submission, status):
    for event in Event:
        moves_or_is_refused(submission, status, event)


def moves_or_is_refused(submission, status, event):
    Submission.objects.filter(pk=submission.pk).update(status=status)
    submission.status = status
    expected = MOVES.get((status, event))
    if expected is None:
        with pytest.raises(NotReady):
            submissions.move_submission(submission, event)
    else:
        assert submissions.move_submission(submission, event) is expected
    submission.refresh_from_db()
    assert submission.status == (status if expected is None else expected)
    moves = StatusChange.objects.filter(submission=submission).exclude(before=None)
    trace = moves.filter(event=event.name)
    found = [(change.before, change.after) for change in trace]
    assert found == ([] if expected is None else [(status.value, expected.value)])


@pytest.mark.django_db
def test_who_comes_second_is_told_and_leaves_no_trace(submission):
    other = Submission.objects.get(pk=submission.pk)
    submissions.move_submission(submission, Event.UPLOAD_STARTED)
    with pytest.raises(submissions.ConcurrentChange):
        submissions.move_submission(other, Event.UPLOAD_STARTED)
    assert StatusChange.objects.filter(event=Event.UPLOAD_STARTED.name).count() == 1


def test_codes_go_backwards_only_where_something_is_taken_back():
    backwards = {
        event
        for (before, event), after in MOVES.items()
        if after < before and after is not Status.FAILED
    }
    assert backwards == {
        Event.UPLOAD_REFUSED,
        Event.UPLOAD_ABANDONED,
        Event.MACRO_UNVERIFIED,
        Event.QUALITY_UNVERIFIED,
        Event.EDITS_RUN_AGAIN,
    }


def test_every_status_can_be_reached_from_the_first():
    reached = {Status.CREATED}
    while True:
        more = {after for (before, _), after in MOVES.items() if before in reached} - reached
        if not more:
            break
        reached |= more
    assert reached == set(Status)


def test_where_a_submission_rests_is_where_no_worker_goes_on():
    automatic = {
        Event.PARSE_STARTED,
        Event.EDITS_STARTED,
        Event.SYNTACTICAL_AND_VALIDITY_PASSED,
        Event.QUALITY_PASSED,
        Event.MACRO_PASSED,
        Event.NOTHING_TO_VERIFY,
    }
    leaving = {before for (before, event) in MOVES if event in automatic}
    assert not {status for status in leaving if status.is_settled}


def test_the_loop_of_the_readme_waits_while_the_service_works():
    readme = (settings.BASE_DIR / "README.md").read_text()
    (pattern,) = re.findall(r"^while call \$S \| grep -E '(.*)'; do", readme, re.MULTILINE)
    waits = {
        status
        for status in Status
        if re.search(pattern, json.dumps({"code": status, "message": ""}, separators=(",", ":")))
    }
    assert waits == {status for status in Status if not status.is_settled}
