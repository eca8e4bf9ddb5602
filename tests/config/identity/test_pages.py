"""The pages and documents of the embedded provider: sign in, authorize, sign out, discovery."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from oauth2_provider.models import get_application_model, get_grant_model

from config.identity import keyfiles
from tests.config.identity.client import (
    BACK,
    CONNECT,
    REALM,
    SITE,
    VERIFIER,
    allow,
    authorize,
    code_for,
    exchange,
    fragment,
    refresh,
    sign_in,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]


def test_a_wrong_password_leads_back_to_the_form(ann: User, browser: Client) -> None:
    answer = sign_in(browser, authorize(), password="wrong")
    assert answer.status_code == 200
    assert "do not match an active account" in answer.content.decode()
    assert browser.get(authorize())["Location"].startswith(f"{REALM}/login")


@pytest.mark.parametrize(
    "onward", ["/?client_id=%00", "/?client_id=%ED%A0%80", "//[", "http://[x/"]
)
def test_the_form_is_shown_whatever_follows_it(browser: Client, onward: str) -> None:
    browser.raise_request_exception = False
    assert browser.get(f"{REALM}/login", {"next": onward}).status_code == 200


def test_prompt_none_answers_that_nobody_is_signed_in(browser: Client) -> None:
    assert fragment(browser.get(authorize(prompt="none"))) == {
        "error": "login_required",
        "state": "s-1",
    }


# An address of this computer, where any program may listen, whatever the client registered.
LOOPBACK = [
    "http://localhost:4173/",
    "http://127.0.0.1:9/sign-in/done",
]


@pytest.mark.parametrize("address", LOOPBACK)
def test_a_program_on_this_computer_gets_no_code_unless_the_user_allows_it(
    ann: User, browser: Client, address: str
) -> None:
    sign_in(browser, authorize(redirect_uri=address))
    for more in ({}, {"approval_prompt": "auto"}):
        page = browser.get(authorize(redirect_uri=address, **more))
        assert page.status_code == 200
        assert f"<code>{address}</code>" in page.text
    silent = browser.get(authorize(redirect_uri=address, prompt="none"))
    assert "error=consent_required" in silent["Location"]
    assert not get_grant_model().objects.exists()

    denied = allow(browser, authorize(redirect_uri=address), allow="")
    assert denied["Location"].startswith(address)
    assert "error=access_denied" in denied["Location"]
    assert not get_grant_model().objects.exists()
    allowed = allow(browser, authorize(redirect_uri=address))
    assert allowed["Location"].startswith(address)
    assert "code=" in allowed["Location"]


def test_a_site_that_an_operator_registered_gets_a_code_at_once(ann: User, browser: Client) -> None:
    model = get_application_model()
    client = model.objects.get(client_id="hmda2-api")
    client.redirect_uris += " https://app.example/ https://127.0.0.1:4173/"
    client.save()
    browser.force_login(ann)
    assert "code=" in browser.get(authorize(redirect_uri="https://app.example/"))["Location"]
    assert browser.get(authorize(redirect_uri="https://127.0.0.1:4173/")).status_code == 200


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [({}, None), ({"max_age": "900"}, "is_fresh"), ({"ended": "1"}, "is_ended")],
)
def test_the_form_says_why_it_asks_and_knows_who_signs_in(
    browser: Client, parameters: dict[str, str], reason: str | None
) -> None:
    address = browser.get(authorize(login_hint="ann", **parameters))["Location"]
    page = browser.get(address)
    assert [name for name in ("is_fresh", "is_ended") if page.context[name]] == (
        [reason] if reason else []
    )
    fields = dict(re.findall(r'<input[^>]*name="(username|password)"([^>]*)>', page.text))
    assert 'value="ann"' in page.text
    assert "autofocus" in fields["password"]
    assert "autofocus" not in fields["username"]


REFUSED_TO_CLIENT = [
    ({"response_type": "token"}, "unauthorized_client"),
    ({"response_type": "code id_token"}, "unauthorized_client"),
    ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    ({"code_challenge": VERIFIER, "code_challenge_method": "plain"}, "invalid_request"),
    ({"scope": "openid admin"}, "invalid_scope"),
]


@pytest.mark.parametrize(("changes", "error"), REFUSED_TO_CLIENT)
def test_what_the_provider_does_not_grant_is_told_in_the_fragment(
    ann: User, browser: Client, changes: dict[str, str | None], error: str
) -> None:
    browser.force_login(ann)
    answer = browser.get(authorize(**changes))
    answered = fragment(
        allow(browser, authorize(**changes)) if answer.status_code == 200 else answer
    )
    assert answered["error"] == error
    assert answered["state"] == "s-1"
    assert "code" not in answered


REFUSED_ON_THE_SPOT = [
    {"client_id": "nobody"},
    {"redirect_uri": "https://evil.example/"},
    {"redirect_uri": "http://localhost:4173/other"},
    {"redirect_uri": "http://localhost.evil.example/"},
    {"redirect_uri": "http://user@localhost:4173/"},
    {"redirect_uri": None},
]


@pytest.mark.parametrize("changes", REFUSED_ON_THE_SPOT)
def test_nobody_is_sent_to_an_address_that_is_not_registered(
    ann: User, browser: Client, changes: dict[str, str | None]
) -> None:
    browser.force_login(ann)
    answer = browser.get(authorize(**changes))
    assert answer.status_code == 400
    assert "Location" not in answer


def test_signing_out_ends_the_session_and_the_refresh_token(ann: User, browser: Client) -> None:
    given = exchange(code_for(browser)).json()
    keyfiles.add_key()  # the ID token was signed by a key that signs no longer
    parameters = {
        "id_token_hint": given["id_token"],
        "post_logout_redirect_uri": BACK,
        "state": "s-2",
    }
    answer = browser.get(f"{CONNECT}/logout?{urlencode(parameters)}")
    assert answer.status_code == 302
    assert answer["Location"] == f"{BACK}?state=s-2"
    assert browser.get(authorize())["Location"].startswith(f"{REALM}/login")
    assert refresh(given["refresh_token"]).status_code == 400


def test_signing_out_asks_first_where_nothing_proves_who_wants_it(
    ann: User, browser: Client
) -> None:
    browser.force_login(ann)
    assert browser.get(f"{CONNECT}/logout").status_code == 200
    assert "code" in fragment(allow(browser, authorize()))


BAD_LOGOUTS = [
    {"client_id": "nobody"},
    {"id_token_hint": "garbage"},
    {"id_token_hint": "eyJraWQiOiJ4In0.bm8ganNvbg.AAAA"},
    {"client_id": "hmda2-api", "post_logout_redirect_uri": "https://evil.example/"},
    {"post_logout_redirect_uri": BACK},
]


@pytest.mark.parametrize("parameters", BAD_LOGOUTS)
def test_a_sign_out_that_does_not_fit_is_refused(
    ann: User, browser: Client, parameters: dict[str, str]
) -> None:
    browser.force_login(ann)
    answer = browser.get(f"{CONNECT}/logout?{urlencode(parameters)}")
    assert answer.status_code == 400
    assert "code" in fragment(allow(browser, authorize()))


def test_discovery_names_the_addresses_of_keycloak() -> None:
    answer = Client().get(f"{REALM}/.well-known/openid-configuration")
    assert answer.status_code == 200
    document = answer.json()
    connect = f"{SITE}{CONNECT}"
    assert {
        name: document[name] for name in document if "_endpoint" in name and "_auth" not in name
    } == {
        "authorization_endpoint": f"{connect}/auth",
        "token_endpoint": f"{connect}/token",
        "userinfo_endpoint": f"{connect}/userinfo",
        "end_session_endpoint": f"{connect}/logout",
    }
    assert document["issuer"] == f"{SITE}{REALM}"
    assert document["jwks_uri"] == f"{connect}/certs"
    assert document["response_types_supported"] == ["code"]
    assert document["response_modes_supported"] == ["query", "fragment"]
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["id_token_signing_alg_values_supported"] == ["RS256"]
    assert document["scopes_supported"] == ["openid", "profile", "email"]
    assert {"sub", "email", "lei", "resource_access"} <= set(document["claims_supported"])


@pytest.mark.parametrize(
    "document", [".well-known/openid-configuration", "protocol/openid-connect/certs"]
)
def test_documents_are_read_only_and_open_to_pages_of_any_origin(document: str) -> None:
    answer = Client().get(f"{REALM}/{document}", headers={"origin": "http://localhost:4173"})
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert Client().post(f"{REALM}/{document}").status_code == 405
    assert Client().get(f"/realms/other/{document}").status_code == 404
