"""The rate spread of a file of loans over HTTP."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.errors import error_of
from tests.ratespread.answers import (
    ACTION,
    AMORTIZATION,
    APR,
    DATE,
    LIST,
    NO_APOR,
    REVERSE,
    TERM,
    batch,
)

pytestmark = pytest.mark.django_db

GOOD = "1,30,FixedRate,6.0,2023-11-20,2"


LINES = [
    ("1,99,FixedRate,6.0,2023-11-20,2", f"error: {TERM}"),
    ("3,99,FixedRate,6.0,2023-11-20,1", f"error: {TERM}"),
    ("1,x,FixedRate,6.0,2023-11-20,2", f"error: {TERM}"),
    ("1,,FixedRate,6.0,2023-11-20,2", f"error: {TERM}"),
    ("9,30,FixedRate,6.0,2023-11-20,2", f"error: {ACTION}"),
    ("1,30,Fixed,6.0,2023-11-20,2", f"error: {AMORTIZATION}"),
    ("1,30,FixedRate,6%,2023-11-20,2", f"error: {APR}"),
    ("3,30,FixedRate,,2023-11-20,2", f"error: {APR}"),
    ("1,30,FixedRate,6.0,11/20/2023,2", f"error: {DATE}"),
    ("1,30,FixedRate,6.0,2023-11-20,0", f"error: {REVERSE}"),
    ("1,30,FixedRate,6.0,2030-01-01,2", f"error: {NO_APOR}"),
    ("1,30,FixedRate,6.0,2016-12-31,2", f"error: {NO_APOR}"),
    ("3,30,FixedRate,6.0,2030-01-01,2", "NA"),
    ("1,30,FixedRate,6.0,2023-11-20", "error: a line must have 6 columns"),
    ("abc", "error: a line must have 6 columns"),
    ("", "error: a line must have 6 columns"),
    ("1,30,FixedRate,6.0,2023-11-20,2,mine,too", "-1.420"),
    ("1,30,FixedRate,6.0,2023-11-20,2,", "-1.420"),
    ("1 ,\t30, FixedRate ,6.0 , 2023-11-20,  2", "-1.420"),
    ("+1,030,FixedRate,06.00,2023-11-20,2", "-1.420"),
    ("=1+1,30,FixedRate,6.0,2023-11-20,2", f"error: {ACTION}"),
    ('1,30,"FixedRate",6.0,2023-11-20,2', "-1.420"),
    ("1,30,FixedRate,6.0,2023-11-20,2,é\N{SNOWMAN}", "-1.420"),
]


def test_a_line_never_spoils_the_others(client, tables):
    content = "".join(f"{GOOD}\n{line}\n" for line, _ in LINES)
    expected = "".join(f"{GOOD},-1.420\n{line},{result}\n" for line, result in LINES)
    assert batch(client, content) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "x"])
def test_line_ends_become_one_and_outer_blanks_go(client, tables, end, last):
    last_line = last and f"{GOOD}"
    content = f"\N{ZERO WIDTH NO-BREAK SPACE}  {GOOD} {end}{end}{GOOD}{end}{last_line}"
    expected = f"{GOOD},-1.420\n,error: a line must have 6 columns\n{GOOD},-1.420\n"
    assert batch(client, content) == expected + (f"{GOOD},-1.420\n" if last else "")


SAVED = [
    ('"1","30","FixedRate","6.0","2023-11-20","2"', ",-1.420"),
    ('1, "30" ,FixedRate,6.0,2023-11-20,2,"Smith, ""J"""', ",-1.420"),
    ('"1",30,FixedRate,6.0,2023-11-20,2,"Smith, ""J"""', ",-1.420"),
    ('"1,30,FixedRate,6.0,2023-11-20,2"', ",-1.420"),
    ("1;30;FixedRate;6.0;2023-11-20;2", ";-1.420"),
    ('"1";"30";"FixedRate";6.0;2023-11-20;2;a,b', ";-1.420"),
    ("1\t30\tFixedRate\t6.0\t2023-11-20\t2", "\t-1.420"),
    ("3;30;FixedRate;6.0;2023-11-20;2", ";NA"),
    ("1;99;FixedRate;6.0;2023-11-20;2", f";error: {TERM}"),
    ('1"1",30,FixedRate,6.0,2023-11-20,2', f",error: {ACTION}"),
    ('"1"1,30,FixedRate,6.0,2023-11-20,2', f",error: {ACTION}"),
    ('1,30,FixedRate,6.0,2023-11-20,"2', f",error: {REVERSE}"),
    ('1,"",FixedRate,6.0,2023-11-20,2', f",error: {TERM}"),
    ('"', ",error: a line must have 6 columns"),
    ('"1","30"', ",error: a line must have 6 columns"),
]


def test_what_a_spreadsheet_program_saves_is_read(client, tables):
    content = "".join(f"{GOOD}\r{line}\r" for line, _ in SAVED)
    expected = "".join(f"{GOOD},-1.420\n{line}{result}\n" for line, result in SAVED)
    assert batch(client, content) == expected


@pytest.mark.parametrize(
    ("header", "separator"),
    [('"action_taken","loan_term"', ","), ("action;term;type;apr;date;reverse", ";")],
)
def test_a_header_in_quotes_or_with_semicolons_is_known(client, tables, header, separator):
    assert batch(client, header) == f"{header}{separator}rate_spread\n"


@pytest.mark.parametrize(
    "header",
    [
        "action_taken_type,loan_term,amortization_type,apr,lock_in_date,reverse_mortgage",
        "Action Taken,Term",
        "actionTakenType",
    ],
)
def test_a_header_is_known_and_gets_a_column_too(client, tables, header):
    assert batch(client, f"{header}\n{GOOD}\n") == f"{header},rate_spread\n{GOOD},-1.420\n"
    answer = batch(client, f"{GOOD}\n{header}\n")
    assert answer.splitlines()[1].startswith(f"{header},error: ")


def test_two_files_and_utf_16_and_too_many_bytes_are_refused(client, tables, settings):
    files = [SimpleUploadedFile("a.csv", b"x"), SimpleUploadedFile("b.csv", b"y")]
    assert client.post(LIST, {"file": files}).status_code == 400
    wide = SimpleUploadedFile("a.csv", GOOD.encode("utf-16"))
    assert "UTF-16" in error_of(client.post(LIST, {"file": wide}))["message"]
    settings.PUBLIC_UPLOAD_LIMIT = 10
    answer = client.post(LIST, {"file": SimpleUploadedFile("a.csv", GOOD.encode())})
    assert (answer.status_code, answer.json()["path"]) == (413, "/rateSpread/csv")
