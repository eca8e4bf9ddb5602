"""What changed between two versions: which records count as changed, and who is answered what."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.http import HttpResponse
from django.test import Client

from databrowser.differences import comparison, comparison_jobs
from databrowser.models import Change, Version, VersionComparison
from databrowser.publication.builds import builder
from databrowser.publication.versions import live_versions
from filing import storage
from filing.access import Caller
from filing.jobs import loop
from filing.models import Institution, Job
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import public, sign
from tests.errors import error_of

pytestmark = pytest.mark.django_db
A, B, C = (f"549300{letter * 12}01" for letter in "ABC")
OLGA = Caller(id="1", username="olga", email="olga@agency.example")
ADDRESS, PAGE = "/v2/public/publications/2023/differences", "/data/changes/2023/"
Loan = dict[str, Any]


def build() -> Version:
    return builder.build_year(2023, by=OLGA, reason="As planned.")


@pytest.fixture
def versions() -> list[Version]:
    """Three versions: A changes a record and adds two, B stays, C goes; then B changes one."""
    make_once(build_three)
    return list(Version.objects.order_by("number"))


def build_three() -> None:
    sign(A, {"income": "50"}, {"income": "60", "county_code": "24005"})
    sign(B, {"income": "70"})
    gone = sign(C, {"income": "80"}, {"income": "81"})
    build()
    sign(A, {"income": "50"}, {"income": "61", "county_code": "24005"}, *[{"state_code": "VA"}] * 2)
    gone.filing.institution.is_test = True
    gone.filing.institution.save()
    build()
    sign(B, {"income": "71", "rate_spread": "1.5"})
    build()


def compare_when_asked(client: Client, address: str, **parameters: str) -> HttpResponse:
    """Ask, run the job that the first question has queued, and return the second answer."""
    pending = client.get(address, parameters)
    assert pending.status_code == 202
    for job in Job.objects.filter(stage=comparison_jobs.KIND, state=Job.State.QUEUED):
        loop.run_job(job.pk)
    answer = client.get(address, parameters)
    assert answer.status_code == 200
    return answer


def test_institutions_are_listed_with_what_changed(client: Client, versions: list[Version]) -> None:
    span = {"from": "2023-1", "to": "2023-2"}
    answer = compare_when_asked(client, ADDRESS, **span)
    body = answer.json()
    institutions = body.pop("institutions")
    moved = [{"name": "income", "records": 1}]
    assert body == {
        "year": 2023,
        "fromVersion": "2023-1",
        "toVersion": "2023-2",
        "before": 5,
        "after": 5,
        "added": 2,
        "removed": 2,
        "changed": 1,
        "movedFields": moved,
    }
    a, c = institutions
    assert a == {
        "lei": A,
        "name": "Bank 1",
        "movedFields": moved,
        "before": 2,
        "after": 4,
        "added": 2,
        "removed": 0,
        "changed": 1,
    }
    assert (c["lei"], c["before"], c["after"], c["removed"]) == (C, 2, 0, 2)
    lines = list(csv.DictReader(client.get(f"{ADDRESS}/csv", span).text.splitlines()))
    assert [(line["lei"], line["income"], line["action_taken"]) for line in lines] == [
        (A, "1", "0"),
        (C, "0", "0"),
    ]
    page = client.get(PAGE, span)
    assert page.status_code == 200
    assert A in page.text
    assert B not in page.text
    again = client.get(ADDRESS, span, headers={"if-none-match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert VersionComparison.objects.count() == 1


def test_the_published_version_is_compared_with_the_one_before(
    client: Client, versions: list[Version]
) -> None:
    body = compare_when_asked(client, ADDRESS).json()
    assert (body["fromVersion"], body["toVersion"]) == ("2023-2", "2023-3")
    assert [each["lei"] for each in body["institutions"]] == [B]
    assert [field["name"] for field in body["movedFields"]] == ["rate_spread", "income"]
    assert client.get(PAGE).status_code == 200


def test_versions_that_are_not_public_or_not_in_order_are_refused(
    client: Client, versions: list[Version]
) -> None:
    live_versions.publish_version(versions[1], by=OLGA, reason="The third is wrong.")
    for span, status in (
        ({"to": "2023-8"}, 404),
        ({"from": "2023-9"}, 404),
        ({"from": "2022-1"}, 404),
        ({"to": "2023-1"}, 404),  # none before
        ({"from": "2023-2"}, 400),  # the published one
        ({"from": "2023-2", "to": "2023-1"}, 400),
        ({"from": "2023-2", "to": "2023-2"}, 400),
    ):
        for address in (ADDRESS, f"{ADDRESS}/csv", PAGE):
            assert client.get(address, span).status_code == status, (address, span)
    assert "2023-8" in error_of(client.get(ADDRESS, {"to": "2023-8"}))["message"]
    assert client.get(ADDRESS, {"to": "2023-3"}).status_code == 202  # staff rolled back from it
    live_versions.withdraw_version(versions[1], by=OLGA, reason="By order.")
    assert client.get(ADDRESS).status_code == client.get(PAGE).status_code == 404
    assert client.get("/v2/public/publications/20x3/differences").status_code == 404


def test_comparisons_that_wait_are_limited_and_a_failed_one_is_tried_again_later(
    client: Client, versions: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get(ADDRESS)["Retry-After"]
    monkeypatch.setattr(comparison_jobs, "MOST_WAITING", 1)
    for address in (ADDRESS, PAGE):
        busy = client.get(address, {"from": "2023-1"})
        assert (busy.status_code, busy["Retry-After"]) == (503, "60")
    job = Job.objects.get(stage=comparison_jobs.KIND)
    Version.objects.filter(pk=versions[1].pk).update(state=Version.State.REMOVED)
    loop.run_job(job.pk)
    Version.objects.filter(pk=versions[1].pk).update(state=Version.State.BUILT)
    assert client.get(ADDRESS).status_code == client.get(PAGE).status_code == 503
    job.refresh_from_db()
    Job.objects.update(finished_at=job.finished_at - comparison_jobs.RETRIED_AFTER)
    compare_when_asked(client, ADDRESS)


def test_pages_link_to_what_changed(client: Client, versions: list[Version]) -> None:
    Change.objects.create(
        date="2026-06-23",
        type="correction",
        product="datasets",
        title="Wrong",
        slug="wrong",
        wrong_version=versions[1],
        right_version=versions[2],
    )
    link = f"{PAGE}?from=2023-2&amp;to=2023-3"
    assert link in client.get("/data/changes/").text
    assert PAGE in client.get("/data/downloads/").text
    Institution.objects.filter(lei=C).update(is_test=False)  # else it may not become public again
    live_versions.publish_version(versions[0], by=OLGA, reason="The second is wrong.")
    assert link in client.get("/data/changes/").text  # it was public
    assert PAGE not in client.get("/data/downloads/").text


def compared(tmp_path: Path, before: list[Loan], after: list[Loan]) -> pl.DataFrame:
    for name, loans in (("before", before), ("after", after)):
        public(*({"lei": A, **loan} for loan in loans)).write_parquet(tmp_path / name)
    with storage.make_work_folder() as folder:
        return comparison.compare_files(tmp_path / "before", tmp_path / "after", folder)


@pytest.mark.parametrize(
    ("before", "after", "counts", "moved"),
    [
        # the same records as often, in another order
        ([{}, {"income": "5"}, {}], [{"income": "5"}, {}, {}], None, ()),
        ([{}, {}, {}], [{}], (0, 2, 0), ()),
        ([{}], [{}, {}], (1, 0, 0), ()),
        # by pass: another census, outcome, income, place, amount
        ([{}], [{"tract_population": "7"}], (0, 0, 1), {"tract_population"}),
        (
            [{}],
            [{"action_taken": "3", "rate_spread": "NA"}],
            (0, 0, 1),
            {"action_taken", "rate_spread"},
        ),
        ([{}], [{"income": "5", "applicant_age": "35-44"}], (0, 0, 1), {"income", "applicant_age"}),
        (
            [{}],
            [{"census_tract": "NA", "county_code": "NA"}],
            (0, 0, 1),
            {"census_tract", "county_code"},
        ),
        (
            [{}],
            [{"loan_amount": 5000.0, "action_taken": "3"}],
            (0, 0, 1),
            {"loan_amount", "action_taken"},
        ),
        # too little in common, or another institution
        ([{}], [{"loan_amount": 5000.0, "census_tract": "NA"}], (1, 1, 0), ()),
        ([{}], [{"lei": B}], (1, 1, 0), ()),
        # the nearest record is its pair, whatever the order
        (
            [{}],
            [{"loan_amount": 5000.0}, {"rate_spread": "2"}],
            (1, 0, 1),
            {"rate_spread"},
        ),
    ],
)
def test_records_are_paired_from_many_columns_to_few(
    tmp_path: Path,
    before: list[Loan],
    after: list[Loan],
    counts: tuple[int, ...] | None,
    moved: set[str],
) -> None:
    institutions = compared(tmp_path, before, after)
    totals = institutions.select("added", "removed", "changed").sum().row(0)
    fields = institutions.select(comparison.FIELDS).sum().row(0, named=True)
    assert totals == (counts or (0, 0, 0))
    assert {name for name, number in fields.items() if number} == set(moved)
    assert institutions.is_empty() == (counts is None)
    backward = compared(tmp_path, after, before).select("removed", "added", "changed").sum()
    assert backward.row(0) == totals


def test_the_result_is_the_same_however_institutions_are_divided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leis = [f"{number:020}" for number in range(30)]
    before = [{"lei": lei, "income": str(n)} for lei in leis for n in range(4)]
    after = [{**loan, "income": f"{loan['income']}0"} for loan in before[:-8]] + before[:2]
    whole = compared(tmp_path, before, after)
    monkeypatch.setattr(comparison, "PART_ROWS", 20)
    assert compared(tmp_path, before, after).equals(whole)
    assert whole["removed"].sum() - whole["added"].sum() == len(before) - len(after)
