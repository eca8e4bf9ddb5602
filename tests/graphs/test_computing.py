"""When graphs are computed, from what, and which version readers get."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.core.management import call_command
from django.utils import timezone

from databrowser.models import LiveVersion, ModifiedLar, Version
from databrowser.publication import events
from filing import storage
from filing.access import SERVICE
from filing.errors import BadInput, NotFound
from filing.jobs import loop, queue
from filing.models import Filing, Job
from filing.statuses import FilingStatus
from graphs import answers, computing, importing
from graphs.catalogue import BY_ENDPOINT
from graphs.models import Computation, FactsImport, Shown
from tests.graphs.disclosed import disclosed
from tests.graphs.loans import ANNUAL, CC, EVERY, FILER, OTHER, QUARTERLY, frame, loans

pytestmark = pytest.mark.django_db


def counted(endpoint: str = "all-applications") -> dict[str, dict[str, float]]:
    """Return what readers get of a graph."""
    answer = answers.read_graph(BY_ENDPOINT[endpoint], answers.find_version())
    return {
        line.name: {str(quarter): value for quarter, value in line.points.items()}
        for line in answer.series
    }


@pytest.fixture(autouse=True)
def no_files_of_others(files: Path) -> Any:
    yield
    for lei in (FILER, OTHER):
        storage.remove_folder(f"submissions/{lei}")


def test_the_newest_year_comes_from_quarters_and_earlier_ones_from_annual_filings(files):
    disclosed("2023", ANNUAL)
    disclosed("2023-Q1", frame(loans(500)))
    disclosed("2024", frame(loans(400, activity_year=2024)))
    disclosed("2024-Q1", QUARTERLY)
    computing.compute_graphs_now()
    assert counted()[EVERY] == {"2023-Q1": 781, "2023-Q3": 499, "2023-Q4": 210, "2024-Q1": 100}
    assert Computation.objects.get().sources == [
        {"year": 2023, "from": "annual filings", "files": 1},
        {"year": 2024, "from": "quarterly filings", "files": 1},
    ]
    # The data set of 2024 becomes public: from now on its annual filings count.
    version = Version.objects.create(year=2024, number=1, job=queue.add_job("publish"))
    LiveVersion.objects.create(year=2024, version=version)
    computing.compute_graphs_now()
    assert counted()[EVERY]["2024-Q1"] == 400


def test_the_newest_signed_submission_of_a_filing_that_is_owed_counts(files):
    disclosed("2024-Q1", frame(loans(300, activity_year=2024)))
    newest = disclosed("2024-Q1", frame(loans(200, activity_year=2024)), number=2)
    disclosed("2024-Q1", frame(loans(900, activity_year=2024)), number=3)
    ModifiedLar.objects.filter(submission__sequence_number=3).update(made_at=None)
    other = disclosed("2024-Q2", frame(loans(150, activity_year=2024, quarter=2)))
    computing.compute_graphs_now()
    assert counted() == {EVERY: {"2024-Q1": 200, "2024-Q2": 150}}
    Filing.objects.filter(pk=other.filing_id).update(status=FilingStatus.CANCELLED)
    computing.compute_graphs_now()
    assert counted() == {EVERY: {"2024-Q1": 200}}
    assert newest.sequence_number == 2


def test_made_up_facts_go_when_real_ones_come(panel, files):
    both = frame(loans(100), loans(100, activity_year=2022))
    both.write_parquet(files / "made-up.parquet")
    importing.import_facts(files / "made-up.parquet", by="tests", is_demo=True)
    computing.compute_graphs_now()
    assert answers.find_version().notes == (answers.DEMO_NOTE,)
    frame(loans(130)).write_parquet(files / "real.parquet")
    importing.import_facts(files / "real.parquet", by="tests")
    computing.compute_graphs_now()
    assert answers.find_version().notes == ()
    assert counted()[EVERY] == {"2023-Q1": 130}


def test_signatures_of_a_quarter_are_gathered_and_a_publication_does_not_wait(loaded):
    submission = disclosed("2024-Q2", frame(loans(100, activity_year=2024, quarter=2)))
    annual = disclosed("2022", frame(loans(100, activity_year=2022)))
    events.records_disclosed.send(ModifiedLar, submission=annual)
    assert not Computation.objects.exists()
    for _ in range(3):
        events.records_disclosed.send(ModifiedLar, submission=submission)
    (job,) = Job.objects.filter(stage="graphs")
    assert job.not_before > timezone.now() + timedelta(seconds=500)
    loop.run_job(job.pk)
    assert not Shown.objects.exists()
    events.version_published.send(Version, year=2024)
    (job,) = Job.objects.filter(stage="graphs")
    assert job.not_before <= timezone.now()
    loop.run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.rows_done) == ("done", 2058 + 100)
    assert counted("loans")[CC]["2023-Q1"] == 101
    events.version_published.send(Version, year=2024)  # and nothing has changed
    loop.run_job(Job.objects.latest("pk").pk)
    assert [each.state for each in Computation.objects.all()] == ["unchanged", "made"]
    assert answers.find_version().number == Computation.objects.earliest("pk").pk


def test_what_comes_in_while_graphs_are_computed_is_computed_next(loaded, monkeypatch):
    computation = computing.request_computation()
    really = computing.measure_all

    def slowly(*args: Any, **options: Any) -> Any:
        FactsImport.objects.filter(year=2024).update(active=False)
        return really(*args, **options)

    monkeypatch.setattr(computing, "measure_all", slowly)
    loop.run_job(computation.job_id)
    waiting = Computation.objects.get(job__state="queued")
    assert waiting.pk > computation.pk


def test_an_earlier_version_is_shown_again_until_the_next_one(computed):
    newer = computing.compute_graphs_now(force=True)
    assert answers.find_version().number == newer.pk
    assert computing.plan_show_version(computed) == (
        f"It is shown to readers instead of version {newer.pk}."
    )
    computing.show_version(computed, by=SERVICE, reason="The newer one is wrong.")
    assert answers.find_version().number == computed.pk
    assert Shown.objects.get().reason == "The newer one is wrong."
    for wrong in (computed, computing.request_computation()):
        with pytest.raises(BadInput):
            computing.plan_show_version(wrong)
    with pytest.raises(NotFound):
        answers.find_version(newer.pk + 1)  # it is not made


def test_a_version_that_fails_leaves_the_old_one(computed):
    shutil.rmtree(storage.open_local_copy(FactsImport.objects.get(year=2024).folder))
    again = computing.request_computation(force=True)
    loop.run_job(again.job_id)
    again.refresh_from_db()
    assert (again.state, again.job.state) == ("asked", "queued")
    assert answers.find_version().number == computed.pk
    assert Job.objects.get(pk=again.job_id).last_error


def test_the_commands_load_and_compute(files, panel, capsys):
    call_command("compute_graphs")
    assert "There are no records to count" in capsys.readouterr().out
    ANNUAL.write_parquet(files / "2023.parquet")
    call_command("load_graph_facts", str(files / "2023.parquet"))
    assert "2023: 1,858 records of 2 institutions." in capsys.readouterr().out
    call_command("compute_graphs")
    assert "from 1,858 records" in capsys.readouterr().out
    call_command("compute_graphs")
    assert "Nothing is new" in capsys.readouterr().out
    assert counted()[EVERY]["2023-Q1"] == 781


@pytest.mark.parametrize(
    ("name", "facts", "says"),
    [
        ("x.txt", frame(loans(1)), "x.txt is neither a .parquet nor a .csv file."),
        ("x.csv", frame(loans(1)).drop("lei"), "x.csv has no column lei. It must have"),
        ("x.csv", frame(loans(1)).clear(), "x.csv has no records. Nothing was loaded."),
        (
            "x.csv",
            frame(loans(2, limit="Z"), loans(1)),
            "conforming_loan_limit is not a known value in 2 records",
        ),
        (
            "x.csv",
            frame(loans(1, group="Other")),
            "borrower_group is not a known value in 1 record",
        ),
        ("x.csv", frame(loans(1, quarter=5)), "quarter is not a known value in 1 record"),
        (
            "x.csv",
            frame(loans(1, activity_year=17)),
            "activity_year is not a known value in 1 record",
        ),
        ("x.csv", frame(loans(1, lei=None)), "lei is missing in 1 record"),
        ("x.csv", frame(loans(1)).with_columns(interest_rate=pl.lit("six")), "cannot be read"),
        ("x.parquet", None, "x.parquet cannot be read"),
    ],
)
def test_a_file_with_other_facts_is_refused_as_a_whole(files, db, name, facts, says):
    path = files / name
    if facts is None:
        path.write_bytes(b"no Parquet")
    else:
        facts.write_csv(path)
    with pytest.raises(BadInput, match=says):
        importing.import_facts(path, by="tests")
    assert not FactsImport.objects.exists()
