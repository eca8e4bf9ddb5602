"""Password guesses: wrong passwords slow down only those who send them.

Attempts are counted by account and network address together. A browser in which the account has
signed in before, recognized by a signed cookie, is counted separately, so the guesses of others do
not slow it down. The cookie alone signs no one in, and a new password makes it useless. No account
is ever locked, and no wait is longer than a minute.

If many addresses guess at one account, each has one attempt a minute. The key of a counter includes
the password's hash: a new password starts all counters again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

from config.limits import buckets
from config.limits.buckets import DatabaseStore, StoreDown
from config.limits.policies import LimitDecision, LimitPolicy
from config.requests.clients import client_address, network_of_address
from filing import audit
from filing.models import AuditEvent

# Five wrong passwords at once, as when users try several of their own; then one in ten seconds.
FEW = LimitPolicy("guesses", 1, 10, 5)
# After twenty, one every minute.
# Source: NIST SP 800-63B (2017), section 5.2.2: waits that grow, from 30 seconds up.
MANY = LimitPolicy("many-guesses", 1, 60, 20)
# Wrong passwords for one account from all addresses, before each has one attempt a minute.
# Source: NIST SP 800-63B (2017), section 5.2.2: at most 100 failures in a row for one account.
OF_ACCOUNT = LimitPolicy("guesses-of-account", 100, 86_400, 100)
UNDER_ATTACK = LimitPolicy("guesses-under-attack", 1, 60, 1)

WRONG = "wrong user name or password"
DISABLED = "the account is disabled"
OF_STAFF = "the password is one that staff set"
WAITING = "too many wrong passwords"
WRONG_CODE = "wrong second factor"
WAITING_FOR_CODE = "too many wrong second factors"
UNKNOWN = "unknown user"  # never the name: it may be a password in the wrong field

DEVICE_SALT = "config.identity.devices"
BROWSER_KEPT_SECONDS = 180 * 24 * 3600
ACCOUNTS_AT_MOST = 5  # of one browser, as in an office where people share one


class TooManyGuesses(Exception):
    """The password is not checked. seconds: until the next attempt, unless others follow."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many wrong passwords; wait {seconds} seconds.")
        self.seconds = seconds


@dataclass(frozen=True)
class Guess:
    """An attempt with a password or a code. account, place: the keys of its counters."""

    user: User | None
    account: str
    place: str
    wrong: str = WRONG

    def was_wrong(self) -> None:
        """Record it in the audit log; it is counted already."""
        _record(self.user, self.wrong)

    def was_refused(self, reason: str) -> None:
        """Record in the audit log that the password was right, and why it is not accepted."""
        _record(self.user, reason)

    def was_right(self) -> None:
        """Reset the counters."""
        for policy, key in (
            (FEW, self.place),
            (MANY, self.place),
            (UNDER_ATTACK, self.place),
            (OF_ACCOUNT, self.account),
        ):
            refill_bucket(policy, key)


def begin_guess(request: HttpRequest, name: str) -> Guess:
    """Count an attempt before its password is checked: parallel attempts count separately.

    Unknown user names are counted in the same way, so no one learns which accounts exist.

    Raises: TooManyGuesses. The wait stays within a minute, however many attempts are made.
    """
    user = User.objects.filter(username=name).first()
    account = salted_hmac("guesses", f"{name} {user.password if user else ''}").hexdigest()
    device = known_browser(request, user) if user else ""
    guess = Guess(
        user, account, f"{account} {device or network_of_address(client_address(request))}"
    )
    for policy in (FEW, MANY):
        _require(take_token(policy, guess.place), user)
    if not device and not take_token(OF_ACCOUNT, account).allowed:
        _require(take_token(UNDER_ATTACK, guess.place), user)
    return guess


def begin_code_guess(request: HttpRequest, user: User) -> Guess:
    """Count an attempt with a code of the second factor, made after the right password.

    From browsers where the user has not signed in before, 100 a day are checked, whatever their
    addresses: six digits would be found from many. A new password starts the counters again.

    Raises: TooManyGuesses.
    """
    account = salted_hmac("code-guesses", f"{user.pk} {user.password}").hexdigest()
    device = known_browser(request, user)
    place = f"{account} {device or network_of_address(client_address(request))}"
    for policy in (FEW, MANY):
        _require(take_token(policy, place), user, WAITING_FOR_CODE)
    if not device:
        _require(take_token(OF_ACCOUNT, account), user, WAITING_FOR_CODE)
    # A success elsewhere gives those who guess no new attempts.
    return Guess(user, place if device else account, place, WRONG_CODE)


def _require(verdict: LimitDecision, user: User | None, reason: str = WAITING) -> None:
    if not verdict.allowed:
        _record(user, reason)
        raise TooManyGuesses(verdict.retry_after)


def _record(user: User | None, reason: str) -> None:
    about = f"user {user}" if user else UNKNOWN
    audit.count_refusal(AuditEvent.SIGN_IN_REFUSED, about=about, reason=reason)


def take_token(policy: LimitPolicy, key: str) -> LimitDecision:
    """Take a token of a limit; from the database if Redis is down: guesses always need one."""
    try:
        return buckets.bucket_store().take(policy, key)
    except StoreDown:
        return DatabaseStore().take(policy, key)


def refill_bucket(policy: LimitPolicy, key: str) -> None:
    """Reset the counter of a limit."""
    try:
        buckets.bucket_store().refill(policy, key)
    except StoreDown:
        DatabaseStore().refill(policy, key)


def known_browser(request: HttpRequest, user: User) -> str:
    """Return the mark of the user's known browser; blank for a browser not seen before."""
    browser, marks = _read_cookie(request)
    mark = _mark(browser, user)
    return mark if mark in marks else ""


def remember_browser(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """Set the cookie by which the browser is recognized next time."""
    browser, marks = _read_cookie(request)
    mark = _mark(browser, user)
    newest = [mark, *(other for other in marks if other != mark)][:ACCOUNTS_AT_MOST]
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        ".".join([browser, *newest]),
        salt=DEVICE_SALT,
        max_age=BROWSER_KEPT_SECONDS,
        secure=settings.SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read_cookie(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the name of the browser, a new one if it has none, and the marks of its accounts."""
    cookie = request.get_signed_cookie(
        settings.DEVICE_COOKIE_NAME, default="", salt=DEVICE_SALT, max_age=BROWSER_KEPT_SECONDS
    )
    browser, *marks = (cookie or "").split(".")
    return browser or secrets.token_hex(16), marks


def _mark(browser: str, user: User) -> str:
    """Return the mark of an account with its current password, for one browser."""
    return salted_hmac(DEVICE_SALT, f"{browser} {user.pk} {user.password}").hexdigest()
