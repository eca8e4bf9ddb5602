"""Guessed passwords: wrong ones slow down whoever sends them, and nobody else.

Tries are counted by account and network address together. A browser in which the account has
signed in before is counted alone, so that nobody else's guesses hold it up. No account is ever
locked, and no wait is longer than a minute.

Of an account that many addresses guess at, each address has one try a minute. The key of a count
has the password's hash in it: whoever chooses a new password, in whatever way, begins afresh.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from config.identity import devices
from config.limits import buckets
from config.limits.buckets import DatabaseStore, StoreDown
from config.limits.policies import Policy, Verdict
from config.requests import client_address, site_of
from filing.audit import refusals
from filing.models import Happening

# Five wrong passwords at once, as of people who try the ones they have; then one every ten seconds.
FEW = Policy("guesses", 1, 10, 5)
# After twenty, one every minute.
# Source: NIST SP 800-63B (2017), section 5.2.2: waits that grow, from 30 seconds up.
MANY = Policy("many-guesses", 1, 60, 20)
# Wrong passwords of one account from all addresses, before each address has one try a minute.
# Source: NIST SP 800-63B (2017), section 5.2.2: no more than 100 failures of one account in a row.
OF_ACCOUNT = Policy("guesses-of-account", 100, 86_400, 100)
UNDER_ATTACK = Policy("guesses-under-attack", 1, 60, 1)

WRONG = "wrong user name or password"
DISABLED = "the account is disabled"
WAITING = "too many wrong passwords"
UNKNOWN = "unknown user"  # never the name: it may be a password in the wrong field


class TooMany(Exception):
    """The password is not even looked at. seconds: after which one is, if nobody guesses on."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many wrong passwords; wait {seconds} seconds.")
        self.seconds = seconds


@dataclass(frozen=True)
class Guess:
    """A password that is going to be looked at. account, place: whose it would be, from where."""

    user: User | None
    account: str
    place: str

    def was_wrong(self) -> None:
        """Tell the audit log; it was counted before."""
        _tell(self.user, WRONG)

    def was_of_disabled(self) -> None:
        """Tell the audit log that the password was right, and its account is disabled."""
        _tell(self.user, DISABLED)

    def was_right(self) -> None:
        """Forget the wrong ones before it."""
        for policy, who in (
            (FEW, self.place),
            (MANY, self.place),
            (UNDER_ATTACK, self.place),
            (OF_ACCOUNT, self.account),
        ):
            _refill(policy, who)


def begin(request: HttpRequest, name: str) -> Guess:
    """Count a try before its password is looked at, so that many at once are not one.

    Names that nobody has are counted in the same way: nobody learns who has an account.

    Raises: TooMany. However many such tries come, the wait stays within a minute.
    """
    user = User.objects.filter(username=name).first()
    account = salted_hmac("guesses", f"{name} {user.password if user else ''}").hexdigest()
    device = devices.known(request, user) if user else ""
    guess = Guess(user, account, f"{account} {device or site_of(client_address(request))}")
    for policy in (FEW, MANY):
        _require(_take(policy, guess.place), user)
    if not device and not _take(OF_ACCOUNT, account).allowed:
        _require(_take(UNDER_ATTACK, guess.place), user)
    return guess


def _require(verdict: Verdict, user: User | None) -> None:
    if not verdict.allowed:
        _tell(user, WAITING)
        raise TooMany(verdict.retry_after)


def _tell(user: User | None, reason: str) -> None:
    about = f"user {user}" if user else UNKNOWN
    refusals.note(Happening.SIGN_IN_REFUSED, about=about, reason=reason)


def _take(policy: Policy, who: str) -> Verdict:
    """Take a token; of the database where Redis is down, for a password needs a limit always."""
    try:
        return buckets.store().take(policy, who)
    except StoreDown:
        return DatabaseStore().take(policy, who)


def _refill(policy: Policy, who: str) -> None:
    try:
        buckets.store().refill(policy, who)
    except StoreDown:
        DatabaseStore().refill(policy, who)
