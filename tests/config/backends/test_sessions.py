"""Whoever has a copy of the table of sessions opens none of them, and reads no token in it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings as site
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from config.identity.login import ID_TOKEN
from filing.people import sign_ins

pytestmark = pytest.mark.django_db
ACCESS, ID = "eyJhbGciOiJSUzI1NiJ9.access.token", "eyJhbGciOiJSUzI1NiJ9.id.token"


def make_store(key: str | None = None) -> Any:
    return import_module(site.SESSION_ENGINE).SessionStore(key)


@pytest.fixture
def browser(admin_user: User) -> Client:
    """A browser that is signed in to the admin, with the tokens of its sign-in."""
    browser = Client()
    browser.force_login(admin_user)
    session = browser.session
    session[ID_TOKEN] = ID
    sign_ins.store_access_token(session, ACCESS, expires=2_000_000_000)
    session.save()
    assert browser.get("/admin/").status_code == 200
    return browser


def test_no_column_of_the_table_opens_a_session(browser: Client) -> None:
    for column in Session.objects.values_list().get():
        thief = Client()
        thief.cookies[site.SESSION_COOKIE_NAME] = str(column)
        assert thief.get("/admin/").status_code == 302
    assert browser.get("/admin/").status_code == 200


def test_the_data_hold_no_token_and_no_user_in_plain(browser: Client) -> None:
    row = Session.objects.get()
    assert row.session_key != browser.session.session_key
    assert row.get_decoded() == {}  # as Django reads what is only signed
    session = make_store(browser.session.session_key)
    assert session[ID_TOKEN] == ID
    assert sign_ins.read_access_token(session).text == ACCESS


def test_a_session_needs_the_key_of_the_service_or_the_former_one(
    browser: Client, settings: Any
) -> None:
    key, former = browser.session.session_key, settings.SECRET_KEY
    settings.SECRET_KEY = "another key of the service"
    assert dict(make_store(key).items()) == {}
    settings.SECRET_KEY_FALLBACKS = [former]
    assert make_store(key)[ID_TOKEN] == ID


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_asynchronous_callers_store_no_key_either() -> None:
    async def begin() -> tuple[str, bool, str]:
        session = make_store()
        await session.aset("place", "here")
        await session.asave()
        key = session.session_key
        other = make_store(key)
        return key, await other.aexists(key), await other.aget("place")

    key, is_there, place = async_to_sync(begin)()
    assert (is_there, place) == (True, "here")
    assert Session.objects.get().pk != key
    async_to_sync(make_store().adelete)(key)
    assert not Session.objects.exists()
