"""A file is validated by anyone: what is found in it, what is refused, and that nothing stays."""

from __future__ import annotations

from io import BytesIO

import pytest

from filing.demo.loading import load_demo_census
from filing.edits import catalogue, examples
from filing.edits.edit import EditKind, EditLevel, EditNeed
from filing.lar.years import Period
from publicapi import findings
from tests.filing.edits.cases import LEI
from tests.publicapi.uploads import (  # noqa: F401 -- fixtures
    AS_UTF_8,
    NO_NAME,
    NO_PART,
    NOT_TEXT,
    PUBLIC,
    TWO_PARTS,
    VALIDATE,
    WAY_OUT,
    YEAR,
    found,
    left_behind,
    names,
    of_the_file,
    part,
    refusal,
    register,
    sent,
)

pytestmark = pytest.mark.django_db

NOTHING = {"parserErrors": [], "validationErrors": []}
ONE_OF_EACH = {"loan_type": 9, "applicant_age": 1, "lei": "OTHER000000000000001"}


# --- what is found ------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["disclosure", "hmda"])
@pytest.mark.parametrize("period", ["2024", "2018", "2024-Q2", "2026-Q1"])
@pytest.mark.parametrize("end", ["", "/"])
def test_a_correct_file_gives_two_empty_lists(client, word, period, end):
    of = Period.parse(period)
    where = f"{of.year}/quarter/{of.quarter_name}" if of.quarter else f"{of.year}"
    address = f"{PUBLIC}/{word}/validate/{where}{end}"
    assert found(client, register({}, {}, period=of), address) == NOTHING


def test_each_row_with_findings_has_a_list_in_file_order_the_sheet_first(client):
    body = found(client, register({}, ONE_OF_EACH, {}, {"loan_amount": "-1"}, tax_id="12"))
    text = {edit.code: edit.text for edit in catalogue.list_edits(YEAR, level=EditLevel.LAR)}
    assert names(body) == [
        ["V607"],
        ["S301", "V611", "Q614-1", "Q648"],
        ["V617", "Q645-1"],
    ]
    assert body["validationErrors"][0][0]["uli"] == LEI
    assert body["validationErrors"][1][1] == {
        "uli": examples.numbered_uli(LEI, 1),
        "editName": "V611",
        "editDescription": text["V611"],
        "fields": {"Loan Type": "9"},
    }


def test_format_errors_stand_beside_the_edits_of_the_other_lines(client):
    broken = register({"loan_type": 9}, {}, tax_id="12") + b"\n2|only|three"
    body = found(client, broken.replace(b"20240115", b"2024-01-15"))
    assert names(body) == [["V607"], ["V611"]]
    wrong = {
        "fieldName": "Incorrect Number of LAR Fields",
        "inputValue": "3",
        "validValues": "110 Fields",
    }
    assert body["parserErrors"] == [
        {"rowNumber": 4, "estimatedULI": "three", "errorMessages": [wrong]}
    ]


def test_the_year_of_the_address_decides_and_not_that_of_the_file(client):
    body = found(client, register({}, period=Period(2023)))
    assert names(body) == [["S302"], ["V619-2"]]
    quarterly = found(client, register({}), f"{VALIDATE}/quarter/Q1")
    assert names(quarterly) == [["V718"]]


@pytest.mark.parametrize(
    ("check", "codes"),
    [
        ("all", ["S301", "V611", "Q614-1", "Q648"]),
        ("", ["S301", "V611", "Q614-1", "Q648"]),
        ("syntactical", ["S301"]),
        ("validity", ["V611"]),
        ("quality", ["Q614-1", "Q648"]),
    ],
)
def test_one_kind_can_be_checked_alone(client, check, codes):
    assert names(found(client, register(ONE_OF_EACH), f"{VALIDATE}?check={check}")) == [codes]


def test_format_errors_are_told_whatever_kind_is_checked(client):
    body = found(client, register({}) + b"\n2|x", f"{VALIDATE}?check=quality")
    assert len(body["parserErrors"]) == 1


def test_edits_of_the_whole_file_and_of_the_panel_are_left_out(client, institution):
    # A wrong number of entries, repeated loans, low incomes throughout, an exemption.
    low = {"income": "9", "uli": examples.numbered_uli(LEI, 1), "nmlsr_id": "Exempt"}
    assert names(found(client, register(low, low, total_lines=7))) == []
    needs = {EditNeed.INSTITUTION, EditNeed.OTHER_ROWS}
    left_out = [e for e in catalogue.EDITS if e.level is EditLevel.FILE or e.needs & needs]
    assert {"S303", "Q303", "S304", "S305", "S306", "Q600"} < {edit.code for edit in left_out}
    assert all(edit in left_out for edit in catalogue.EDITS if edit.kind is EditKind.MACRO)


def test_the_census_that_is_loaded_is_used(client):
    nowhere = register({"county": "06999", "census_tract": "NA"})
    assert names(found(client, nowhere)) == []
    load_demo_census(2024, by="test")
    assert names(found(client, nowhere)) == [["V626", "V716", "Q603"]]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(client, end):
    usual = register({}, ONE_OF_EACH, tax_id="12")
    other = b"\xef\xbb\xbf" + usual.replace(b"\n", end) + end
    assert found(client, other) == found(client, usual)


def test_a_long_answer_is_whole(client):
    body = found(client, register(*[{"loan_type": 9}] * 6_000))
    assert names(body) == [["V611"]] * 6_000


def test_more_findings_than_an_answer_lists_are_refused(client, monkeypatch):
    monkeypatch.setattr(findings, "MOST_FINDINGS", 2)
    wrong = {"loan_type": 9}
    assert len(found(client, register(wrong, wrong))["validationErrors"]) == 2
    status, message = refusal(sent(client, register(wrong, wrong, wrong)))
    assert status == 413
    assert "V611 (3)" in message


def test_more_formatting_errors_than_an_answer_lists_are_refused(client):
    status, message = refusal(sent(client, b"2\n" * 100_001))
    assert (status, "100,001 formatting errors" in message) == (413, True)


def test_an_empty_file_lacks_its_transmittal_sheet(client):
    wrong = {
        "fieldName": "Incorrect Number of TS Fields",
        "inputValue": "0",
        "validValues": "15 Fields",
    }
    error = {"rowNumber": 1, "estimatedULI": "Transmittal Sheet", "errorMessages": [wrong]}
    for content in (b"", b"\n\n"):
        assert found(client, content) == {"parserErrors": [error], "validationErrors": []}


@pytest.mark.parametrize("name", ["lar.txt", "LAR.TXT", "register", "lar.csv", "a b.xlsx"])
def test_any_file_name_will_do(client, name):
    answer = client.post(VALIDATE, {"file": part(register({}), name)})
    assert of_the_file(answer) == NOTHING


def test_nobody_is_asked_who_they_are(client):
    headers = {"Authorization": "Bearer x.y.z", "Origin": "https://bank.example"}
    answer = client.post(VALIDATE, {"file": part(register({}))}, headers=headers)
    assert of_the_file(answer) == NOTHING
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_any_page_may_ask(client):
    headers = {"Origin": "https://bank.example", "Access-Control-Request-Method": "POST"}
    answer = client.options(VALIDATE, headers=headers)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "POST" in answer["Access-Control-Allow-Methods"]


def test_an_answer_can_be_packed(client):
    answer = client.post(
        VALIDATE, {"file": part(register(ONE_OF_EACH))}, headers={"Accept-Encoding": "gzip"}
    )
    assert answer["Content-Encoding"] == "gzip"
    assert answer.getvalue()[:2] == b"\x1f\x8b"


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "which"),
    [
        ("2017", "year 2017"),
        ("2045", "year 2045"),
        ("02024", "year 02024"),
        ("9" * 5_000, "year " + "9" * 5_000),
        ("2019/quarter/Q1", "period 2019-Q1"),
        ("2017/quarter/Q3", "period 2017-Q3"),
    ],
)
def test_a_period_without_edits_is_refused(client, where, which):
    answer = sent(client, register({}), f"{PUBLIC}/disclosure/validate/{where}")
    message = f"The {which} is not available for validation"
    assert refusal(answer, f"/disclosure/validate/{where}") == (400, message)


@pytest.mark.parametrize(
    "where",
    [
        "20x4",
        "-2024",
        "2024/quarter/Q4",
        "2024/quarter/q1",
        "2024/quarter",
        "2024/quarter/Q1/x",
        "",
    ],
)
def test_an_address_of_another_shape_does_not_exist(client, where):
    path = f"/disclosure/validate/{where}"
    assert refusal(sent(client, register({}), f"{PUBLIC}{path}"), path)[0] == 404


def test_an_unknown_check_is_refused(client):
    assert refusal(sent(client, register({}), f"{VALIDATE}?check=macro")) == (
        400,
        "The check 'macro' is unknown; enter one of all, syntactical, validity, quality.",
    )


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_another_method_is_refused(client, method):
    answer = getattr(client, method)(VALIDATE)
    assert refusal(answer)[0] == 405
    assert set(answer["Allow"].split(", ")) == {"POST", "OPTIONS"}


@pytest.mark.parametrize(
    ("sending", "message"),
    [
        ({"data": {}}, NO_PART),
        ({"data": {"other": part(b"1|a")}}, NO_PART),
        ({"data": {"file": "1|a"}}, NO_NAME),
        ({"data": {"file": [part(b"1|a"), part(b"1|b")]}}, TWO_PARTS),
        ({"data": {"file": [part(b"1|a\0"), part(b"1|b")]}}, f"{NOT_TEXT} {WAY_OUT}"),
        ({"data": {"file": [part(b"1|a\0"), part(b""), part(b"1|c")]}}, f"{NOT_TEXT} {WAY_OUT}"),
        ({"data": b'{"file": "1|a"}', "content_type": "application/json"}, NO_PART),
        ({"data": b"1|a", "content_type": "text/plain"}, NO_PART),
        ({"data": b"file=1", "content_type": "application/x-www-form-urlencoded"}, NO_PART),
        ({"data": b"x", "content_type": "multipart/form-data"}, NO_PART),
        ({"data": b"x", "content_type": "multipart/form-data; boundary=b"}, NO_PART),
    ],
)
def test_what_is_not_one_part_named_file_is_refused(client, sending, message):
    assert refusal(client.post(VALIDATE, **sending)) == (400, message)


@pytest.mark.parametrize(
    "fields",
    [
        {"note": "x" * 3 * 1024**2},
        {f"note-{number}": "x" for number in range(1_500)},
        {f"file-{number}": part(b"x") for number in range(150)},
    ],
    ids=["long", "many", "many files"],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_form_of_too_many_other_things_is_refused(client, fields, first):
    file = {"file": part(register({}))}
    answer = client.post(VALIDATE, file | fields if first else fields | file)
    assert refusal(answer)[0] == 400


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1|Bank".encode("utf-16"), f"The file is text in UTF-16 or UTF-32. {AS_UTF_8}"),
        ("1|Bank".encode("utf-16-le"), f"The file is text in UTF-16. {AS_UTF_8}"),
        (b"1|a\n2|\0", f"Line 2 holds a NUL byte, text has none. {WAY_OUT}"),
        (b"PK\x03\x04", "The file is a zip archive. Unpack it and use the text file in it."),
    ],
)
def test_what_is_no_text_is_refused_with_the_way_out(client, content, message):
    assert refusal(sent(client, content)) == (
        400,
        f"Invalid file format: {message}",
    )


def test_text_in_another_encoding_is_refused_with_its_line(client):
    content = register({"city": "x"}, {"city": "\N{LATIN SMALL LETTER E WITH ACUTE}"})
    status, message = refusal(sent(client, content.decode().encode("latin-1")))
    assert status == 400
    assert "not UTF-8: byte" in message
    assert "of line 3 is" in message


@pytest.mark.parametrize("size", [1_001, 70_000, 200_000])
def test_a_file_over_the_limit_for_all_is_refused(client, settings, size):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    message = "The file is larger than 1000 bytes, the most taken here."
    assert refusal(sent(client, b"1" * size)) == (413, message)


def test_a_file_of_just_the_limit_is_taken(client, settings):
    content = register({})
    settings.PUBLIC_UPLOAD_LIMIT = len(content)
    assert found(client, content) == NOTHING


# --- what stays ---------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [0, 1, 2])
def test_nothing_stays_of_an_answer_that_is_not_read_to_its_end(client, left_behind, pieces):
    answer = sent(client, register(*[{"loan_type": 9}] * 200))
    reading = iter(answer.streaming_content)
    for _ in range(pieces):
        next(reading)
    assert left_behind() != []
    answer.close()
    assert left_behind() == []


def test_nothing_stays_of_an_upload_that_ends_early(client):
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n1|a'
    form = {"CONTENT_TYPE": "multipart/form-data; boundary=b", "CONTENT_LENGTH": "99999"}
    answer = client.generic("POST", VALIDATE, **form, **{"wsgi.input": BytesIO(body)})
    message = "The upload ended after about 3 of 99999 bytes. Upload the file again."
    assert refusal(answer) == (400, message)
