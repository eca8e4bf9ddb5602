"""The freshness of reference data: what a year lacks, and what was checked with a former file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from filing.access import SERVICE, Caller
from filing.demo.census import write_census
from filing.jobs import loop
from filing.models import FilingPeriod, Job, StatusChange, Submission
from filing.reference_data import loading
from filing.statuses import Status
from filing.submissions import reference_checks
from tests.filing.people.members import member, signed_in
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:freshness")
AGAIN = reverse("admin:filing_submission_run_former_again")
LIST = reverse("admin:filing_submission_changelist")
WHY = "The census was corrected."


def load_census(*, without_last: int = 0) -> None:
    """Load a census of 2024; one without its last lines is another file."""
    lines = write_census(2024).encode().splitlines(keepends=True)
    data = b"".join(lines[: len(lines) - without_last])
    loading.load_with_reason("census", 2024, data, source="census.txt", by=SERVICE)


@pytest.fixture
def checked(submission: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A submission that the census in use has checked."""
    load_census()
    loop.run_job(upload(submission, register(Q611=2), filer, tmp_path).pk)
    submission.refresh_from_db()
    assert submission.status in {Status.QUALITY_ERRORS, Status.MACRO_ERRORS}
    return submission


def affected() -> list[Submission]:
    return list(reference_checks.find_checked_with_former_data())


def test_another_census_affects_what_the_former_one_checked(checked: Submission) -> None:
    assert checked.census_run.startswith("reference/census/2024/")
    assert affected() == []
    load_census(without_last=1)
    assert affected() == [checked]
    desk = signed_in(member("help desk"))
    page = desk.get(PAGE)
    assert page.context["affected"] == 1
    assert AGAIN not in page.content.decode()
    assert desk.get(LIST, {"needs": "former-data"}).context["cl"].result_count == 1
    assert desk.get(AGAIN).status_code == 403


def test_operators_run_the_edits_again_with_a_reason(checked: Submission) -> None:
    load_census(without_last=1)
    client: Any = signed_in(member("operator"))
    assert AGAIN in client.get(PAGE).content.decode()
    preview = client.get(AGAIN)
    assert [line.done for line in preview.context["outcomes"]] == [True]
    form = {"chosen": preview.context["chosen"], "reason": WHY}
    report = client.post(preview.context["address"], form)
    assert [line.done for line in report.context["outcomes"]] == [True]
    change = StatusChange.objects.filter(reason=WHY).get()
    assert change.actor_username == "operator"
    loop.run_job(Job.objects.get(submission=checked, stage="edits").pk)
    assert affected() == []
    assert client.get(AGAIN).url == LIST


def test_a_signed_submission_is_left_out_and_skipped_with_a_reason(checked: Submission) -> None:
    load_census(without_last=1)
    client: Any = signed_in(member("operator"))
    preview = client.get(AGAIN)
    Submission.objects.update(status=Status.SIGNED)
    assert affected() == []
    form = {"chosen": preview.context["chosen"], "reason": WHY}
    [line] = client.post(preview.context["address"], form).context["outcomes"]
    assert (line.done, bool(line.text)) == (False, True)
    assert not StatusChange.objects.filter(reason=WHY).exists()


def test_what_an_open_year_lacks_is_missing(open_period: FilingPeriod) -> None:
    sections = signed_in(member("help desk")).get(PAGE).context["sections"]
    states = {(section.name, row.covers): row.state for section in sections for row in section.rows}
    assert states["Census", "2024"] == "Missing"
    assert ("Census", "2018") not in states
    assert "2018" in sections[0].without
    assert states["Panel of institutions", "2024"] == "Missing"
    load_census()
    sections = signed_in(member("operator")).get(PAGE).context["sections"]
    [row] = [row for row in sections[0].rows if row.covers == "2024"]
    assert (row.state, row.source) == ("Own file", "census.txt")
