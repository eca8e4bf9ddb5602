"""A parameter that an address does not know is named: in a header of calls, on pages in words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from filing.requests import UNKNOWN_PARAMETERS_HEADER
from tests.api_document import api_document

pytestmark = pytest.mark.django_db
VIEW = "/v2/data-browser-api/view"
LEI = "529900EXAMPLELEI0001"
FILED = f"/v2/filing/institutions/{LEI}/filings/2024"


@pytest.mark.parametrize(
    ("address", "unknown", "status"),
    [
        (f"{VIEW}/nationwide/aggregations?years=2018&sexes=Male", "race", 200),
        (f"{VIEW}/nationwide/csv?years=2018&sexes=Male", "race", 200),
        (f"{VIEW}/aggregations?years=2018", "race", 400),
        (f"{VIEW}/filers?years=2018", "race", 200),
        ("/quarterly-data/graphs?", "verison", 200),
        ("/v2/public/publications?page=1", "pages", 200),
        ("/v2/public/publications/2018?", "release", 404),
        ("/v2/public/edits?year=2024", "qarter", 200),
        ("/v2/public/institutions?state=IL", "stat", 400),
        ("/public/rateSpread/apor/fixed.csv?", "week", 200),
        (f"{FILED}?page=0", "pages", 401),
    ],
)
def test_a_call_names_the_parameters_it_does_not_know_and_changes_nothing_else(
    address: str, unknown: str, status: int
) -> None:
    Client().get(address)  # its answer is cached, and says so
    without = Client().get(address)
    answer = Client().get(f"{address}&{unknown}=Asian")
    assert UNKNOWN_PARAMETERS_HEADER not in without
    assert answer[UNKNOWN_PARAMETERS_HEADER] == unknown
    assert answer.status_code == status
    if status == 200:
        assert without.status_code == status
        assert body_of(answer) == body_of(without)
    assert Client().head(f"{address}&{unknown}=Asian")[UNKNOWN_PARAMETERS_HEADER] == unknown
    if etag := answer.headers.get("ETag"):
        assert etag == without["ETag"]
        unchanged = Client().get(f"{address}&{unknown}=1", headers={"If-None-Match": etag})
        assert (unchanged.status_code, unchanged[UNKNOWN_PARAMETERS_HEADER]) == (304, unknown)


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_each_call_knows_the_parameters_of_its_description() -> None:
    paths = api_document()["paths"]
    values = {"year": "2024", "form": "txt", "kind": "fixed", "quarter": "Q1", "code": "V600"}
    values |= {"msaMd": "99999", "report": "1", "figure": "top_filers", "period": "2024"}
    numbers = ("past", "sequenceNumber", "webhook", "delivery")
    calls = 0
    for path, operations in paths.items():
        names = [
            parameter["name"]
            for parameter in operations.get("get", {}).get("parameters", [])
            if parameter["in"] == "query"
        ]
        if names:
            address = re.sub(
                r"{(\w+)}", lambda m: values.get(m[1], "1" if m[1] in numbers else LEI), path
            )
            query = "&".join(f"{name}=1" for name in names)
            assert UNKNOWN_PARAMETERS_HEADER not in Client().get(f"{address}?{query}"), address
            assert Client().get(f"{address}?{query}&race=1")[UNKNOWN_PARAMETERS_HEADER] == "race", (
                address
            )
            calls += 1
    assert calls > 20


def test_an_upload_is_not_told_about_its_parameters() -> None:
    assert UNKNOWN_PARAMETERS_HEADER not in Client().post("/public/rateSpread?explane=true")
