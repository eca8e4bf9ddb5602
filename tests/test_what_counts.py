"""What counts as filed: every area is asked, over HTTP, and all have one answer."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.identity import tokens
from databrowser.publication.builds import intake
from databrowser.publication.builds import sources as sources_of_builds
from filing import submissions
from filing.access import Caller
from filing.errors import Conflict
from filing.lar.years import Period
from filing.models import Filing, Signature, Submission
from filing.statuses import FilingStatus
from graphs import computing
from tests.conftest import LEI
from tests.databrowser.builds import built
from tests.databrowser.filings import signed, work
from tests.databrowser.modified_lars.test_views import content
from tests.errors import error_of
from tests.filing.pages.steps import FILING, member, signed_in

pytestmark = pytest.mark.django_db

RECORDS = {9: 2, 11: 3}  # in the file of each submission
API = f"/v2/filing/institutions/{LEI}/filings/2024"


@pytest.fixture
def program() -> Client:
    claims = tokens.identity_claims("ann", username="ann", email="ann@bank.example", leis=[LEI])
    return Client(headers={"Authorization": f"Bearer {tokens.issue_token(claims, seconds=600)}"})


def filed(filing: Filing, number: int, by: Caller, folder: Path) -> Submission:
    """Return a signed submission, renumbered after it was signed, and its modified LAR."""
    submission = submissions.create_submission(lei=LEI, period=Period(2024), by=by)
    loans: list[dict[str, str | int]] = [{}] * RECORDS[number]
    made = signed(submission, content(*loans), by, folder)
    work(made)
    Submission.objects.filter(pk=made.pk).update(sequence_number=number)
    return made


@pytest.fixture
def eleven_last(filing: Filing, filer: Caller, tmp_path: Path) -> int:
    """11 was signed after 9; return the number of what counts."""
    filed(filing, 9, filer, tmp_path)
    filed(filing, 11, filer, tmp_path)
    return 11


@pytest.fixture
def nine_last(filing: Filing, filer: Caller, tmp_path: Path) -> int:
    """9 was signed after 11, which an earlier release allowed; return the number of what counts."""
    filed(filing, 11, filer, tmp_path)
    filed(filing, 9, filer, tmp_path)
    return 9


def number_of(records: int) -> int:
    return next(number for number, own in RECORDS.items() if own == records)


def answers(program: Client) -> dict[str, int | None]:
    """Return the number of what counts by area, as each area has it; none where nothing does."""
    anyone, found = Client(), dict[str, int | None]()
    receipts = dict(Signature.objects.values_list("submission__sequence_number", "receipt"))
    found["API"] = _only(
        number
        for number in receipts
        if "replacedBy" not in program.get(f"{API}/submissions/{number}").json()
    )
    found["receipts"] = _only(
        number
        for number, receipt in receipts.items()
        if anyone.get(f"/v2/public/receipts/{receipt}").json()["replacedBy"] is None
    )
    page = signed_in(member("ann", LEI)).get(FILING).content.decode()
    [receipt] = re.findall(r'Receipt: <a class="site-id" href="[^"]*">(.*?)</a>', page)
    found["filing page"] = _only(n for n, own in receipts.items() if own in receipt)
    lar = anyone.get(f"/v2/public/modifiedLAR/2024/{LEI}")
    found["modified LAR"] = number_of(len(b"".join(lar.streaming_content).splitlines()))
    downloads = anyone.get("/data/downloads/", {"find": LEI}, follow=True)
    [listed] = downloads.context["modified_lars"]
    found["list of modified LARs"] = listed.submission.sequence_number
    found["data set"] = number_of(built(2024).rows)
    [source] = computing.find_sources().files
    graph = Submission.objects.get(pk=source.mark.split()[0])
    found["graphs"] = graph.sequence_number
    counts = anyone.get("/v2/public/institutions/quarterly/2025/lars/past/1").json()
    found["record counts"] = number_of(counts["yearly"][0]["count"])
    desk = signed_in(User.objects.create_superuser("olga", "olga@agency.example"))
    for number in receipts:
        key = Submission.objects.get(sequence_number=number).pk
        page = desk.get(reverse("admin:filing_submission_change", args=[key])).content.decode()
        [mark] = re.findall(r'2024-([0-9]+)[^<]*(?:</a>)? <strong class="counts">', page)
        found[f"help desk, page of {number}"] = int(mark)
    rows = desk.get(reverse("admin:filing_submission_changelist")).context["cl"].result_list
    found["help desk, list"] = _only(row.sequence_number for row in rows if not row.remark)
    (group,) = (
        group
        for group in desk.get(reverse("admin:filing_submission_find"), {"q": LEI}).context["groups"]
        if group.title == "Submissions"
    )
    found["help desk, search"] = _only(
        row.link.label.rpartition("-")[2] for row in group.rows if "; replaced." not in row.about
    )
    filing = reverse("admin:filing_filing_change", args=[Filing.objects.get().pk])
    of_filing = re.findall(r"<p>([0-9]+)</p>.*?<p>15 ([^<]*)</p>", desk.get(filing).text, re.DOTALL)
    found["help desk, filing"] = _only(n for n, words in of_filing if "; replaced." not in words)
    file = b"".join(desk.get(reverse("admin:filing_submission_export_csv")).streaming_content)
    exported = csv.DictReader(io.StringIO(file.decode("utf-8-sig")))
    found["help desk, export"] = _only(
        row["Number"] for row in exported if not row["Replaced or discarded"]
    )
    return found


def _only(numbers: Any) -> int | None:
    [number] = numbers
    return int(number)


def test_every_area_answers_with_what_was_signed_last(eleven_last: int, program: Client) -> None:
    assert {*answers(program).values()} == {eleven_last}


def test_a_filing_of_before_follows_its_last_signature(nine_last: int, program: Client) -> None:
    assert {*answers(program).values()} == {nine_last}


def test_an_earlier_submission_can_no_longer_be_signed(
    filing: Filing, filer: Caller, tmp_path: Path, program: Client
) -> None:
    filed(filing, 11, filer, tmp_path)
    nine = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    Submission.objects.filter(pk=nine.pk).update(sequence_number=9)
    nine.refresh_from_db()
    with pytest.raises(Conflict):
        signed(nine, content({}, {}), filer, tmp_path)
    answer = program.post(
        f"{API}/submissions/9/sign", {"signed": True}, content_type="application/json"
    )
    assert answer.status_code == 409
    assert f"{LEI}-2024-11" in error_of(answer)["message"]
    assert Signature.objects.count() == 1


def test_a_cancelled_filing_is_left_out_everywhere(eleven_last: int) -> None:
    Filing.objects.update(status=FilingStatus.CANCELLED)
    anyone = Client()
    assert anyone.get(f"/v2/public/modifiedLAR/2024/{LEI}").status_code == 404
    downloads = anyone.get("/data/downloads/", {"find": LEI}, follow=True)
    assert downloads.context["modified_lars"] == []
    assert computing.find_sources().files == ()
    counts = anyone.get("/v2/public/institutions/quarterly/2025/lars/past/1").json()
    assert counts["yearly"] == [{"year": "2024", "count": 0}]
    assert sources_of_builds.read_sources(2024).is_empty
    assert (intake.read_intake(2024).submissions, intake.read_intake(2024).cancelled) == (0, 2)
