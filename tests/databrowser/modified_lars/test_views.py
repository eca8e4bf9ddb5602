"""Modified LAR files and the data dictionary, over HTTP: what anyone gets of a signed filing."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from databrowser.models import ModifiedLar
from databrowser.publication.columns import MODIFIED, PUBLIC
from filing import storage, submissions
from filing.access import Caller
from filing.edits import examples
from filing.lar.fields import LAR_BY_NAME
from filing.lar.years import Period
from filing.models import Submission
from tests.conftest import LEI
from tests.databrowser.filings import signed, work
from tests.errors import error_of

pytestmark = pytest.mark.django_db

LIST = "/v2/public/modifiedLAR"
FILE = f"/v2/public/modifiedLAR/2024/{LEI}"
OLDER = f"/file/modifiedLar/year/2024/institution/{LEI}"
# The correct loan of the examples, and one with other values, as the rules say by hand.
CHANGES: list[dict[str, str | int]] = [
    {},
    {
        "loan_amount": "117834.50",
        "property_value": "NA",
        "income": "NA",
        "applicant_age": 67,
        "debt_to_income_ratio": "35.9",
        "applicant_race_1": 21,
        "applicant_race_2": 5,
    },
]
FIRST = (
    f"2024|{LEI}|1|31|2|1|1|255000|1|CA|06037|06037123456"
    "|2|||||5|||||2|4|5|||||8|||||2|4|2|5|2|4|35-44|No|9999|NA|120|0|0.25|2|1|1|10|10||||3500.50"
    "|NA|1200|500|250|4.25|NA|36|80|360|NA|2|2|2|2|315000|3|5|1|NA|1|1|1|||||2|2|2"
)
SECOND = (
    f"2024|{LEI}|1|31|2|1|1|115000|1|CA|06037|06037123456"
    "|2|||||5|||||2|4|21|5||||8|||||2|4|2|5|2|4|65-74|Yes|9999|NA|NA|0|0.25|2|1|1|10|10||||3500.50"
    "|NA|1200|500|250|4.25|NA|30%-<36%|80|360|NA|2|2|2|2|NA|3|5|1|NA|1|1|1|||||2|2|2"
)


def content(*changes: dict[str, str | int]) -> bytes:
    period = Period(2024)
    loans = [
        examples.correct_loan(period, LEI, uli=examples.numbered_uli(LEI, number)) | change
        for number, change in enumerate(changes, 1)
    ]
    sheet = examples.correct_transmittal_sheet(period, LEI, len(loans))
    return "".join(f"{examples.write_record_line(record)}\n" for record in (sheet, *loans)).encode()


@pytest.fixture
def published(submission: Submission, filer: Caller, tmp_path: Any) -> Submission:
    storage.remove_folder(storage.name_folder(submission))  # of other tests
    made = signed(submission, content(*CHANGES), filer, tmp_path)
    work(made)
    return made


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def test_every_address_gives_the_rows_that_were_signed(published):
    rows = f"{FIRST}\n{SECOND}\n"  # in public order
    header = "|".join(MODIFIED.values()) + "\n"
    assert FIRST.count("|") == header.count("|")
    for address in (
        FILE,
        f"{FILE}/",
        f"{FILE}/txt",
        f"{OLDER}/txt",
        FILE.replace(LEI, LEI.lower()),
    ):
        assert text(Client().get(address)) == rows
    for address in (f"{FILE}/header", f"{FILE}/txt/header", f"{OLDER}/txt/header"):
        assert text(Client().get(address)) == header + rows
    for address in (f"{FILE}/csv", f"{OLDER}/csv"):
        assert text(Client().get(address)) == rows.replace("|", ",")
    for address in (f"{FILE}/csv/header", f"{OLDER}/csv/header/"):
        assert text(Client().get(address)) == (header + rows).replace("|", ",")


REFUSALS = [
    (f"/v2/public/modifiedLAR/2017/{LEI}", 400, "2017 is not available for dataset"),
    (f"/v2/public/modifiedLAR/02024/{LEI}", 400, "02024 is not available for dataset"),
    (
        f"/file/modifiedLar/year/soon/institution/{LEI}/csv",
        400,
        "soon is not available for dataset",
    ),
    (f"/v2/public/modifiedLAR/2023/{LEI}", 404, f"There is no modified LAR of {LEI} for 2023."),
    (
        f"{OLDER.replace(LEI, 'x')}/txt/header",
        404,
        "There is no modified LAR of x for 2024.",
    ),
    (f"{OLDER}/xlsx", 404, "There is nothing at this address."),
]


def test_what_is_not_there_is_refused_in_the_form_of_the_area(published):
    for address, status, message in REFUSALS:
        answer = Client().get(address)
        path = address.removeprefix("/v2/public").removeprefix("/file")
        assert answer.status_code == status
        assert error_of(answer) == {"httpStatus": status, "message": message, "path": path}
        assert Client().head(address).status_code == status


@pytest.mark.servers
def test_the_list_has_it_under_its_day_in_the_filing_time_zone(published):
    ModifiedLar.objects.update(made_at=datetime(2026, 3, 3, 2, tzinfo=UTC))  # the 2nd in New York
    entry = {"date": "2026-03-02", "year": 2024, "lei": LEI, "records": 2, "href": FILE}
    lists = {
        "": 1,
        "?date=2026-03-02": 1,
        "?date=2026-03-03": 0,
        "?since=2026-03-02&year=2024": 1,
        "?since=2026-03-03": 0,
        "?year=2023": 0,
    }
    for words, found in lists.items():
        answer = Client().get(f"{LIST}{words}")
        assert answer.json()["total"] == found, words
        for listed in answer.json()["modifiedLars"]:
            assert listed.pop("name") == published.filing.institution.name
            assert listed == entry
        page = Client().get(f"/data/modified-lars/{words}").content.decode()
        assert page.count(f"{FILE}/csv/header") == found
    tag = Client().get(LIST)["ETag"]
    assert Client().get(LIST, headers={"If-None-Match": tag}).status_code == 304


def test_a_list_of_no_day_or_year_is_refused_and_the_page_says_why():
    for words in ("date=soon", "since=2026-02-30", "year=2017", "page=x"):
        assert Client().get(f"{LIST}?{words}").status_code == 400
        page = Client().get(f"/data/modified-lars/?{words}")
        assert (page.status_code, b"usa-alert--error" in page.content) == (200, True)


def test_before_it_is_made_there_is_none_and_a_new_signature_replaces_it(
    submission, filer, tmp_path
):
    storage.remove_folder(storage.name_folder(submission))
    signed(submission, content(*CHANGES), filer, tmp_path)
    assert Client().get(FILE).status_code == 404
    work(submission)
    first = Client().get(FILE)
    assert text(first) == f"{FIRST}\n{SECOND}\n"
    second = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    storage.remove_folder(storage.name_folder(second))
    signed(second, content({}), filer, tmp_path)
    before = Client().get(FILE)  # until the new one is made
    assert before["ETag"] == first["ETag"]
    text(before)
    work(second)
    after = Client().get(FILE, headers={"If-None-Match": first["ETag"]})
    assert text(after) == f"{FIRST}\n"


def test_the_dictionary_tells_of_every_column():
    columns = Client().get("/v2/public/modifiedLAR/dictionary").json()["columns"]
    assert [each["name"] for each in columns] == [column.name for column in PUBLIC]
    by_name = {each["name"]: each for each in columns}
    assert by_name["open_end_line_of_credit"] == {
        "number": [column.name for column in PUBLIC].index("open_end_line_of_credit") + 1,
        "name": "open_end_line_of_credit",
        "browserName": "open-end_line_of_credit",
        "modifiedLarName": "open_end_line_of_credit",
        "field": LAR_BY_NAME["open_end_line_of_credit"].label,
        "published": "as filed: 1, 2, 1111",
    }
    assert by_name["derived_sex"]["modifiedLarName"] == by_name["derived_sex"]["field"] == ""
    assert "`Joint`" in by_name["derived_sex"]["published"]
    assert all(each["published"] for each in columns)
    answer = Client().get("/v2/public/modifiedLAR/dictionary/csv")
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert lines == [{key: str(value) for key, value in each.items()} for each in columns]
