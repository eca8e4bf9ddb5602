"""A year's data set is built from what is signed and imported; readers get one version whole."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from django.utils import timezone

from databrowser.models import ModifiedLar, Version
from databrowser.publication import layout
from databrowser.publication.builds import build_requests, builder, version_files
from databrowser.publication.imports import public_files
from databrowser.publication.modified_lars import lar_requests
from filing import storage
from filing.access import Caller
from filing.edits import examples
from filing.errors import NotReady
from filing.jobs import claims, loop
from filing.lar.years import Period
from filing.models import Job, Submission
from tests.conftest import LEI
from tests.databrowser.builds import OLGA, WHY, built, live, rows
from tests.databrowser.filings import signed
from tests.databrowser.publication.public_files import disclose, published, sign
from tests.filing.discarded import remove_a_day_later

pytestmark = pytest.mark.django_db

A, B, C = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02", "549300CCCCCCCCCCCC03"


def test_signing_again_replaces_the_rows_and_the_same_sources_give_the_same_file() -> None:
    sign(A, {"income": "1"}, {"income": "2"})
    sign(B, {"income": "3"})
    first = built()
    with pytest.raises(NotReady, match="Nothing is new for 2023"):
        built()
    newer = sign(A, {"income": "9"}, disclosed=False)
    assert build_requests.plan_build(2023) == [
        "A build of 2023 takes in 2 signed submissions and 0 imported files.",
        "1 of these is not prepared for publication yet; the build prepares them first.",
        "1 signed submission is left out: the institution signed another one later.",
        "It has what 2 of 2 institutions in the panel signed.",
    ]
    disclose(newer, {"income": "9"})
    second = built()
    assert rows(live(), "lei", "income") == [(A, "9"), (B, "3")]
    disclose(newer, {"income": "1"}, {"income": "2"})
    third = built()
    hashes = [each.manifest["files"]["loans.parquet"]["sha256"] for each in (first, second, third)]
    assert hashes[0] == hashes[2] != hashes[1]
    assert [each.number for each in (first, second, third)] == [1, 2, 3]


def test_an_institution_keeps_its_records_while_another_worker_prepares_newer_ones() -> None:
    sign(A, {"income": "1"})
    sign(B, {"income": "2"})
    built()
    newer = sign(A, {"income": "9"}, disclosed=False)
    lar = lar_requests.request_lar(newer)
    assert claims.claim_job(lar.job.pk)
    version = built()
    assert version.manifest["sources"]["missing"] == [A]
    assert rows(live(), "lei", "income") == [(A, "1"), (B, "2")]
    disclose(newer, {"income": "9"})
    assert built().manifest["sources"]["missing"] == []
    assert rows(live(), "lei", "income") == [(A, "9"), (B, "2")]


def test_an_institution_has_no_records_if_its_newer_ones_cannot_be_prepared() -> None:
    sign(A, {"income": "1"})
    sign(B, {"income": "2"})
    newer = sign(A, {"income": "9"}, disclosed=False)
    lar = lar_requests.request_lar(newer)
    Job.objects.filter(pk=lar.job.pk).update(state=Job.State.FAILED)
    assert built().manifest["sources"]["missing"] == [A]
    assert rows(live(), "lei", "income") == [(B, "2")]


def test_what_is_signed_and_not_disclosed_is_named_and_not_imported_instead(tmp_path: Path) -> None:
    sign(A, {"income": "1"}, disclosed=False)
    sign(B, {"income": "2"})
    public_files.import_public_file(
        published(tmp_path / "old.csv", {"lei": A}, {"lei": C}), by=OLGA
    )
    version = built()
    assert version.manifest["sources"]["missing"] == [A]
    assert sorted(rows(live(), "lei")) == [(B,), (C,)]


def test_what_no_worker_has_disclosed_yet_is_disclosed_by_the_build(
    submission: Submission, filer: Caller, tmp_path: Path
) -> None:
    period = Period(2024)
    loans = [
        examples.correct_loan(period, LEI, uli=examples.numbered_uli(LEI, 1)),
        examples.correct_loan(period, LEI, uli=examples.numbered_uli(LEI, 2))
        | {"loan_amount": "117834.50", "applicant_age": 67},
    ]
    sheet = examples.correct_transmittal_sheet(period, LEI, len(loans))
    content = "".join(
        f"{examples.write_record_line(record)}\n" for record in (sheet, *loans)
    ).encode()
    signed(submission, content, filer, tmp_path)
    version = built(2024)
    assert version.manifest["sources"]["missing"] == []
    assert sorted(rows(live(2024), "lei", "loan_amount", "applicant_age")) == [
        (LEI, 115000.0, "65-74"),
        (LEI, 255000.0, "35-44"),
    ]
    assert build_requests.due_years() == []


def test_the_newest_of_several_imports_counts_for_an_institution(tmp_path: Path) -> None:
    first = published(tmp_path / "1.csv", {"lei": A, "income": "1"}, {"lei": B, "income": "1"})
    second = published(tmp_path / "2.csv", {"lei": B, "income": "2"}, {"lei": C, "income": "2"})
    public_files.import_public_file(first, by=OLGA)
    public_files.import_public_file(second, by=OLGA, beside=True)
    built()
    assert rows(live(), "lei", "income") == [(A, "1"), (B, "2"), (C, "2")]


def test_a_build_that_ends_after_a_later_one_does_not_go_live() -> None:
    sign(A, {"income": "1"})
    late = build_requests.request_build(2023, by=OLGA, reason=WHY, notifies=False)
    lease = claims.claim_job(late.job_id)
    assert lease is not None
    Job.objects.filter(pk=late.job_id).update(state="failed")
    sign(A, {"income": "2"})
    built()
    Job.objects.filter(pk=late.job_id).update(state="running")
    sign(A, {"income": "3"})
    builder.run_build(lease)
    late.refresh_from_db()
    assert (late.state, live().name) == ("built", "2023-2")


def test_a_worker_builds_what_was_asked_for_and_gives_up_what_cannot_be() -> None:
    submission = sign(A, {})
    version = build_requests.request_build(2023, by=OLGA, reason=WHY)
    assert Version.objects.get(pk=version.pk).standing == "queued"
    ModifiedLar.objects.filter(submission=submission).update(folder="gone")
    loop.run_job(version.job_id)
    version = Version.objects.get(pk=version.pk)
    assert (version.state, version.standing) == ("asked", "waiting to retry")
    assert "gone" in version.job.last_error
    disclose(submission, {})
    Job.objects.filter(pk=version.job_id).update(not_before=timezone.now())
    loop.run_job(version.job_id)
    assert live().rows == 1
    remove_a_day_later()
    assert len(list(storage.open_local_copy(f"{layout.VERSIONS}/2023").glob("1-*"))) == 1


def test_whatever_a_value_holds_is_read_back_from_the_packed_texts() -> None:
    odd = ["plain", "", "a,b", "a|b", 'a "b"', "a\nb", "a\r\nb"]
    sign(A, *({"income": value} for value in odd))
    built()
    assert rows(live(), "income") == [(value,) for value in odd]
    for form in version_files.FORMS.values():
        if form.separator:
            packed = live().parquet.with_name(form.file)
            with gzip.open(packed, "rt", newline="") as text:
                read = [row["income"] for row in csv.DictReader(text, delimiter=form.separator)]
            assert read == odd, form.name
