"""A view with one answer gives it whatever its caller accepts; its parameter may be `format`."""

from __future__ import annotations

import pytest
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from filing.api.public import AnyAccept


@pytest.mark.parametrize(("accepted", "query"), [("text/csv", "?format=xlsx"), ("x", "")])
def test_the_answer_is_json_or_what_the_view_makes(accepted: str, query: str) -> None:
    request = Request(APIRequestFactory().get(f"/{query}", headers={"Accept": accepted}))
    renderer, media_type = AnyAccept().select_renderer(request, [JSONRenderer()])
    assert (type(renderer), media_type) == (JSONRenderer, "application/json")
