"""What a policy and a verdict say in the headers of an answer."""

from __future__ import annotations

import pytest

from config.limits.policies import LimitDecision, LimitPolicy


@pytest.mark.parametrize(
    ("allowed", "until_full", "header", "retry_after"),
    [
        (True, 100_000, '"public";r=49;t=1', 0),
        (True, 100_001, '"public";r=48;t=1', 0),
        (True, 5_000_000, '"public";r=0;t=5', 1),
        (False, 4_900_000, '"public";r=0;t=1', 1),  # a token has come since: still a whole second
    ],
)
def test_a_verdict_says_what_is_left_and_when_it_is_whole_again(
    allowed: bool, until_full: int, header: str, retry_after: int
) -> None:
    verdict = LimitDecision(LimitPolicy("public", 10, 1, 50), allowed, until_full)
    assert (verdict.header, verdict.retry_after) == (header, retry_after)
