"""A view with one answer gives it whatever its caller accepts; its parameter may be `format`."""

from __future__ import annotations

import pytest
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from filing.api.public import AnyAccept


@pytest.mark.parametrize("accepted", ["text/csv", "application/json", "image/png", "x"])
@pytest.mark.parametrize("query", ["", "?format=xlsx"])
def test_the_answer_is_json_or_what_the_view_makes(accepted: str, query: str) -> None:
    request = Request(APIRequestFactory().get(f"/{query}", headers={"Accept": accepted}))
    renderer, media_type = AnyAccept().select_renderer(request, [JSONRenderer()])
    assert (type(renderer), media_type) == (JSONRenderer, "application/json")


@pytest.mark.parametrize("parser", [JSONParser(), MultiPartParser()])
def test_a_body_is_read_by_its_own_type(parser: JSONParser | MultiPartParser) -> None:
    request = Request(APIRequestFactory().post("/", b"", content_type=parser.media_type))
    assert AnyAccept().select_parser(request, [JSONParser(), MultiPartParser()]).__class__ is (
        parser.__class__
    )
