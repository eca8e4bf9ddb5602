"""The addresses of the check digit over HTTP: every answer and every refusal of the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from tests.errors import error_of
from tests.uliapi.identifiers import GENERATED, LOAN_ID, VALIDATED, digits_of

pytestmark = pytest.mark.django_db

ULI = "/v2/public/uli"
PATHS = ("/checkDigit", "/checkDigit/csv", "/validate", "/validate/csv")
L_LENGTH = "Loan ID is not between 21 and 43 characters long"
U_LENGTH = "ULI is not between 23 and 45 characters long"
EXAMPLES = [
    ("EILKZAIZF6TX4HB8ZDX33H", "54"),
    ("10Bx939c5543TqA1144M999143X", "38"),
    ("10Cx939c5543TqA1144M999143X", "10"),
    ("5493001YS08XHF42M0372005203", "07"),
    ("asdgfhkjasdgfhkasd000", "03"),
    ("BANK1LEIFORTEST123458001", "26"),
    ("BANK1LEIFORTEST123458003", "20"),
    ("BANK343434733473438000034343473347343800000", "79"),
    ("B90YWS6AFX2LGWOXJ1LDNIXOQ6O0000SLR6FSJJ5R87", "51"),
    ("95GVQQ61RS6CWQF0SZD9F4VRXNN1OCVXHP1JURF9ZJS", "92"),
    # of our own: leading zeros, the greatest and the smallest
    ("99DEMOLENDER000000064", "07"),
    ("99DEMOLENDER000000066", "98"),
]
VALID = [
    ("EILKZAIZF6TX4HB8ZDX33H54", True),
    ("BANK1LEIFORTEST12345800126", True),
    ("BANK1LEIFORTEST12345823406", True),
    ("B90YWS6AFX2LGWOXJ1LDNIXOQ6O0000SLR6FSJJ5R89", False),
    ("99DEMOLENDER00000006601", True),  # as good as 98
]


@pytest.fixture(autouse=True)
def incoming(tmp_path: Path, settings: Any) -> Any:
    """Where uploads lie; nothing does in the end."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


def posted(client: Client, path: str, body: Any, **headers: str) -> HttpResponse:
    data = body if isinstance(body, (bytes, str)) else json.dumps(body)
    return client.post(ULI + path, data, content_type="application/json", headers=headers)


def sent(client: Client, path: str, content: bytes, name: str = "ids.txt", **more: Any) -> Any:
    return client.post(ULI + path, {"file": SimpleUploadedFile(name, content)}, **more)


def refusal(answer: HttpResponse, path: str) -> tuple[int, str]:
    """Return status and message of a refusal, having held it against the form of all refusals."""
    body = error_of(answer)
    where = f"/uli{path}"
    assert body == {"httpStatus": answer.status_code, "message": body["message"], "path": where}
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    return answer.status_code, body["message"]


# --- one identifier -----------------------------------------------------------------------------


@pytest.mark.parametrize(("loan_id", "digits"), EXAMPLES)
def test_a_loan_id_is_answered_with_its_check_digits(client, loan_id, digits):
    answer = posted(client, "/checkDigit", {"loanId": loan_id})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.json() == {"loanId": loan_id, "checkDigit": digits, "uli": loan_id + digits}
    assert answer["Cache-Control"] == "no-cache"
    assert posted(client, "/validate", {"uli": loan_id + digits}).json() == {"isValid": True}


def test_blanks_around_a_value_are_not_taken_away(client):
    loan_id = posted(client, "/checkDigit", {"loanId": f" {LOAN_ID}"})
    assert refusal(loan_id, "/checkDigit") == (400, "Loan ID is not alphanumeric")
    uli = posted(client, "/validate", {"uli": f"{LOAN_ID}38\n"})
    assert refusal(uli, "/validate") == (400, "ULI is not alphanumeric")


@pytest.mark.parametrize(("path", "key"), [("/checkDigit", "loanId"), ("/validate", "uli")])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "{key}: This field is required."),
        ("{}", "{key}: This field is required."),
        ('{"LOANID": "x", "ULI": "x"}', "{key}: This field is required."),
        ('{"{key}": null}', "{key}: This field may not be null."),
        ('{"{key}": 12345678901234567890123}', "{key}: This must be a text, in quotes."),
        ('{"{key}": ["x"]}', "{key}: This must be a text, in quotes."),
        ('{"{key}": true}', "{key}: This must be a text, in quotes."),
        ('["x"]', "non_field_errors: Invalid data. Expected a dictionary, but got list."),
        ("x", "JSON parse error - Expecting value: line 1 column 1 (char 0)"),
        ("[" * 100_000, "JSON parse error - it is nested too deeply."),
    ],
)
def test_a_body_of_another_shape_is_refused(client, path, key, body, message):
    answer = posted(client, path, body.replace("{key}", key))
    assert refusal(answer, path) == (400, message.replace("{key}", key))


@pytest.mark.parametrize("path", ["/checkDigit", "/validate"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_json_in_another_encoding_is_refused(client, path, encoding):
    body = '{"loanId": "é", "uli": "é"}'.encode(encoding)
    status, message = refusal(posted(client, path, body), path)
    assert status == 400
    assert message.startswith("JSON parse error - ")


@pytest.mark.parametrize("path", ["/checkDigit", "/validate"])
def test_json_of_a_megabyte_and_more_is_refused(client, path):
    answer = posted(client, path, {"loanId": "A" * (1 << 20), "uli": ""})
    message = "The JSON is larger than 1048576 bytes, the most taken here."
    assert refusal(answer, path) == (413, message)


@pytest.mark.parametrize("text", ["\ud800" * 30, "\0" * 30])
def test_what_is_no_character_is_not_alphanumeric(client, text):
    loan_id = posted(client, "/checkDigit", {"loanId": text})
    assert refusal(loan_id, "/checkDigit") == (400, "Loan ID is not alphanumeric")
    uli = posted(client, "/validate", {"uli": text})
    assert refusal(uli, "/validate") == (400, "ULI is not alphanumeric")


# --- lists --------------------------------------------------------------------------------------


def table(cases: list[tuple[str, str | None]]) -> bytes:
    """Return a list of the cases that can stand on a line of their own as they are."""
    return "".join(f"{text}\r\n" for text, _ in cases).encode()


def test_a_list_of_loan_ids_is_answered_as_csv(client):
    cases = [*((loan_id, None) for loan_id, _ in EXAMPLES), *GENERATED]
    answer = sent(client, "/checkDigit/csv", table(cases))
    rows = [
        f"{text},Error,{reason}" if reason else f"{text},{digits_of(text)},{text}{digits_of(text)}"
        for text, reason in cases
    ]
    assert set(rows) > {f"{loan_id},{digits},{loan_id}{digits}" for loan_id, digits in EXAMPLES}
    assert answer.getvalue().decode() == "\n".join(["loanId,checkDigit,uli", *rows, ""])
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=UTF-8")
    assert answer["Content-Disposition"] == 'attachment; filename="check-digits.csv"'
    assert answer["Cache-Control"] == "no-cache"


def test_a_list_of_ulis_is_answered_as_csv(client):
    cases = [*((uli, str(is_valid).lower()) for uli, is_valid in VALID), *VALIDATED]
    answer = sent(client, "/validate/csv", table(cases))
    rows = [f"{text},{verdict}" for text, verdict in cases]
    assert answer.getvalue().decode() == "\n".join(["uli,isValid", *rows, ""])
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=UTF-8")
    assert answer["Content-Disposition"] == 'attachment; filename="validated-ulis.csv"'
    assert answer["Cache-Control"] == "no-cache"


def test_a_list_is_answered_as_json_where_one_is(client):
    answer = sent(client, "/checkDigit", f"{LOAN_ID}\n\n a,b \n".encode())
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert json.loads(answer.getvalue()) == {
        "loanIds": [
            {"loanId": LOAN_ID, "checkDigit": "38", "uli": f"{LOAN_ID}38"},
            {"loanId": "", "checkDigit": "Error", "uli": L_LENGTH},
            {"loanId": "a,b", "checkDigit": "Error", "uli": L_LENGTH},
        ]
    }
    answer = sent(client, "/validate", f"{LOAN_ID}38\n{LOAN_ID}39\n\nx".encode())
    assert json.loads(answer.getvalue()) == {
        "ulis": [
            {"uli": f"{LOAN_ID}38", "isValid": "true"},
            {"uli": f"{LOAN_ID}39", "isValid": "false"},
            {"uli": "", "isValid": U_LENGTH},
            {"uli": "x", "isValid": U_LENGTH},
        ]
    }


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b" \r\n"])
def test_an_empty_list_is_answered_with_the_header_alone(client, content):
    assert sent(client, "/checkDigit/csv", content).getvalue() == b"loanId,checkDigit,uli\n"
    assert sent(client, "/validate/csv", content).getvalue() == b"uli,isValid\n"
    assert sent(client, "/checkDigit", content).getvalue() == b'{"loanIds":[]}'
    assert sent(client, "/validate", content).getvalue() == b'{"ulis":[]}'


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_blanks_and_a_byte_order_mark_make_no_difference(client, end):
    content = f"\ufeff {LOAN_ID}{end}\t{LOAN_ID} {end}{end}{LOAN_ID}".encode()
    row = f"{LOAN_ID},38,{LOAN_ID}38"
    told = sent(client, "/checkDigit/csv", content).getvalue().decode().splitlines()[1:]
    assert told == [row, row, f",Error,{L_LENGTH}", row]


def test_of_a_huge_line_only_the_beginning_comes_back(client):
    content = b"a\n" + b"x" * 5_000_000 + b"\n" + LOAN_ID.encode()
    first, huge, last = sent(client, "/checkDigit/csv", content).getvalue().splitlines()[1:]
    assert first.decode() == f"a,Error,{L_LENGTH}"
    assert huge.startswith(b"xxx")
    assert huge.endswith(f"x,Error,{L_LENGTH}".encode())
    assert len(huge) < 70_000
    assert last.decode() == f"{LOAN_ID},38,{LOAN_ID}38"


def test_a_long_answer_comes_in_pieces_in_the_order_of_the_lines(client, incoming):
    count = 200_007
    loan_ids = [f"529900TESTBANK000042{number:07d}" for number in range(count)]
    answer = sent(client, "/checkDigit/csv", "\n".join(loan_ids).encode())
    pieces = iter(answer.streaming_content)
    assert next(pieces) == b"loanId,checkDigit,uli\n"
    early = next(pieces)
    assert loan_ids[0].encode() in early
    assert loan_ids[-1].encode() not in early
    assert list(incoming.iterdir()) != []
    rows = (early + b"".join(pieces)).decode().splitlines()
    assert [row.partition(",")[0] for row in rows] == loan_ids
    answer.close()


def test_nothing_stays_of_an_answer_that_is_not_read_to_its_end(client):
    answer = sent(client, "/checkDigit/csv", f"{LOAN_ID}\n".encode() * 200_000)
    next(iter(answer.streaming_content))
    answer.close()


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_text_in_another_encoding_is_refused_with_its_line(client, path):
    status, message = refusal(sent(client, path, b"x\n" * 70_000 + b"\xe9\n"), path)
    assert status == 400
    assert message.startswith("Line 70001 is not UTF-8 text: ")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("size", [1_001, 70_000, 200_000])
def test_a_file_over_the_limit_for_all_is_refused(client, settings, path, size):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    message = "The file is larger than 1000 bytes, the most taken here."
    assert refusal(sent(client, path, b"1" * size), path) == (413, message)


@pytest.mark.parametrize("path", PATHS)
def test_any_page_may_ask(client, path):
    asked = {"Origin": "https://bank.example", "Access-Control-Request-Method": "POST"}
    answer = client.options(ULI + path, headers=asked)
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (200, "*")
    assert "POST" in answer["Access-Control-Allow-Methods"]
