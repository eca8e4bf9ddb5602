"""Vintages: what was signed by the end of a freeze day, whenever it is made; how they add up."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from databrowser.models import Change, FreezeDay, ModifiedLar, PublicImport, Version
from databrowser.publication.builds import build_requests, reconciliation
from databrowser.publication.layout import SERVING
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.day_hours import today
from filing.edits import examples
from filing.errors import NotReady
from filing.models import Institution, Submission, TrailEntry
from tests.databrowser.builds import OLGA, WHY, built, live
from tests.databrowser.filings import signed
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db
A, B, C, D = (f"549300{letter * 12}0{at}" for at, letter in enumerate("ABCD", 1))
# The snapshot of 2023 is frozen at the end of 1 May 2024, at 4:00 of the next day in UTC.
LAST = datetime(2024, 5, 2, 3, 59, 59, tzinfo=UTC)
LATE = LAST + timedelta(seconds=1)
SNAPSHOT = "/v2/public/datasets/2023/snapshot"


def build_snapshot(**how: Any) -> Version:
    return built(dataset="snapshot", **how)


def public_hashes(version: Version) -> dict[str, str]:
    """Return the hashes of the public files; the serving file is ours, and has times of its own."""
    files = version.manifest["files"].items()
    return {name: file["sha256"] for name, file in files if name != SERVING}


def read_table(client: Client, name: str, separator: str = ",") -> list[dict[str, str]]:
    answer = client.get(f"{SNAPSHOT}/{name}")
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


def read_parquet(client: Client, name: str) -> pl.DataFrame:
    answer = client.get(f"{SNAPSHOT}/{name}")
    assert answer["Content-Type"] == "application/vnd.apache.parquet"
    return pl.read_parquet(io.BytesIO(b"".join(answer.streaming_content)))


def sign_a_year() -> None:
    sign(A, {"income": "1"}, signed_at=LAST - timedelta(days=60))
    sign(A, {"income": "2"}, {"income": "3"}, signed_at=LAST)
    sign(B, {"income": "4"}, signed_at=LATE)
    sign(C, {"income": "5"}, signed_at=LAST)
    Institution.objects.filter(lei=C).update(is_test=True)
    Institution.objects.create(activity_year=2023, lei=D, name="Bank D", agency=7)


def test_a_vintage_has_what_was_signed_by_the_end_of_its_day(client: Client) -> None:
    sign_a_year()
    sign(A, {"income": "9"}, signed_at=LATE)
    version = build_snapshot()
    assert (version.rows, version.institutions, version.frozen_on) == (2, 1, date(2024, 5, 1))
    assert not version.goes_live
    live_versions.publish_version(version, by=OLGA, reason=WHY)
    body = client.get("/v2/public/datasets").json()
    assert body["datasets"] == [
        {
            "year": 2023,
            "dataset": "snapshot",
            "frozenOn": "2024-05-01",
            "version": "2023-1",
            "rows": 2,
            "institutions": 1,
            "sha256": version.sha256,
            "permanent": version.permanent_address,
            "href": SNAPSHOT,
        }
    ]
    assert read_table(client, "sheets.csv") == read_table(client, "sheets.txt", "|")
    (sheet,) = read_table(client, "sheets.csv")
    assert sheet == {
        "activity_year": "2023",
        "calendar_quarter": "4",
        "lei": A,
        "agency_code": "9",
        "respondent_name": "Bank 1",
        "respondent_state": "MD",
        "respondent_city": "Bethesda",
        "respondent_zip_code": "20814",
        "lar_count": "2",
        "first_sign_date": "2024-03-02",
        "last_sign_date": "2024-05-01",
    }
    panel = read_table(client, "institutions.csv")
    assert [(each["lei"], each["filed"]) for each in panel] == [
        (A, "true"), (B, "false"), (D, "false"),
    ]  # fmt: skip
    assert [each["msa_md"] for each in read_table(client, "msamds.csv")] == ["47894"]
    sheet = read_parquet(client, "sheets.parquet").row(0, named=True)
    assert (sheet["lar_count"], sheet["last_sign_date"]) == (2, date(2024, 5, 1))
    assert read_parquet(client, "institutions.parquet")["filed"].to_list() == [True, False, False]
    assert read_parquet(client, "msamds.parquet")["msa_md"].to_list() == ["47894"]
    files = client.get(SNAPSHOT).json()["files"]
    assert {file["name"] for file in files} == {
        *("loans.csv.gz", "loans.txt.gz", "loans.parquet", "manifest.json"),
        *("sheets.csv", "sheets.txt", "institutions.csv", "institutions.txt"),
        *("msamds.csv", "msamds.txt"),
        *("sheets.parquet", "institutions.parquet", "msamds.parquet"),
    }
    for file in files:
        part = client.get(file["href"], headers={"Range": "bytes=0-3"})
        assert (part.status_code, part["ETag"]) == (206, f'"{file["sha256"]}"')
        assert client.get(file["href"], headers={"If-None-Match": part["ETag"]}).status_code == 304


def test_what_is_not_published_is_not_found(client: Client) -> None:
    sign_a_year()
    live_versions.publish_version(build_snapshot(), by=OLGA, reason=WHY)
    unpublished = ("2023/one-year", "2022/snapshot", "2023/weekly", "x/dynamic")
    for path in (*unpublished, "2023/snapshot/x.csv", "2023/snapshot/reconciliation.json"):
        assert client.get(f"/v2/public/datasets/{path}").status_code == 404


def test_a_late_signature_changes_no_frozen_byte() -> None:
    sign_a_year()
    first = build_snapshot()
    sign(A, {"income": "7"}, signed_at=LATE)
    sign(B, {"income": "8"}, {"income": "9"})
    sign(D, {"income": "9"})
    second = build_snapshot()
    assert second.name == "2023-2"
    assert public_hashes(first) == public_hashes(second)
    assert first.manifest["fingerprint"] == second.manifest["fingerprint"]
    assert built().rows == 4  # while the data set that moves has them


def test_the_records_of_a_replaced_submission_are_prepared_when_a_vintage_needs_them(
    submission: Submission, filer: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    period, lei = submission.period, submission.lei
    loan = examples.correct_loan(period, lei, uli=examples.numbered_uli(lei, 1))
    sheet = examples.correct_transmittal_sheet(period, lei, 1)
    content = "".join(f"{examples.write_record_line(record)}\n" for record in (sheet, loan))
    with monkeypatch.context() as clock:
        clock.setattr(timezone, "now", lambda: LAST)
        signed(submission, content.encode(), filer, tmp_path)
    sign(lei, {"income": "2"}, {"income": "3"}, year=2024)
    assert ModifiedLar.objects.get(submission=submission).made_at is None
    FreezeDay.objects.create(year=2024, dataset="snapshot", frozen_on=date(2024, 5, 1))
    version = built(2024, dataset="snapshot")
    assert (version.rows, version.disagreements) == (1, "")


def test_imports_are_in_a_vintage_if_they_were_loaded_by_then() -> None:
    def load(lei: str, at: datetime) -> None:
        filed = sign(lei, {"income": "6"}, signed_at=LATE)
        lar = ModifiedLar.objects.get(submission=filed)
        PublicImport.objects.create(
            year=2023, source=lei, sha256=lei, rows=1, institutions=1, loan_amount=1,
            folder=lar.folder, loaded_at=at,
        )  # fmt: skip

    load(B, LAST)
    load(D, LATE)
    assert build_snapshot().institutions == 2  # no one had signed by then: all imports count
    sign(A, {"income": "1"}, signed_at=LAST)
    assert build_snapshot().institutions == 2
    assert build_snapshot().manifest["sources"]["imports"][0]["source"] == B


def test_a_freeze_day_that_is_not_over_refuses_the_build() -> None:
    sign_a_year()
    FreezeDay.objects.create(year=2023, dataset="snapshot", frozen_on=today())
    with pytest.raises(NotReady, match="frozen at the end of"):
        build_requests.plan_build(2023, "snapshot")
    FreezeDay.objects.update(frozen_on=today() - timedelta(days=1))
    assert build_snapshot().rows == 3
    assert not [each for each in build_requests.request_due_builds() if each.is_vintage]


def test_what_does_not_add_up_stops_publication_until_staff_name_a_reason() -> None:
    sign_a_year()
    sheet = Submission.objects.get(modified_lar__rows=2)
    sheet.transmittal_sheet["total_lines"] = 5
    sheet.save()
    version = build_snapshot()
    figures = reconciliation.read_reconciliation(version)
    assert figures is not None
    assert figures["records"]["Entries on transmittal sheets"] == 5
    assert figures["records"]["Records in the data set"] == 2
    assert figures["disagreementCount"] == 1
    assert {each["lei"] for each in figures["leftOut"]} == {B, C, D}
    with pytest.raises(NotReady, match="do not add up"):
        live_versions.publish_version(version, by=OLGA, reason=WHY)
    with pytest.raises(CommandError, match="do not add up"):
        call_command("publish", "2023", "--dataset", "snapshot")
    call_command(
        "publish", "2023", "--dataset", "snapshot", "--accept-disagreements", "They miscounted."
    )
    assert live().name == "2023-3"
    accepted = TrailEntry.objects.get(event="disagreements of a data set accepted")
    assert (accepted.about, accepted.reason) == ("2023-3", "They miscounted.")
    with pytest.raises(NotReady):
        reconciliation.accept_disagreements(Version.objects.get(number=3), by=OLGA, reason=WHY)


def test_a_vintage_that_is_built_again_is_a_correction(client: Client) -> None:
    sign_a_year()
    call_command("publish", "2023", "--dataset", "snapshot")
    with pytest.raises(CommandError, match="--reason"):
        call_command("publish", "2023", "--dataset", "snapshot")
    call_command("publish", "2023", "--dataset", "snapshot", "--reason", "Other loan limits.")
    correction = client.get("/v2/public/changes?type=correction").json()["changes"][0]
    assert correction["corrects"] == {
        "year": 2023, "dataset": "snapshot", "version": "2023-1", "report": "",
        "permanent": Version.objects.get(number=1).permanent_address,
    }  # fmt: skip
    assert correction["title"] == "2023 snapshot, version 2023-2 published"
    assert correction["href"] == Version.objects.get(number=2).page_address
    assert Change.objects.count() == 2
    (entry, _) = client.get("/v2/public/publications").json()["publications"]
    assert entry["dataset"] == "snapshot"
    assert "2023 snapshot, version 2023-2 published" in (
        client.get("/v2/public/publications.atom").content.decode()
    )
    assert client.get("/v2/public/publications/2023").json()["dataset"] == "snapshot"
