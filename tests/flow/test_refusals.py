"""Every refusal of the contract, annual and quarterly, through HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.flow.both_forms import FORMS, error, filer, reader  # noqa: F401 -- fixtures
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

pytestmark = pytest.mark.slow

PERIOD_CLOSED = "The provided year or quarter is no longer available for filing"
# --- tokens ------------------------------------------------------------------------------------

ENDPOINTS = [
    ("GET", ""),
    ("POST", ""),
    ("GET", "/submissions"),
    ("POST", "/submissions"),
    ("GET", "/submissions/latest"),
    ("GET", "/submissions/1"),
    ("POST", "/submissions/1"),
    ("GET", "/submissions/1/parseErrors"),
    ("GET", "/submissions/1/parseErrors/csv"),
    ("GET", "/submissions/1/edits"),
    ("GET", "/submissions/1/edits/csv"),
    ("GET", "/submissions/1/edits/Q631"),
    ("POST", "/submissions/1/edits/quality"),
    ("POST", "/submissions/1/edits/macro"),
    ("GET", "/submissions/1/sign"),
    ("POST", "/submissions/1/sign"),
    ("GET", "/submissions/1/summary"),
]


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer x.y.z"}], ids=["none", "bad"])
def test_without_a_good_token_every_endpoint_answers_401(reader, method, path, header):
    answer = httpx.request(method, f"{reader.address}{path}", headers=header)
    assert error(answer, "") == (401, "Authorization Token could not be verified")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert ("invalid_token" in answer.headers["WWW-Authenticate"]) == bool(header)


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
@pytest.mark.parametrize("other", ["FLOWTEST999999999999", "flowtest000000000001"])
def test_another_institution_is_forbidden_whether_it_exists_or_not(reader, method, path, other):
    address = reader.address.replace(reader.lei, other)
    answer = httpx.request(method, f"{address}{path}", headers=reader.headers)
    status, message = error(answer, "")
    assert status == 403
    assert other not in message


def test_preflights_are_answered_without_a_token(reader):
    asked = {
        "Origin": "https://bank.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    answer = httpx.options(f"{reader.address}/submissions", headers=asked)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "authorization" in answer.headers["Access-Control-Allow-Headers"].lower()


# --- paths and methods -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/filings/20x4",
        "/filings/2024/quarter/Q4",
        "/filings/2024/quarter/q1",
        "/filings/2024/quarter/5",
        "/filings/2024/submissions/abc",
        "/filings/2024/submissions/1/edits/q631",
        "/filings/2024/submissions/1/edits/Q63",
        "/filings/2024/submissions/1/edits/X631",
        "/filings/2024/submissions/1/nothing",
    ],
)
def test_a_path_of_the_wrong_shape_is_not_found_even_without_a_token(service, path):
    whole = f"/institutions/FLOWTEST000000000001{path}"
    answer = httpx.get(f"{service.url}/v2/filing{whole}")
    assert error(answer, whole)[0] == 404


def test_a_wrong_method_is_refused_with_the_ones_that_are_right(filer):
    answer = filer.call("DELETE", "/submissions")
    assert error(answer, filer.path("/submissions"))[0] == 405
    assert {"GET", "POST"} <= set(answer.headers["Allow"].replace(" ", "").split(","))


def test_a_trailing_slash_and_head_are_answered_alike(filer):
    filer.call("POST", "")
    plain, slashed = filer.call("GET", ""), filer.call("GET", "/")
    assert (plain.status_code, slashed.status_code) == (200, 200)
    assert plain.json()["filing"] == slashed.json()["filing"]
    head = filer.call("HEAD", "")
    assert (head.status_code, head.content) == (200, b"")


# --- quarters, periods, institutions, filings --------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path"), [each for each in ENDPOINTS if "/edits/" not in each[1]]
)
def test_a_quarter_is_only_for_quarterly_filers(service, annual_filer, method, path):
    lei = annual_filer
    address = f"/institutions/{lei}/filings/2025/quarter/Q1"
    with service.client(service.tokens[lei]) as client:
        answer = client.request(method, f"{address}{path}")
    assert error(answer, f"{address}{path}") == (
        403,
        "Institution is not permitted to do quarterly filing",
    )


@pytest.fixture(scope="module")
def annual_filer(service: Service) -> str:
    """An institution that files annually only."""
    lei = service.lei()
    path = service.data_dir / f"{lei}.csv"
    path.write_text(
        "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer\n"
        f"2025,{lei},Annual Bank,12-3456789,9,bank.example,false\n"
    )
    service.manage("load_institutions", str(path))
    return lei


@pytest.mark.parametrize("year", ["2016", "2019", "2022", "99999", "99999999999999999999"])
@pytest.mark.parametrize("path", ["", "/submissions"])
def test_a_period_that_was_never_opened_takes_no_filing_and_no_submission(service, year, path):
    lei = service.unused[0]
    address = f"/institutions/{lei}/filings/{year}{path}"
    with service.client(service.tokens[lei]) as client:
        answer = client.post(address)
    message = f"{PERIOD_CLOSED}: There is no filing period {year}."
    assert error(answer, address) == (400, message)


@pytest.fixture(scope="module")
def token_of_a_stranger(service: Service) -> str:
    return service.token_of_a_stranger("FLOWTESTNOTINPANEL00")


@pytest.mark.parametrize(
    ("quarter", "message"),
    [
        ("", "institution with ID: {lei} does not exist"),
        ("/quarter/Q1", "institution does not exist"),
    ],
)
@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_an_institution_that_is_not_in_the_panel_is_named(
    service, token_of_a_stranger, method, path, quarter, message
):
    lei = "FLOWTESTNOTINPANEL00"
    address = f"/institutions/{lei}/filings/2024{quarter}{path}"
    with service.client(token_of_a_stranger) as client:
        answer = client.request(method, address)
    assert error(answer, address) == (400, message.format(lei=lei))


def test_a_filing_that_nobody_started_does_not_exist(service):
    service.manage("open_season", "2023", "--force", *service.always)
    # Institutions that come into the panel after the season was opened have no filing yet.
    late = "FLOWTESTCOMESLATE001"
    path = service.data_dir / "late.csv"
    path.write_text(
        "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer\n"
        f"2023,{late},Late Bank,12-3456789,9,late.example,true\n"
    )
    service.manage("load_institutions", str(path))
    with service.client(service.token(late)) as client:
        for quarter, period in (("", "2023"), ("/quarter/Q2", "2023-Q2")):
            address = f"/institutions/{late}/filings/2023{quarter}"
            assert error(client.get(address), address) == (
                404,
                f"Filing for institution: {late} and period: 2023 does not exist",
            )
            assert error(client.post(f"{address}/submissions"), f"{address}/submissions") == (
                400,
                f"filing with ID: {period} does not exist",
            )
            assert client.get(f"{address}/submissions/latest").status_code == 404
            started = client.post(address)
            assert (started.status_code, started.json()["submissions"]) == (200, [])
            assert started.json()["filing"]["status"] == {"code": 2, "message": "in-progress"}
            assert error(client.post(address), address) == (
                400,
                f"Filing {late}-{period} already exists",
            )


# --- submissions that do not exist -------------------------------------------------------------

DOES_NOT_EXIST = "submission with ID: {name} does not exist"


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("GET", "/parseErrors", 400, DOES_NOT_EXIST),
        ("GET", "/parseErrors/csv", 400, DOES_NOT_EXIST),
        ("GET", "/edits", 404, DOES_NOT_EXIST),
        ("GET", "/edits/csv", 404, DOES_NOT_EXIST),
        ("GET", "/edits/Q631", 404, DOES_NOT_EXIST),
        ("POST", "/edits/quality", 400, DOES_NOT_EXIST),
        ("POST", "/edits/macro", 400, DOES_NOT_EXIST),
        ("GET", "", 404, DOES_NOT_EXIST),
        ("POST", "", 400, "Submission {name} not available for upload"),
        ("GET", "/sign", 400, DOES_NOT_EXIST),
        ("POST", "/sign", 400, "Submission {name} is not ready to be signed"),
        ("GET", "/summary", 404, "Submission {name} not available"),
    ],
)
@pytest.mark.parametrize("number", [7, 99999999999999999999])
def test_a_submission_that_does_not_exist(filer, method, path, status, message, number):
    filer.call("POST", "")
    answer = filer.call(method, f"/submissions/{number}{path}", json={"verified": True})
    name = f"{filer.lei}-{filer.period}-{number}"
    assert error(answer, filer.path(f"/submissions/{number}{path}")) == (
        status,
        message.format(name=name),
    )


def test_there_is_no_latest_submission_before_the_first(filer):
    filer.call("POST", "")
    answer = filer.call("GET", "/submissions/latest")
    assert error(answer, filer.path("/submissions/latest"))[0] == 404


# --- uploads -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("lar.csv", b"1|x", 'the name "lar.csv" does not end in .txt'),
        ("lar", b"1|x", 'the name "lar" does not end in .txt'),
        ("lar.txt", b"", "the file is empty"),
        ("lar.xls", b"\xd0\xcf\x11\xe0", "Save it as UTF-8 text (.txt) with a pipe (|)"),
        ("lar.txt", b"PK\x03\x04rest", "zip archive"),
        ("lar.txt", b"%PDF-1.7", "PDF"),
        ("lar.txt", b"\x1f\x8bxxx", "gzip"),
        ("lar.txt", "1|Bank".encode("utf-16"), "UTF-16"),
        ("lar.txt", "1|Bank".encode("utf-16-be"), "UTF-16"),
        ("lar.txt", b"1|a\n2|b\n2|c\0d\n", "line 3"),
    ],
)
def test_what_is_no_register_is_refused_and_may_be_tried_again(filer, name, content, says):
    filer.begin()
    answer = filer.upload(content, name=name)
    status, message = error(answer, filer.path("/submissions/1"))
    assert (status, message[:19]) == (400, "Invalid file format")
    assert says in message
    assert filer.state()["status"]["code"] == 1
    assert filer.upload(lar(filer, rows=5)).status_code == 202


@pytest.mark.parametrize(
    "body",
    [
        {"json": {"file": "1|x"}},
        {"content": b"1|x", "headers": {"Content-Type": "text/plain"}},
        {"files": {"other": ("lar.txt", b"1|x")}},
        {"data": {"file": "1|x"}, "files": {"other": ("lar.txt", b"1|x")}},
        {"files": [("file", ("a.txt", b"1|x")), ("file", ("b.txt", b"1|y"))]},
        {"content": b"--x\r\nnonsense", "headers": {"Content-Type": "multipart/form-data"}},
        {},
    ],
    ids=["json", "text", "other-part", "no-file-name", "two-files", "broken-form", "nothing"],
)
def test_a_body_without_exactly_one_file_is_refused(filer, body):
    filer.begin()
    answer = filer.call("POST", "/submissions/1", **body)
    assert error(answer, filer.path("/submissions/1"))[0] == 400
    assert filer.state()["status"]["code"] == 1


def test_a_second_upload_is_refused_and_changes_nothing(filer):
    filer.begin()
    assert filer.upload(lar(filer, rows=5)).status_code == 202
    before = filer.rest()
    answer = filer.upload(lar(filer, rows=6))
    assert error(answer, filer.path("/submissions/1")) == (
        400,
        f"Submission {filer.lei}-{filer.period}-1 not available for upload",
    )
    assert filer.state() == before


# --- verification and signature ----------------------------------------------------------------


def test_nothing_can_be_verified_or_signed_before_there_is_a_file(filer):
    filer.begin()
    name = f"{filer.lei}-{filer.period}-1"
    for kind in ("quality", "macro"):
        for verified in (True, False):
            answer = filer.call("POST", f"/submissions/1/edits/{kind}", json={"verified": verified})
            assert error(answer, filer.path(f"/submissions/1/edits/{kind}")) == (
                400,
                f"Submission {name} is not ready to be verified",
            )
    answer = filer.call("POST", "/submissions/1/sign", json={"signed": True})
    assert error(answer, filer.path("/submissions/1/sign")) == (
        400,
        f"Submission {name} is not ready to be signed",
    )
    answer = filer.call("GET", "/submissions/1/summary")
    assert error(answer, filer.path("/submissions/1/summary")) == (
        404,
        "Transmittal Sheet not found",
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": b"{", "headers": {"Content-Type": "application/json"}},
        {"json": {}},
        {"json": []},
        {"json": "true"},
        {"json": {"verified": "true", "signed": "true"}},
        {"json": {"verified": 1, "signed": 1}},
        {"json": {"verified": None, "signed": None}},
        {"content": b"verified=true", "headers": {"Content-Type": "text/plain"}},
    ],
)
def test_a_body_that_says_neither_true_nor_false_is_refused(service, body, ready_to_sign):
    for path in ("/edits/quality", "/edits/macro", "/sign"):
        answer = ready_to_sign.call("POST", f"/submissions/1{path}", **body)
        assert error(answer, ready_to_sign.path(f"/submissions/1{path}"))[0] == 400
    assert ready_to_sign.state()["status"]["code"] == 14


def test_not_signing_is_no_signature(ready_to_sign):
    answer = ready_to_sign.call("POST", "/submissions/1/sign", json={"signed": False})
    assert error(answer, ready_to_sign.path("/submissions/1/sign")) == (
        400,
        "Illegal argument: signed = false",
    )


@pytest.fixture(scope="module")
def ready_to_sign(service: Service) -> Iterator[Filer]:
    """A submission at 14."""
    with Filer.of(service, "2024") as filer:
        filer.begin()
        filer.upload(lar(filer, rows=40))
        assert filer.rest()["status"]["code"] == 14
        yield filer
