"""Documents are read by many at once: a web process answers with several threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from mdurl._encode import encode_cache

from config.guides import documents

THREADS, ROUNDS = 8, 5
NAME = "graphs.md"


@pytest.fixture
def busy_threads() -> Iterator[None]:
    """Threads that take turns after a few steps."""
    seconds = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(seconds)


@pytest.mark.usefixtures("busy_threads")
def test_threads_that_read_a_document_first_all_get_its_pictures():
    expected = documents.document_pictures(NAME)
    assert expected
    start = Barrier(THREADS)

    def read(_: int) -> frozenset[str]:
        start.wait()
        return documents.document_pictures(NAME)

    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(ROUNDS):
            encode_cache.clear()  # as in a process that has just started
            assert set(threads.map(read, range(THREADS))) == {expected}
