"""The page of the rate spread, as a browser without script uses it."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from ratespread.demo import loading as demo
from ratespread.models import AporKind
from tests.ratespread.conftest import FIRST, level, load

pytestmark = pytest.mark.django_db
PAGE, LIST = "/tools/rate-spread/", "/tools/rate-spread/list/"
LOAN = {
    "actionTakenType": "1",
    "loanTerm": "30",
    "amortizationType": "FixedRate",
    "apr": "6.0",
    "lockInDate": "2023-11-22",
    "reverseMortgage": "2",
}
GOOD = "1,30,FixedRate,6.0,2023-11-20,2"


def asked(client: Client, status: int = 200, **changes: str) -> str:
    answer = client.post(PAGE, LOAN | changes)
    assert answer.status_code == status
    return unescape(answer.content.decode())


def sent(client: Client, content: str, name: str = "loans.csv") -> Any:
    return client.post(LIST, {"file": SimpleUploadedFile(name, content.encode())})


def test_the_page_answers_na_with_the_reason(client, tables):
    html = asked(client, actionTakenType="3")
    assert "The rate spread is NA" in html
    assert "action taken 1, 2 and 8" in html


def test_a_corrected_rate_is_told(client, tables):
    load(AporKind.FIXED, {FIRST: level("3.55", y30="4.46")})
    assert "4.36 until" in asked(client, lockInDate="2017-01-04")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"loanTerm": "51"}, "less than or equal to 50"),
        ({"loanTerm": ""}, "This field is required"),
        ({"apr": "100"}, "less than or equal to 99.999"),
        ({"apr": "-1"}, "greater than or equal to 0"),
        ({"apr": "x"}, "Enter a number"),
        ({"lockInDate": "2016-12-31"}, "Choose a date from January 2, 2017 to today"),
        ({"lockInDate": "11/20/2023"}, "Enter a valid date"),
        ({"lockInDate": "2017-02-01"}, "There is no average prime offer rate for 2017-02-01"),
        ({"actionTakenType": "9"}, "Select a valid choice"),
        ({"amortizationType": "<b>"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said_beside_the_form(client, tables, changes, told):
    html = asked(client, 400, **changes)
    assert told in html
    assert "<b>" not in client.post(PAGE, LOAN | changes).content.decode()


def test_the_future_is_refused(client, tables):
    tomorrow = timezone.localdate() + timedelta(days=1)
    assert "to today" in asked(client, 400, lockInDate=str(tomorrow))


def test_a_demo_is_marked_everywhere_until_real_rates_come(client, db):
    assert "No rates are loaded yet" in client.get(PAGE).content.decode()
    demo.load_demo_rates(by="prepare")
    html = asked(client)
    assert "Demo: these rates are made up" in html
    assert "The rate spread is -1.420%" in html
    assert "<strong>Demo, made up</strong>" in html
    body = client.post(
        "/public/rateSpread?explain=true", LOAN, content_type="application/json"
    ).json()
    assert body["explanation"]["rate"]["load"]["demo"] is True
    assert b",true\n" in client.get("/public/rateSpread/apor/fixed.csv").getvalue()
    load(AporKind.VARIABLE, {FIRST: level("3.5")})
    assert "Demo: these rates are made up" in client.get(PAGE).content.decode()
    load(AporKind.FIXED, {FIRST: level("3.5")})
    assert "made up" not in client.get(PAGE).content.decode()


def test_a_file_is_answered_as_one_named_after_it(client, tables):
    answer = sent(client, f"{GOOD}\n", "my loans.csv")
    assert answer.getvalue().decode() == f"{GOOD},-1.420\n"
    assert answer["Content-Disposition"] == 'attachment; filename="calculated-my loans.csv"'


def test_cells_that_are_formulas_do_no_harm_in_a_spreadsheet(client, tables):
    content = f"{GOOD},=1+1, @x,+1+cmd\n{GOOD.replace('6.0', '-6.0')},-5,+3.5\n=x\n"
    assert sent(client, content).getvalue().decode().splitlines() == [
        f"{GOOD},'=1+1,' @x,'+1+cmd,-1.420",
        f"{GOOD.replace('6.0', '-6.0')},-5,+3.5,-13.420",
        "'=x,error: a line must have 6 columns",
    ]
    same = client.post("/public/rateSpread/csv", {"file": SimpleUploadedFile("l", b"=x\n")})
    assert same.getvalue() == b"=x,error: a line must have 6 columns\n"
