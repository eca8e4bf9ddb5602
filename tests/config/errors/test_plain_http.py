"""A call without TLS on a public site: pages are redirected, programs are told."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from config.requests.refusals import PLAIN_HTTP_REFUSAL
from tests.errors import error_of


@pytest.fixture(autouse=True)
def public_site(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


CALLS = [
    "/v2/filing/institutions/529900TESTBANK000042/filings/2024",
    "/v2/public/lar/parse",
    "/v2/data-browser-api/view/aggregations?years=2022",
    "/hmda-auth/users/profile",
    "/quarterly-data/graphs",
    "/realms/hmda2/protocol/openid-connect/token",
]


@pytest.mark.parametrize("address", CALLS)
def test_a_call_is_refused_and_not_redirected(address: str) -> None:
    answer = Client().post(address, headers={"Authorization": "Bearer of-someone"})
    assert answer.status_code == 403
    assert "Location" not in answer
    assert PLAIN_HTTP_REFUSAL in answer.content.decode()
    assert answer["X-Request-ID"]


def test_the_refusal_has_the_form_of_its_area() -> None:
    error = error_of(Client().get(CALLS[0]))
    assert (error["httpStatus"], error["message"]) == (403, PLAIN_HTTP_REFUSAL)
    assert error["path"] == CALLS[0].removeprefix("/v2/filing")
