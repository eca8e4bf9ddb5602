"""The second factor: set up, asked for after the password, and reset by staff."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from config.identity import guesses, second_factors
from filing.models import AuditEvent, Mail, SecondFactor, TrailEntry
from filing.people import roles
from filing.people import second_factors as stored
from filing.people.accounts import access
from tests.config.identity.authenticators import SecurityKey, app_code
from tests.config.identity.client import (
    PASSWORD,
    authorize,
    code_at,
    exchange,
    new_browser,
    refresh,
    sign_in,
    who,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]
STEP, SETTINGS = "/second-factor/", "/second-factor/settings/"
APP, PASSKEY = "/second-factor/app/", "/second-factor/passkey/"


@pytest.fixture
def staff(ann: User, settings: Any) -> User:
    """An administrator of a site that requires a second factor."""
    settings.STAFF_SECOND_FACTOR_REQUIRED = True
    roles.update_staff_status(ann)
    return ann


@pytest.fixture
def filer(ann: User) -> User:
    ann.groups.clear()
    return ann


def submit(browser: Client, address: str, **form: str) -> Any:
    """Open a page and send its form."""
    page = browser.get(address)
    assert page.status_code == 200, page.headers
    return send(browser, address, **form)


def send(browser: Client, address: str, **form: str) -> Any:
    token = browser.cookies["csrftoken"].value
    return browser.post(address, {**form, "csrfmiddlewaretoken": token})


def options_of(browser: Client, address: str) -> dict[str, Any]:
    shown = re.search(r'data-options="([^"]*)"', browser.get(address).text)
    assert shown
    return json.loads(html.unescape(shown[1]))


def set_up_app(browser: Client, address: str = APP) -> tuple[str, list[str]]:
    """Return the key that the page shows, and the recovery codes that it shows once."""
    shown = re.search(r"<code>([A-Z2-7 ]+)</code>", browser.get(address).text)
    assert shown
    done = send(browser, address, code=app_code(shown[1]))
    assert done.status_code == 200
    return shown[1], re.findall(r"<code>([A-Z0-9-]{29})</code>", done.text)


def begin(browser: Client, address: str | None = None) -> str:
    """Enter the right password; return the address of the second step, as a browser comes to it."""
    to_step = sign_in(browser, address or authorize())
    assert to_step.status_code == 302
    assert urlsplit(to_step["Location"]).path == STEP
    return to_step["Location"]


def begin_with_app(browser: Client) -> tuple[str, list[str]]:
    """Sign in and set up an app on the way, as one who must; return its key and the codes."""
    return set_up_app(browser, f"{APP}?{urlsplit(begin(browser)).query}")


def begin_with_passkey(browser: Client) -> SecurityKey:
    """Sign in and set up a passkey on the way, as one who must; return it."""
    key = SecurityKey()
    address = f"{PASSKEY}?{urlsplit(begin(browser)).query}"
    done = send(browser, address, name="key", passkey=key.create(options_of(browser, address)))
    assert "Your recovery codes" in done.text
    return key


def is_signed_in(browser: Client) -> bool:
    return browser.get(authorize()).status_code == 200  # it asks whether the program may


def events(*names: AuditEvent) -> list[str]:
    """Return the events about second factors, or those with these names."""
    entries = TrailEntry.objects.order_by("pk")
    listed = names or (
        AuditEvent.SECOND_FACTOR_ADDED,
        AuditEvent.SECOND_FACTOR_REMOVED,
        AuditEvent.SECOND_FACTOR_RESET,
        AuditEvent.RECOVERY_CODES_MADE,
        AuditEvent.RECOVERY_CODE_USED,
    )
    return list(entries.filter(event__in=listed).values_list("event", flat=True))


@pytest.mark.servers
def test_staff_without_a_factor_set_one_up_before_anything_else(
    staff: User, browser: Client
) -> None:
    step = begin(browser)
    before = browser.session.session_key
    to_settings = browser.get(step)["Location"]
    assert urlsplit(to_settings).path == SETTINGS
    assert browser.get(to_settings).status_code == 200
    for address in ("/admin/", "/device/", "/filing/profile/", authorize()):
        refused = browser.get(address)
        assert refused.status_code == 302, address
        assert "sign-in" in refused["Location"] or "/login" in refused["Location"], address
    onward = parse_qs(urlsplit(to_settings).query)["next"][0]
    key, codes = set_up_app(browser, APP + "?" + urlsplit(to_settings).query)
    assert len(set(codes)) == stored.CODES
    assert browser.session.session_key != before
    given = exchange(code_at(browser, onward))
    assert given.status_code == 200
    assert who(given.json()["access_token"]).status_code == 200
    assert browser.get("/admin/").status_code == 200
    assert events() == ["second factor added", "recovery codes created"]
    assert key not in str(list(SecondFactor.objects.values_list("secret", flat=True)))
    assert Mail.objects.filter(to=staff.email, subject__contains="second factor").count() == 1


def test_a_code_of_the_app_counts_once(staff: User, browser: Client) -> None:
    key, _ = begin_with_app(browser)
    other = new_browser()
    step = begin(other)
    policy = other.get(step).headers["content-security-policy"]
    assert "http://localhost:*" in policy  # where the form leads to in the end
    refused = send(other, step, code="000000" if app_code(key) != "000000" else "111111")
    assert refused.status_code == 200
    assert not is_signed_in(other)
    before = other.session.session_key
    code = app_code(key, later=1)
    done = send(other, step, code=f"{code[:3]} {code[3:]}")
    assert done.status_code == 302
    assert code_at(other, done["Location"])
    assert other.session.session_key != before
    third = new_browser()
    assert submit(third, begin(third), code=code).status_code == 200
    assert not is_signed_in(third)
    refusals = TrailEntry.objects.filter(event=AuditEvent.SIGN_IN_REFUSED)
    assert set(refusals.values_list("reason", flat=True)) == {guesses.WRONG_CODE}


def test_a_recovery_code_works_once(staff: User, browser: Client) -> None:
    _, codes = begin_with_app(browser)
    for expected in (302, 200):
        other = new_browser()
        written = codes[3].lower().replace("-", " ")
        assert submit(other, begin(other), code=written).status_code == expected
    assert events()[-1] == "recovery code used"
    assert stored.count_recovery_codes(staff) == stored.CODES - 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://phishing.example"},
        {"challenge": b"another challenge of the site"},
        {"private": ec.generate_private_key(ec.SECP256R1())},
        {"counter": 1},  # of a copy of the key
    ],
    ids=["origin", "challenge", "signature", "counter"],
)
def test_a_wrong_passkey_signs_nobody_in(
    staff: User, browser: Client, wrong: dict[str, Any]
) -> None:
    key = begin_with_passkey(browser)
    other = new_browser()
    step = begin(other)
    refused = send(other, step, passkey=key.use(options_of(other, step), **wrong))
    assert refused.status_code == 200
    assert not is_signed_in(other)


@pytest.mark.parametrize(
    "junk",
    [
        *("{}", "[]", "1", "no JSON", '{"id": "a", "rawId": "b", "response": {}}'),
        "[" * 5000 + "]" * 5000,
    ],
)
def test_junk_for_a_passkey_is_refused(staff: User, browser: Client, junk: str) -> None:
    address = f"{PASSKEY}?{urlsplit(begin(browser)).query}"
    assert submit(browser, address, name="key", passkey=junk).status_code == 200
    assert not SecondFactor.objects.exists()
    begin_with_passkey(browser)
    other = new_browser()
    assert submit(other, begin(other), passkey=junk).status_code == 200
    assert not is_signed_in(other)


def test_an_answer_of_a_passkey_is_not_taken_twice(staff: User, browser: Client) -> None:
    key = begin_with_passkey(browser)
    first, second = new_browser(), new_browser()
    step = begin(first)
    answer = key.use(options_of(first, step))
    assert send(first, step, passkey=answer).status_code == 302
    assert submit(second, begin(second), passkey=answer).status_code == 200


def test_wrong_codes_wait_like_wrong_passwords(staff: User, browser: Client) -> None:
    key, _ = begin_with_app(browser)
    other = new_browser()
    step = begin(other)
    for _ in range(5):
        submit(other, step, code="WRONG")
    assert "Too many wrong codes" in submit(other, step, code=app_code(key, later=1)).text
    # In the browser that the user has signed in with, no one waits for others.
    send(browser, "/sign-out/")
    assert submit(browser, begin(browser), code=app_code(key, later=1)).status_code == 302


def test_many_addresses_have_a_hundred_guesses_together(staff: User) -> None:
    requests = [
        RequestFactory().get("/", REMOTE_ADDR=f"203.0.{number // 250}.{number % 250}")
        for number in range(101)
    ]
    for request in requests[:100]:
        guesses.begin_code_guess(request, staff)
    with pytest.raises(guesses.TooManyGuesses):
        guesses.begin_code_guess(requests[100], staff)
    staff.set_password("another pass phrase 7")
    guesses.begin_code_guess(requests[100], staff)


def test_a_password_that_waits_for_its_factor_does_so_for_a_while(
    staff: User, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_with_app(browser)
    other = new_browser()
    step = begin(other)
    session = other.session
    session["pending_sign_in"]["at"] -= second_factors.PENDING_SECONDS + 1
    session.save()
    assert "/login" in other.get(step)["Location"]
    step = begin(other)
    staff.set_password("another pass phrase 7")
    staff.save()
    assert "/login" in other.get(step)["Location"]


def test_sessions_and_refresh_tokens_from_before_the_setting_end(
    ann: User, browser: Client, settings: Any
) -> None:
    roles.update_staff_status(ann)
    signed_in = sign_in(browser, authorize())
    given = exchange(code_at(browser, signed_in["Location"])).json()
    assert browser.get("/admin/").status_code == 200
    settings.STAFF_SECOND_FACTOR_REQUIRED = True
    assert browser.get("/admin/").status_code == 302
    assert not is_signed_in(browser)
    assert refresh(given["refresh_token"]).status_code == 400


def test_a_role_given_later_requires_the_factor_at_once(
    filer: User, browser: Client, settings: Any
) -> None:
    settings.STAFF_SECOND_FACTOR_REQUIRED = True
    sign_in(browser, authorize())
    assert is_signed_in(browser)
    roles.assign_roles(filer, [role for role in access.ROLES if role.group == "operator"])
    assert browser.get("/admin/").status_code == 302
    assert not is_signed_in(browser)


@pytest.mark.servers
def test_anyone_may_have_a_factor_and_remove_it_again(filer: User, browser: Client) -> None:
    elsewhere = new_browser()
    for each in (browser, elsewhere):
        sign_in(each, authorize())
    _, codes = set_up_app(browser)
    assert len(codes) == stored.CODES
    assert is_signed_in(browser)
    assert not is_signed_in(elsewhere)
    page = browser.get(SETTINGS)
    factor = SecondFactor.objects.get(kind="app")
    assert reverse("second-factor-remove", args=[factor.pk]) in page.text
    third = new_browser()
    assert submit(third, begin(third), code=codes[0]).status_code == 302
    assert is_signed_in(third)
    again = send(browser, "/second-factor/recovery-codes/")
    assert codes[1] not in again.text
    assert not stored.use_recovery_code(filer, codes[1])
    send(browser, reverse("second-factor-remove", args=[factor.pk]))
    assert not SecondFactor.objects.exists()
    assert is_signed_in(browser)
    assert not is_signed_in(third)
    assert "recovery" not in (sign_in(third, authorize()))["Location"]
    assert events()[-1] == "second factor removed"


def test_staff_do_not_remove_the_last_factor(staff: User, browser: Client) -> None:
    begin_with_app(browser)
    factor = SecondFactor.objects.get(kind="app")
    assert reverse("second-factor-remove", args=[factor.pk]) not in browser.get(SETTINGS).text
    send(browser, reverse("second-factor-remove", args=[factor.pk]))
    assert SecondFactor.objects.filter(pk=factor.pk).exists()


def test_the_factor_of_another_user_is_not_removed(filer: User, browser: Client) -> None:
    eve = User.objects.create_user("eve")
    theirs = SecondFactor.objects.create(user=eve, kind="passkey", secret="x")
    sign_in(browser, authorize())
    browser.get(SETTINGS)
    send(browser, reverse("second-factor-remove", args=[theirs.pk]))
    assert SecondFactor.objects.filter(pk=theirs.pk).exists()


def test_a_change_requires_a_sign_in_of_the_last_minutes(filer: User, browser: Client) -> None:
    sign_in(browser, authorize())
    assert browser.get(SETTINGS).status_code == 200
    session = browser.session
    session["proved_at"] -= int(timedelta(hours=1).total_seconds())
    session.save()
    for address in (SETTINGS, APP, PASSKEY):
        assert "again=1" in browser.get(address)["Location"]


def reset(admin: Client, user: User, **form: str) -> Any:
    address = reverse("admin:auth_user_reset_second_factor")
    page = admin.get(address, {"pk": user.pk})
    chosen = re.search(r'name="chosen" value="([^"]*)"', page.content.decode())
    sent = {"chosen": html.unescape(chosen[1]) if chosen else json.dumps({user.pk: ""}), **form}
    return admin.post(address, sent)


@pytest.fixture
def admin() -> Client:
    user = User.objects.create_user("root", "root@service.example", PASSWORD)
    roles.assign_roles(user, [role for role in access.ROLES if role.group == "administrator"])
    client = Client()
    client.force_login(user)
    session = client.session
    session["proved_second_factor"] = True
    session.save()
    return client


def test_an_administrator_resets_the_factor_of_another(
    staff: User, browser: Client, admin: Client
) -> None:
    begin_with_app(browser)
    page = admin.get(reverse("admin:auth_user_change", args=[staff.pk])).text
    assert reverse("admin:auth_user_reset_second_factor") in page
    assert SecondFactor.objects.get(kind="app").secret not in page
    reset(admin, staff)
    assert SecondFactor.objects.exists()  # without a reason
    reset(admin, staff, reason="Lost the phone; called back on the known number.")
    assert not SecondFactor.objects.exists()
    assert not is_signed_in(browser)
    entry = TrailEntry.objects.get(event=AuditEvent.SECOND_FACTOR_RESET)
    assert (entry.actor_username, entry.about) == ("root", "user ann")
    assert entry.reason.startswith("Lost the phone")
    assert urlsplit(browser.get(begin(browser))["Location"]).path == SETTINGS


def test_no_one_resets_their_own_or_that_of_a_superuser(staff: User, admin: Client) -> None:
    root = User.objects.get(username="root")
    boss = User.objects.create_superuser("boss", "boss@service.example", PASSWORD)
    for user in (root, boss):
        SecondFactor.objects.create(user=user, kind="passkey", secret="x")
        reset(admin, user, reason="I want to.")
    assert SecondFactor.objects.count() == 2
    assert events() == []


def test_the_command_resets_the_factor_of_the_last_administrator(
    staff: User, browser: Client
) -> None:
    begin_with_app(browser)
    call_command("reset_second_factor", "ann", "--reason", "Lost the phone.", stdout=StringIO())
    assert not SecondFactor.objects.exists()
    assert TrailEntry.objects.get(event=AuditEvent.SECOND_FACTOR_RESET).reason == "Lost the phone."
    for name in ("ann", "nobody"):
        with pytest.raises(CommandError):
            call_command("reset_second_factor", name, "--reason", "Again.")


def test_the_key_of_an_app_cannot_be_read_with_another_secret_key(
    staff: User, browser: Client, settings: Any
) -> None:
    key, codes = begin_with_app(browser)
    settings.SECRET_KEY = "of another site"
    other = new_browser()
    step = begin(other)
    assert submit(other, step, code=app_code(key, later=1)).status_code == 200
    assert send(other, step, code=codes[0]).status_code == 302
