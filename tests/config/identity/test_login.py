"""Signing in at a provider of somebody else's: what is believed of its answers, and what is not."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from config.identity import keys
from filing import access, people, session_tokens
from filing.models import Happening, Identity, Institution, Mail, Membership, TrailEntry
from tests.config.identity.conftest import Issuer, rsa_key

pytestmark = pytest.mark.django_db
LEI, OTHER_LEI, THIRD_LEI = (f"529900EXAMPLELEI000{number}" for number in (1, 2, 3))
SUBJECT = "8f1c0a52-0000-4000-8000-000000000001"


class Provider(ThreadingHTTPServer):
    """An OpenID provider whose answers a test can bend. It remembers what it was asked."""

    daemon_threads = True

    def __init__(self, issuer: Issuer) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.issuer = issuer
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.nonce = ""
        self.id_token: dict[str, Any] = {}  # changes to its claims
        self.access_token: dict[str, Any] | str = {}
        self.bend: Callable[[dict[str, Any]], dict[str, Any]] = lambda tokens: tokens
        self.status = 200
        self.discovery: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.sign: dict[str, Any] = {}

    def document(self, path: str) -> Any:
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/auth",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "end_session_endpoint": f"{self.url}/logout",
                "jwks_uri": f"{self.url}/certs",
                **self.discovery,
            },
            "/certs": self.issuer.jwks,
            "/userinfo": self.userinfo,
        }.get(path)

    def tokens(self) -> dict[str, Any]:
        access = self.access_token
        if isinstance(access, dict):
            access = self.issuer.token(**{"iss": self.url, **access})
        claims = {"iss": self.url, "aud": "hmda2-api", "nonce": self.nonce, "typ": "ID"}
        claims |= {"scope": ..., "email_verified": True, "given_name": "Ann"}
        claims |= {"family_name": "Example", **self.id_token}
        id_token = self.issuer.token(**self.sign, **claims)
        return self.bend({"access_token": access, "id_token": id_token, "token_type": "Bearer"})


class Answer(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self._say(200, self.server.document(self.path))

    def do_POST(self) -> None:
        self.server.asked.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.forms.append(
            {**dict(parse_qsl(body)), "authorization": self.headers.get("Authorization", "")}
        )
        self._say(self.server.status, self.server.tokens())

    def _say(self, status: int, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(status if document is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def provider(issuer: Issuer, settings: Any) -> Iterator[Provider]:
    with Provider(issuer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        settings.EMBEDDED_PROVIDER = False
        settings.OIDC_ISSUER = server.url
        settings.IDENTITY_KEYS = "config.identity.keys.RemoteKeys"
        settings.OIDC_JWKS_URL = ""
        settings.AUTHENTICATION_BACKENDS = ["config.identity.login.Backend"]
        yield server
        server.shutdown()
        thread.join()
    cache.clear()
    keys._source.cache_clear()


@pytest.fixture
def browser() -> Client:
    return Client(headers={"host": "localhost:8000"}, enforce_csrf_checks=True)


def begin(browser: Client, provider: Provider, onward: str = "/help/") -> dict[str, str]:
    answer = browser.get("/sign-in/", {"next": onward})
    assert answer.status_code == 302, answer.text
    parts = urlsplit(answer["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{provider.url}/auth"
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    provider.nonce = asked["nonce"]
    return asked


def come_back(browser: Client, provider: Provider, **changes: str) -> Any:
    asked = begin(browser, provider)
    return browser.get("/sign-in/done", {"code": "c-1", "state": asked["state"], **changes})


def is_signed_in(browser: Client) -> bool:
    return browser.get("/filing/profile/").status_code == 200


def refusals() -> list[str]:
    told = TrailEntry.objects.filter(happening=Happening.SIGN_IN_REFUSED).order_by("id")
    return [entry.reason for entry in told]


def test_the_browser_is_sent_to_the_provider_with_proof_of_its_own(
    provider: Provider, browser: Client
) -> None:
    asked = begin(browser, provider)
    assert asked["response_type"] == "code"
    assert asked["client_id"] == "hmda2-api"
    assert asked["scope"] == "openid profile email"
    assert asked["redirect_uri"] == "http://localhost:8000/sign-in/done"
    assert asked["code_challenge_method"] == "S256"
    other = begin(browser, provider)
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[name]) >= 32
        assert asked[name] != other[name]


def test_a_sign_in_ends_where_it_was_to_lead(provider: Provider, browser: Client) -> None:
    answer = come_back(browser, provider)
    assert (answer.status_code, answer["Location"]) == (302, "/help/")
    assert is_signed_in(browser)
    user = User.objects.get()
    assert (user.username, user.email, user.get_full_name()) == (
        "ann",
        "ann@bank.example",
        "Ann Example",
    )
    assert not user.has_usable_password()
    identity = Identity.objects.get()
    assert (identity.user, identity.issuer, identity.subject) == (user, provider.url, SUBJECT)
    assert identity.email_verified
    assert identity.signed_in_at
    assert TrailEntry.objects.filter(happening=Happening.SIGNED_IN, actor_id=SUBJECT).exists()


def test_the_code_is_exchanged_with_its_verifier(provider: Provider, browser: Client) -> None:
    asked = begin(browser, provider)
    browser.get("/sign-in/done", {"code": "c-9", "state": asked["state"]})
    (form,) = provider.forms
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]
    assert (form["code"], form["redirect_uri"]) == ("c-9", asked["redirect_uri"])
    assert (form["client_id"], form["grant_type"]) == ("hmda2-api", "authorization_code")
    assert "client_secret" not in form
    assert form["authorization"] == ""


@pytest.mark.parametrize(
    ("methods", "in_header"), [([], True), (["client_secret_post"], False), (None, True)]
)
def test_a_secret_goes_the_way_the_provider_wants(
    provider: Provider, browser: Client, settings: Any, methods: Any, in_header: bool
) -> None:
    settings.OIDC_CLIENT_SECRET = "s3cret"
    provider.discovery = {"token_endpoint_auth_methods_supported": methods}
    come_back(browser, provider)
    (form,) = provider.forms
    assert form["authorization"].startswith("Basic ") is in_header
    assert (form.get("client_secret") == "s3cret") is not in_header


def test_a_second_sign_in_asks_for_nothing_but_the_tokens(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    provider.asked.clear()
    come_back(Client(headers={"host": "localhost:8000"}), provider)
    assert provider.asked == ["/token"]


@pytest.mark.parametrize("onward", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_nobody_is_sent_to_another_site(provider: Provider, browser: Client, onward: str) -> None:
    asked = begin(browser, provider, onward)
    answer = browser.get("/sign-in/done", {"code": "c-1", "state": asked["state"]})
    assert answer["Location"] == "/filing/profile/"


@pytest.mark.parametrize(
    ("role", "onward", "there"),
    [
        ("hmda-filer", "", "/filing/profile/"),
        ("hmda-helpdesk", "", "/admin/"),
        ("hmda-operator", "", "/admin/"),
        ("hmda-operator", "/help/", "/help/"),
        ("hmda-operator", "/filing/profile/", "/filing/profile/"),
    ],
)
def test_staff_land_in_the_admin_unless_they_asked_for_another_page(
    provider: Provider, browser: Client, role: str, onward: str, there: str
) -> None:
    provider.access_token = {"resource_access": {"hmda2-api": {"roles": [role]}}}
    asked = begin(browser, provider, onward)
    answer = browser.get("/sign-in/done", {"code": "c-1", "state": asked["state"]})
    assert answer["Location"] == there
    assert browser.get(there).status_code == 200


def test_who_tries_again_goes_to_the_page_asked_for_and_staff_to_theirs(
    provider: Provider, browser: Client
) -> None:
    provider.status = 502
    asked = begin(browser, provider, "")
    answer = browser.get("/sign-in/done", {"code": "c-1", "state": asked["state"]})
    assert 'href="/sign-in/"' in answer.text


NOW = int(time.time())
BAD_ID_TOKENS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"iss": "https://evil.example"}, {}, "issuer"),
    ({"aud": "another-client"}, {}, "udience"),
    ({"aud": ["hmda2-api", "another"], "azp": ...}, {}, "several audiences"),
    ({"azp": "another-client"}, {}, "another client"),
    ({"aud": ["hmda2-api", "another"], "azp": "another"}, {}, "another client"),
    ({"nonce": "another"}, {}, "another sign-in"),
    ({"nonce": ...}, {}, "another sign-in"),
    ({"nonce": ""}, {}, "another sign-in"),
    ({"exp": NOW - 3600}, {}, "expired"),
    ({"exp": ...}, {}, "exp"),
    ({"iat": NOW + 3600}, {}, "not yet valid"),
    ({"sub": ...}, {}, "sub"),
    ({"typ": "Bearer"}, {}, "another type"),
    ({"at_hash": "AAAA"}, {}, "not its own"),
    ({}, {"key": rsa_key()}, "ignature"),
    ({}, {"header": {"kid": "nobody"}}, "nobody knows its key"),
    ({}, {"header": {"kid": ""}}, "nobody knows its key"),
    ({}, {"header": {"typ": "at+jwt"}}, "another type"),
    ({}, {"key": "x" * 64, "algorithm": "HS256"}, "algorithm"),
    ({}, {"key": "", "algorithm": "none"}, "algorithm"),
    ({"sub": " "}, {}, "subject"),
    ({"sub": "x" * 300}, {}, "subject"),
]


@pytest.mark.parametrize(("claims", "sign", "reason"), BAD_ID_TOKENS)
def test_a_bad_id_token_signs_nobody_in(
    provider: Provider,
    browser: Client,
    claims: dict[str, Any],
    sign: dict[str, Any],
    reason: str,
) -> None:
    provider.id_token, provider.sign, provider.access_token = claims, sign, "opaque"
    answer = come_back(browser, provider)
    assert answer.status_code == 403
    assert "does not prove who you are" in answer.text
    assert "/sign-in/?next=%2Fhelp%2F" in answer.text
    assert not is_signed_in(browser)
    assert not User.objects.exists()
    (told,) = refusals()
    assert reason in told


BAD_ANSWERS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda tokens: {**tokens, "id_token": None}, "missing"),
    (lambda tokens: {**tokens, "id_token": "garbage"}, "the ID token"),
    (lambda tokens: {**tokens, "id_token": "x" * 9000}, "longer"),
    (lambda tokens: {**tokens, "id_token": tokens["access_token"]}, "another type"),
    (lambda tokens: {}, "missing"),
]


@pytest.mark.parametrize(("bend", "reason"), BAD_ANSWERS)
def test_an_answer_without_an_id_token_signs_nobody_in(
    provider: Provider, browser: Client, bend: Any, reason: str
) -> None:
    provider.bend = bend
    assert come_back(browser, provider).status_code == 403
    assert not is_signed_in(browser)
    assert reason in refusals()[0]


def test_somebody_elses_access_token_signs_nobody_in(provider: Provider, browser: Client) -> None:
    provider.access_token = {"sub": "somebody-else"}
    assert come_back(browser, provider).status_code == 403
    assert refusals() == ["the access token is somebody else's"]


def test_a_state_that_nobody_has_begun_with_is_refused(provider: Provider, browser: Client) -> None:
    answer = come_back(browser, provider, state="another")
    assert answer.status_code == 400
    assert "Try again" in answer.text
    assert provider.forms == []
    assert browser.get("/sign-in/done").status_code == 400
    assert not is_signed_in(browser)


def test_a_state_is_good_once_and_a_second_time_harms_nobody(
    provider: Provider, browser: Client
) -> None:
    asked = begin(browser, provider)
    back = {"code": "c-1", "state": asked["state"]}
    assert browser.get("/sign-in/done", back).status_code == 302
    assert browser.get("/sign-in/done", back).status_code == 400
    assert browser.get("/sign-in/done", {"error": "access_denied"}).status_code == 400
    assert is_signed_in(browser)
    assert len(provider.forms) == 1


def test_the_state_of_another_browser_is_refused(provider: Provider, browser: Client) -> None:
    asked = begin(browser, provider)
    other = Client(headers={"host": "localhost:8000"})
    begin(other, provider)
    answer = other.get("/sign-in/done", {"code": "c-1", "state": asked["state"]})
    assert answer.status_code == 400
    assert provider.forms == []


@pytest.mark.parametrize(
    ("error", "words"),
    [("access_denied", "said no"), ("login_required", "sign in again"), ("odd<b>", "refused")],
)
def test_an_error_of_the_provider_is_told_and_spends_the_state(
    provider: Provider, browser: Client, error: str, words: str
) -> None:
    asked = begin(browser, provider)
    answer = browser.get("/sign-in/done", {"error": error, "state": asked["state"]})
    assert answer.status_code == 403
    assert words in answer.text
    assert error not in answer.text
    assert refusals() == [f"the provider says {error}"]
    again = browser.get("/sign-in/done", {"code": "c-1", "state": asked["state"]})
    assert again.status_code == 400


def test_an_answer_without_a_code_is_told(provider: Provider, browser: Client) -> None:
    asked = begin(browser, provider)
    answer = browser.get("/sign-in/done", {"state": asked["state"]})
    assert answer.status_code == 400
    assert "holds no code" in answer.text


def test_a_code_that_the_provider_refuses_is_told(provider: Provider, browser: Client) -> None:
    provider.status, provider.bend = 400, lambda tokens: {"error": "invalid_grant"}
    answer = come_back(browser, provider)
    assert answer.status_code == 403
    assert "did not accept" in answer.text
    assert refusals() == ["the provider gave no token: invalid_grant"]


def test_a_provider_that_fails_is_down(provider: Provider, browser: Client) -> None:
    provider.status = 502
    answer = come_back(browser, provider)
    assert answer.status_code == 503
    assert "does not answer" in answer.text


def test_a_provider_that_does_not_answer_is_told_before_anybody_goes_there(
    provider: Provider, browser: Client, settings: Any
) -> None:
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    answer = browser.get("/sign-in/?next=/help/")
    assert answer.status_code == 503
    assert "/sign-in/?next=" in answer.text
    assert browser.get("/").status_code == 200


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": ""},
        {"token_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"end_session_endpoint": ["x"]},
    ],
)
def test_a_discovery_document_of_no_use_is_as_good_as_none(
    provider: Provider, browser: Client, discovery: dict[str, Any]
) -> None:
    provider.discovery = discovery
    assert browser.get("/sign-in/").status_code == 503


def test_the_same_address_at_another_subject_is_another_user(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    provider.id_token = provider.access_token = {"sub": "another"}
    come_back(Client(headers={"host": "localhost:8000"}), provider)
    users = User.objects.order_by("id")
    assert [user.username for user in users] == ["ann", "ann-2"]
    assert [user.email for user in users] == ["ann@bank.example"] * 2


def test_the_same_address_and_subject_at_another_issuer_is_another_user(
    provider: Provider, browser: Client
) -> None:
    old = User.objects.create_user("ann", "ann@bank.example")
    Identity.objects.create(user=old, issuer="https://other.example", subject=SUBJECT)
    come_back(browser, provider)
    assert Identity.objects.get(issuer=provider.url).user != old
    assert User.objects.count() == 2


def test_another_address_at_the_same_subject_is_the_same_user(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    provider.id_token = {"email": "ann@other.example", "email_verified": False, "name": "A"}
    come_back(browser, provider)
    user = User.objects.get()
    assert (user.username, user.email) == ("ann", "ann@other.example")
    assert not Identity.objects.get().email_verified


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email": "ann@other.example"}, "The 2024 panel does not list other.example"),
        ({"email_verified": False}, "The email address of the account is not verified."),
    ],
)
def test_a_sign_in_with_another_address_ends_what_the_old_one_gave(
    provider: Provider, browser: Client, claims: dict[str, Any], reason: str
) -> None:
    Institution.objects.create(
        activity_year=2024, lei=LEI, name="Test Bank", agency=9, email_domains=["bank.example"]
    )
    provider.access_token = {"lei": ...}
    provider.id_token = {"lei": ...}
    come_back(browser, provider)
    user = User.objects.get()
    people.confirm_institutions(user, [LEI], by=access.caller_of(user))
    come_back(browser, provider)
    assert user.memberships.exists()
    provider.id_token |= claims
    come_back(browser, provider)
    assert not user.memberships.exists()
    told = TrailEntry.objects.get(happening=Happening.MEMBERSHIP_REMOVED)
    assert told.reason.startswith(reason)
    assert "ann@bank.example" in Mail.objects.values_list("to", flat=True)


def test_a_sign_in_looks_at_the_panel(provider: Provider, browser: Client) -> None:
    panel = Institution.objects.create(
        activity_year=2024, lei=LEI, name="Test Bank", agency=9, email_domains=["bank.example"]
    )
    provider.access_token = {"lei": ...}
    provider.id_token = {"lei": ...}
    come_back(browser, provider)
    user = User.objects.get()
    people.confirm_institutions(user, [LEI], by=access.caller_of(user))
    Institution.objects.filter(pk=panel.pk).update(email_domains=[])
    come_back(browser, provider)
    assert not user.memberships.exists()


def test_who_is_locked_out_stays_out(provider: Provider, browser: Client) -> None:
    come_back(browser, provider)
    User.objects.update(is_active=False)
    assert not is_signed_in(browser)
    answer = come_back(browser, provider)
    assert answer.status_code == 403
    assert "This account is disabled" in answer.text
    assert not is_signed_in(browser)


def test_roles_are_those_that_the_tokens_name_now(provider: Provider, browser: Client) -> None:
    def roles() -> tuple[set[str], bool]:
        user = User.objects.get()
        return set(user.groups.values_list("name", flat=True)), user.is_staff

    access = {"hmda2-api": {"roles": ["hmda-operator", "other"]}}
    provider.access_token = {"resource_access": access}
    provider.id_token = {"realm_access": {"roles": ["hmda-helpdesk"]}}
    come_back(browser, provider)
    assert roles() == ({"operator", "help desk"}, True)
    provider.access_token, provider.id_token = {}, {}
    come_back(browser, provider)
    assert roles() == (set(), False)
    changes = TrailEntry.objects.filter(happening=Happening.ROLES_CHANGED).order_by("id")
    assert [entry.about for entry in changes] == [
        "roles of ann: help desk, operator",
        "roles of ann: none",
    ]


def test_institutions_of_the_token_are_kept_in_step_and_others_stay(
    provider: Provider, browser: Client
) -> None:
    def memberships() -> set[tuple[str, str]]:
        return set(Membership.objects.values_list("lei", "source"))

    provider.access_token = {"lei": f"{LEI},{OTHER_LEI}"}
    provider.id_token = {"lei": ...}
    come_back(browser, provider)
    assert memberships() == {(LEI, "token"), (OTHER_LEI, "token")}
    Membership.objects.create(user=User.objects.get(), lei=THIRD_LEI, source="hand")
    provider.access_token = {"lei": [OTHER_LEI, THIRD_LEI, "no LEI"]}
    come_back(browser, provider)
    assert memberships() == {(OTHER_LEI, "token"), (THIRD_LEI, "hand")}
    told = TrailEntry.objects.filter(happening__startswith="membership").order_by("id")
    assert [(entry.happening, entry.lei) for entry in told] == [
        ("membership added", LEI),
        ("membership added", OTHER_LEI),
        ("membership removed", LEI),
    ]


def test_the_access_token_is_kept_with_the_session_and_leaves_it_at_sign_out(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    token = session_tokens.of(browser.session)
    assert token is not None
    claims = jwt.decode(token.text, options={"verify_signature": False})
    assert token.expires_at.timestamp() == claims["exp"]
    assert not token.is_expired
    assert all(token.text not in cookie.value for cookie in browser.cookies.values())
    assert token.text in browser.get("/filing/profile/").text


def test_an_access_token_of_no_use_for_the_api_is_not_offered(
    provider: Provider, browser: Client
) -> None:
    provider.access_token = "opaque"
    come_back(browser, provider)
    page = browser.get("/filing/profile/").text
    assert "cannot be used with the API" in page
    assert "opaque" not in page


def test_userinfo_is_asked_only_for_what_the_id_token_leaves_out(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    assert "/userinfo" not in provider.asked
    provider.id_token = {"email": ...}
    provider.userinfo = {"sub": SUBJECT, "email": "ann@info.example", "iss": "x"}
    come_back(browser, provider)
    assert User.objects.get().email == "ann@info.example"


def test_userinfo_of_somebody_else_signs_nobody_in(provider: Provider, browser: Client) -> None:
    provider.id_token = {"email": ...}
    provider.userinfo = {"sub": "somebody-else", "email": "eve@bank.example"}
    assert come_back(browser, provider).status_code == 403
    assert refusals() == ["userinfo speaks of somebody else"]


def test_another_user_in_the_same_browser_gets_a_session_of_their_own(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    first = browser.session.session_key
    provider.id_token = provider.access_token = {"sub": "another", "preferred_username": "ben"}
    answer = come_back(browser, provider)
    assert answer["Location"] == "/help/"
    assert browser.session.session_key != first
    token = session_tokens.of(browser.session)
    assert token is not None
    assert jwt.decode(token.text, options={"verify_signature": False})["sub"] == "another"


def test_signing_out_ends_both_sessions_and_takes_a_form(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    assert browser.get("/sign-out/").status_code == 405
    assert browser.post("/sign-out/").status_code == 403  # without the form's token
    browser.get("/filing/profile/")
    answer = browser.post("/sign-out/", {"csrfmiddlewaretoken": browser.cookies["csrftoken"].value})
    parts = urlsplit(answer["Location"])
    asked = parse_qs(parts.query)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{provider.url}/logout"
    assert asked["post_logout_redirect_uri"] == ["http://localhost:8000/"]
    assert len(asked["id_token_hint"]) == 1
    assert not is_signed_in(browser)
    assert TrailEntry.objects.filter(happening=Happening.SIGNED_OUT).count() == 1


def test_the_admin_signs_in_the_same_way(provider: Provider, browser: Client) -> None:
    answer = browser.get("/admin/filing/filing/")
    assert answer["Location"] == "/admin/login/?next=/admin/filing/filing/"
    answer = browser.get(answer["Location"])
    assert answer["Location"] == "/sign-in/?next=%2Fadmin%2Ffiling%2Ffiling%2F"
    provider.access_token = {"resource_access": {"hmda2-api": {"roles": ["hmda-helpdesk"]}}}
    come_back(browser, provider)
    assert browser.get("/admin/filing/filing/").status_code == 200
    assert browser.get("/admin/login/?next=/admin/")["Location"] == "/admin/"


def test_people_without_the_rights_are_told_so_instead_of_going_in_circles(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    answer = browser.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "may not see this page" in answer.text


def test_a_password_opens_nothing_where_the_provider_is_somebody_elses(
    provider: Provider, browser: Client
) -> None:
    User.objects.create_user("root", password="a long enough pass phrase", is_superuser=True)
    assert not browser.login(username="root", password="a long enough pass phrase")
