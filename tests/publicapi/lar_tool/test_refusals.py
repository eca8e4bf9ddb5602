"""The calls of the LAR formatting tool refuse what they cannot use, and say what is right."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from publicapi.checks import describe_unavailable
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.publicapi.lar_tool.calls import (
    EXAMPLE,
    EXAMPLE_SHEET,
    SHEET,
    as_csv,
    as_workbook,
    loans,
    pipe_file,
    refusal,
    sent,
)
from tests.publicapi.uploads import NO_PART, left_behind  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db


FIVE = [["Loan Type", "Lien Status", "Income", "State", "County", "Loan Amount"], ["1"] * 6]


@pytest.mark.parametrize(
    ("path", "content", "parts", "status", "message"),
    [
        ("convert", EXAMPLE, {"map": {"A": "loan_typ"}}, 400, "There is no field loan_typ."),
        ("columns", EXAMPLE, {"map": {"A": "loan_typ"}}, 400, "There is no field loan_typ."),
        (
            "convert?year=2024",
            as_csv([["Loan Amount", *FIVE[0]], ["1"] * 7]),
            {"sheet": SHEET},
            400,
            "Columns A and G are both Loan Amount: say which with map.",
        ),
        (
            "convert",
            b"%PDF-1.7",
            {},
            415,
            "This is a PDF: save the spreadsheet as .xlsx, .xls, .xlsb, .ods or CSV.",
        ),
        ("convert?year=2017", EXAMPLE, {}, 400, describe_unavailable("2017")),
        (
            "convert?year=2024&quarter=Q4",
            EXAMPLE,
            {},
            400,
            "The quarter 'Q4' is unknown; enter one of Q1, Q2, Q3, or leave it out for a whole "
            "year.",
        ),
        ("convert?format=x", EXAMPLE, {}, 400, "The format 'x' is unknown; enter one of json, "
         "txt, zip."),
        ("spreadsheet?format=x", EXAMPLE, {}, 400, "The format 'x' is unknown; enter one of "
         "xlsx, csv."),
        ("spreadsheet?names=reference", EXAMPLE, {}, 400, "The names 'reference' is unknown; "
         "enter one of label, name."),
    ],
)  # fmt: skip
def test_a_refusal_says_what_is_accepted(
    client: Client, path: str, content: bytes, parts: dict[str, Any], status: int, message: str
) -> None:
    answer = sent(client, path, content, **parts)
    assert refusal(answer, path.partition("?")[0]) == (status, message)


@pytest.mark.parametrize(
    ("path", "content", "parts", "status"),
    [
        ("convert", EXAMPLE, {"options": {"dayfirst": True}}, 400),
        ("convert", EXAMPLE, {"map": {"\ud800": "loan_type"}}, 400),
        ("convert", EXAMPLE, {"map": {"A": "\ud800"}}, 400),
        ("columns", EXAMPLE, {"options": {"fill": {"\ud800": "1"}}}, 400),
        ("columns", EXAMPLE, {"options": {"sheet": "a\0"}}, 400),
        ("convert", EXAMPLE, {"sheet": {"name": "\udfff"}}, 400),
        ("convert", EXAMPLE, {"options": {"dates": "ymd"}}, 400),
        ("convert", EXAMPLE, {"sheet": {"bank": "x"}}, 400),
        ("convert", EXAMPLE, {"options": {"sheet": "Loans"}}, 400),
        ("convert?year=2023", EXAMPLE, {"sheet": EXAMPLE_SHEET}, 400),
        ("convert", EXAMPLE, {}, 400),  # no year
        ("convert", b"", {}, 400),
        ("columns", b"a,b,c\n1,2,3\n", {}, 400),  # no header
        ("columns", as_csv(FIVE[:1]), {}, 400),  # no row
        ("columns", as_workbook(FIVE)[:500], {}, 415),
        ("columns", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), {}, 415),
        ("spreadsheet", pipe_file({}) + b"2|\xff", {}, 400),
        ("spreadsheet", b"no line of a LAR", {}, 400),
    ],
)
def test_what_cannot_be_used_is_refused(
    client: Client, path: str, content: bytes, parts: dict[str, Any], status: int
) -> None:
    answer = sent(client, path, content, **parts)
    code, message = refusal(answer, path.partition("?")[0])
    assert code == status, message
    assert message.endswith(".")


@pytest.mark.parametrize("path", ["columns", "convert", "spreadsheet"])
def test_a_file_over_the_limit_is_refused(client: Client, settings: Any, path: str) -> None:
    settings.PUBLIC_UPLOAD_LIMIT = 100
    message = "The file is larger than 100 bytes, the most taken here."
    assert refusal(sent(client, path, EXAMPLE), path) == (413, message)


@pytest.mark.parametrize(("setting", "most"), [("ROWS", 1), ("COLUMNS", 109)])
def test_too_many_rows_or_columns_are_refused_with_the_limit(
    client: Client, settings: Any, setting: str, most: int
) -> None:
    setattr(settings, f"SPREADSHEET_{setting}", most)
    status, message = refusal(sent(client, "convert", as_csv(loans({}, {}))), "convert")
    assert (status, str(most) in message) == (413, True), message
