"""Another OpenID provider than the embedded one: one setting, and its tokens are the ones taken."""

from __future__ import annotations

import time

import httpx
import pytest

from tests.flow.conftest import Service
from tests.flow.other_provider import LEI, OtherProvider

pytestmark = pytest.mark.slow


def test_tokens_of_an_external_provider_are_taken_and_the_embedded_one_is_gone(
    bucket: Service, other_provider: OtherProvider
) -> None:
    address = f"{bucket.url}/v2/filing/institutions/{LEI}/filings/2024"

    def status(token: str) -> int:
        return httpx.get(address, headers={"Authorization": f"Bearer {token}"}).status_code

    assert status(other_provider.token()) == 200
    assert status(other_provider.token(lei=[LEI])) == 200
    assert status(other_provider.token(lei="SOMEONEELSE000000001")) == 403
    assert status(other_provider.token(aud="account")) == 401
    assert status(other_provider.token(exp=int(time.time()) - 120)) == 401
    config = f"{bucket.url}/realms/hmda2/.well-known/openid-configuration"
    assert httpx.get(config).status_code == 404
