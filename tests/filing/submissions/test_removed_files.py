"""Files of submissions that were never signed go under a rule; what was signed never does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing import day_hours, storage, submissions
from filing.access import Caller
from filing.errors import NotFound, NotReady
from filing.jobs import loop
from filing.lar.years import Period
from filing.models import FilingPeriod, LegalHold, Membership, Submission, TrailEntry
from filing.periods import legal_holds
from filing.statuses import Status
from filing.submissions import actions, downloads, findings, interventions, removed_files
from tests.conftest import LEI
from tests.filing.discarded import remove_a_day_later
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db
STAFF = Caller(id="9", username="olga")
DAYS = 90


@pytest.fixture(autouse=True)
def rules(settings: Any) -> None:
    settings.UNSIGNED_FILE_DAYS = DAYS


@pytest.fixture
def file(filing: Any, filer: Caller, census: None, tmp_path: Path) -> Callable[..., Submission]:
    """Upload and check a new submission that was uploaded some days ago."""

    def make(days: int, *, content: bytes = b"", **fails: int) -> Submission:
        made = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
        storage.remove_folder(
            storage.name_folder(made)
        )  # another test's submission had the same name
        loop.run_job(upload(made, content or register(**fails), filer, tmp_path).pk)
        ago = timezone.now() - timedelta(days=days)
        Submission.objects.filter(pk=made.pk).update(uploaded_at=ago)
        return Submission.objects.get(pk=made.pk)

    return make


def has_file(submission: Submission) -> bool:
    submission.refresh_from_db()
    return bool(submission.raw_file) and storage.has_files(storage.name_folder(submission))


def close_period(days: int) -> None:
    """Let the filing period have closed some days ago."""
    day = day_hours.today() - timedelta(days=days)
    FilingPeriod.objects.update(opens=day, timely_until=day, closes=day)


def run() -> int:
    removed = removed_files.remove_unneeded_files()
    remove_a_day_later()
    return removed


@pytest.mark.servers
def test_a_replaced_file_goes_and_its_record_stays(file: Callable[..., Submission]) -> None:
    first, second = file(200, Q611=2), file(DAYS + 1)
    folders = [storage.name_folder(first), storage.name_folder(second)]
    assert run() == 1
    assert [storage.has_files(folder) for folder in folders] == [False, True]
    kept = Submission.objects.get(pk=first.pk)
    assert (kept.raw_file, kept.parse_folder, kept.edits_folder) == ("", "", "")
    assert (kept.status, kept.sha256, kept.lines) == (first.status, first.sha256, first.lines)
    assert kept.edit_results.get().total == 2
    rule = (
        "the file of a submission that was never signed is removed 90 days after a later "
        "submission replaced it."
    )
    assert (kept.files_removed_rule, kept.files_removed_at is None) == (rule, False)
    entry = TrailEntry.objects.get(event="files removed")
    assert (entry.lei, entry.about, entry.reason) == (LEI, str(first), rule)
    assert run() == 0


def test_files_of_a_closed_period_go(file: Callable[..., Submission]) -> None:
    only = file(300)
    assert run() == 0
    close_period(DAYS)
    assert run() == 0
    close_period(DAYS + 1)
    assert run() == 1
    only.refresh_from_db()
    assert only.files_removed_rule.endswith("90 days after its filing period closed.")


def test_without_the_setting_everything_stays(
    file: Callable[..., Submission], settings: Any
) -> None:
    settings.UNSIGNED_FILE_DAYS = 0
    first, _ = file(9000), file(8000)
    close_period(8000)
    assert run() == 0
    assert has_file(first)


def test_what_was_signed_is_never_removed(
    file: Callable[..., Submission], filer: Caller, settings: Any
) -> None:
    """Neither is what a signed one replaced: a published year needs each that is signed."""
    settings.UNSIGNED_FILE_DAYS = 1
    signed = [file(5000), file(4000)]
    for submission in signed:
        actions.sign_submission(submission, signed=True, by=filer, reason="Again.")
    file(3000)
    close_period(2000)
    run()
    assert all(map(has_file, signed))
    assert [each.signature.submission.raw_file for each in signed] == [
        each.raw_file for each in signed
    ]


def test_a_file_that_could_still_be_signed_stays(file: Callable[..., Submission]) -> None:
    good, newest = file(300), file(200, content=register()[:-50])
    newest.refresh_from_db()
    assert newest.status == Status.PARSED_WITH_ERRORS
    assert run() == 0
    assert has_file(good)


def test_a_legal_hold_stops_every_removal_until_it_is_lifted(
    file: Callable[..., Submission],
) -> None:
    first, _ = file(300), file(200)
    legal_holds.hold_institution(first.filing.institution, by=STAFF, reason="Matter 12")
    legal_holds.hold_filing(first.filing, by=STAFF, reason="Matter 13")
    for hold in LegalHold.objects.order_by("pk"):
        assert run() == 0
        assert has_file(first)
        legal_holds.lift_hold(hold, by=STAFF, reason="Settled.")
    assert run() == 1
    assert not has_file(first)


@pytest.fixture
def removed(file: Callable[..., Submission]) -> Submission:
    first, _ = file(300, Q611=2), file(200)
    assert run() == 1
    first.refresh_from_db()
    return first


def test_whoever_needs_the_file_learns_when_and_why_it_went(
    removed: Submission, filer: Caller
) -> None:
    message = f"The file of {removed} was removed on .* under a retention rule"
    for read in (
        lambda: downloads.find_raw_file(removed),
        lambda: downloads.download_findings(removed),
        lambda: downloads.download_findings(removed, code="Q611"),
        lambda: downloads.download_findings_workbook(removed),
        lambda: downloads.download_findings_workbook(removed, code="Q611"),
        lambda: downloads.download_format_errors(removed),
        lambda: findings.open_lines(removed),
        lambda: interventions.run_edits_again(removed, by=STAFF, reason="x"),
    ):
        with pytest.raises(NotFound, match=message):
            read()
    with pytest.raises(NotReady, match="Upload the file again in a new submission"):
        actions.verify_edits(removed, "quality", verified=True, by=filer)
    Submission.objects.filter(pk=removed.pk).update(status=Status.VERIFIED)
    removed.refresh_from_db()
    with pytest.raises(NotReady, match=message):
        actions.sign_submission(removed, signed=True, by=filer)
    # It was read before its files went.
    removed.files_removed_at = None
    with pytest.raises(NotReady, match=message):
        actions.sign_submission(removed, signed=True, by=filer)


def test_pages_of_the_filer_work(removed: Submission, client: Client) -> None:
    user = User.objects.create_user("ann", "ann@bank.example")
    Membership.objects.create(user=user, lei=LEI)
    client.force_login(user)
    gone = ("edits/?format=csv", "edits/report/", "edits/Q611/", "file/")
    there = ("", "1/", "1/edits/", "1/formatting-errors/")
    for page in (*there, "compare/1/2/", *(f"1/{page}" for page in gone)):
        answer = client.get(f"/filing/{LEI}/2024/{page}")
        assert answer.status_code == (200 if page in there else 404), page
        if page == "1/" or page not in there:
            assert "under a retention rule" in answer.content.decode()
