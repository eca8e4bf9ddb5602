"""A new password ends what the former one began; one that staff set opens and signs nothing."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from filing import access
from filing.admin.forms import REASON_MISSING
from filing.audit import verification
from filing.models import AuditEvent, Mail, Membership, PersonalToken, Seal, TrailEntry
from filing.people import personal_tokens
from tests import make
from tests.config.identity.client import (
    allow,
    authorize,
    code_for,
    exchange,
    fragment,
    refresh,
    sign_in,
)
from tests.config.identity.conftest import (  # noqa: F401 -- fixtures
    ann,
    key_folder,
    made_key,
    provider_site,
)
from tests.filing.mail_server import outbox
from tests.filing.people.test_ended_rights import ask, bearer

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]
NEW, OWN = "another pass phrase 7", "quiet lake 9 morning"
PROFILE = "/filing/profile/"


WHY = "They called and had lost theirs."


@pytest.fixture
def admin() -> User:
    facts = {"username": "root", "email": "root@service.example"}
    return make.staff("administrator", **facts, password=make_password("a long enough pass phrase"))


def set_in_admin(admin: User, user: User, **changes: str) -> None:
    page = reverse("admin:auth_user_password_change", args=[user.pk])
    sent = {"password1": NEW, "password2": NEW, "usable_password": "true", **changes}
    sent = {"reason": WHY, **sent}
    assert make.browser(admin).post(page, sent).status_code == 302


def enter(browser: Client, username: str, password: str) -> Any:
    """Go to the profile, sign in through all redirects, and return the page it ends at."""
    form = browser.get("/sign-in/", {"next": PROFILE}, follow=True)
    onward = re.search(r'name="next" value="([^"]*)"', form.text)
    assert onward
    typed = {"username": username, "password": password, "next": html.unescape(onward[1])}
    return browser.post(urlsplit(form.redirect_chain[-1][0]).path, typed, follow=True)


def choose_own(email: str) -> Any:
    """Choose a password by the link of the last email."""
    browser = Client(headers={"host": "localhost"})
    link = re.search(r"^http://localhost:8000(/\S+)$", outbox()[-1].body, re.MULTILINE)
    assert link
    assert outbox()[-1].to == [email]
    page = browser.get(link[1], follow=True)
    return browser.post(page.redirect_chain[-1][0], {"new_password1": OWN, "new_password2": OWN})


def emails(kind: str, user: User) -> list[str]:
    return [mail.text for mail in Mail.objects.filter(kind=kind, to=user.email).order_by("pk")]


def everything_of(user: User) -> tuple[Client, Client, str, Client]:
    """Return a session, a program, its refresh token, and a program with a personal token."""
    given = exchange(code_for(Client(enforce_csrf_checks=True))).json()
    by = access.caller_of(user)
    text, _ = personal_tokens.create_token(
        user, name="nightly", leis=["529900EXAMPLELEI0001"], days=1, by=by
    )
    programs = (bearer(given["access_token"]), bearer(text))
    return make.browser(user), programs[0], given["refresh_token"], programs[1]


@pytest.mark.servers
@pytest.mark.parametrize("how", ["by email", "in the admin", "by command", "removed"])
def test_a_new_password_ends_everything_else(
    ann: User, admin: User, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, program, refresh_token, own_program = everything_of(ann)
    assert session.get(PROFILE).status_code == 200
    assert (ask(program), ask(own_program)) == (200, 200)
    if how == "by email":
        Client().post("/forgotten/", {"email": ann.email})
        assert choose_own(ann.email).status_code == 302
    elif how == "by command":
        monkeypatch.setattr("getpass.getpass", lambda **_: NEW)
        call_command("changepassword", "ann", verbosity=0)
    elif how == "removed":
        set_in_admin(admin, ann, usable_password="false", **{"unset-password": "1"})
    else:
        set_in_admin(admin, ann)
    assert session.get(PROFILE).status_code == 302
    assert refresh(refresh_token).status_code == 400
    assert (ask(program), ask(own_program)) == (401, 401)
    assert not PersonalToken.objects.filter(revoked_at=None).exists()
    assert len(emails("account", ann)) == 1


def test_staff_change_their_own_and_go_on(admin: User) -> None:
    browser, other = make.browser(admin), make.browser(admin)
    typed = {"old_password": "a long enough pass phrase", "new_password1": OWN}
    done = browser.post(reverse("admin:password_change"), {**typed, "new_password2": OWN})
    assert done.status_code == 302
    assert browser.get(reverse("admin:index")).status_code == 200
    assert other.get(reverse("admin:index")).status_code == 302
    entry = TrailEntry.objects.get(event=AuditEvent.PASSWORD_CHANGED)
    assert entry.actor_username == "root"
    browser = Client(headers={"host": "localhost"})
    assert enter(browser, "root", OWN).status_code == 200


def test_a_password_that_staff_set_is_recorded_and_told(ann: User, admin: User) -> None:
    set_in_admin(admin, ann)
    entry = TrailEntry.objects.get(event=AuditEvent.PASSWORD_SET)
    assert (entry.actor_username, entry.about, entry.reason) == ("root", "user ann", WHY)
    assert verification.verify_chain().finding_count == 0
    seal = Seal.objects.order_by("-number")[0]
    assert entry.pk in seal.list_keys("log")
    (text,) = emails("account", ann)
    assert reverse("forgotten") in text
    assert NEW not in text


@pytest.mark.parametrize("change", [{}, {"usable_password": "false", "unset-password": "1"}])
def test_staff_set_or_remove_no_password_without_a_reason(
    ann: User, admin: User, change: dict[str, str]
) -> None:
    before = ann.password
    page = reverse("admin:auth_user_password_change", args=[ann.pk])
    assert 'name="reason"' in make.browser(admin).get(page).text
    sent = {"password1": NEW, "password2": NEW, "usable_password": "true", "reason": " ", **change}
    answer = make.browser(admin).post(page, sent)
    assert answer.status_code == 200
    assert REASON_MISSING in answer.text
    ann.refresh_from_db()
    assert ann.password == before
    assert not TrailEntry.objects.exists()
    assert make.browser(admin).post(page, sent | {"reason": WHY}).status_code == 302
    assert TrailEntry.objects.get(event=AuditEvent.PASSWORD_SET).reason.startswith(WHY)


def test_a_password_that_staff_set_only_leads_to_ones_own(ann: User, admin: User) -> None:
    set_in_admin(admin, ann)
    browser = Client(headers={"host": "localhost"})
    page = enter(browser, "ann", NEW)
    assert page.status_code == 403
    assert "Choose your own password" in page.text
    assert browser.get(PROFILE).status_code == 302
    assert browser.get("/filing/").status_code == 302
    assert "your password has not changed" not in outbox()[-1].body
    assert choose_own(ann.email).status_code == 302
    assert enter(browser, "ann", OWN).request["PATH_INFO"] == PROFILE
    given = exchange(code_for_own()).json()
    assert ask(bearer(given["access_token"])) == 200


def code_for_own() -> str:
    browser = Client(enforce_csrf_checks=True)
    signed = sign_in(browser, authorize(), "ann", OWN)
    return fragment(allow(browser, signed["Location"]))["code"]


def test_no_session_or_token_comes_from_a_password_that_staff_set(ann: User, admin: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    code = code_for(browser)
    set_in_admin(admin, ann)
    assert exchange(code).status_code == 400
    assert make.browser(ann).get(PROFILE).status_code == 302  # however it began
    assert ask(make.program(ann)) == 401


@pytest.mark.servers
def test_a_new_user_of_staff_chooses_a_password_first(admin: User) -> None:
    typed = {"username": "bob", "email": "bob@bank.example", "usable_password": "true"}
    typed |= {"reason": "New."}
    page = reverse("admin:auth_user_add")
    answer = make.browser(admin).post(page, {**typed, "password1": NEW, "password2": NEW})
    assert answer.status_code == 302
    bob = User.objects.get(username="bob")
    assert len(emails("account", bob)) == 1
    assert TrailEntry.objects.get(event=AuditEvent.PASSWORD_SET).reason == "New."
    assert enter(Client(headers={"host": "localhost"}), "bob", NEW).status_code == 403
    assert choose_own(bob.email).status_code == 302
    assert enter(Client(headers={"host": "localhost"}), "bob", OWN).status_code == 200


def test_without_an_address_the_page_says_whom_to_ask(ann: User, admin: User) -> None:
    User.objects.filter(pk=ann.pk).update(email="")
    set_in_admin(admin, ann)
    page = enter(Client(headers={"host": "localhost"}), "ann", NEW)
    assert (page.status_code, Mail.objects.count()) == (403, 0)
    assert "no email address" in page.text


@pytest.mark.parametrize("change", [{"email": "eve@bank.example"}, {"is_active": None}])
def test_a_new_address_and_a_disabled_account_end_everything_for_good(
    ann: User, admin: User, change: dict[str, Any]
) -> None:
    from tests.filing.admin.test_people import change as save

    session, program, refresh_token, own_program = everything_of(ann)
    former = ann.email
    assert save(make.browser(admin), ann, reason="Asked.", **change).status_code == 302
    ann.refresh_from_db()
    assert save(make.browser(admin), ann, reason="Asked.", is_active="on").status_code == 302
    assert session.get(PROFILE).status_code == 302
    assert refresh(refresh_token).status_code == 400
    assert (ask(program), ask(own_program)) == (401, 401)
    assert Mail.objects.filter(kind="account", to=former).exists()
    assert Membership.objects.filter(user=ann).exists()
    ann.refresh_from_db()
    assert ann.is_active
