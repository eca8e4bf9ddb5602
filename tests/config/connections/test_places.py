"""Few threads work at a time, many may wait, and each has its turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from config.connections.places import Places

SECONDS = 10


class Pools:
    """Pools of a test, with how often a thread ended."""

    def __init__(self) -> None:
        self.ended = 0
        self.pools: list[Places] = []

    def open(self, places: int, threads: int = 50) -> Places:
        pool = Places(places, threads=threads, at_end=self.count)
        self.pools.append(pool)
        return pool

    def count(self) -> None:
        self.ended += 1


@pytest.fixture
def pools() -> Iterator[Pools]:
    pools = Pools()
    yield pools
    for pool in pools.pools:
        pool.shutdown()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_no_more_threads_work_than_there_are_places(pools: Pools) -> None:
    pool = pools.open(3)
    lock, working, most = threading.Lock(), 0, 0

    def work() -> None:
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        time.sleep(0.002)
        with lock:
            working -= 1

    for future in [pool.submit(work) for _ in range(60)]:
        future.result(SECONDS)
    assert most == 3


def test_a_thread_that_waits_leaves_its_place_to_others(pools: Pools) -> None:
    pool = pools.open(1)
    may_end = threading.Event()

    def wait() -> None:
        with pool.left():
            may_end.wait(SECONDS)

    waiting = [pool.submit(wait) for _ in range(20)]
    assert pool.submit(lambda: "done").result(SECONDS) == "done"
    assert not any(future.done() for future in waiting)
    may_end.set()
    for future in waiting:
        future.result(SECONDS)


def test_a_thread_that_comes_back_waits_for_a_place(pools: Pools) -> None:
    pool = pools.open(1)
    is_outside, may_return, may_end = (threading.Event() for _ in range(3))

    def leave() -> str:
        with pool.left():
            is_outside.set()
            may_return.wait(SECONDS)
        return "back"

    left = pool.submit(leave)
    assert is_outside.wait(SECONDS)
    working = pool.submit(may_end.wait, SECONDS)
    may_return.set()
    time.sleep(0.05)
    assert not left.done()
    may_end.set()
    assert working.result(SECONDS)
    assert left.result(SECONDS) == "back"


def test_places_go_by_turn_to_new_requests_and_to_threads_that_come_back(pools: Pools) -> None:
    pool = pools.open(1)
    order: list[str] = []

    def long() -> None:
        for number in range(3):
            order.append(f"part {number}")
            pool.let_others_go_first()

    may_begin = threading.Event()
    first = pool.submit(may_begin.wait, SECONDS)
    parts = pool.submit(long)
    short = [pool.submit(order.append, f"short {number}") for number in range(2)]
    may_begin.set()
    for future in (first, parts, *short):
        future.result(SECONDS)
    assert order == ["part 0", "short 0", "short 1", "part 1", "part 2"]


def test_long_bodies_have_a_quarter_of_the_places_and_take_turns(pools: Pools) -> None:
    pool = pools.open(8)
    lock, working, most = threading.Lock(), 0, 0
    parts: list[int] = []

    def read_long_body(number: int) -> None:
        nonlocal working, most
        pool.let_others_go_first()
        for _ in range(5):
            with lock:
                working += 1
                most = max(most, working)
                parts.append(number)
            time.sleep(0.002)
            with lock:
                working -= 1
            pool.let_others_go_first()

    bodies = [pool.submit(read_long_body, number) for number in range(10)]
    for body in bodies:
        body.result(SECONDS)
    assert most == 2
    for number in range(10):  # while one reads, the others have their turns
        first, last = parts.index(number), len(parts) - parts[::-1].index(number)
        assert len(set(parts[first:last])) > 5
    until(lambda: pool.free == 8)


def test_short_requests_never_wait_for_long_bodies(pools: Pools) -> None:
    pool = pools.open(4)
    may_end, inside = threading.Event(), threading.Semaphore(0)

    def read_long_body() -> None:
        pool.let_others_go_first()
        inside.release()
        may_end.wait(SECONDS)

    bodies = [pool.submit(read_long_body) for _ in range(6)]
    assert inside.acquire(timeout=SECONDS)
    for _ in range(5):
        assert pool.submit(lambda: "short").result(SECONDS) == "short"
    assert not inside.acquire(timeout=0.05)
    may_end.set()
    for body in bodies:
        body.result(SECONDS)


def test_a_long_body_that_waits_for_its_caller_lets_another_one_work(pools: Pools) -> None:
    pool = pools.open(4)
    may_go_on = threading.Event()

    def wait_for_the_caller() -> str:
        pool.let_others_go_first()
        with pool.left():
            may_go_on.wait(SECONDS)
        return "all is there"

    slow = [pool.submit(wait_for_the_caller) for _ in range(5)]

    def read_long_body() -> str:
        pool.let_others_go_first()
        return "read"

    assert pool.submit(read_long_body).result(SECONDS) == "read"
    may_go_on.set()
    assert [body.result(SECONDS) for body in slow] == ["all is there"] * 5
    until(lambda: pool.free == 4)


def test_threads_that_wait_never_keep_others_from_coming_back(pools: Pools) -> None:
    pool = pools.open(1, threads=2)
    may_end = threading.Event()

    def wait() -> None:
        with pool.left():
            may_end.wait(SECONDS)

    waiting = [pool.submit(wait) for _ in range(2)]
    until(lambda: pool.free == 1)
    later = pool.submit(lambda: "later")  # there is a place, but no thread
    may_end.set()
    for future in waiting:
        future.result(SECONDS)
    assert later.result(SECONDS) == "later"


def test_idle_threads_beyond_the_places_end_and_say_so(pools: Pools) -> None:
    pool = pools.open(2)
    may_end = threading.Event()

    def wait() -> None:
        with pool.left():
            may_end.wait(SECONDS)

    futures = [pool.submit(wait) for _ in range(12)]
    until(lambda: pool.threads == 12)
    may_end.set()
    for future in futures:
        future.result(SECONDS)
    until(lambda: pools.ended == 10)
    assert pool.threads == 2


def test_the_thread_that_worked_last_works_next(pools: Pools) -> None:
    pool = pools.open(4)
    names = set()
    for _ in range(50):
        names.add(pool.submit(threading.get_ident).result(SECONDS))
        until(lambda: pool.free == 4)
    assert len(names) == 1


def test_a_failure_is_the_result_and_the_place_is_free_again(pools: Pools) -> None:
    pool = pools.open(1)
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result(SECONDS)
    assert pool.submit(lambda: 1).result(SECONDS) == 1


def test_a_closed_pool_takes_nothing_and_ends_its_threads(pools: Pools) -> None:
    pool = pools.open(2)
    pool.submit(lambda: 1).result(SECONDS)
    pool.shutdown()
    until(lambda: pools.ended == 1)
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(lambda: 1)


def test_ten_thousand_turns_of_many_threads_all_end(pools: Pools) -> None:
    pool = pools.open(3, threads=20)

    def work(number: int) -> int:
        for _ in range(number % 4):
            with pool.left():
                time.sleep(0)
        pool.let_others_go_first()
        return number

    futures = [pool.submit(work, number) for number in range(10_000)]
    assert [future.result(60) for future in futures] == list(range(10_000))
    until(lambda: pool.free == 3)
