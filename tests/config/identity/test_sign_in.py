"""Signing in with a browser: off to the provider, back from it, and what can go wrong."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.models import AuditEvent, Identity, TrailEntry
from filing.people import sign_ins
from tests.config.identity.client import new_browser
from tests.config.identity.remote_provider import (
    SUBJECT,
    Provider,
    begin,
    come_back,
    is_signed_in,
    refusals,
)

pytestmark = pytest.mark.django_db


def test_the_browser_is_sent_to_the_provider_with_proof_of_its_own(
    provider: Provider, browser: Client
) -> None:
    parameters = begin(browser, provider)
    assert parameters["response_type"] == "code"
    assert parameters["client_id"] == "hmda2-api"
    assert parameters["scope"] == "openid profile email"
    assert parameters["redirect_uri"] == "http://localhost:8000/sign-in/done"
    assert parameters["code_challenge_method"] == "S256"
    other = begin(browser, provider)
    for name in ("state", "nonce", "code_challenge"):
        assert len(parameters[name]) >= 32
        assert parameters[name] != other[name]


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
    assert TrailEntry.objects.filter(event=AuditEvent.SIGNED_IN, actor_id=SUBJECT).exists()


@pytest.mark.parametrize(
    ("auth_time", "again", "is_fresh"),
    [
        (..., False, False),  # nobody knows when the provider asked for the password
        (..., True, True),
        (10, False, True),
        (3600, False, False),
        (3600, True, False),  # the provider did not ask, and says so
        (-3600, False, True),  # a clock that is fast makes nothing last longer
    ],
)
def test_a_session_knows_when_its_person_gave_the_password(
    provider: Provider, browser: Client, auth_time: Any, again: bool, is_fresh: bool
) -> None:
    if auth_time is not ...:
        provider.id_token = {"auth_time": int(time.time()) - auth_time}
    parameters = begin(browser, provider, **({"again": "1"} if again else {}))
    assert ("prompt" in parameters) == again
    if again:
        assert (parameters["prompt"], parameters["max_age"]) == ("login", "900")
    answer = browser.get("/sign-in/done", {"code": "c-1", "state": parameters["state"]})
    assert answer.status_code == 302
    assert sign_ins.is_recently_authenticated(browser.session) is is_fresh
    assert (sign_ins.read_authentication_time(browser.session) or 0) <= time.time()


@pytest.mark.parametrize("onward", ["https://evil.example/", "//evil.example"])
def test_nobody_is_sent_to_another_site(provider: Provider, browser: Client, onward: str) -> None:
    answer = come_back(browser, provider, onward)
    assert answer["Location"] == "/filing/"


def test_a_state_is_good_once_and_a_second_time_harms_nobody(
    provider: Provider, browser: Client
) -> None:
    parameters = begin(browser, provider)
    back = {"code": "c-1", "state": parameters["state"]}
    assert browser.get("/sign-in/done", back).status_code == 302
    assert browser.get("/sign-in/done", back).status_code == 400
    assert browser.get("/sign-in/done", {"error": "access_denied"}).status_code == 400
    assert is_signed_in(browser)
    assert len(provider.forms) == 1


def test_the_state_of_another_browser_is_refused(provider: Provider, browser: Client) -> None:
    parameters = begin(browser, provider)
    other = new_browser()
    begin(other, provider)
    answer = other.get("/sign-in/done", {"code": "c-1", "state": parameters["state"]})
    assert answer.status_code == 400
    assert provider.forms == []


@pytest.mark.parametrize(
    ("error", "words"),
    [("access_denied", "declined"), ("login_required", "sign in again"), ("odd<b>", "refused")],
)
def test_an_error_of_the_provider_is_told_and_spends_the_state(
    provider: Provider, browser: Client, error: str, words: str
) -> None:
    parameters = begin(browser, provider)
    answer = browser.get("/sign-in/done", {"error": error, "state": parameters["state"]})
    assert answer.status_code == 403
    assert words in answer.text
    assert error not in answer.text
    assert refusals() == [f"the provider says {error}"]
    again = browser.get("/sign-in/done", {"code": "c-1", "state": parameters["state"]})
    assert again.status_code == 400


def test_an_answer_without_a_code_is_told(provider: Provider, browser: Client) -> None:
    parameters = begin(browser, provider)
    answer = browser.get("/sign-in/done", {"state": parameters["state"]})
    assert answer.status_code == 400
    assert "sent no sign-in code" in answer.text


def test_signing_out_ends_both_sessions_and_takes_a_form(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    assert browser.get("/sign-out/").status_code == 405
    assert browser.post("/sign-out/").status_code == 403  # without the form's token
    browser.get("/filing/profile/")
    answer = browser.post("/sign-out/", {"csrfmiddlewaretoken": browser.cookies["csrftoken"].value})
    parts = urlsplit(answer["Location"])
    parameters = parse_qs(parts.query)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{provider.url}/logout"
    assert parameters["post_logout_redirect_uri"] == ["http://localhost:8000/"]
    assert len(parameters["id_token_hint"]) == 1
    assert not is_signed_in(browser)
    assert TrailEntry.objects.filter(event=AuditEvent.SIGNED_OUT).count() == 1


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
    assert "do not have access to this page" in answer.text


def test_a_password_opens_nothing_where_the_provider_is_somebody_elses(
    provider: Provider, browser: Client
) -> None:
    User.objects.create_user("root", password="a long enough pass phrase", is_superuser=True)
    assert not browser.login(username="root", password="a long enough pass phrase")
