"""The edits are run while a file is parsed; their report counts while its facts hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from filing import storage
from filing.access import Caller
from filing.demo.loading import load_demo_census
from filing.jobs import claims, loop
from filing.models import EditResult, Institution, Job, Submission
from filing.statuses import Status
from tests.filing.submissions.stages import lose_its_file, work
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def parsed(submission: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A submission whose file is parsed, by a worker that was lost right after."""
    storage.remove_folder(storage.name_folder(submission))  # of other tests
    lease = claims.claim_job(upload(submission, register(Q611=2), filer, tmp_path).pk)
    assert lease is not None
    assert loop.run_attempt(lease) == Job.objects.get(stage="edits").pk
    submission.refresh_from_db()
    assert (submission.status, submission.edits_folder) == (Status.PARSED, "")
    return submission


def change_panel() -> None:
    Institution.objects.update(tax_id="98-7654321")


def load_census() -> None:
    load_demo_census(2024, by="test")


def find_folders(submission: Submission) -> list[str]:
    folders, _ = default_storage.listdir(storage.name_folder(submission))
    return [name for name in folders if name.startswith("edits-")]


def test_the_file_is_not_read_again(parsed: Submission) -> None:
    lose_its_file(parsed)
    work(parsed)
    assert parsed.status == Status.QUALITY_ERRORS
    assert EditResult.objects.get(submission=parsed, code="Q611").total == 2
    assert parsed.edits_folder == parsed.parse_folder.replace("/parse-", "/edits-")
    assert Job.objects.get(stage="edits").rows_done == parsed.lines


@pytest.mark.parametrize("change", [change_panel, load_census])
def test_with_other_facts_the_edits_are_run_again(
    parsed: Submission, change: Callable[[], None]
) -> None:
    before = find_folders(parsed)
    change()
    work(parsed)
    unrun = EditResult.objects.exclude(not_run="").filter(submission=parsed).exists()
    wrong = EditResult.objects.filter(submission=parsed, code="S303", total=1).exists()
    assert (wrong, not unrun) == (change is change_panel, change is load_census)
    assert parsed.edits_folder.rpartition("/")[2] not in before
