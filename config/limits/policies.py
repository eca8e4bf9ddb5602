"""Rate limits: requests per second, minute or hour, and how many may come at once.

Where requests differ as much as files do, a token is a megabyte instead.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

SECONDS = {"s": 1, "min": 60, "h": 3600}
_TEXT = re.compile(r"([1-9][0-9]{0,5})/(s|min|h):([1-9][0-9]{0,5})")


@dataclass(frozen=True)
class LimitPolicy:
    """A bucket of `burst` tokens into which `count` tokens flow every `seconds`.

    Units: token and quota in microseconds: the time in which one token flows in, and all of them.
    Whole numbers: rounding never adds or loses a token.
    """

    name: str
    count: int
    seconds: int
    burst: int

    @cached_property
    def token(self) -> int:
        return max(1, round(self.seconds * 1_000_000 / self.count))

    @cached_property
    def quota(self) -> int:
        return self.burst * self.token

    def cost(self, tokens: float) -> int:
        """Return the time in which some tokens flow in."""
        return max(1, round(tokens * self.token))

    @cached_property
    def header(self) -> str:
        """The value of `RateLimit-Policy`: the quota, and the seconds in which it refills."""
        return f'"{self.name}";q={self.burst};w={_seconds(self.quota)}'


@dataclass(frozen=True)
class LimitDecision:
    """The decision of a bucket on a request for some tokens, and its state afterward.

    Units: until_full in microseconds.
    """

    policy: LimitPolicy
    allowed: bool
    until_full: int
    tokens: float = 1

    @property
    def remaining(self) -> int:
        return max(0, self.policy.quota - self.until_full) // self.policy.token * self.allowed

    @property
    def retry_after(self) -> int:
        """Seconds until as many tokens are there: a whole number, after a refusal at least 1."""
        cost = self.policy.cost(self.tokens)
        return max(int(not self.allowed), _seconds(self.until_full + cost - self.policy.quota))

    @property
    def header(self) -> str:
        """The value of `RateLimit`: what is left, and the seconds until the quota is full again.

        After a refusal the seconds are those of `Retry-After`.

        Source: draft-ietf-httpapi-ratelimit-headers-10.
        """
        seconds = _seconds(self.until_full) if self.allowed else self.retry_after
        return f'"{self.policy.name}";r={self.remaining};t={seconds}'


def read_policy(name: str, text: str) -> LimitPolicy | None:
    """Return the policy of a text such as `10/s:50`; None for `off`. Raises: ValueError."""
    if text.lower() == "off":
        return None
    parts = _TEXT.fullmatch(text)
    if parts is None:
        raise ValueError(
            "write a rate and a number of requests at once, such as 10/s:50 or 20/min:10, or off"
        )
    count, unit, burst = parts.groups()
    return LimitPolicy(name, int(count), SECONDS[unit], int(burst))


def _seconds(microseconds: int) -> int:
    return max(0, math.ceil(microseconds / 1_000_000))
