"""The Institution Register Summary: its figures, who reads it, and which submission it is of."""

from __future__ import annotations

import csv
import hashlib
import io
import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from config.identity import tokens
from databrowser.models import ModifiedLar
from databrowser.publication.modified_lars import lar_requests
from filing import storage, submissions
from filing.access import ROLES, Caller
from filing.edits import examples
from filing.lar.years import Period
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    Job,
    Membership,
    Signature,
    Submission,
)
from filing.reference.census import list_census_columns
from filing.reference.listing import format_list_header
from filing.reference_data import registry
from filing.statuses import Status
from tests.conftest import LEI
from tests.databrowser.filings import work
from tests.errors import error_of

pytestmark = pytest.mark.django_db

JSON = f"/v2/public/reports/2024/disclosure/{LEI}/nationwide/IRS"
CSV, FILE = f"{JSON}/csv", f"/file/reports/irs/year/2024/institution/{LEI}"
PAGE = f"/data/reports/2024/disclosure/{LEI}/nationwide/IRS/"
# Of each tract its MSA/MD; the county of the second has it as well.
CENSUS = (
    ("19124", "48", "085", "031101", "Dallas-Plano-Irving, TX"),
    ("23104", "48", "439", "100102", "Fort Worth-Arlington-Grapevine, TX"),
    ("99999", "48", "379", "950100", ""),
)
PLACES = {
    "19124": {"state": "TX", "county": "48085", "census_tract": "48085031101"},
    "23104": {"state": "TX", "county": "48439", "census_tract": "NA"},
    "99999": {"state": "TX", "county": "48379", "census_tract": "48379950100"},
    "0": {"state": "NA", "county": "NA", "census_tract": "NA"},
}
FILED = [
    "19124,1,1,1,1,1,110500",
    "19124,1,2,1,1,4,119999.99",
    "19124,6,3,31,1,1,250000",
    "19124,3,1,32,2,1,9999",
    "19124,7,1,1,1,1,0",
    "23104,1,4,2,2,5,1204000",
    "23104,5,1,4,1,1,85000",
    "23104,8,1,5,1,24,3000000",
    "99999,1,1,1,1,1,180000",
    "99999,2,2,2,1,2,60000",
    "0,1,1,31,1,1,345000",
    "0,6,1,5,1,1,10000",
]
SUMMARY = """\
MSA/MD, MSA/MD Name, Total Lars, Total Amount ($000's), CONV, FHA, VA, FSA, Site Built, Manufactured, 1-4 units, 5+ units, Home Purchase, Home Improvement, Refinancing, Cash-out Refinancing, Other Purpose, Purpose N/A
19124,"Dallas-Plano-Irving, TX", 5, 495, 3, 1, 1, 0, 4, 1, 5, 0, 3, 0, 1, 1, 0, 0
23104,"Fort Worth-Arlington-Grapevine, TX", 3, 4295, 2, 0, 0, 1, 2, 1, 1, 2, 0, 1, 0, 0, 1, 1
99999,"MSA/MD NOT AVAILABLE", 2, 250, 1, 1, 0, 0, 2, 0, 2, 0, 1, 1, 0, 0, 0, 0
-----,"MSA/MD NOT AVAILABLE", 2, 360, 2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 1, 0, 0, 1
Totals,, 12, 5400, 8, 2, 1, 1, 10, 2, 10, 2, 4, 2, 2, 1, 1, 2
"""  # noqa: E501


@pytest.fixture(autouse=True)
def _census(db: None) -> None:
    cells = ("80000", "4000", "20.0", "900", "1000", "80000", "100.00", "30", "T")
    lines = ["|".join(["2024", *place[:4], *cells, place[4]]) for place in CENSUS]
    text = format_list_header(list_census_columns(2024)) + "\n".join(lines) + "\n"
    registry.load_file("census", 2024, text.encode(), source="census.txt", by="test")


ANNUAL = Period(2024)


def file_of(lines: list[str], period: Period = ANNUAL) -> bytes:
    names = ("action_taken", "loan_type", "loan_purpose", "construction_method", "total_units")
    records = [examples.correct_transmittal_sheet(period, LEI, len(lines))]
    for number, line in enumerate(lines, 1):
        place, *codes, amount = line.split(",")
        loan = examples.correct_loan(period, LEI, uli=examples.numbered_uli(LEI, number))
        loan |= PLACES[place] | dict(zip(names, codes, strict=True)) | {"loan_amount": amount}
        records.append(loan)
    return "".join(f"{examples.write_record_line(record)}\n" for record in records).encode()


def sign(submission: Submission, content: bytes) -> Submission:
    """Let a file be the signed one, which no filer could sign: edits refuse an amount of 0."""
    storage.remove_folder(storage.name_folder(submission))  # of other tests
    path = default_storage.save(f"{storage.name_folder(submission)}/raw", ContentFile(content))
    digest = hashlib.sha256(content).hexdigest()
    Submission.objects.filter(pk=submission.pk).update(
        status=Status.SIGNED, raw_file=path, sha256=digest, lines=content.count(b"\n")
    )
    Signature.objects.create(
        submission=submission,
        receipt=f"{submission}-1741000999000",
        signed_at=timezone.now(),
        signer_id="1",
        sha256=digest,
    )
    submission.refresh_from_db()
    lar_requests.request_lar(submission)
    return submission


@pytest.fixture
def prepared(submission: Submission) -> Submission:
    work(sign(submission, file_of(FILED)))
    return submission


def program(role: str = "", lei: str = "") -> Client:
    claims = tokens.identity_claims("sub-1", username="kim", roles=[role], leis=[lei])
    token = tokens.issue_token(claims, seconds=60)
    return Client(headers={"authorization": f"Bearer {token}"})


def test_all_records_count_by_the_census_of_the_year(prepared, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    for address in (CSV, FILE, FILE.replace(LEI, LEI.lower()), f"{PAGE}?format=csv"):
        answer = Client().get(address)
        assert answer.content.decode() == SUMMARY
        assert answer["Content-Type"] == "text/csv; charset=UTF-8"
        name = f'attachment; filename="2024-{LEI}-nationwide-irs.csv"'
        assert answer["Content-Disposition"] == name


def test_the_json_has_the_same_figures(prepared, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    body = Client().get(JSON).json()
    lines = list(csv.reader(io.StringIO(SUMMARY), skipinitialspace=True))
    rows = [[str(value) for value in row.values()] for row in body["msas"]]
    assert rows == lines[1:-1]
    assert list(map(str, body["total"].values())) == lines[-1][2:]
    assert list(body["msas"][0])[2:] == list(body["total"])
    assert re.fullmatch(r"\d\d/\d\d/\d{4} \d\d:\d\d [AP]M", body.pop("reportDate"))
    assert {name: body[name] for name in list(body)[:6]} == {
        "lei": LEI,
        "institutionName": "Test Bank",
        "table": "IRS",
        "type": "Disclosure",
        "year": 2024,
        "period": "2024",
    }


def test_the_page_has_a_line_for_each_msa_md_and_the_total(prepared, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    page = Client().get(PAGE).content.decode()
    assert page.count('<th scope="row" class="site-unbroken">') == 4
    assert "TOTAL" in page
    assert "5,400" in page


def test_amounts_are_exact_however_large(submission, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    amounts = ("1e16", "123456789012345678901", "1e60", "19999.9999999999999999999")
    work(sign(submission, file_of([f"19124,1,1,1,1,1,{amount}" for amount in amounts])))
    exact = sum(10 * (int(whole) // 10_000) + 5 for whole in (10**16, 123456789012345678901))
    assert Client().get(JSON).json()["total"]["totalAmount"] == exact + 10**57 + 5 + 15


def test_without_a_census_no_msa_md_is_known(submission, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    registry.find_active_file("census", 2024).delete()
    work(sign(submission, file_of(FILED)))
    assert [row["id"] for row in Client().get(JSON).json()["msas"]] == ["-----"]


def test_a_year_that_is_not_public_is_for_the_lei_and_for_staff(prepared):
    staff = [role.token_role for role in ROLES if role.reads_all]
    readers = [program(lei=LEI), *map(program, staff)]
    for address in (JSON, CSV, FILE):
        assert Client().get(address).status_code == 401
        answer = program(lei="529900OTHERBANK00017").get(address)
        assert (answer.status_code, error_of(answer)["path"]) == (403, "")
        assert program("hmda-filer").get(address).status_code == 403
        for reader in readers:
            answer = reader.get(address)
            assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")
        bad = Client(headers={"authorization": "Bearer x"}).get(address)
        assert bad.status_code == 401


def test_the_page_of_a_year_that_is_not_public_is_for_those_who_may_read_it(prepared):
    client = Client()
    assert client.get(PAGE).status_code == 302
    user = User.objects.create(username="ann")
    client.force_login(user)
    assert client.get(PAGE).status_code == 403
    assert client.get(f"{PAGE}?format=csv").status_code == 403
    Membership.objects.create(user=user, lei=LEI)
    page = client.get(PAGE)
    assert (page.status_code, page["Cache-Control"]) == (200, "no-cache, private")
    assert client.get(f"{PAGE}?format=csv").content.decode() == SUMMARY
    desk = User.objects.create(username="dora", is_staff=True)
    desk.groups.set(Group.objects.filter(name="help desk"))
    client.force_login(desk)
    assert client.get(PAGE).status_code == 200


def test_only_some_years_are_public(prepared, settings):
    settings.IRS_PUBLIC_YEARS = (2023,)
    assert Client().get(FILE).status_code == 401
    assert Client().get(FILE.replace("2024", "2023")).status_code == 404


def test_until_the_job_is_done_it_is_in_preparation_and_after_a_failed_one_there_is_none(
    submission, settings
):
    settings.IRS_PUBLIC_YEARS = (2024,)
    sign(submission, file_of(FILED))
    for address in (JSON, CSV, FILE, PAGE):
        answer = Client().get(address)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    Job.objects.filter(modified_lars__submission=submission).update(state=Job.State.FAILED)
    assert Client().get(FILE).status_code == 404


def test_one_prepared_by_an_earlier_release_is_in_preparation(prepared, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    ModifiedLar.objects.update(register_summary=None, revision=1)  # as the upgrade finds it
    assert Client().get(FILE).status_code == 503
    assert lar_requests.renew_outdated_lars() == 1
    work(prepared)
    assert Client().get(FILE).content.decode() == SUMMARY


def test_a_quarterly_filing_has_one_of_its_own(filing: Filing, filer: Caller, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    days = {"opens": filing.period.opens, "closes": filing.period.closes}
    quarter = FilingPeriod.objects.create(
        year=2024, quarter="Q1", timely_until=filing.period.timely_until, **days
    )
    Filing.objects.create(institution=filing.institution, period=quarter)
    made = submissions.create_submission(lei=LEI, period=Period(2024, 1), by=filer)
    work(sign(made, file_of(FILED, Period(2024, 1))))
    answer = Client().get(FILE.replace("2024", "2024-Q1"))
    assert answer.content.decode() == SUMMARY
    assert f'"2024-Q1-{LEI}-nationwide-irs.csv"' in answer["Content-Disposition"]
    body = Client().get(JSON.replace("2024", "2024-Q1")).json()
    assert (body["year"], body["period"]) == (2024, "2024-Q1")
    assert Client().get(FILE).status_code == 404  # of the year
    ModifiedLar.objects.update(revision=1)
    assert lar_requests.renew_outdated_lars() == 1


def test_the_one_of_a_test_institution_is_never_public(prepared, settings):
    settings.IRS_PUBLIC_YEARS = (2024,)
    Institution.objects.update(is_test=True)
    assert Client().get(FILE).status_code == 404
    assert program(lei=LEI).get(FILE).status_code == 200
