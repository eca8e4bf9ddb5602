"""When a session ends, and who may extend it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from config.identity import session_end
from tests import make

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
WEEKS = 14 * 24 * 3600
PATH = "/sign-in/session/"


@pytest.fixture
def user() -> User:
    return make.user()


@pytest.fixture
def browser(user: User) -> Client:
    return make.browser(user)


def age(browser: Client, signed_in: timedelta) -> None:
    """Let the person have signed in so long ago, and the session end in a minute."""
    session = browser.session
    session[session_end.KEY] = int((timezone.now() - signed_in).timestamp())
    session.set_expiry(timezone.now() + timedelta(minutes=1))
    session.save()


def test_a_session_ends_two_weeks_after_the_sign_in(browser: Client):
    left = browser.get(PATH, headers=JSON).json()["secondsLeft"]
    assert WEEKS - 5 <= left <= WEEKS
    stored = Session.objects.get().expire_date
    assert abs(stored - timezone.now() - timedelta(seconds=WEEKS)) < timedelta(seconds=5)


def test_what_is_kept_in_a_session_does_not_extend_it(browser: Client):
    age(browser, timedelta(days=1))
    session = browser.session
    session["x"] = 1
    session.save()
    assert browser.get(PATH, headers=JSON).json()["secondsLeft"] <= 60
    assert browser.get(PATH, headers=JSON).json()["secondsLeft"] > 50


def test_a_person_extends_their_session(browser: Client, user: User):
    age(browser, timedelta(days=1))
    answer = browser.post(PATH, headers=JSON)
    assert answer.json()["user"] == str(user.pk)
    assert answer.json()["secondsLeft"] >= WEEKS - 5
    assert answer.cookies["sessionid"]["max-age"] >= WEEKS - 5
    assert "no-store" in answer["Cache-Control"]


def test_after_30_days_a_person_signs_in_again(browser: Client):
    age(browser, timedelta(days=29))
    day = timedelta(days=1).total_seconds()
    assert day - 5 <= browser.post(PATH, headers=JSON).json()["secondsLeft"] <= day
    age(browser, timedelta(days=30))
    assert browser.post(PATH, headers=JSON).json()["secondsLeft"] <= 1


@pytest.mark.parametrize("method", ["get", "post"])
def test_visitors_have_no_session_and_get_none(client: Client, method: str):
    answer = getattr(client, method)(PATH, headers=JSON)
    assert answer.json() == {"user": "", "secondsLeft": 0, "csrfToken": ""}
    assert not answer.cookies
    assert not Session.objects.exists()


def test_a_form_of_another_site_extends_nothing(user: User):
    browser = make.browser(user, enforce_csrf_checks=True)
    age(browser, timedelta(days=1))
    assert browser.post(PATH, headers=JSON).status_code == 403
    assert browser.get(PATH, headers=JSON).json()["secondsLeft"] <= 60
