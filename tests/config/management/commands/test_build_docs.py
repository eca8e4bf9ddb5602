"""The documents that come from the code's tables say what a filer has to know of a column."""

from __future__ import annotations

import json

from config.management.commands import build_docs
from filing.lar.fields import LAR, TRANSMITTAL_SHEET

DECIMAL = "A number has at most 100 characters, and at most 2 digits in its exponent, as in 1.5e10."
CALLS_WITH_RECORDS = [
    "/v2/public/ts/parse",
    "/v2/public/lar/parse",
    "/v2/public/lar/validate/{year}",
    "/v2/public/disclosure/parse",
    "/v2/public/disclosure/validate/{year}",
    "/v2/filing/institutions/{lei}/filings/{year}/submissions/{sequenceNumber}",
]


def test_the_fields_say_the_limit_of_every_number():
    document = build_docs.fields()
    assert f"| Numeric, NA, or Exempt | {DECIMAL} |\n" in document
    for field in (*TRANSMITTAL_SHEET, *LAR):
        assert not field.limit or f"| {field.accepts} | {field.limit} |\n" in document


def test_the_api_document_says_the_limits_where_records_are_sent():
    paths = json.loads(build_docs.openapi())["paths"]
    for path in CALLS_WITH_RECORDS:
        assert DECIMAL in paths[path]["post"]["description"], path
