"""One line is parsed and validated by anyone: every answer and every refusal of the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from filing.demo.loading import load_census
from filing.edits import catalogue, examples
from filing.edits.edit import Kind, Level, Need
from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, Parse
from filing.lar.nested import from_nested, to_line
from filing.lar.period import Period
from tests.errors import error_of
from tests.filing.edits.cases import LEI

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

PUBLIC = "/v2/public"
YEAR = Period(2024)
NOTHING: dict[str, Any] = {kind: {"errors": []} for kind in ("syntactical", "validity", "quality")}
PARSE = {"ts": "/ts/parse", "lar": "/lar/parse"}
VALIDATE = {"ts": "/ts/validate/2024", "lar": "/lar/validate/2024"}
PATHS = [*PARSE.items(), *VALIDATE.items()]


def sheet(period: Period = YEAR, **changes: str | int) -> str:
    return examples.line(examples.correct_transmittal_sheet(period, LEI, 100) | changes)


def loan(period: Period = YEAR, **changes: str | int) -> str:
    return examples.line(examples.correct_loan(period, LEI) | changes)


def asked(client: Client, path: str, body: Any, **more: Any) -> Any:
    data = body if isinstance(body, (bytes, str)) else json.dumps(body)
    answer = client.post(PUBLIC + path, data, content_type="application/json", **more)
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    return answer


def parsed(client: Client, key: str, line: str) -> dict[str, Any]:
    answer = asked(client, PARSE[key], {key: line})
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def found(client: Client, key: str, line: str, path: str = "") -> dict[str, list[str]]:
    """Return the codes of the edits by kind; a kind without any is left out."""
    answer = asked(client, path or VALIDATE[key], {key: line})
    assert answer.status_code == 200, answer.content
    assert list(answer.json()) == ["syntactical", "validity", "quality"]
    return {
        kind: [each["edit"] for each in errors["errors"]]
        for kind, errors in answer.json().items()
        if errors["errors"]
    }


def unread(client: Client, key: str, line: str) -> tuple[str, list[dict[str, str]]]:
    """Return what is said of a line that cannot be read, the same wherever it is sent."""
    bodies = []
    for path in (PARSE[key], VALIDATE[key]):
        answer = asked(client, path, {key: line})
        assert answer.status_code == 400
        bodies.append(answer.json())
    assert bodies[0] == bodies[1]
    assert list(bodies[0]) == ["rowNumber", "estimatedULI", "errorMessages"]
    assert bodies[0]["rowNumber"] == 0
    return bodies[0]["estimatedULI"], bodies[0]["errorMessages"]


def refusal(answer: HttpResponse, path: str) -> tuple[int, str]:
    body = error_of(answer)
    assert body == {"httpStatus": answer.status_code, "message": body["message"], "path": path}
    assert answer["Cache-Control"] == "no-cache"
    return answer.status_code, body["message"]


def wrong_number(kind: str, found: int, wanted: int) -> list[dict[str, str]]:
    name = f"Incorrect Number of {kind} Fields"
    return [{"fieldName": name, "inputValue": str(found), "validValues": f"{wanted} Fields"}]


# --- parse: the structures of the spec -----------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/", "/ts/parse", "/ts/parse/"])
def test_a_sheet_is_parsed_at_both_paths(client, path):
    line = (
        "1|Example Bank|2024|4|Ann Example|555-555-0100|ann@bank.example|1 Main St|Springfield"
        "|IL|62701|9|100|99-9999999|529900exampleLEI0001"
    )
    answer = asked(client, path, {"ts": line})
    address = {"street": "1 Main St", "city": "Springfield", "state": "IL", "zipCode": "62701"}
    contact = {"name": "Ann Example", "phone": "555-555-0100", "email": "ann@bank.example"}
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "id": 1,
            "institutionName": "Example Bank",
            "year": 2024,
            "quarter": 4,
            "contact": contact | {"address": address},
            "agency": 9,
            "totalLines": 100,
            "taxId": "99-9999999",
            "LEI": "529900exampleLEI0001",
        },
    )


INT, TEXT, NUMBER = "int", "string", "number"
PERSON = {
    "ethnicity": {
        **{f"ethnicity{n}": INT for n in range(1, 6)},
        "otherHispanicOrLatino": TEXT,
        "ethnicityObserved": INT,
    },
    "race": {
        **{f"race{n}": INT for n in range(1, 6)},
        "otherNativeRace": TEXT,
        "otherAsianRace": TEXT,
        "otherPacificIslanderRace": TEXT,
        "raceObserved": INT,
    },
    "sex": {"sex": INT, "sexObserved": INT},
    "age": INT,
    "creditScore": INT,
    "creditScoreType": INT,
    "otherCreditScoreModel": TEXT,
}
# The table "Parsed LAR object" of the spec, line by line.
SECTIONS: dict[str, Any] = {
    "larIdentifier": {"id": INT, "LEI": TEXT, "NMLSRIdentifier": TEXT},
    "loan": {
        "ULI": TEXT,
        "applicationDate": TEXT,
        "loanType": INT,
        "loanPurpose": INT,
        "constructionMethod": INT,
        "occupancy": INT,
        "amount": NUMBER,
        "loanTerm": TEXT,
        "rateSpread": TEXT,
        "interestRate": TEXT,
        "prepaymentPenaltyTerm": TEXT,
        "debtToIncomeRatio": TEXT,
        "combinedLoanToValueRatio": TEXT,
        "introductoryRatePeriod": TEXT,
    },
    "larAction": {"preapproval": INT, "actionTakenType": INT, "actionTakenDate": INT},
    "geography": dict.fromkeys(("street", "city", "state", "zipCode", "county", "tract"), TEXT),
    "applicant": PERSON,
    "coApplicant": PERSON,
    "income": TEXT,
    "purchaserType": INT,
    "hoepaStatus": INT,
    "lienStatus": INT,
    "denial": {**{f"denialReason{n}": INT for n in range(1, 5)}, "otherDenialReason": TEXT},
    "loanDisclosure": {
        "totalLoanCosts": TEXT,
        "totalPointsAndFees": TEXT,
        "originationCharges": TEXT,
        "discountPoints": TEXT,
        "lenderCredits": TEXT,
    },
    "nonAmortizingFeatures": {
        "balloonPayment": INT,
        "interestOnlyPayment": INT,
        "negativeAmortization": INT,
        "otherNonAmortizingFeatures": INT,
    },
    "property": {
        "propertyValue": TEXT,
        "manufacturedHomeSecuredProperty": INT,
        "manufacturedHomeLandPropertyInterest": INT,
        "totalUnits": INT,
        "multiFamilyAffordableUnits": TEXT,
    },
    "applicationSubmission": INT,
    "payableToInstitution": INT,
    "AUS": {**{f"aus{n}": INT for n in range(1, 6)}, "otherAUS": TEXT},
    "ausResult": {**{f"ausResult{n}": INT for n in range(1, 6)}, "otherAusResult": TEXT},
    "reverseMortgage": INT,
    "lineOfCredit": INT,
    "businessOrCommercialPurpose": INT,
}


def typed(value: Any) -> Any:
    """Return a parsed record with the names of types for values."""
    if isinstance(value, dict):
        return {key: typed(each) for key, each in value.items()}
    return {int: INT, str: TEXT, float: NUMBER}[type(value)]


def test_a_loan_has_the_sections_fields_and_types_of_the_spec(client):
    nested = parsed(client, "lar", loan(loan_amount="240500.75"))
    assert typed(nested) == SECTIONS
    assert len(LAR) == 110


def of_field(nested: dict[str, Any], name: str) -> Any:
    place: Any = nested
    for key in LAR_BY_NAME[name].json.split("."):
        place = place[key]
    return place


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("lei", LEI.lower(), LEI),
        ("uli", "abC1", "abC1"),
        ("loan_amount", "240500", 240500),
        ("loan_amount", "240500.5", 240500.5),
        ("action_taken_date", "20240229", 20240229),
        ("applicant_age", "041", 41),
        ("aus_2", "", 0),
        ("applicant_race_2", "", 0),
        ("city", "", ""),
        ("income", "NA", "NA"),
        ("income", "+0050", "50"),
        ("rate_spread", "Exempt", "Exempt"),
        ("loan_term", "360", "360"),
        ("property_value", "350500", "350500"),
        ("applicant_credit_score_type_free_form", "Model x", "Model x"),
        ("city", "Łódź", "Łódź"),
    ],
)
def test_typing_traps_of_the_contract(client, name, value, shown):
    place = of_field(parsed(client, "lar", loan(**{name: value})), name)
    assert (place, type(place)) == (shown, type(shown))


CODED = {Parse.INTEGER, Parse.CODE, Parse.CODE_OR_BLANK}


@pytest.mark.parametrize("period", [Period(2018), Period(2024), Period(2025, 2)])
def test_every_field_goes_out_and_comes_back(client, period):
    """Each field has a value of its own, so that none can stand in the place of another."""
    own = {
        field.name: field.number + 1000 if field.parse in CODED else str(field.number + 1000)
        for field in LAR
        if field.parse not in {Parse.DATE, Parse.DATE_OR_NA}
    }
    record = examples.correct_loan(period, LEI) | own
    line = examples.line(record)
    nested = parsed(client, "lar", line)
    assert to_line(from_nested(nested)) == line
    for name, value in own.items():
        assert str(of_field(nested, name)) == str(value)


@pytest.mark.parametrize("period", [Period(2018), Period(2024), Period(2025, 2)])
def test_every_field_of_a_sheet_goes_out_and_comes_back(client, period):
    line = sheet(period)
    nested = parsed(client, "ts", line)
    assert to_line(from_nested(nested, TRANSMITTAL_SHEET), TRANSMITTAL_SHEET) == line


# --- lines as people send them -------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        lambda line: f"\ufeff{line}",
        lambda line: f"{line}|",
        lambda line: f"{line}\r\n",
        lambda line: f"  {line}  ",
        lambda line: line.replace("|", " | "),
        lambda line: line.replace("|", "\t|\x00\x1f", 3),
        lambda line: line.replace("|", '"|"'),
        lambda line: "\n".join(line),
    ],
    ids=["BOM", "pipe", "CRLF", "blanks", "blanks inside", "controls", "quotes", "LF"],
)
@pytest.mark.parametrize(("key", "line"), [("ts", sheet()), ("lar", loan(loan_type=9))])
def test_noise_in_a_line_makes_no_difference(client, key, line, changed):
    assert parsed(client, key, changed(line)) == parsed(client, key, line)
    assert found(client, key, changed(line)) == found(client, key, line)


# --- lines that cannot be read -------------------------------------------------------------------


def test_a_sheet_that_cannot_be_read_is_answered_with_every_bad_field(client):
    line = sheet(record_id="x", calendar_year="20x4", calendar_quarter="a", total_lines="")
    assert unread(client, "ts", line) == (
        "Transmittal Sheet",
        [
            {"fieldName": name, "inputValue": value, "validValues": "Integer"}
            for name, value in [
                ("Transmittal Sheet Record Identifier", "x"),
                ("Calendar Year", "20x4"),
                ("Calendar Quarter", "a"),
                ("Total Number of Entries Contained in Submission", ""),
            ]
        ],
    )


@pytest.mark.parametrize("agency", ["4", "-1", "", "x"])
def test_an_unknown_agency_cannot_be_read(client, agency):
    accepts = "Integer: 1, 2, 3, 5, 7, 9"
    wrong = {"fieldName": "Federal Agency", "inputValue": agency, "validValues": accepts}
    assert unread(client, "ts", sheet(federal_agency=agency)) == ("Transmittal Sheet", [wrong])


@pytest.mark.parametrize(
    ("name", "value", "label", "accepts"),
    [
        ("record_id", "x", "LAR Record Identifier", "Integer"),
        ("lei", "has space", "LEI", "Letters and digits only"),
        ("uli", "a,b", "ULI", "Letters and digits only"),
        ("loan_type", "", "Loan Type", "Integer: 1, 2, 3, 4"),
        ("loan_amount", "NA", None, "Numeric"),
        ("income", "Exempt", None, "Integer, or NA"),
        ("loan_term", "na", None, "Integer, NA, or Exempt"),
        ("rate_spread", "", None, "Numeric, NA, or Exempt"),
        ("discount_points", "x", None, "Numeric, NA, Exempt, or Blank"),
        ("application_date", "20240230", None, "Date as YYYYMMDD, or NA"),
        ("action_taken_date", "NA", None, "Date as YYYYMMDD"),
        ("applicant_age", "99999999999", None, "Integer"),
    ],
)
def test_a_loan_that_cannot_be_read_is_answered_with_what_the_field_accepts(
    client, name, value, label, accepts
):
    uli, messages = unread(client, "lar", loan(**{name: value}))
    assert uli == (value if name == "uli" else examples.correct_loan(YEAR, LEI)["uli"])
    (message,) = messages
    assert message == {
        "fieldName": label or LAR_BY_NAME[name].error_label,
        "inputValue": value,
        "validValues": accepts,
    }


def test_every_field_of_a_loan_that_can_be_wrong_is_told(client):
    checked = [f for f in LAR if f.parse not in {Parse.TEXT}]
    line = loan(**{field.name: "x y" for field in checked})
    uli, messages = unread(client, "lar", line)
    assert uli == "x y"
    assert messages == [
        {"fieldName": f.error_label, "inputValue": "x y", "validValues": f.accepts} for f in checked
    ]


@pytest.mark.parametrize(
    ("line", "uli", "count"),
    [
        ("", None, 1),
        ("2", None, 1),
        ("2|x", None, 2),
        ("2|x|the uli", "the uli", 3),
        (loan() + "|9", examples.correct_loan(YEAR, LEI)["uli"], 111),
        (sheet(), sheet().split("|")[2], 15),
    ],
)
def test_a_line_with_another_number_of_fields_is_no_loan(client, line, uli, count):
    wanted = uli or "The ULI could not be identified."
    assert unread(client, "lar", line) == (wanted, wrong_number("LAR", count, 110))


@pytest.mark.parametrize(("line", "count"), [("", 1), ("1|x", 2), (loan(), 110)])
def test_a_line_with_another_number_of_fields_is_no_sheet(client, line, count):
    assert unread(client, "ts", line) == ("Transmittal Sheet", wrong_number("TS", count, 15))


@pytest.mark.parametrize("key", ["ts", "lar"])
def test_a_line_that_is_too_long_is_told_so(client, key):
    _, messages = unread(client, key, "x" * 70_000)
    assert messages == [
        {
            "fieldName": "Line Length",
            "inputValue": "more than 65536",
            "validValues": "At most 65536 bytes",
        }
    ]


# --- validate ------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", ["2018", "2024", "2026", "2024-Q2", "2026-Q3"])
@pytest.mark.parametrize("end", ["", "/"])
def test_a_correct_line_gives_three_empty_lists(client, period, end):
    of = Period.parse(period)
    where = f"{of.year}/quarter/{of.quarter_name}" if of.quarter else f"{of.year}"
    for key, line in (("ts", sheet(of)), ("lar", loan(of))):
        answer = asked(client, f"/{key}/validate/{where}{end}", {key: line})
        assert (answer.status_code, answer.json()) == (200, NOTHING)


def test_what_fails_is_told_by_kind_with_its_text(client):
    text = {e.code: e.text for e in catalogue.edits(YEAR, level=Level.LAR)}
    wrong = loan(record_id=3, loan_type=9, applicant_age=1)
    answer = asked(client, VALIDATE["lar"], {"lar": wrong})
    assert answer.json() == {
        "syntactical": {"errors": [{"edit": "S300", "description": text["S300"]}]},
        "validity": {"errors": [{"edit": "V611", "description": text["V611"]}]},
        "quality": {"errors": [{"edit": "Q614-1", "description": text["Q614-1"]}]},
    }


def test_edits_come_by_code(client):
    line = loan(loan_type=9, loan_purpose=9, applicant_age=1, loan_amount="-1", lien_status=7)
    codes = found(client, "lar", line)
    assert all(each == sorted(each) for each in codes.values())
    assert len(codes["validity"]) > 2


@pytest.mark.parametrize(
    ("check", "kinds"),
    [
        ("all", ["syntactical", "validity"]),
        ("", ["syntactical", "validity"]),
        ("syntactical", ["syntactical"]),
        ("validity", ["validity"]),
        ("quality", []),
    ],
)
def test_one_kind_can_be_checked_alone(client, check, kinds):
    lines = {"ts": sheet(record_id=2, total_lines=0), "lar": loan(record_id=3, loan_type=9)}
    for key, line in lines.items():
        assert list(found(client, key, line, f"{VALIDATE[key]}?check={check}")) == kinds


def test_the_year_of_the_address_decides_and_not_that_of_the_line(client):
    assert found(client, "ts", sheet(Period(2023))) == {"syntactical": ["S302"]}
    assert found(client, "lar", loan(Period(2023))) == {"validity": ["V619-2"]}
    quarterly = found(client, "ts", sheet(), "/ts/validate/2024/quarter/Q1")
    assert quarterly == {"validity": ["V718"]}


def test_the_census_that_is_loaded_is_used(client):
    nowhere = loan(county="06999", census_tract="NA")
    assert found(client, "lar", nowhere) == {}
    load_census(2024, by="test")
    codes = {"validity": ["V626", "V716"], "quality": ["Q603"]}
    assert found(client, "lar", nowhere) == codes


def told_of_file(client: Client, content: str, of: Period = YEAR) -> dict[str, set[str]]:
    """Return what the check of a file says about its sheet and its only loan."""
    where = f"{of.year}/quarter/{of.quarter_name}" if of.quarter else f"{of.year}"
    file = SimpleUploadedFile("lar.txt", content.encode())
    answer = client.post(f"{PUBLIC}/disclosure/validate/{where}", {"file": file})
    rows = json.loads(answer.getvalue())["validationErrors"]
    return {row[0]["uli"]: {(e["editName"], e["editDescription"]) for e in row} for row in rows}


NEEDS_NO_OTHER_LINE = [
    edit
    for edit in catalogue.edits(YEAR)
    if edit.level is not Level.FILE and not edit.needs & {Need.INSTITUTION, Need.TS}
]


def breaking(edit: Any) -> dict[str, str | int]:
    return {k: v for k, v in edit.breaks.items() if not k.startswith("ts.")}


def test_a_line_alone_has_the_findings_it_has_in_a_file(client):
    load_census(2024, by="test")
    checked = 0
    for edit in NEEDS_NO_OTHER_LINE[::9]:
        of_sheet = edit.level is Level.TS
        first = sheet(total_lines=1, **(breaking(edit) if of_sheet else {}))
        second = loan(**({} if of_sheet else breaking(edit)))
        key, line = ("ts", first) if of_sheet else ("lar", second)
        answer = asked(client, VALIDATE[key], {key: line})
        if answer.status_code == 400:
            continue  # what breaks it cannot be read
        alone = {(e["edit"], e["description"]) for k in answer.json().values() for e in k["errors"]}
        rows = told_of_file(client, f"{first}\n{second}")
        uli = first.split("|")[-1] if of_sheet else second.split("|")[2]
        assert alone == {each for each in rows.get(uli, set()) if each[0] not in {"S301"}}
        checked += 1
    assert checked > 10


def test_edits_that_need_more_than_the_line_are_left_out(client, institution):
    wrong = {"tax_id": "99-0000000", "federal_agency": 1}
    assert found(client, "ts", sheet(**wrong)) == {}
    assert found(client, "lar", loan(lei="OTHER000000000000001")).get("syntactical") is None
    assert all(e.kind is not Kind.MACRO for e in NEEDS_NO_OTHER_LINE)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["ts", "lar"])
@pytest.mark.parametrize(
    ("where", "which"),
    [
        ("2017", "year 2017"),
        ("2027", "year 2027"),
        ("9" * 5_000, "year " + "9" * 5_000),
        ("2019/quarter/Q1", "period 2019-Q1"),
    ],
)
def test_a_period_without_edits_is_refused(client, key, where, which):
    path = f"/{key}/validate/{where}"
    message = f"The {which} is not available for validation"
    assert refusal(asked(client, path, {key: "x"}), path) == (400, message)


@pytest.mark.parametrize("key", ["ts", "lar"])
@pytest.mark.parametrize("where", ["20x4", "-2024", "2024/quarter/Q4", "2024/quarter", ""])
def test_an_address_of_another_shape_does_not_exist(client, key, where):
    path = f"/{key}/validate/{where}"
    answer = client.post(PUBLIC + path, "{}", content_type="application/json")
    assert json.loads(answer.content)["httpStatus"] == answer.status_code == 404


@pytest.mark.parametrize("key", ["ts", "lar"])
def test_an_unknown_check_is_refused(client, key):
    answer = asked(client, f"{VALIDATE[key]}?check=macro", {key: "x"})
    message = "The check 'macro' is unknown; enter one of all, syntactical, validity, quality."
    assert refusal(answer, VALIDATE[key]) == (400, message)


@pytest.mark.parametrize(("key", "path"), [("ts", ""), *PATHS])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "{key}: This field is required."),
        ("{}", "{key}: This field is required."),
        ('{"TS": "x", "LAR": "x", "line": "x"}', "{key}: This field is required."),
        ('{"{key}": null}', "{key}: This field may not be null."),
        ('{"{key}": 1}', "{key}: This must be a text, in quotes."),
        ('{"{key}": ["x"]}', "{key}: This must be a text, in quotes."),
        ('{"{key}": {}}', "{key}: This must be a text, in quotes."),
        ('{"{key}": true}', "{key}: This must be a text, in quotes."),
        ('["x"]', "non_field_errors: Invalid data. Expected a dictionary, but got list."),
        ('"x"', "non_field_errors: Invalid data. Expected a dictionary, but got str."),
        ("null", "non_field_errors: No data provided"),
        ("1|Bank|2024", "JSON parse error - Extra data: line 1 column 2 (char 1)"),
        ("[" * 100_000, "JSON parse error - it is nested too deeply."),
    ],
)
def test_a_body_of_another_shape_is_refused(client, key, path, body, message):
    answer = asked(client, path, body.replace("{key}", key))
    assert refusal(answer, path) == (400, message.replace("{key}", key))


@pytest.mark.parametrize(("key", "path"), PATHS)
@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_json_in_another_encoding_is_refused(client, key, path, encoding):
    answer = asked(client, path, f'{{"{key}": "é"}}'.encode(encoding))
    status, message = refusal(answer, path)
    assert (status, message.partition(" - ")[0]) == (400, "JSON parse error")


@pytest.mark.parametrize(("key", "path"), PATHS)
def test_a_form_is_refused(client, key, path):
    for sending in (
        {"data": {key: "x"}},
        {"data": f"{key}=x", "content_type": "application/x-www-form-urlencoded"},
        {"data": {"file": SimpleUploadedFile("lar.txt", b"1|x")}},
    ):
        status, message = refusal(client.post(PUBLIC + path, **sending), path)
        assert (status, message.partition(" - ")[0]) == (400, "JSON parse error")


@pytest.mark.parametrize(("key", "path"), PATHS)
def test_json_of_a_megabyte_and_more_is_refused(client, key, path):
    answer = asked(client, path, {key: "A" * (1 << 20)})
    message = "The JSON is larger than 1048576 bytes, the most taken here."
    assert refusal(answer, path) == (413, message)


@pytest.mark.parametrize(("key", "line"), [("ts", sheet()), ("lar", loan())])
def test_what_is_no_character_breaks_nothing(client, key, line):
    answer = asked(client, PARSE[key], {key: line.replace("|", "\ud800|", 2)})
    assert answer.status_code == 400
    assert answer.json()["rowNumber"] == 0


@pytest.mark.parametrize("path", ["", *PARSE.values(), *VALIDATE.values()])
@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_another_method_is_refused(client, path, method):
    answer = getattr(client, method)(PUBLIC + path)
    assert refusal(answer, path)[0] == 405
    assert set(answer["Allow"].split(", ")) == {"POST", "OPTIONS"}


@pytest.mark.parametrize("path", ["", *PARSE.values(), *VALIDATE.values()])
def test_any_page_may_ask(client, path):
    asks = {"Origin": "https://bank.example", "Access-Control-Request-Method": "POST"}
    answer = client.options(PUBLIC + path, headers=asks)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_nobody_is_asked_who_they_are(client):
    headers = {"Authorization": "Bearer x.y.z", "Origin": "https://bank.example"}
    answer = asked(client, VALIDATE["lar"], {"lar": loan()}, headers=headers)
    assert answer.json() == NOTHING
    assert answer["Access-Control-Allow-Origin"] == "*"
