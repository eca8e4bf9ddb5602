"""The rate spread of one loan over HTTP, and the tables."""

from __future__ import annotations

import json
from itertools import product

import pytest

from ratespread.models import AporKind
from tests.ratespread.answers import (
    ACTION,
    AMORTIZATION,
    APR,
    DATE,
    LOAN,
    REVERSE,
    SINGLE,
    TERM,
    asked,
    batch,
    refused,
    spread,
)
from tests.ratespread.conftest import FIRST, examples, level, load

pytestmark = pytest.mark.django_db

# --- one loan -----------------------------------------------------------------------------------

# Action, term, APR, lock-in date, reverse mortgage, answer: the published worked examples.
WORKED = [
    (1, 30, "6.0", "2017-01-04", 2, "1.640"),
    (1, 15, "6.0", "2017-01-08", 2, "2.380"),
    (2, 30, "6.0", "2017-01-09", 2, "1.760"),
    (8, 30, "3.0", "2017-01-02", 2, "-1.360"),
    (1, 1, "5.1255", "2017-01-05", 2, "1.606"),
    (1, 30, "4.36", "2017-01-05", 2, "0.000"),
    (3, 30, "6.0", "2017-01-04", 2, "NA"),
    (1, 30, "6.0", "2017-01-04", 1, "NA"),
    (1, 30, "7.8915", "2017-01-09", 2, "3.652"),  # binary fractions give 3.651
]


def test_the_worked_examples_come_out(client, tables):
    lines = []
    for action, term, apr, day, reverse, answer in WORKED:
        body = f'{{"actionTakenType":{action},"loanTerm":{term},"amortizationType":"FixedRate",'
        body += f'"apr":{apr},"lockInDate":"{day}","reverseMortgage":{reverse}}}'
        assert asked(client, body) == (200, {"rateSpread": answer})
        lines.append(f"{action},{term},FixedRate,{apr},{day},{reverse},{answer}\n")
    content = "\n".join(line.rpartition(",")[0] for line in lines)
    assert batch(client, content) == "".join(lines)


@pytest.mark.parametrize(
    ("day", "amortization", "answer"),
    [
        ("2017-11-20", "FixedRate", "2.010"),
        ("2017-11-20", "VariableRate", "2.150"),
        ("2023-11-20", "FixedRate", "-1.420"),
        ("2023-11-20", "VariableRate", "-1.250"),
    ],
)
def test_the_check_points_come_out(client, tables, day, amortization, answer):
    assert spread(client, lockInDate=day, amortizationType=amortization) == (200, answer)
    line = f"1,30,{amortization},6.0,{day},2"
    assert batch(client, line) == f"{line},{answer}\n"


def test_only_some_actions_without_reverse_mortgage_have_a_spread(client, tables):
    for action, reverse in product(range(1, 9), (1, 2, 1111)):
        expected = "-1.420" if action in (1, 2, 8) and reverse == 2 else "NA"
        assert spread(client, actionTakenType=action, reverseMortgage=reverse) == (200, expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loanTerm": 0}, f"loanTerm '0' is not accepted: {TERM}."),
        ({"loanTerm": 51}, f"loanTerm '51' is not accepted: {TERM}."),
        ({"loanTerm": -1}, f"loanTerm '-1' is not accepted: {TERM}."),
        ({"loanTerm": 30.5}, f"loanTerm '30.5' is not accepted: {TERM}."),
        ({"loanTerm": 51, "actionTakenType": 3}, f"loanTerm '51' is not accepted: {TERM}."),
        ({"loanTerm": 10**40}, f"loanTerm '1{'0' * 40}' is not accepted: {TERM}."),
        ({"loanTerm": ""}, f"loanTerm '' is not accepted: {TERM}."),
        ({"actionTakenType": 9}, f"actionTakenType '9' is not accepted: {ACTION}."),
        ({"actionTakenType": 0}, f"actionTakenType '0' is not accepted: {ACTION}."),
        (
            {"amortizationType": "fixedrate"},
            f"amortizationType 'fixedrate' is not accepted: {AMORTIZATION}.",
        ),
        (
            {"amortizationType": "x", "actionTakenType": 3},
            f"amortizationType 'x' is not accepted: {AMORTIZATION}.",
        ),
        ({"amortizationType": 1}, f"amortizationType '1' is not accepted: {AMORTIZATION}."),
        ({"apr": "six"}, f"apr 'six' is not accepted: {APR}."),
        ({"apr": "six", "actionTakenType": 3}, f"apr 'six' is not accepted: {APR}."),
        ({"apr": "1e20"}, f"apr '1e20' is not accepted: {APR}."),
        ({"apr": "NaN"}, f"apr 'NaN' is not accepted: {APR}."),
        ({"apr": "-Infinity"}, f"apr '-Infinity' is not accepted: {APR}."),
        ({"apr": "6,0"}, f"apr '6,0' is not accepted: {APR}."),
        ({"lockInDate": "2023-02-29"}, f"lockInDate '2023-02-29' is not accepted: {DATE}."),
        ({"lockInDate": "2023-2-28"}, f"lockInDate '2023-2-28' is not accepted: {DATE}."),
        ({"lockInDate": "20231120"}, f"lockInDate '20231120' is not accepted: {DATE}."),
        ({"lockInDate": 20231120}, f"lockInDate '20231120' is not accepted: {DATE}."),
        ({"lockInDate": "0000-01-01"}, f"lockInDate '0000-01-01' is not accepted: {DATE}."),
        ({"lockInDate": "2023-11-20T00"}, f"lockInDate '2023-11-20T00' is not accepted: {DATE}."),
        ({"reverseMortgage": 3}, f"reverseMortgage '3' is not accepted: {REVERSE}."),
        ({"reverseMortgage": 0, "apr": 0}, f"reverseMortgage '0' is not accepted: {REVERSE}."),
        ({"loanTerm": None}, "loanTerm: It is null. Loan term must be 1 to 50."),
        ({"apr": True}, f"apr: It is neither a number nor a text. {APR}."),
        ({"apr": [6]}, f"apr: It is neither a number nor a text. {APR}."),
        ({"apr": {}}, f"apr: It is neither a number nor a text. {APR}."),
        (
            {"lockInDate": "2016-12-31"},
            "There is no average prime offer rate for 2016-12-31, the week of 2016-12-26: "
            "the table of fixed rates has weeks from 2017-01-02 to 2023-11-20.",
        ),
        (
            {"lockInDate": "9999-12-31"},
            "There is no average prime offer rate for 9999-12-31, the week of 9999-12-27: "
            "the table of fixed rates has weeks from 2017-01-02 to 2023-11-20.",
        ),
        (
            {"lockInDate": "2017-01-16", "amortizationType": "VariableRate"},
            "There is no average prime offer rate for 2017-01-16, the week of 2017-01-16: "
            "the table of variable rates has weeks from 2017-01-02 to 2023-11-20.",
        ),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_would_be_right(client, tables, changes, message):
    assert refused(client, LOAN | changes) == message


@pytest.mark.parametrize("name", LOAN)
def test_a_missing_key_is_named(client, tables, name):
    message = refused(client, {key: value for key, value in LOAN.items() if key != name})
    assert message.startswith(f"{name}: This key is missing. ")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "1",
        '"x"',
        "null",
        "NaN",
        '{"apr": NaN}',
        "[" * 50_000,
        b"\xff\xfe{\0}\0",
        b"\xff",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_what_is_no_json_object_is_refused(client, tables, body):
    assert refused(client, body)


def test_halves_of_surrogate_pairs_are_no_word(client, tables):
    assert "is not accepted" in refused(client, json.dumps(LOAN | {"amortizationType": "\ud800"}))


# --- explained ----------------------------------------------------------------------------------


def test_an_answer_tells_which_week_and_rate_it_used(client, tables):
    status, body = asked(client, LOAN | {"lockInDate": "2023-11-26"}, f"{SINGLE}?explain=true")
    load = tables[AporKind.FIXED]
    assert (status, body["rateSpread"]) == (200, "-1.420")
    assert body["explanation"]["text"] == (
        "APR 6.0 less 7.42, the fixed rate APOR for 30 years in the week of 2023-11-20."
    )
    loaded_at = body["explanation"]["rate"]["load"].pop("loadedAt")
    assert loaded_at.endswith("Z")
    assert body["explanation"]["rate"] == {
        "table": "fixed",
        "week": "2023-11-20",
        "term": 30,
        "apor": "7.42",
        "load": {
            "id": load.pk,
            "source": "YieldTableFixed.txt",
            "sha256": load.sha256,
            "demo": False,
        },
        "corrections": [],
    }


def test_a_corrected_week_still_explains_the_answer_it_once_gave(client, tables):
    before = tables[AporKind.FIXED]
    load(AporKind.FIXED, {FIRST: level("3.55", y30="4.46")})
    _, body = asked(client, LOAN | {"lockInDate": "2017-01-04"}, f"{SINGLE}?explain=true")
    assert body["rateSpread"] == "1.540"
    corrections = body["explanation"]["rate"]["corrections"]
    assert [(each["apor"], each["load"]["id"]) for each in corrections] == [("4.36", before.pk)]
    assert spread(client, lockInDate="2017-01-09")[1] == "1.760"


def test_na_is_explained_without_a_rate(client, tables):
    _, body = asked(client, LOAN | {"actionTakenType": 4}, f"{SINGLE}?explain=true")
    assert body["rateSpread"] == "NA"
    assert body["explanation"]["rate"] is None
    assert "1, 2 and 8" in body["explanation"]["text"]


def test_explain_is_true_or_false(client, tables):
    assert asked(client, LOAN, f"{SINGLE}?explain=false") == (200, {"rateSpread": "-1.420"})
    status, body = asked(client, LOAN, f"{SINGLE}?explain=maybe")
    assert (status, body["message"]) == (400, "explain is 'maybe'; enter true or false.")


def test_na_comes_before_a_missing_week(client, db):
    assert spread(client, actionTakenType=3) == (200, "NA")
    status, message = spread(client)
    assert status == 400
    assert message.endswith("the table of fixed rates is empty.")


# --- the tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", AporKind)
def test_a_table_can_be_downloaded(client, tables, kind):
    answer = client.get(f"/public/rateSpread/apor/{kind.value}.csv")
    assert answer["Content-Type"] == "text/csv; charset=UTF-8"
    lines = answer.getvalue().decode().splitlines()
    weeks = examples(kind)
    assert lines[0] == ",".join(["week", *map(str, range(1, 51)), "load", "source", "demo"])
    source = tables[kind]
    assert lines[1:] == [
        ",".join([str(week), *rates, str(source.pk), source.source, "false"])
        for week, rates in weeks.items()
    ]


def test_there_are_two_tables(client, db):
    assert client.get("/public/rateSpread/apor/other.csv").status_code == 404
    assert client.get("/public/rateSpread/apor/fixed.csv").getvalue().count(b"\n") == 1
