"""What one may ask of the service: so many requests a second, minute or hour, so many at once."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

SECONDS = {"s": 1, "min": 60, "h": 3600}
_WRITTEN = re.compile(r"([1-9][0-9]{0,5})/(s|min|h):([1-9][0-9]{0,5})")


@dataclass(frozen=True)
class Policy:
    """A bucket of `burst` tokens into which `count` tokens flow every `seconds`.

    Units: token and quota in microseconds: the time in which one token flows in, and all of them.
    Whole numbers, so that nothing is gained or lost by rounding however often one asks.
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

    @cached_property
    def header(self) -> str:
        """The value of `RateLimit-Policy`: the quota, and the seconds in which it comes back."""
        return f'"{self.name}";q={self.burst};w={_seconds(self.quota)}'


@dataclass(frozen=True)
class Verdict:
    """What a bucket says to a request, after it.

    Units: until_full in microseconds.
    """

    policy: Policy
    allowed: bool
    until_full: int

    @property
    def remaining(self) -> int:
        return max(0, self.policy.quota - self.until_full) // self.policy.token * self.allowed

    @property
    def retry_after(self) -> int:
        """Seconds until a token is there again: a whole number, after a refusal at least 1."""
        return max(
            int(not self.allowed),
            _seconds(self.until_full + self.policy.token - self.policy.quota),
        )

    @property
    def header(self) -> str:
        """The value of `RateLimit`: what is left, and the seconds until the quota is whole again.

        After a refusal the seconds are those of `Retry-After`.

        Source: draft-ietf-httpapi-ratelimit-headers-10.
        """
        seconds = _seconds(self.until_full) if self.allowed else self.retry_after
        return f'"{self.policy.name}";r={self.remaining};t={seconds}'


def read(name: str, written: str) -> Policy | None:
    """Return the policy that is written like `10/s:50`; nothing for `off`.

    Raises: ValueError.
    """
    if written.lower() == "off":
        return None
    parts = _WRITTEN.fullmatch(written)
    if parts is None:
        raise ValueError(
            "write a rate and how many may come at once, such as 10/s:50 or 20/min:10, or off"
        )
    count, unit, burst = parts.groups()
    return Policy(name, int(count), SECONDS[unit], int(burst))


def _seconds(microseconds: int) -> int:
    return max(0, math.ceil(microseconds / 1_000_000))
