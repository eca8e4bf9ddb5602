"""What a policy and a verdict say in the headers of an answer."""

from __future__ import annotations

import pytest

from config.limits.policies import LimitDecision, LimitPolicy, read_policy


@pytest.mark.parametrize(
    ("written", "header"),
    [
        ("10/s:50", '"public";q=50;w=5'),
        ("100/s:200", '"public";q=200;w=2'),
        ("20/min:10", '"public";q=10;w=30'),
        ("3/s:10", '"public";q=10;w=4'),  # 3.33 seconds, and whole ones are what may be said
        ("1/h:2", '"public";q=2;w=7200'),
    ],
)
def test_a_policy_says_its_quota_and_in_which_time_it_comes_back(written: str, header: str) -> None:
    policy = read_policy("public", written)
    assert policy is not None
    assert policy.header == header


@pytest.mark.parametrize(
    ("allowed", "until_full", "header", "retry_after"),
    [
        (True, 100_000, '"public";r=49;t=1', 0),
        (True, 100_001, '"public";r=48;t=1', 0),
        (True, 4_999_999, '"public";r=0;t=5', 1),
        (True, 5_000_000, '"public";r=0;t=5', 1),
        (False, 5_000_000, '"public";r=0;t=1', 1),
        (False, 4_900_000, '"public";r=0;t=1', 1),  # a token has come since: still a whole second
    ],
)
def test_a_verdict_says_what_is_left_and_when_it_is_whole_again(
    allowed: bool, until_full: int, header: str, retry_after: int
) -> None:
    verdict = LimitDecision(LimitPolicy("public", 10, 1, 50), allowed, until_full)
    assert (verdict.header, verdict.retry_after) == (header, retry_after)


def test_a_refusal_names_the_seconds_until_a_token_is_there() -> None:
    policy = LimitPolicy("sign-in", 20, 60, 10)  # a token every three seconds
    assert LimitDecision(policy, False, 30_000_000).retry_after == 3
    assert LimitDecision(policy, False, 27_000_001).retry_after == 1
