"""What the claims of a token say of who calls: institutions, roles, names."""

from __future__ import annotations

from typing import Any

import pytest

from config.identity import bearer

LEI = "529900EXAMPLELEI0001"
OTHER_LEI = "529900EXAMPLELEI0002"


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.OIDC_AUDIENCE = "hmda2-api"
    settings.OIDC_LEI_CLAIM = "lei"


LEIS = [
    (LEI, {LEI}),
    (f" {LEI} , {OTHER_LEI},,", {LEI, OTHER_LEI}),
    ([LEI, OTHER_LEI], {LEI, OTHER_LEI}),
    ([f"{LEI},{OTHER_LEI}"], {LEI, OTHER_LEI}),
    ("", set()),
    (None, set()),
]


@pytest.mark.parametrize(("claim", "leis"), LEIS)
def test_leis_come_as_text_or_list(claim: Any, leis: set[str]) -> None:
    assert bearer.caller_from_claims({"sub": "1", "lei": claim}).leis == leis


ROLES = [
    ({"resource_access": {"hmda2-api": {"roles": ["hmda-admin"]}}}, {"hmda-admin"}),
    (
        {"realm_access": {"roles": ["hmda-admin", "offline_access"]}},
        {"hmda-admin", "offline_access"},
    ),
    ({"resource_access": {"account": {"roles": ["hmda-admin"]}}}, set()),
    ({"roles": ["hmda-admin"]}, set()),
    ({"resource_access": {"hmda2-api": {"roles": []}}, "realm_access": None}, set()),
    ({}, set()),
]


@pytest.mark.parametrize(("claims", "roles"), ROLES)
def test_roles_come_from_our_client_and_the_realm(claims: dict[str, Any], roles: set[str]) -> None:
    assert bearer.caller_from_claims({"sub": "1", **claims}).roles == roles


@pytest.mark.parametrize(
    "claims",
    [
        {"resource_access": {"hmda2-api": {"roles": "hmda-preparer"}}},
        {"resource_access": {"hmda2-api": ["hmda-preparer"]}},
        {"resource_access": ["hmda2-api"]},
        {"realm_access": "hmda-preparer"},
        {"realm_access": {"roles": {"hmda-preparer": 1}}},
        {"realm_access": {"roles": [["hmda-preparer"]]}},
        {"realm_access": {"roles": [{"hmda-preparer": 1}, 7, None]}},
    ],
)
def test_roles_that_cannot_be_read_give_no_rights(claims: dict[str, Any]) -> None:
    with pytest.raises(bearer.TokenError):  # without roles it would let its bearer sign
        bearer.caller_from_claims({"sub": "1", "lei": LEI, **claims})
