"""The stores of token buckets: Redis, or the database of a service without it.

A bucket is stored as one number, the time at which it is full again. A request moves that time on
by the time in which its tokens flow in, and is refused if it would then be more than a whole bucket
from now (the generic cell rate algorithm). Both stores do this in one atomic step and on one clock,
however many processes call at once.
"""

from __future__ import annotations

import hashlib
import time
from functools import cache
from typing import Protocol

from django.conf import settings
from django.db import Error, connection

from config.limits.models import Bucket
from config.limits.policies import LimitDecision, LimitPolicy
from filing.outages import redis_errors

TIMEOUT_SECONDS = 0.25  # for Redis, which answers in a hundredth of that
LOCK_TIMEOUT = 2000  # milliseconds that a request waits for another writer of SQLite
FAR = 60_000_000  # microseconds past a whole bucket; farther off only if a clock was set back
SWEPT_AT_ONCE = 5000


class StoreDown(Exception):
    """The store does not answer."""


class BucketStore(Protocol):
    """Takes tokens out of buckets."""

    def take(self, policy: LimitPolicy, caller: str, tokens: float = 1) -> LimitDecision:
        """Take tokens for a caller, if there are as many, and return the decision.

        Raises: StoreDown.
        """

    def refill(self, policy: LimitPolicy, caller: str) -> None:
        """Fill the bucket of a caller. Raises: StoreDown."""


def bucket_key(policy: LimitPolicy, caller: str) -> str:
    """Return the name of a bucket: a hash, from which no caller can be identified.

    The numbers of the policy are part of it: a changed limit starts with full buckets.
    """
    text = f"{policy.header} {policy.token} {caller}"
    return f"{policy.name}:{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"


class RedisStore:
    """Buckets in Redis, on its clock; each expires when it is full."""

    SCRIPT = """
        local token, quota, far = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
        local clock = redis.call('TIME')
        local now = clock[1] * 1000000 + clock[2]
        local full_at = tonumber(redis.call('GET', KEYS[1]) or now)
        if full_at < now or full_at > now + far then
            full_at = now
        end
        if full_at + token - now > quota then
            return {0, full_at - now}
        end
        full_at = full_at + token
        local milliseconds = math.ceil((full_at - now) / 1000)
        redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', milliseconds)
        return {1, full_at - now}
    """

    def __init__(self, url: str) -> None:
        # Not loaded without Redis: 10 MB, and a fifth of a second.
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        # One immediate retry: Redis may have restarted and ended an open connection.
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )
        self._script = self._client.register_script(self.SCRIPT)

    def take(self, policy: LimitPolicy, caller: str, tokens: float = 1) -> LimitDecision:
        """Take tokens in one script."""
        try:
            allowed, until_full = self._script(
                keys=[self._name(policy, caller)],
                args=[policy.cost(tokens), policy.quota, policy.quota + FAR],
            )
        except redis_errors() as error:
            raise StoreDown(str(error)) from error
        return LimitDecision(policy, bool(allowed), int(until_full), tokens)

    def refill(self, policy: LimitPolicy, caller: str) -> None:
        """Delete the key: a missing bucket counts as full."""
        try:
            self._client.delete(self._name(policy, caller))
        except redis_errors() as error:
            raise StoreDown(str(error)) from error

    def _name(self, policy: LimitPolicy, caller: str) -> str:
        return f"limits:{bucket_key(policy, caller)}"


class DatabaseStore:
    """Buckets in a table, on the clock of the database.

    The clock is read once the row is locked: a time read before waiting for the row would be too
    early, and an available token would count as missing.
    """

    TAKE = """
        INSERT INTO limits_bucket AS bucket (key, full_at)
        VALUES (%(key)s, {now} + %(token)s)
        ON CONFLICT (key) DO UPDATE SET full_at = %(token)s + CASE
            WHEN bucket.full_at BETWEEN {now} AND {now} + %(far)s THEN bucket.full_at
            ELSE {now}
        END
        WHERE bucket.full_at + %(token)s - {now} <= %(quota)s OR bucket.full_at - {now} > %(far)s
        RETURNING full_at - {now}
    """
    LOOK = "SELECT full_at - {now} FROM limits_bucket WHERE key = %(key)s"
    NOW = {  # microseconds since 1970
        "postgresql": "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
        "sqlite": "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000",
    }

    def take(self, policy: LimitPolicy, caller: str, tokens: float = 1) -> LimitDecision:
        """Take tokens in one statement; only a refusal needs a second one."""
        now = self.NOW[connection.vendor]
        values: dict[str, str | int] = {
            "key": bucket_key(policy, caller),
            "token": policy.cost(tokens),
            "quota": policy.quota,
            "far": policy.quota + FAR,
        }
        try:
            row = self._query(self.TAKE.format(now=now), values)
            if row is not None:
                return LimitDecision(policy, True, row, tokens)
            until_full = self._query(self.LOOK.format(now=now), values)
        except Error as error:
            raise StoreDown(str(error)) from error
        until_full = policy.quota if until_full is None else until_full
        return LimitDecision(policy, False, until_full, tokens)

    def refill(self, policy: LimitPolicy, caller: str) -> None:
        """Delete the row: a missing bucket counts as full."""
        try:
            Bucket.objects.filter(pk=bucket_key(policy, caller)).delete()
        except Error as error:
            raise StoreDown(str(error)) from error

    def _query(self, statement: str, values: dict[str, str | int]) -> int | None:
        with connection.cursor() as cursor:
            if connection.vendor != "sqlite":
                cursor.execute(statement, values)
                return _only(cursor.fetchall())
            usual = int(connection.settings_dict["OPTIONS"]["timeout"] * 1000)
            cursor.execute(f"PRAGMA busy_timeout = {LOCK_TIMEOUT}")
            try:
                cursor.execute(statement, values)
                return _only(cursor.fetchall())
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {usual}")


def delete_full_buckets() -> int:
    """Delete the full buckets of the table, in steps; return how many."""
    swept = 0
    full = Bucket.objects.filter(full_at__lt=time.time_ns() // 1000).values_list("pk", flat=True)
    while keys := list(full[:SWEPT_AT_ONCE]):
        swept += Bucket.objects.filter(pk__in=keys).delete()[0]
    return swept


@cache
def bucket_store() -> BucketStore:
    """Return the store of this service: Redis where the cache is one."""
    if settings.CACHE_URL.startswith(("redis://", "rediss://")):
        return RedisStore(settings.CACHE_URL)
    return DatabaseStore()


def _only(rows: list[tuple[int]]) -> int | None:
    return int(rows[0][0]) if rows else None
