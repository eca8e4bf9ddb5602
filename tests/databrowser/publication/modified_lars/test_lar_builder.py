"""From a signature to public rows: the errand, killed and repeated, with and without facts."""

from __future__ import annotations

import html
import io
import re
from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from databrowser import tasks
from databrowser.models import ModifiedLar
from databrowser.publication import layout
from databrowser.publication.modified_lars import lar_builder, lar_requests, row_files
from filing import audit, storage, submissions
from filing.access import Caller
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.demo.loading import load_demo_census
from filing.errors import BadInput, LostLease, NotReady
from filing.jobs import claims, leases, loop
from filing.lar.years import Period
from filing.models import Attempt, Filing, FilingPeriod, Job, Note, Submission
from filing.models.append_only import permit_removal
from filing.reference_data import registry
from tests.conftest import LEI
from tests.databrowser.filings import signed, work
from tests.filing.discarded import remove_a_day_later

pytestmark = pytest.mark.django_db

ROWS = 40
LIMITS = b"""state|county|name|abbreviation|CBSA|one|two|three|four
06|037|HIGH|CA|31080|800000|1000000|1200000|1400000
"""


def register(period: Period) -> bytes:
    recipe = LarRecipe(period=period, lei=LEI, rows=ROWS, tax_id="12-3456789")
    return b"".join(make_lar_file(recipe, demo_census.make_census_rows(2024)["census_tract"]))


ANNUAL, QUARTERLY = register(Period(2024)), register(Period(2024, 1))


@pytest.fixture
def annual(submission: Submission, filer: Caller, tmp_path: Any) -> Submission:
    load_demo_census(2024, by="test")
    storage.remove_folder(storage.name_folder(submission))  # of other tests
    return signed(submission, ANNUAL, filer, tmp_path)


@pytest.fixture
def quarter(filing: Filing, filer: Caller, tmp_path: Any) -> Submission:
    days = {"opens": filing.period.opens, "closes": filing.period.closes}
    period = FilingPeriod.objects.create(
        year=2024, quarter="Q1", timely_until=filing.period.timely_until, **days
    )
    Filing.objects.create(institution=filing.institution, period=period)
    made = submissions.create_submission(lei=LEI, period=Period(2024, 1), by=filer)
    storage.remove_folder(storage.name_folder(made))
    return signed(made, QUARTERLY, filer, tmp_path)


def kept(made: ModifiedLar, name: str) -> pl.DataFrame:
    return pl.read_parquet(storage.open_local_copy(f"{made.folder}/{name}"))


def folders(submission: Submission) -> list[str]:
    names, _ = default_storage.listdir(storage.name_folder(submission))
    return sorted(name for name in names if name.startswith("disclose"))


def test_the_order_of_public_rows_says_nothing_about_the_order_of_the_filed_file(
    submission, filer, tmp_path
):
    load_demo_census(2024, by="test")
    sheet, *filed = ANNUAL.splitlines(keepends=True)
    hashes = []
    for lines in (filed, filed[::-1], filed[1::2] + filed[::2]):
        storage.remove_folder(storage.name_folder(submission))  # of other tests
        made = work(signed(submission, b"".join([sheet, *lines]), filer, tmp_path))
        hashes.append(made.sha256)
        submission = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    assert hashes == hashes[:1] * 3


def test_public_rows_of_another_revision_are_made_again_once(annual):
    made = work(annual)
    assert lar_requests.renew_outdated_lars() == 0
    ModifiedLar.objects.update(revision=1)  # as the upgrade finds it
    tasks.sweep()
    made.refresh_from_db()
    assert made.job.state == "queued"
    assert [note.actor_username for note in audit.find_notes(made)] == [""]
    assert lar_requests.renew_outdated_lars() == 0
    assert work(annual).revision == row_files.digest_definitions()
    assert lar_requests.renew_outdated_lars() == 0


def test_a_worker_that_lost_its_lease_leaves_nothing(annual):
    made = ModifiedLar.objects.get(submission=annual)
    slow = claims.claim_job(made.job_id)
    assert slow is not None
    Job.objects.filter(pk=made.job_id).update(owner="somebody else")
    with pytest.raises(LostLease):
        lar_builder.prepare_modified_lar(slow)
    made.refresh_from_db()
    assert (made.folder, made.made_at) == ("", None)
    assert folders(annual) == []


def test_what_killed_attempts_left_goes_after_a_day_and_what_counts_stays(annual):
    job = ModifiedLar.objects.get().job
    folders = []
    for _ in range(2):
        lease = claims.claim_job(job.pk)
        assert lease
        folders.append(storage.name_folder(annual, "disclose", lease.attempt_id))
        default_storage.save(f"{folders[-1]}/loans.parquet", ContentFile(b"x"))
        Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert lar_builder.clear_lar_leftovers() == 0
    _let_pass(Attempt.objects.get(job=job, outcome="lost"), days=2)
    assert (lar_builder.clear_lar_leftovers(), remove_a_day_later()) == (1, 1)
    assert [storage.has_files(folder) for folder in folders] == [False, True]
    made = work(annual)
    _let_pass(Attempt.objects.get(job=job, outcome="done"), days=2)
    assert lar_builder.clear_lar_leftovers() == 0
    assert storage.has_files(made.folder)


def _let_pass(attempt: Attempt, *, days: float) -> None:
    """Make an attempt older, which nobody but a test can: its table refuses changes."""
    values = Attempt.objects.filter(pk=attempt.pk).values().get()
    with permit_removal(Attempt):
        attempt.delete()
    Attempt.objects.create(**{**values, "ended_at": attempt.ended_at - timedelta(days=days)})


def test_killed_between_the_files_and_the_commit_it_is_done_again_as_if_never(annual, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    made = ModifiedLar.objects.get(submission=annual)
    with monkeypatch.context() as patch:
        patch.setattr(leases.JobLease, "finish", die)
        lease = claims.claim_job(made.job_id)
        with pytest.raises(Killed):
            loop.run_attempt(lease)
    made.refresh_from_db()
    assert (made.folder, made.made_at, made.job.state) == ("", None, "running")
    assert len(folders(annual)) == 1  # what it had written, which nobody points at
    Job.objects.filter(pk=made.job_id).update(lease_until="2024-01-01T00:00Z")
    done = work(annual)
    assert (done.job.state, done.rows) == ("done", ROWS)
    remove_a_day_later()
    assert folders(annual) == [done.folder.rpartition("/")[2]]


def test_a_file_that_is_not_the_signed_one_is_not_published(annual):
    raw = storage.open_local_copy(annual.raw_file)
    raw.write_bytes(raw.read_bytes().replace(b"|1|", b"|2|", 1))
    made = work(annual)
    assert (made.job.state, made.made_at) == ("failed", None)
    assert "not the one that was signed" in made.job.last_error


def test_no_record_is_left_out_because_its_line_cannot_be_read(annual, tmp_path):
    lease = claims.claim_job(ModifiedLar.objects.get().job_id)
    lines = [line.split(b"|") for line in ANNUAL.splitlines(keepends=True)]
    lines[3][4] = b"x"  # the loan type
    spoiled = tmp_path / "spoiled"
    spoiled.write_bytes(b"".join(b"|".join(cells) for cells in lines))
    data = lar_builder.reference_data(2024)
    with pytest.raises(ValueError, match=r"Line 4 has format errors\."):
        row_files.write_row_files(annual, spoiled, tmp_path, data, lease)


def test_it_says_which_facts_it_was_made_with_and_is_made_again_with_others(annual, filer):
    first = work(annual)
    assert (first.census.source, first.limits) == ("made-up demo census", None)
    assert set(kept(first, layout.LOANS)["conforming_loan_limit"]) <= {"U", "NA"}
    registry.load_file("county-limits", 2024, LIMITS, source="limits.txt", by="test")
    assert "county loan limits: limits.txt" in lar_requests.plan_lar_again(first)
    with pytest.raises(BadInput):
        lar_requests.make_lar_again(first, by=filer, reason=" ")
    lar_requests.make_lar_again(first, by=filer, reason="The limits came late.")
    waiting = ModifiedLar.objects.get(pk=first.pk)
    assert (waiting.folder, waiting.job.state) == (first.folder, "queued")
    with pytest.raises(NotReady):
        lar_requests.make_lar_again(waiting, by=filer, reason="Once more.")
    second = work(annual)
    assert second.limits.source == "limits.txt"
    assert second.folder != first.folder
    remove_a_day_later()
    assert folders(annual) == [second.folder.rpartition("/")[2]]
    assert set(kept(second, layout.LOANS)["conforming_loan_limit"]) & {"C", "NC"}
    assert Note.objects.get().reason == "The limits came late."


def disclose(*options: str) -> list[str]:
    said = io.StringIO()
    call_command("disclose", *options, stdout=said)
    return said.getvalue().splitlines()


def test_a_command_asks_for_what_is_missing_and_for_what_other_facts_were_used_for(annual, quarter):
    ModifiedLar.objects.all().delete()
    assert disclose() == ["Missing modified LARs queued: 2."]
    assert disclose() == ["Missing modified LARs queued: 0."]
    assert work(annual).rows == work(quarter).rows == ROWS
    assert not lar_requests.outdated_lars()
    registry.load_file("county-limits", 2024, LIMITS, source="limits.txt", by="test")
    assert len(lar_requests.outdated_lars()) == 2
    made = ModifiedLar.objects.get(submission=quarter)
    lar_requests.make_lar_again(made, by=Caller(id="x"), reason="By hand.")
    assert disclose("--outdated")[1:] == [
        "Modified LARs made with other reference data, queued: 1; already in preparation: 1."
    ]
    assert {work(each).limits.source for each in (annual, quarter)} == {"limits.txt"}
    assert not lar_requests.outdated_lars()


def test_a_command_asks_for_all_of_a_year_again(annual, quarter):
    first = work(annual)
    work(quarter)
    assert disclose("--year", "2023")[1:] == [
        "Modified LARs of 2023, queued: 0; already in preparation: 0."
    ]
    lar_requests.make_lar_again(first, by=Caller(id="x"), reason="By hand.")
    assert disclose("--year", "2024", "--reason", "Blank MSA/MDs.")[1:] == [
        "Modified LARs of 2024, queued: 1; already in preparation: 1."
    ]
    assert work(quarter).job.state == "done"
    assert {each.reason for each in Note.objects.all()} == {"By hand.", "Blank MSA/MDs."}
    with pytest.raises(CommandError, match="not allowed with argument"):
        disclose("--year", "2024", "--outdated")


def test_staff_make_it_again_on_its_page_with_a_reason(annual):
    made = work(annual)
    client = Client()
    client.force_login(User.objects.create_superuser("operator", password="x"))
    assert LEI in client.get(reverse("admin:databrowser_modifiedlar_changelist")).content.decode()
    address = reverse("admin:databrowser_modifiedlar_make_again")
    shown = client.get(address, {"pk": made.pk}).content.decode()
    assert "census: made-up demo census, county loan limits: none" in shown
    chosen = re.search(r'name="chosen" value="([^"]*)"', shown)
    form = {"chosen": html.unescape(chosen[1]), "reason": "The limits came late."}
    assert "It is in the queue." in client.post(address, form).content.decode()
    assert ModifiedLar.objects.get(pk=made.pk).job.state == "queued"
    assert Note.objects.get().actor_username == "operator"
    assert "It is already being prepared." in client.get(address, {"pk": made.pk}).content.decode()
