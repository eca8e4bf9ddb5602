"""What the embedded provider grants, to whom, and what its tokens say."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial

import jwt
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, RefreshToken

from config.identity import keyfiles, provider
from filing.models import AuditEvent, TrailEntry
from filing.people import sign_ins
from tests.at_once import call_at_once
from tests.config.identity.client import (
    CONNECT,
    LEI,
    OTHER_LEI,
    PASSWORD,
    REALM,
    SITE,
    allow,
    authorize,
    claims_of,
    code_at,
    code_for,
    exchange,
    fragment,
    refresh,
    sign_in,
    who,
)
from tests.errors import error_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]


def test_a_filer_signs_in_and_files_with_the_token(ann: User, browser: Client) -> None:
    signed_in = sign_in(browser, authorize())
    assert signed_in["Location"] == authorize()
    back = fragment(allow(browser, signed_in["Location"]))
    issuer = f"{SITE}{REALM}"
    assert {**back, "code": "..."} == {"code": "...", "state": "s-1", "iss": issuer}

    answer = exchange(back["code"])
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert answer["Access-Control-Allow-Origin"] == "*", "the client is a page of another origin"
    given = answer.json()
    assert (given["token_type"], given["expires_in"], given["scope"]) == ("Bearer", 900, "openid")

    answer = who(given["access_token"])
    assert answer.status_code == 200
    assert answer.json()["email"] == "ann@bank.example"
    assert answer.json()["leis"] == [LEI, OTHER_LEI]

    assert who(given["id_token"]).status_code == 401, "an ID token opens no API"
    assert who(given["refresh_token"]).status_code == 401


def test_access_tokens_say_what_those_of_keycloak_say(ann: User, browser: Client) -> None:
    given = exchange(code_for(browser)).json()
    token = given["access_token"]
    header = jwt.get_unverified_header(token)
    assert header == {"alg": "RS256", "typ": "JWT", "kid": keyfiles.signing_key().kid}
    claims = claims_of(token)
    assert claims["exp"] - claims["iat"] == 900
    for name in ("iat", "exp", "jti", "sub"):
        assert claims.pop(name)
    assert claims.pop("generation") == 0  # of sessions and tokens, all of which staff can end
    assert claims.pop("account") is True  # beside what Keycloak says: memberships decide
    assert claims == {
        "iss": f"{SITE}{REALM}",
        "aud": ["hmda2-api"],
        "azp": "hmda2-api",
        "typ": "Bearer",
        "scope": "openid",
        "preferred_username": "ann",
        "email": "ann@bank.example",
        "email_verified": False,
        "name": "Ann Example",
        "given_name": "Ann",
        "family_name": "Example",
        "lei": f"{LEI},{OTHER_LEI}",
        "resource_access": {"hmda2-api": {"roles": ["hmda-admin"]}},
    }


def test_an_id_token_says_when_the_password_was_given_in_this_browser(
    ann: User, browser: Client
) -> None:
    """Neither a later sign-in elsewhere nor what the client asks for makes it newer."""

    def auth_time() -> int | None:
        requested = json.dumps({"proved_at": 1_900_000_000})
        code = fragment(allow(browser, authorize(claims=requested)))["code"]
        id_token = exchange(code).json()["id_token"]
        return claims_of(id_token).get("auth_time")

    browser.force_login(ann)  # without a password
    assert auth_time() is None
    session = browser.session
    sign_ins.record_authentication(session, 1_700_000_000)
    session.save()
    sign_in(Client(), authorize())  # on another machine
    assert auth_time() == 1_700_000_000


REFUSED_EXCHANGE = [
    {"code_verifier": "w" * 64},
    {"code_verifier": ""},
    {"redirect_uri": "http://localhost:4174/"},
    {"client_id": "nobody"},
    {"code": "nothing"},
    {"grant_type": "password", "username": "ann", "password": PASSWORD},
    {"grant_type": "client_credentials"},
    {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"},
]


@pytest.mark.parametrize("changes", REFUSED_EXCHANGE)
def test_a_code_is_exchanged_only_by_who_has_asked_for_it(
    ann: User, browser: Client, changes: dict[str, str]
) -> None:
    answer = exchange(**{"code": code_for(browser), **changes})
    assert answer.status_code in (400, 401)
    assert "access_token" not in answer.json()


@pytest.mark.parametrize(
    "grant",
    [
        *("password", "magic", "authorization_code "),
        "urn:ietf:params:oauth:grant-type:token-exchange",
    ],
)
def test_a_grant_that_the_provider_does_not_have_is_named(grant: str) -> None:
    answer = Client().post(f"{CONNECT}/token", {"grant_type": grant, "client_id": "hmda2-api"})
    assert answer.status_code == 400
    assert error_of(answer) == {
        "error": "unsupported_grant_type",
        "error_description": (
            f"grant_type is {grant!r}; send authorization_code, refresh_token or "
            "urn:ietf:params:oauth:grant-type:device_code."
        ),
    }
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize("query", ["x=%u00e9", "%0"])
@pytest.mark.parametrize("address", ["token", "userinfo", "auth", "logout"])
def test_a_query_that_is_half_encoded_is_refused(address: str, query: str) -> None:
    browser = Client(raise_request_exception=False)
    for method in ("GET", "POST"):
        answer = browser.generic(method, f"{CONNECT}/{address}?{query}")
        assert answer.status_code == 400, method


def userinfo(token: str) -> int:
    header = {"authorization": f"Bearer {token}"}
    return Client().get(f"{CONNECT}/userinfo", headers=header).status_code


def test_a_code_that_comes_twice_ends_what_was_refreshed_since(ann: User, browser: Client) -> None:
    code = code_for(browser)
    fresh = refresh(exchange(code).json()["refresh_token"]).json()
    for _ in range(3):
        assert exchange(code).status_code == 400
    assert refresh(fresh["refresh_token"]).status_code == 400
    assert userinfo(fresh["access_token"]) == 401
    assert TrailEntry.objects.filter(event=AuditEvent.TOKEN_REFUSED).count() == 1


def test_a_refresh_token_gives_new_tokens_with_the_institutions_of_today(
    ann: User, browser: Client
) -> None:
    given = exchange(code_for(browser)).json()
    ann.memberships.filter(lei=OTHER_LEI).delete()
    answer = refresh(given["refresh_token"])
    assert answer.status_code == 200
    fresh = answer.json()
    assert who(fresh["access_token"]).json()["leis"] == [LEI]
    assert fresh["refresh_token"] != given["refresh_token"]
    assert refresh(fresh["refresh_token"]).status_code == 200


def test_a_refresh_token_that_comes_twice_ends_the_session(ann: User, browser: Client) -> None:
    given = exchange(code_for(browser)).json()
    fresh = refresh(given["refresh_token"]).json()
    assert refresh(given["refresh_token"]).status_code == 400
    assert refresh(fresh["refresh_token"]).status_code == 400


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sends", ["a code", "a refresh token"])
def test_what_comes_several_times_at_once_is_used_once(
    ann: User, browser: Client, sends: str
) -> None:
    sign_in(browser, authorize())
    for _ in range(2):
        code = code_at(browser, authorize())
        send = partial(exchange, code)
        if sends == "a refresh token":
            send = partial(refresh, exchange(code).json()["refresh_token"])
        answers = call_at_once(send, 6)
        assert {answer.status_code for answer in answers} <= {200, 400}
        assert [answer.status_code for answer in answers].count(200) <= 1
        refused = {answer.json()["error"] for answer in answers if answer.status_code == 400}
        assert refused == {"invalid_grant"}


def test_a_refresh_token_ends_half_an_hour_after_its_access_token(
    ann: User, browser: Client
) -> None:
    given = exchange(code_for(browser)).json()
    AccessToken.objects.update(expires=timezone.now() - timedelta(minutes=31))
    assert refresh(given["refresh_token"]).status_code == 400


def test_who_is_locked_out_stays_out(ann: User, browser: Client) -> None:
    given = exchange(code_for(browser)).json()
    code = code_for(Client())
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert refresh(given["refresh_token"]).status_code == 400
    assert exchange(code).status_code == 400


def test_tokens_are_not_kept_in_the_database(ann: User, browser: Client) -> None:
    exchange(code_for(browser))
    assert [token.token for token in (*AccessToken.objects.all(), *RefreshToken.objects.all())] == [
        "",
        "",
    ]


def test_all_keys_are_published_and_tokens_of_each_are_taken(ann: User, browser: Client) -> None:
    old = exchange(code_for(browser)).json()["access_token"]
    keyfiles.add_key()
    new = exchange(code_for(Client())).json()["access_token"]
    answer = Client().get(f"{CONNECT}/certs")
    published = {key["kid"]: jwt.PyJWK(key).key for key in answer.json()["keys"]}
    kids = [jwt.get_unverified_header(token)["kid"] for token in (old, new)]
    assert set(published) == set(kids)
    assert len(set(kids)) == 2
    for token, kid in zip((old, new), kids, strict=True):
        assert jwt.decode(token, published[kid], algorithms=["RS256"], audience="hmda2-api")
        assert who(token).status_code == 200


def test_preparing_again_keeps_what_an_operator_has_changed() -> None:
    client = Application.objects.get(client_id="hmda2-api")
    client.redirect_uris = "https://filer.example/back"
    client.name = "Another name"
    client.save()
    assert provider.prepare_provider() == client
    again = Application.objects.get(client_id="hmda2-api")
    assert again.name == "Another name"
    assert again.redirect_uri_allowed("https://filer.example/back")
    assert again.redirect_uri_allowed(f"{SITE}/sign-in/done")


def test_a_person_keeps_one_subject_and_two_people_have_two(ann: User, browser: Client) -> None:
    User.objects.create_user("ben", "ben@bank.example", PASSWORD)
    first, second = (who(exchange(code_for(Client())).json()["access_token"]) for _ in range(2))
    assert first.json()["id"] == second.json()["id"]
    signed_in = sign_in(browser, authorize(), "ben")
    code = fragment(allow(browser, signed_in["Location"]))["code"]
    ben = who(exchange(code).json()["access_token"]).json()
    assert ben["leis"] == []
    assert ben["id"] != first.json()["id"]


def test_a_code_that_comes_twice_ends_what_was_granted_for_it(ann: User, browser: Client) -> None:
    code = code_for(browser)
    given = exchange(code).json()
    other = exchange(code_for(Client())).json()
    assert userinfo(given["access_token"]) == 200
    again = exchange(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert refresh(given["refresh_token"]).json()["error"] == "invalid_grant"
    assert userinfo(given["access_token"]) == 401
    assert userinfo(other["access_token"]) == 200
    assert refresh(other["refresh_token"]).status_code == 200, "of another code"
    entry = TrailEntry.objects.get(event=AuditEvent.TOKEN_REFUSED)
    assert (entry.actor_username, entry.about) == ("ann", "hmda2-api by authorization_code")
    assert entry.reason == "Its code was used before; the tokens granted for it were revoked."


def test_a_code_of_another_client_ends_nothing(ann: User, browser: Client) -> None:
    Application.objects.create(
        client_id="other",
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="http://localhost:4173/",
    )
    code = code_for(browser)
    given = exchange(code).json()
    assert exchange(code, client_id="other").status_code == 400
    assert exchange("nothing").status_code == 400
    assert refresh(given["refresh_token"]).status_code == 200
