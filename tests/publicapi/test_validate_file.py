"""A file is validated by anyone: what is found in it, what is refused, and that nothing stays."""

from __future__ import annotations

from io import BytesIO

import pytest

from filing.edits import catalogue, examples
from filing.edits.edit import EditKind, EditLevel, EditNeed
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


def test_edits_of_the_whole_file_and_of_the_panel_are_left_out(client, institution):
    # A wrong number of entries, repeated loans, low incomes throughout, an exemption.
    low = {"income": "9", "uli": examples.numbered_uli(LEI, 1), "nmlsr_id": "Exempt"}
    assert names(found(client, register(low, low, total_lines=7))) == []
    needs = {EditNeed.INSTITUTION, EditNeed.OTHER_ROWS}
    left_out = [e for e in catalogue.EDITS if e.level is EditLevel.FILE or e.needs & needs]
    assert {"S303", "Q303", "S304", "S305", "S306", "Q600"} < {edit.code for edit in left_out}
    assert all(edit in left_out for edit in catalogue.EDITS if edit.kind is EditKind.MACRO)


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


def test_nobody_is_asked_who_they_are(client):
    headers = {"Authorization": "Bearer x.y.z", "Origin": "https://bank.example"}
    answer = client.post(VALIDATE, {"file": part(register({}))}, headers=headers)
    assert of_the_file(answer) == NOTHING
    assert answer["Access-Control-Allow-Origin"] == "*"


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


@pytest.mark.parametrize("size", [1_001, 200_000])
def test_a_file_over_the_limit_for_all_is_refused(client, settings, size):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    message = "The file is larger than 1000 bytes, the most taken here."
    assert refusal(sent(client, b"1" * size)) == (413, message)


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
