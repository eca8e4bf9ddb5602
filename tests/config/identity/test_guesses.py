"""Guessed passwords slow down whoever sends them; nobody else is kept out, nothing is locked."""

from __future__ import annotations

import re
import socket
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.test import Client, RequestFactory

from config.identity import guesses
from config.identity.guesses import FEW, MANY, OF_ACCOUNT, UNDER_ATTACK, TooManyGuesses
from config.limits import buckets
from config.limits.buckets import DatabaseStore, RedisStore
from config.limits.policies import LimitPolicy
from filing.models import AuditEvent, Repetition, TrailEntry
from tests.config.identity.client import REALM
from tests.config.identity.signing_up import PASSWORD, enter, link

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
    pytest.mark.slow,
]
NEW = "another pass phrase 7"
WAIT = re.compile(r"Too many wrong passwords\. Try again in (\d+) seconds?, or")
FAILURES_IN_A_ROW = 100  # Source: NIST SP 800-63B (2017), section 5.2.2


@pytest.fixture
def ben() -> User:
    return User.objects.create_user("ben", "ben@bank.example", PASSWORD)


@pytest.fixture
def there() -> str:
    """Return another address in a network that nobody else has."""
    network = uuid.uuid4().hex
    return f"2001:db8:{network[:4]}:{network[4:8]}::1"


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing flows into the buckets while a test runs, however long that takes."""
    for name in ("FEW", "MANY", "OF_ACCOUNT", "UNDER_ATTACK"):
        policy: LimitPolicy = getattr(guesses, name)
        slow = LimitPolicy(f"{policy.name}-{uuid.uuid4().hex[:8]}", 1, 86_400, policy.burst)
        monkeypatch.setattr(guesses, name, slow)


def browser_at(address: str) -> Client:
    return Client(headers={"host": "localhost"}, REMOTE_ADDR=address)


def is_in(page: Any) -> bool:
    return "<h1>Your profile</h1>" in page.text


def guess(browser: Client, name: str, times: int) -> list[bool]:
    """Send wrong passwords, and return of each whether it had to wait."""
    pages = [
        browser.post(f"{REALM}/login", {"username": name, "password": "x"}) for _ in range(times)
    ]
    for page in pages:
        assert WAIT.search(page.text) or "do not match" in page.text
    return [bool(WAIT.search(page.text)) for page in pages]


def new_password(browser: Client) -> Any:
    """Choose a new password by the link of a mail."""
    browser.post("/forgotten/", {"email": "ben@bank.example"})
    page = browser.get(link(), follow=True)
    answers = {"new_password1": NEW, "new_password2": NEW}
    return browser.post(page.redirect_chain[-1][0], answers)


def leads_to_own_password(page: Any) -> None:
    """Check that a password was right, and is one that staff set."""
    assert not is_in(page)
    assert (page.status_code, WAIT.search(page.text)) == (403, None)


def test_after_five_wrong_passwords_there_is_a_wait_whether_or_not_anybody_has_the_name(
    here: str, ben: User
) -> None:
    browser = browser_at(here)
    for name in ("ben", f"nobody-{uuid.uuid4()}"):
        assert guess(browser, name, 8) == [False] * 5 + [True] * 3


def test_the_page_says_how_long_to_wait_and_that_a_new_password_ends_it(
    here: str, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guesses, "FEW", LimitPolicy(f"few-{here}", 1, 3600, 1))
    browser = browser_at(here)
    guess(browser, "ben", 1)
    page = enter(browser, "ben", PASSWORD)
    found = WAIT.search(page.text)
    assert found
    assert 1 <= int(found[1]) <= 3600
    assert "choose a new password to sign in now" in page.text
    assert 'href="/forgotten/"' in page.text


def test_no_wait_is_longer_than_a_minute() -> None:
    waits = [policy.token // 1_000_000 for policy in (FEW, MANY, UNDER_ATTACK)]
    assert waits == [10, 60, 60]
    assert OF_ACCOUNT.burst == FAILURES_IN_A_ROW


def test_a_refused_try_does_not_make_the_wait_longer(here: str, ben: User) -> None:
    browser = browser_at(here)
    guess(browser, "ben", 5)
    waits = []
    for _ in range(3):
        with pytest.raises(TooManyGuesses) as refusal:
            guesses.begin_guess(request_from(here), "ben")
        waits.append(refusal.value.seconds)
    assert waits[0] >= waits[1] >= waits[2]


def test_who_guesses_elsewhere_does_not_keep_the_owner_out(
    here: str, there: str, ben: User
) -> None:
    assert guess(browser_at(there), "ben", 12)[-1]
    assert is_in(enter(browser_at(here), "ben", PASSWORD))


def test_a_thousand_addresses_do_not_keep_the_owner_out(here: str) -> None:
    User.objects.create_superuser("ben", "ben@bank.example", PASSWORD)
    network = uuid.uuid4().hex[:4]
    for number in range(FAILURES_IN_A_ROW + 20):
        guess(browser_at(f"2001:db8:{network}:{number:x}::1"), "ben", 1)
    stranger = browser_at(f"2001:db8:{network}:ffff::1")
    assert guess(stranger, "ben", 3) == [False, True, True]  # one try each, then one a minute
    assert is_in(enter(browser_at(here), "ben", PASSWORD, onward="/filing/profile/"))


def test_guesses_from_the_same_address_do_not_hold_up_a_known_browser(here: str, ben: User) -> None:
    known = browser_at(here)
    assert is_in(enter(known, "ben", PASSWORD))
    known.post("/sign-out/")
    assert guess(browser_at(here), "ben", 9)[-1]
    assert not is_in(enter(browser_at(here), "ben", PASSWORD))
    assert is_in(enter(known, "ben", PASSWORD))


def test_a_known_browser_has_to_wait_after_wrong_passwords_of_its_own(here: str, ben: User) -> None:
    known = browser_at(here)
    enter(known, "ben", PASSWORD)
    known.post("/sign-out/")
    assert guess(known, "ben", 6) == [False] * 5 + [True]


def test_the_cookie_of_a_known_browser_is_of_one_account_and_nobody_can_make_it(
    here: str, ben: User
) -> None:
    cid = User.objects.create_user("cid", "cid@bank.example", PASSWORD)
    browser = browser_at(here)
    enter(browser, "ben", PASSWORD)
    cookie = browser.cookies["known-device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert "ben" not in cookie.value
    request = request_from(here, **{"known-device": cookie.value})
    assert guesses.known_browser(request, ben)
    assert not guesses.known_browser(request, cid)
    forged = request_from(here, **{"known-device": cookie.value[:-3] + "abc"})
    assert not guesses.known_browser(forged, ben)
    browser.post("/sign-out/")
    enter(browser, "cid", PASSWORD)
    both = request_from(here, **{"known-device": browser.cookies["known-device"].value})
    assert guesses.known_browser(both, ben)
    assert guesses.known_browser(both, cid)
    ben.set_password(NEW)
    ben.save()
    assert not guesses.known_browser(both, ben)


def test_a_new_password_ends_the_wait_and_makes_the_browser_known(here: str, ben: User) -> None:
    browser = browser_at(here)
    assert guess(browser, "ben", 9)[-1]
    assert not is_in(enter(browser, "ben", PASSWORD))
    assert new_password(browser).status_code == 302
    assert is_in(enter(browser, "ben", NEW))
    browser.post("/sign-out/")
    assert guess(browser_at(here), "ben", 9)[-1]  # the stranger at the same address goes on
    assert is_in(enter(browser, "ben", NEW))


def test_a_password_that_staff_set_ends_the_wait(here: str, ben: User) -> None:
    browser = browser_at(here)
    assert guess(browser, "ben", 9)[-1]
    admin = User.objects.create_superuser("root", "root@bank.example", PASSWORD)
    staff = Client(headers={"host": "localhost"})
    staff.force_login(admin, backend="django.contrib.auth.backends.ModelBackend")
    answers = {"password1": NEW, "password2": NEW, "usable_password": "true", "reason": "Lost."}
    done = staff.post(f"/admin/auth/user/{ben.pk}/password/", answers)
    assert done.status_code == 302, done.text
    leads_to_own_password(enter(browser, "ben", NEW))


def test_a_sign_in_without_a_password_counts_for_nothing(here: str, ben: User) -> None:
    browser = browser_at(here)
    for _ in range(9):
        browser.post(f"{REALM}/login", {"username": "ben", "password": ""})
    assert is_in(enter(browser, "ben", PASSWORD))


def test_the_audit_log_has_an_entry_a_minute_with_a_count_and_no_unknown_name(
    here: str, ben: User
) -> None:
    browser, name = browser_at(here), f"nobody-{uuid.uuid4()}"
    guess(browser, "ben", 9)
    guess(browser, name, 9)
    entries = TrailEntry.objects.filter(event=AuditEvent.SIGN_IN_REFUSED)
    assert set(entries.values_list("about", "reason")) == {
        ("user ben", guesses.WRONG),
        ("user ben", guesses.WAITING),
        ("unknown user", guesses.WRONG),
        ("unknown user", guesses.WAITING),
    }
    assert not TrailEntry.objects.filter(about__contains=name).exists()
    assert sum(Repetition.objects.values_list("times", flat=True)) == 18
    assert entries.count() == Repetition.objects.count() <= 8  # two minutes at most


def test_where_redis_is_down_the_database_counts(
    here: str, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        down = RedisStore(f"redis://127.0.0.1:{nobody.getsockname()[1]}/0")
        monkeypatch.setattr(buckets, "bucket_store", lambda: down)
        browser = browser_at(here)
        assert guess(browser, "ben", 6) == [False] * 5 + [True]
        assert DatabaseStore().take(guesses.OF_ACCOUNT, here).allowed


def test_many_tries_at_once_are_as_many(here: str, ben: User) -> None:
    """All of them begin before the first password has been looked at."""
    begun = [guesses.begin_guess(request_from(here), "ben") for _ in range(5)]
    with pytest.raises(TooManyGuesses):
        guesses.begin_guess(request_from(here), "ben")
    begun[0].was_right()
    assert guesses.begin_guess(request_from(here), "ben")


def request_from(address: str, **cookies: str) -> HttpRequest:
    request = RequestFactory().get("/", REMOTE_ADDR=address)
    request.COOKIES.update(cookies)
    return request


def test_the_right_password_makes_the_next_wrong_ones_the_first(here: str, ben: User) -> None:
    for _ in range(3):
        browser = browser_at(here)
        assert guess(browser, "ben", 4) == [False] * 4
        assert is_in(enter(browser, "ben", PASSWORD))
