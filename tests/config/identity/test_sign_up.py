"""Signing up with the embedded provider, up to the first sign-in."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.models import AuditEvent, Identity, Institution
from filing.people import sign_ins
from tests.config.identity import client
from tests.config.identity.client import who
from tests.config.identity.signing_up import (
    PASSWORD,
    enter,
    let_the_pause_pass,
    link,
    sign_up,
    told,
)
from tests.filing.mail_server import outbox

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site", "bank"),
]


def test_from_the_form_to_a_token_that_the_api_takes(visitor: Client) -> None:
    answer = sign_up(visitor)
    assert (answer.status_code, answer["Location"]) == (302, "/sign-up/sent/")
    user = User.objects.get(username="ann@bank.example")
    assert not user.is_active
    assert [message.to for message in outbox()] == [["ann@bank.example"]]
    page = visitor.get(link())
    assert page.status_code == 200
    assert not User.objects.get().is_active  # whoever looks into the mail has confirmed nothing
    question = visitor.post(link(), {"password": PASSWORD}, follow=True)
    assert question.redirect_chain[-1][0] == "/filing/institutions/"
    assert "Example Bank (529900EXAMPLELEI0001)" in question.text
    token = sign_ins.read_access_token(visitor.session)
    assert token is not None
    assert who(token.text).json() == {
        "email": "ann@bank.example",
        "leis": [],
        "id": Identity.objects.get().subject,
    }
    assert Identity.objects.get().email_verified
    assert told(AuditEvent.ACCOUNT_MADE) == ["user ann@bank.example"]
    assert told(AuditEvent.EMAIL_CONFIRMED) == ["ann@bank.example"]
    assert set(user.groups.values_list("name", flat=True)) == {"filer"}


def test_an_account_signs_in_only_once_it_is_confirmed(visitor: Client) -> None:
    sign_up(visitor)
    assert "do not match" in enter(visitor, "ann@bank.example", PASSWORD).text
    visitor.post(link(), {"password": PASSWORD})
    page = enter(Client(headers={"host": "localhost"}), "Ann@Bank.example", PASSWORD)
    assert "Your profile" in page.text


REFUSED = [
    ({"email": "ann@gmail.com"}, "Anyone can get an address at gmail.com"),
    ({"email": "ann@unknown.example"}, "ask the help desk to add it"),
    ({"email": "no address"}, "valid email"),
    ({"password": "short"}, "too short"),
    ({"password": "password1234"}, "too common"),
    ({"password": "ann@bank.example"}, "too similar"),
    ({"first_name": " "}, "required"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_does_not_fit_is_told_and_makes_no_account(
    visitor: Client, changes: dict[str, str], words: str
) -> None:
    answer = sign_up(visitor, **changes)
    assert answer.status_code == 200
    assert words in html.unescape(answer.text)
    assert PASSWORD not in answer.text
    assert not User.objects.exists()
    assert outbox() == []


def test_the_domain_of_an_older_year_no_longer_counts(visitor: Client) -> None:
    Institution.objects.create(
        activity_year=2025,
        lei=client.LEI,
        name="Example Bank",
        agency=9,
        email_domains=["new.example"],
    )
    assert "ask the help desk" in sign_up(visitor).text
    assert sign_up(visitor, email="ann@new.example").status_code == 302


def test_who_has_an_account_gets_a_mail_and_nobody_else_learns_of_it(
    visitor: Client, settings: Any
) -> None:
    fresh = sign_up(visitor)
    visitor.post(link(), {"password": PASSWORD})
    let_the_pause_pass()
    other = Client(headers={"host": "localhost"})
    again = sign_up(other, password="another pass phrase 7", first_name="Eve")
    assert (again.status_code, again["Location"]) == (fresh.status_code, fresh["Location"])
    assert "You already have an account" in outbox()[-1].body
    user = User.objects.get()
    assert user.first_name == "Ann"
    assert user.check_password(PASSWORD)


def test_an_account_that_staff_made_is_not_taken_over(visitor: Client) -> None:
    user = User.objects.create_user("ann", "Ann@Bank.example", "x", is_active=False)
    sign_up(visitor)
    assert "You already have an account" in outbox()[-1].body
    assert User.objects.get() == user


def test_the_link_takes_the_password_of_the_form(visitor: Client) -> None:
    sign_up(visitor)
    answer = visitor.post(link(), {"password": "another pass phrase 7"})
    assert "not the password you chose" in answer.text
    assert not User.objects.get().is_active


def test_a_link_is_good_once(visitor: Client) -> None:
    sign_up(visitor)
    visitor.post(link(), {"password": PASSWORD})
    for method in (visitor.get, visitor.post):
        answer = method(link())
        assert answer.status_code == 410
        assert "no longer valid" in answer.text


def test_a_link_is_good_for_a_day(visitor: Client, settings: Any) -> None:
    sign_up(visitor)
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert visitor.get(link()).status_code == 410


def test_a_newer_form_makes_the_older_link_useless(visitor: Client) -> None:
    sign_up(visitor)
    outbox()
    let_the_pause_pass()
    sign_up(visitor, password="another pass phrase 7")
    assert visitor.get(link(0)).status_code == 410
    assert visitor.get(link(1)).status_code == 200


@pytest.mark.parametrize("path", ["/sign-up/MQ/x-y/", "/sign-up/!/x/", "/sign-up/_w/c0-ffee/"])
def test_a_link_never_sent_is_no_good(visitor: Client, path: str) -> None:
    assert visitor.get(path).status_code == 410


def test_who_was_locked_out_does_not_sign_up_again(visitor: Client) -> None:
    sign_up(visitor)
    visitor.post(link(), {"password": PASSWORD})
    User.objects.update(is_active=False)
    let_the_pause_pass()
    sign_up(Client(headers={"host": "localhost"}))
    assert "You already have an account" in outbox()[-1].body
    assert visitor.get(link(0)).status_code == 410
    assert not User.objects.get().is_active
