"""Requests with one key at random: at once, one after the other, killed, with another body.

`--interleavings N` says how many are tried. Each has a seed of its own, which a failure shows.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from filing.models import FilingPeriod
from tests.filing.idempotency.posts import API, PAGES, Post, client_of, new_lei
from tests.filing.idempotency.processes import AT_THE_END, Outcome, Sending, let_leases_end

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.resilience,
    pytest.mark.servers,
]
MOST_AT_ONCE = 4
LAST_STATEMENT = 60


def test_whatever_happens_there_is_one_effect_and_one_answer(
    open_period: FilingPeriod, interleavings: int, settings: Any, tmp_path: Any
) -> None:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    counts: Counter[str] = Counter()
    for seed in range(interleavings):
        chance = random.Random(seed)
        post = chance.choice([*API, *PAGES])
        lei = new_lei(seed)
        post.before(lei)
        client = client_of(lei, is_page=post.page is not None)
        outcomes = [
            outcome
            for _ in range(chance.randint(1, 3))
            for outcome in wave(chance, post, client, lei)
        ]
        outcomes += last_ones(post, client, lei)
        assert post.effect(lei) == 1, (seed, post, outcomes)
        check(post, outcomes, seed)
        counts += Counter(
            "replayed" if each.is_replayed else str(each.status or "killed") for each in outcomes
        )
    print(f"\n{interleavings} interleavings, {counts.total()} requests: {dict(counts)}")
    assert {"killed", "replayed", "422"} <= set(counts)


def wave(chance: random.Random, post: Post, client: Any, lei: str) -> list[Outcome]:
    """Send some requests at about the same time; leases may end while they are in work."""
    sent = [
        Sending(
            post,
            client,
            lei,
            "key",
            variant=int(chance.random() < 0.1),
            killed_at=chance.choice([0, 0, chance.randint(1, LAST_STATEMENT), AT_THE_END]),
            after=chance.choice([0, chance.uniform(0, 0.15)]),
        )
        for _ in range(chance.randint(1, MOST_AT_ONCE))
    ]
    if chance.random() < 0.3:
        let_leases_end()
    outcomes = [each.outcome() for each in sent]
    if chance.random() < 0.5:
        let_leases_end()
    return outcomes


def last_ones(post: Post, client: Any, lei: str) -> list[Outcome]:
    """Send both bodies until each is answered, as a caller does who got no answer."""
    let_leases_end()
    found = []
    for variant in (0, 1):
        outcome = Sending(post, client, lei, "key", variant=variant).outcome()
        assert outcome.status not in (0, 409), outcome
        found.append(outcome)
    return found


def check(post: Post, outcomes: list[Outcome], seed: int) -> None:
    answered = [each for each in outcomes if each.status not in (0, 409, 422)]
    # The page with a new secret is not given again: the form leads to the page without it.
    first = [each for each in answered if post.has_secret and each.status == 200]
    others = [each for each in answered if each not in first]
    assert {each.answer for each in others} <= {others[0].answer} if others else True, seed
    assert {each.status for each in others} <= {post.status}, (seed, post, outcomes)
    assert len([each for each in answered if not each.is_replayed]) <= 1, (seed, post, outcomes)
