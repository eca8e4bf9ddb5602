"""A process is killed before each of its statements to the database: one effect, one answer."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from filing.models import FilingPeriod, IdempotentRequest
from tests.filing.idempotency.posts import API, PAGES, Post, client_of, new_lei
from tests.filing.idempotency.processes import AT_THE_END, Outcome, Sending, let_leases_end

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.resilience,
    pytest.mark.servers,
]


@pytest.mark.parametrize("post", [*API, *PAGES], ids=str)
def test_wherever_the_process_is_killed_the_request_is_repeated_with_one_effect(
    post: Post, open_period: FilingPeriod, settings: Any, tmp_path: Any
) -> None:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    for killed_at in itertools.chain(itertools.count(1), [AT_THE_END]):
        lei = new_lei(killed_at)
        post.before(lei)
        client = client_of(lei, is_page=post.page is not None)
        killed = Sending(post, client, lei, "key", killed_at=killed_at).outcome()
        if killed.status:
            break  # there are no more statements
        check_repeated(post, client, lei)
    assert killed_at > 10
    check_lost_answer(post)


def check_repeated(post: Post, client: Any, lei: str) -> None:
    was_done = post.effect(lei)
    assert was_done in (0, 1)
    if was_done:  # the answer is there with the effect
        assert IdempotentRequest.objects.latest("pk").status == post.status
    else:
        let_leases_end()
    first = Sending(post, client, lei, "key").outcome()
    assert first.is_replayed is bool(was_done)
    second = Sending(post, client, lei, "key").outcome()
    check_same(post, first, second)
    assert post.effect(lei) == 1


def check_same(post: Post, first: Outcome, second: Outcome) -> None:
    is_shown = post.has_secret and not first.is_replayed
    assert first.status == (200 if is_shown else post.status), first
    assert second.is_replayed
    if not is_shown:
        assert second.answer == first.answer


def check_lost_answer(post: Post) -> None:
    lei = new_lei(AT_THE_END)
    post.before(lei)
    client = client_of(lei, is_page=post.page is not None)
    assert not Sending(post, client, lei, "key", killed_at=AT_THE_END).outcome().status
    assert post.effect(lei) == 1
    check_repeated(post, client, lei)
