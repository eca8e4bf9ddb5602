"""The realm export for Keycloak fits what the service expects of a provider."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from filing.access import ROLES

EXPORT = settings.BASE_DIR / "deploy" / "keycloak" / "hmda2-realm.json"
SITE = "https://hmda.example"


@pytest.fixture(scope="module")
def realm() -> dict[str, Any]:
    return json.loads(EXPORT.read_text())


@pytest.fixture
def client(realm: dict[str, Any]) -> dict[str, Any]:
    return client_of(realm, settings.OIDC_CLIENT_ID)


def client_of(realm: dict[str, Any], name: str) -> dict[str, Any]:
    (client,) = (client for client in realm["clients"] if client["clientId"] == name)
    return client


def mapper(client: dict[str, Any], kind: str) -> dict[str, str]:
    (found,) = [each for each in client["protocolMappers"] if each["protocolMapper"] == kind]
    return found["config"]


def test_codes_are_the_only_way_and_pkce_is_required(client: dict[str, Any]) -> None:
    assert client["publicClient"]
    assert client["standardFlowEnabled"]
    for other in ("implicitFlow", "directAccessGrants", "serviceAccounts"):
        assert client[f"{other}Enabled"] is False
    assert client["attributes"]["pkce.code.challenge.method"] == "S256"


def test_the_browser_may_come_back_to_our_addresses(client: dict[str, Any]) -> None:
    assert f"{SITE}{reverse('signed-in')}" in client["redirectUris"]
    assert f"{SITE}{reverse('swagger')}" in client["redirectUris"]
    assert client["attributes"]["post.logout.redirect.uris"] == f"{SITE}{reverse('home')}"
    assert not [address for address in client["redirectUris"] if "*" in address]


def test_tokens_are_for_our_audience_and_name_the_institutions(client: dict[str, Any]) -> None:
    audience = mapper(client, "oidc-audience-mapper")
    assert audience["included.client.audience"] == settings.OIDC_AUDIENCE
    assert audience["access.token.claim"] == "true"
    lei = mapper(client, "oidc-usermodel-attribute-mapper")
    assert lei["claim.name"] == settings.OIDC_LEI_CLAIM
    for place in ("access.token", "id.token", "userinfo.token"):
        assert lei[f"{place}.claim"] == "true"


def test_the_roles_are_ours_and_stand_where_we_read_them(
    realm: dict[str, Any], client: dict[str, Any]
) -> None:
    named = {role["name"] for role in realm["roles"]["client"]["hmda2-api"]}
    assert named == {role.token_role for role in ROLES}
    claim = mapper(client, "oidc-usermodel-client-role-mapper")["claim.name"]
    assert claim == "resource_access.${client_id}.roles"


def test_only_administrators_say_for_whom_a_user_acts(realm: dict[str, Any]) -> None:
    (provider,) = realm["components"]["org.keycloak.userprofile.UserProfileProvider"]
    (text,) = provider["config"]["kc.user.profile.config"]
    attributes = {each["name"]: each for each in json.loads(text)["attributes"]}
    assert attributes["lei"]["permissions"]["edit"] == ["admin"]
    assert attributes["email"]["permissions"]["edit"] == ["admin"]
