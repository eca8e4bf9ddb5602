"""Literal messages and empty values that programs match, asked of the addresses themselves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config.identity import tokens
from filing import day_hours, submissions
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod, Institution, Submission
from tests.conftest import LEI

OTHER = "529900TESTBANK000099"

pytestmark = pytest.mark.django_db

API = "/v2/filing"
F = f"/institutions/{LEI}/filings/2024"
S1, S9 = f"{LEI}-2024-1", f"{LEI}-2024-9"
CLOSED = "The provided year or quarter is no longer available for filing"
INVALID = "Invalid file format"
MANY = "9" * 20  # more than the database counts
EMPTY_PAGE = {"first": "?page=1", "prev": "?page=1", "next": "?page=0", "last": "?page=0"}

Call = Callable[..., Any]


@pytest.fixture
def call() -> Call:
    """Call an address of the filing API as a filer of the institution; return the answer."""
    claims = tokens.identity_claims("ann", username="ann", email="ann@bank.example", leis=[LEI])
    client = Client(headers={"Authorization": f"Bearer {tokens.issue_token(claims, seconds=600)}"})

    def answer(
        method: str, path: str, body: str = "", file: Any = None, kind: str = "application/json"
    ) -> Any:
        if file is not None:
            return client.post(API + path, {"file": SimpleUploadedFile(*file)})
        return client.generic(method, API + path, body, content_type=kind)

    return answer


def check(answer: Any, status: int, message: str, path: str, **more: str) -> None:
    """Compare the whole body of a refusal, but for the id of its request."""
    body = answer.json()
    assert body.pop("requestId") == answer["X-Request-ID"]
    expected = {"httpStatus": status, "message": message, "path": path}
    if "detail" in body and "detail" not in more:
        more["detail"] = body["detail"]
        assert body["detail"][0].isupper()
        assert body["detail"].endswith(".")
    assert body == {**expected, **more}
    assert answer.status_code == status
    assert answer["Cache-Control"] == "no-cache"


REFUSALS = [
    ("POST", F, "", 400, f"Filing {LEI}-2024 already exists"),
    ("POST", f"{F}/submissions/9/sign", '{"signed": true}', 400,
     f"Submission {S9} is not ready to be signed"),
    ("POST", f"{F}/submissions/1/sign", '{"signed": true}', 400,
     f"Submission {S1} is not ready to be signed"),
    ("POST", f"{F}/submissions/1/edits/quality", '{"verified": true}', 400,
     f"Submission {S1} is not ready to be verified"),
    ("POST", f"{F}/submissions/9/edits/macro", '{"verified": true}', 400,
     f"submission with ID: {S9} does not exist"),
    ("GET", f"{F}/submissions/9/sign", "", 400, f"submission with ID: {S9} does not exist"),
    ("GET", f"{F}/submissions/9/parseErrors", "", 400, f"submission with ID: {S9} does not exist"),
    ("GET", f"{F}/submissions/9/edits", "", 404, f"submission with ID: {S9} does not exist"),
    ("GET", f"{F}/submissions/9/edits/Q600", "", 404, f"submission with ID: {S9} does not exist"),
    ("GET", f"{F}/submissions/9/summary", "", 404, f"Submission {S9} not available"),
    ("GET", f"{F}/submissions/1/summary", "", 404, "Transmittal Sheet not found"),
    ("POST", f"/institutions/{LEI}/filings/2019", "", 400, CLOSED),
    ("POST", f"/institutions/{LEI}/filings/1990/submissions", "", 400, CLOSED),
    ("POST", f"/institutions/{LEI}/filings/{MANY}", "", 400, CLOSED),
    ("GET", f"{F}/submissions/{MANY}", "", 404,
     f"submission with ID: {LEI}-2024-{MANY} does not exist"),
    ("POST", f"{F}/submissions/{MANY}/sign", '{"signed": true}', 400,
     f"Submission {LEI}-2024-{MANY} is not ready to be signed"),
    ("GET", f"/institutions/{LEI}/filings/2023", "", 400,
     f"institution with ID: {LEI} does not exist"),
    ("GET", f"/institutions/{LEI}/filings/2023/quarter/Q1", "", 400, "institution does not exist"),
    ("GET", f"/institutions/{LEI}/year/2023", "", 404, f"Institution: {LEI} does not exist"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "status", "message"), REFUSALS)
def test_refusals_of_the_filing_api(call, submission, method, path, body, status, message):
    check(call(method, path, body), status, message, path)


def test_refusals_of_an_institution_without_a_filing(call, institution, open_period):
    message = f"Filing for institution: {LEI} and period: 2024 does not exist"
    check(call("GET", F), 404, message, F)
    check(call("POST", f"{F}/submissions"), 400, "filing with ID: 2024 does not exist",
          f"{F}/submissions")  # fmt: skip
    Institution.objects.update(quarterly_filer=False)
    quarter = f"{F}/quarter/Q1"
    check(
        call("POST", quarter), 403, "Institution is not permitted to do quarterly filing", quarter
    )


def test_a_closed_period_says_the_sentence_alone_and_the_day_beside_it(call, submission):
    yesterday = day_hours.today() - timedelta(days=1)
    FilingPeriod.objects.update(timely_until=yesterday, closes=yesterday)
    detail = f"The filing period 2024 closed on {day_hours.day_in_words(yesterday)}."
    for path in (f"{F}/submissions", f"{F}/submissions/1"):
        file = ("lar.txt", b"1|") if path.endswith("/1") else None
        check(call("POST", path, file=file), 400, CLOSED, path, detail=detail)
    Submission.objects.update(status=14)
    sign = f"{F}/submissions/1/sign"
    check(call("POST", sign, '{"signed": true}'), 400, CLOSED, sign, detail=detail)
    for path in ("", "/submissions", "/submissions/latest", "/submissions/1/edits",
                 "/submissions/1/edits/Q611", "/submissions/1/parseErrors"):  # fmt: skip
        assert call("GET", f"{F}{path}").status_code == 200
    FilingPeriod.objects.update(
        opens=date(2099, 1, 1), timely_until=date(2099, 2, 1), closes=date(2099, 3, 1)
    )
    detail = "The filing period 2024 opens on January 1, 2099."
    check(call("POST", f"{F}/submissions"), 400, CLOSED, f"{F}/submissions", detail=detail)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("lar.csv", b"1|x", 'the name "lar.csv" does not end in .txt'),
        ("lar", b"1|x", 'the name "lar" does not end in .txt'),
        ("lar.txt", b"", "the file is empty"),
        ("lar.xls", b"\xd0\xcf\x11\xe0", "Save it as UTF-8 text (.txt) with a pipe (|)"),
        ("lar.txt", b"PK\x03\x04rest", "zip archive"),
        ("lar.txt", "1|Bank".encode("utf-16"), "UTF-16"),
        ("lar.txt", b"1|a\n2|b\n2|c\0d\n", "line 3"),
    ],
)
def test_a_file_that_is_none_says_the_sentence_alone_and_the_reason_beside_it(
    call, submission, name, content, reason
):
    path = f"{F}/submissions/1"
    answer = call("POST", path, file=(name, content))
    check(answer, 400, INVALID, path)
    assert reason.lower() in answer.json()["detail"].lower()
    assert call("POST", path, file=("lar.txt", b"1|x")).status_code == 202


BOUNDARY = "multipart/form-data; boundary=x"
PART = '--x\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n1|x\r\n'
NAMED = '; filename="lar.txt"'


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"file": "1|x"}', "application/json"),
        ("1|x", "text/plain"),
        (PART.format("other", NAMED) + "--x--", BOUNDARY),
        (PART.format("file", "") + PART.format("other", NAMED) + "--x--", BOUNDARY),
        (PART.format("file", NAMED) * 2 + "--x--", BOUNDARY),
        ("--x\r\nnonsense", "multipart/form-data"),
        ("", "application/octet-stream"),
    ],
)
def test_a_body_without_exactly_one_file_is_refused(call, submission, body, kind):
    path = f"{F}/submissions/1"
    assert call("POST", path, body, kind=kind).status_code == 400
    assert call("GET", path).json()["status"]["code"] == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        *((body, "application/json") for body in ("", "{", "{}", "[]", '"true"')),
        ('{"verified": "true", "signed": "true"}', "application/json"),
        ('{"verified": 1, "signed": 1}', "application/json"),
        ('{"verified": null, "signed": null}', "application/json"),
        ("verified=true", "text/plain"),
    ],
)
def test_a_body_that_says_neither_true_nor_false_is_refused(call, submission, body, kind):
    Submission.objects.update(status=14)
    for path in ("edits/quality", "edits/macro", "sign"):
        answer = call("POST", f"{F}/submissions/1/{path}", body, kind=kind)
        assert answer.status_code == 400, path
    assert call("GET", f"{F}/submissions/1").json()["status"]["code"] == 14


def test_methods_and_slashes(call, submission):
    refused = call("DELETE", f"{F}/submissions")
    assert refused.status_code == 405
    assert {"GET", "POST"} <= set(refused["Allow"].replace(" ", "").split(","))
    assert call("GET", f"{F}/").json()["filing"] == call("GET", F).json()["filing"]
    head = call("HEAD", F)
    assert (head.status_code, head.content) == (200, b"")


def test_a_second_upload_and_one_to_no_submission(call, submission):
    file = ("lar.txt", b"1|a")
    uploaded = call("POST", f"{F}/submissions/1", file=file)
    assert uploaded.status_code == 202
    assert uploaded.json()["status"]["code"] == 3
    assert uploaded.json()["fileName"] == uploaded.json()["receipt"] == ""
    assert uploaded.json()["end"] == 0
    assert call("GET", f"{F}/submissions/latest").json()["fileName"] == "lar.txt"
    for name, number in ((S1, 1), (S9, 9)):
        path = f"{F}/submissions/{number}"
        message = f"Submission {name} not available for upload"
        check(call("POST", path, file=file), 400, message, path)


def test_the_sign_that_the_service_runs(client):
    answer = client.get(f"{API}/")
    assert answer["Cache-Control"] == "no-cache"
    assert list(answer.json()) == ["status", "service", "time", "host"]
    assert (answer.json()["status"], answer.json()["service"]) == ("OK", "hmda-filing-api")


def test_a_signature_that_is_false(call, submission):
    Submission.objects.update(status=14)
    path = f"{F}/submissions/1/sign"
    check(call("POST", path, '{"signed": false}'), 400, "Illegal argument: signed = false", path)


# --- empty values -------------------------------------------------------------------------------


def test_a_new_filing_and_submission(call, institution, open_period):
    made = call("POST", F)
    filing = made.json()["filing"]
    assert made.status_code == 200
    assert made.json()["submissions"] == []
    assert (filing["period"], filing["lei"], filing["end"]) == ("2024", LEI, 0)
    assert filing["status"] == {"code": 2, "message": "in-progress"}
    assert filing["filingRequired"] is True
    empty = call("GET", F).json()
    assert (empty["count"], empty["total"], empty["submissions"]) == (0, 0, [])
    assert empty["_links"] == {"href": f"{F}{{rel}}", "self": "?page=1", **EMPTY_PAGE}
    whole = call("GET", f"{F}?page=0").json()
    assert set(whole) == {"filing", "submissions"}
    submission = call("POST", f"{F}/submissions")
    assert submission.status_code == 201
    body = submission.json()
    assert (body["end"], body["fileName"], body["receipt"]) == (0, "", "")
    assert body["status"]["message"] == "No data has been uploaded yet."
    assert call("GET", f"{F}?page=7").json()["submissions"] == []
    assert call("GET", f"{F}?page=7").json()["_links"]["self"] == "?page=7"
    assert call("GET", f"{F}?page=x").status_code == 400


def test_lists_and_receipt_of_a_submission_without_a_file(call, submission):
    at = f"{F}/submissions/1"
    errors = call("GET", f"{at}/parseErrors").json()
    assert (errors["transmittalSheetErrors"], errors["larErrors"]) == ([], [])
    assert (errors["count"], errors["total"], errors["status"]["code"]) == (0, 0, 1)
    edits = call("GET", f"{at}/edits").json()
    assert (edits["syntactical"]["edits"], edits["validity"]["edits"]) == ([], [])
    assert edits["quality"] == edits["macro"] == {"edits": [], "verified": False}
    one = call("GET", f"{at}/edits/Q600").json()
    assert (one["edit"], one["rows"], one["count"], one["total"]) == ("Q600", [], 0, 0)
    assert one["_links"] == {"href": f"{at}/edits/Q600{{rel}}", "self": "?page=1", **EMPTY_PAGE}
    receipt = call("GET", f"{at}/sign").json()
    assert (receipt["timestamp"], receipt["receipt"]) == (0, "")
    assert (receipt["email"], receipt["status"]["code"]) == ("ann@bank.example", 1)
    assert Submission.objects.get().pk == submission.pk


@pytest.mark.parametrize(
    ("path", "name", "header"),
    [
        ("edits", "edits-summary", "editType,editId,ULI,editDescription\n"),
        ("parseErrors", "parse-errors",
         "Row Number|Estimated ULI|Field Name|Input Value|Valid Values\n"),
    ],
)  # fmt: skip
def test_files_of_findings_of_a_quarter_without_any(call, filing, filer, path, name, header):
    days = {"opens": filing.period.opens, "closes": filing.period.closes}
    period = FilingPeriod.objects.create(
        year=2024, quarter="Q1", timely_until=filing.period.timely_until, **days
    )
    Filing.objects.create(institution=filing.institution, period=period)
    submissions.create_submission(lei=LEI, period=Period(2024, 1), by=filer)
    answer = call("GET", f"{F}/quarter/Q1/submissions/1/{path}/csv")
    assert answer.getvalue().decode() == header
    assert answer["Content-Type"] == "text/csv; charset=UTF-8"
    file = f'attachment; filename="{name}-{LEI}-2024-Q1-1.csv"'
    assert answer["Content-Disposition"] == file


NOT_FOUND = [
    f"{F}/quarter/Q4", f"{F}/quarter/q1", f"/institutions/{LEI}/filings/20x4",
    f"{F}/submissions/abc", f"{F}/submissions/1/edits/q600", f"{F}/submissions/1/edits/X600",
]  # fmt: skip


@pytest.mark.parametrize("path", NOT_FOUND)
def test_addresses_that_do_not_exist(call, submission, path):
    answer = call("GET", path)
    assert answer.status_code == 404
    assert answer.json()["path"] == path


# --- public areas -------------------------------------------------------------------------------

PUBLIC = [
    ("/v2/public/uli/checkDigit", '{"loanId": "ABC"}', "/uli/checkDigit",
     "Loan ID is not between 21 and 43 characters long"),
    ("/v2/public/uli/checkDigit", '{"loanId": "EILKZAIZF6TX4HB8ZDX3-H"}', "/uli/checkDigit",
     "Loan ID is not alphanumeric"),
    ("/v2/public/uli/validate", '{"uli": "ABC"}', "/uli/validate",
     "ULI is not between 23 and 45 characters long"),
    ("/v2/public/uli/validate", '{"uli": "EILKZAIZF6TX4HB8ZDX33H-4"}', "/uli/validate",
     "ULI is not alphanumeric"),
    ("/v2/public/ts/validate/2017", '{"ts": "1|a"}', "/ts/validate/2017",
     "The year 2017 is not available for validation"),
    ("/v2/public/lar/validate/1990", '{"lar": "2|a"}', "/lar/validate/1990",
     "The year 1990 is not available for validation"),
]  # fmt: skip


@pytest.mark.parametrize(("address", "body", "path", "message"), PUBLIC)
def test_refusals_of_the_public_checks(client, address, body, path, message):
    answer = client.post(address, body, content_type="application/json")
    check(answer, 400, message, path)


VIEW = "/v2/data-browser-api/view"
BROWSER = [
    ("/aggregations", "provide-atleast-msamds-or-states",
     "provide year and either states or msamds or both"),
    ("/nationwide/aggregations", "provide-years", ""),
    ("/filers", "provide-years", ""),
    ("/aggregations?years=1990&states=MD&actions_taken=1", "invalid-year", ""),
    ("/aggregations?years=2018&actions_taken=1",
     "provide-only-msamds-or-states-or-counties-or-leis", ""),
    ("/nationwide/aggregations?years=2018", "provide-atleast-one-filter-criteria", ""),
    ("/count?years=2018&states=MD&actions_taken=1", "no-filters", ""),
    ("/aggregations?years=2018&states=XX&actions_taken=1", "invalid-states", ""),
    ("/nationwide/aggregations?years=2018&actions_taken=9", "invalid-action-taken-type",
     "valid actions are 1, 2, 3, 4, 5, 6, 7, 8"),
]  # fmt: skip


@pytest.mark.parametrize(("address", "error_type", "message"), BROWSER)
def test_refusals_of_the_data_browser(client, address, error_type, message):
    answer = client.get(f"{VIEW}{address}")
    assert (answer.status_code, answer.json()["errorType"]) == (400, error_type)
    assert not message or answer.json()["message"] == message


def test_tokens(call, submission):
    message = "Authorization Token could not be verified"
    check_answer = Client().get(API + F)
    body = check_answer.json()
    assert {key: body[key] for key in ("httpStatus", "message", "path")} == {
        "httpStatus": 401, "message": message, "path": "",
    }  # fmt: skip
    assert check_answer["WWW-Authenticate"].startswith("Bearer")
    foreign = call("GET", f"/institutions/{OTHER}/filings/2024")
    assert (foreign.status_code, foreign.json()["path"]) == (403, "")
