"""Two submissions side by side: what counts as a change of the loans, and what does not."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from filing import submissions
from filing.access import Caller
from filing.errors import BadInput, NotFound, NotReady
from filing.jobs import loop
from filing.models import Filing, Institution, Submission
from filing.storage import open_local_copy
from filing.submissions import comparison, comparison_jobs
from filing.submissions.comparison import SubmissionComparison
from tests.conftest import LEI
from tests.filing.submissions.loan_files import LOANS, YEAR, loan, text
from tests.filing.submissions.uploading import upload

pytestmark = pytest.mark.django_db

File = Callable[..., Submission]


ULI = [each["uli"] for each in LOANS]


@pytest.fixture
def file(filing: Filing, filer: Caller, tmp_path: Path) -> File:
    """Give a new submission of the filing a file, and let the workers read it."""

    def made(content: bytes) -> Submission:
        submission = submissions.create_submission(lei=LEI, period=YEAR, by=filer)
        loop.run_job(upload(submission, content, filer, tmp_path).pk)
        submission.refresh_from_db()
        return submission

    return made


def told(found: SubmissionComparison) -> dict[str, Any]:
    """Return what a comparison says of the loans."""
    removed = comparison.list_loans(found.before, found.difference.removed, 100)
    added = comparison.list_loans(found.after, found.difference.added, 100)
    return {
        "removed": [(loan.line, loan.uli) for loan in removed],
        "added": [(loan.line, loan.uli) for loan in added],
        "changed": [
            (loan.line_before, loan.line_after, loan.uli, [(f.was, f.now) for f in loan.fields])
            for loan in comparison.list_changed_loans(found, 100)
        ],
        "same": found.difference.same,
    }


def case(file: File, before: bytes, after: bytes) -> dict[str, Any]:
    return told(comparison.compare_submissions(file(before), file(after)))


NOTHING: dict[str, Any] = {"removed": [], "added": [], "changed": [], "same": 5}


@pytest.mark.parametrize(
    "after",
    [
        text(LOANS[::-1], end="\r"),
        (b"\xef\xbb\xbf" + text(LOANS, end="\r\n") + b"\r\n \r\n").replace(
            b"|250000|", b"| 250000 |"
        ),
        text(LOANS).replace(b"|123 Main St|", b'|"123 Main St"|').replace(b"\n", b"|\n"),
    ],
    ids=["order and CR", "BOM, CRLF and blanks", "quotes and pipe at end"],
)
def test_how_a_file_is_written_is_no_change(file, after):
    assert case(file, text(LOANS), after) == NOTHING


def test_of_a_uli_that_stands_twice_what_is_left_is_matched_in_file_order(file):
    twice = [LOANS[0], loan(1, income="8"), loan(1, income="9"), LOANS[1]]
    later = [loan(1, income="9"), loan(1, income="10"), LOANS[1]]
    found = comparison.compare_submissions(file(text(twice)), file(text(later)))
    assert told(found) == {
        "removed": [(3, ULI[0])],
        "added": [],
        "changed": [(2, 3, ULI[0], [("120", "10")])],
        "same": 2,
    }
    assert found.difference.repeated == 1


def test_the_csv_has_every_change_and_no_formula(file):
    later = [loan(1, city="=1+1"), loan(2, street="", loan_amount="5"), *LOANS[3:], loan(9)]
    found = comparison.compare_submissions(file(text(LOANS)), file(text(later)))
    rows = list(csv.reader(StringIO("".join(comparison.write_comparison_csv(found)))))
    assert rows == [
        list(comparison.CSV_HEADER),
        ["removed", ULI[2], "4", "", "", "", ""],
        ["added", loan(9)["uli"], "", "6", "", "", ""],
        ["changed", ULI[0], "2", "2", "City", "Los Angeles", "'=1+1"],
        ["changed", ULI[1], "3", "3", "Loan Amount", "250000", "5"],
        ["changed", ULI[1], "3", "3", "Street Address", "123 Main St", ""],
    ]


def test_what_cannot_be_compared_is_said(file, filer):
    good = file(text(LOANS))
    unread = submissions.create_submission(lei=LEI, period=YEAR, by=filer)
    spoiled = file(text(LOANS) + b"\xff\xff|\n")
    with pytest.raises(BadInput, match="with itself"):
        comparison.compare_submissions(good, good)
    with pytest.raises(NotReady, match="has no file yet"):
        comparison.compare_submissions(good, unread)
    with pytest.raises(NotReady, match="has not been read"):
        comparison.compare_submissions(spoiled, good)
    open_local_copy(good.raw_file).unlink()
    with pytest.raises(NotFound, match="no longer in storage"):
        comparison.compare_submissions(good, file(text(LOANS)))


def test_submissions_of_two_institutions_are_not_compared(file, submission):
    good = file(text(LOANS))
    other = Institution(lei="529900OTHERBANK00017", activity_year=2024, name="Other", agency=9)
    other.save()
    submission.filing = Filing.objects.create(institution=other, period=good.filing.period)
    submission.save()
    with pytest.raises(BadInput, match="different institutions"):
        comparison.compare_submissions(good, submission)


def test_a_large_file_that_is_gone_is_refused_at_once(file, monkeypatch):
    before, after = file(text(LOANS)), file(text(LOANS))
    monkeypatch.setattr(comparison, "MAX_LINES_AT_ONCE", 5)
    open_local_copy(before.raw_file).unlink()
    with pytest.raises(NotFound, match="no longer in storage"):
        comparison_jobs.find_comparison(before, after)
