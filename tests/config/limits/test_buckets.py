"""The stores of the buckets: exact whoever asks at once, and empty of what says nothing."""

from __future__ import annotations

import os
import time
import uuid

import pytest
import redis

from config.limits import buckets, tasks
from config.limits.buckets import BucketStore, DatabaseStore, RedisStore
from config.limits.models import Bucket
from config.limits.policies import LimitPolicy
from tests.at_once import call_at_once

pytestmark = pytest.mark.servers

SLOW = LimitPolicy("slow", 1, 3600, 20)  # nothing flows in while a test runs
QUICK = LimitPolicy("quick", 20, 1, 4)
STEADY = LimitPolicy("steady", 2, 1, 4)
REDIS = os.environ.get("CACHE_URL", "")
STORES = {"database": DatabaseStore} | (
    {"redis": lambda: RedisStore(REDIS)} if REDIS.startswith("redis") else {}
)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, transactional_db: None) -> BucketStore:
    made: BucketStore = STORES[request.param]()
    return made


@pytest.fixture
def who() -> str:
    """Return somebody whom no other run has seen: Redis keeps its buckets."""
    return uuid.uuid4().hex


def allowed(store: BucketStore, policy: LimitPolicy, who: str, times: int) -> list[bool]:
    return [store.take(policy, who).allowed for _ in range(times)]


def test_a_bucket_gives_what_is_in_it_and_no_more(store: BucketStore, who: str) -> None:
    verdicts = [store.take(SLOW, who) for _ in range(22)]
    assert [verdict.allowed for verdict in verdicts] == [True] * 20 + [False] * 2
    assert [verdict.remaining for verdict in verdicts] == [*range(19, -1, -1), 0, 0]
    assert verdicts[-1].retry_after in {3599, 3600}


def test_tokens_flow_back_at_the_rate(store: BucketStore, who: str) -> None:
    assert allowed(store, STEADY, who, 5) == [True] * 4 + [False]
    time.sleep(1.1)  # two tokens of half a second each
    assert allowed(store, STEADY, who, 2) == [True, True]
    time.sleep(2.1)
    assert allowed(store, STEADY, who, 5) == [True] * 4 + [False]  # never more than it holds


@pytest.mark.parametrize(("threads", "count"), [(16, 20), (SLOW.burst, 1)])
def test_the_count_is_exact_whoever_asks_at_once(
    store: BucketStore, who: str, threads: int, count: int
) -> None:
    def ask() -> list[int]:
        verdicts = [store.take(SLOW, who) for _ in range(count)]
        return [verdict.remaining for verdict in verdicts if verdict.allowed]

    left = [verdict for some in call_at_once(ask, threads) for verdict in some]
    assert sorted(left) == list(range(SLOW.burst))


@pytest.mark.django_db
def test_a_database_bucket_survives_a_clock_that_was_set_back(who: str) -> None:
    store = DatabaseStore()
    allowed(store, SLOW, who, 20)
    assert not store.take(SLOW, who).allowed
    Bucket.objects.update(full_at=Bucket.objects.get().full_at + 10**6 * 3600 * 24 * 365)
    assert store.take(SLOW, who).remaining == 19


@pytest.mark.django_db
def test_full_buckets_are_swept_and_others_stay(who: str) -> None:
    store = DatabaseStore()
    for index in range(5):
        store.take(LimitPolicy("brief", 1000, 1, 1), f"{who}-{index}")
    store.take(SLOW, who)
    time.sleep(0.01)
    tasks.sweep_buckets()
    assert [bucket.key for bucket in Bucket.objects.all()] == [buckets.bucket_key(SLOW, who)]


def test_a_redis_that_is_away_says_so() -> None:
    with pytest.raises(buckets.StoreDown):
        RedisStore("redis://127.0.0.1:1/0").take(SLOW, "anybody")


if "redis" in STORES:

    def test_a_full_bucket_is_gone_from_redis(who: str) -> None:
        client = redis.Redis.from_url(REDIS)
        RedisStore(REDIS).take(QUICK, who)
        name = f"limits:{buckets.bucket_key(QUICK, who)}"
        assert 0 < client.pttl(name) <= 50
        time.sleep(0.06)
        assert not client.exists(name)

    def test_a_redis_bucket_survives_a_clock_that_was_set_back(who: str) -> None:
        store, client = RedisStore(REDIS), redis.Redis.from_url(REDIS)
        allowed(store, SLOW, who, 20)
        name = f"limits:{buckets.bucket_key(SLOW, who)}"
        client.set(name, int(client.get(name) or 0) + 10**6 * 3600 * 24 * 365)
        assert store.take(SLOW, who).remaining == 19
