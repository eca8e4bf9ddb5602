"""The table of moves, walked over its whole cross product through the one writer of status."""

import pytest

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
