"""Ids of requests that a person can read out, and find again."""

from __future__ import annotations

import re

import pytest

from filing import requests


def test_an_id_has_three_groups_of_letters_that_nobody_mistakes() -> None:
    made = [requests.make_request_id() for _ in range(1000)]
    assert len(set(made)) == 1000
    assert all(re.fullmatch(r"[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}", each) for each in made)
    assert not set("01AEILOU") & set("".join(made))


@pytest.mark.parametrize("typed", ["7F3K-9QXM-2BTD", "7f3k 9QXM 2BTD", " 7f3k9qxm2btd "])
def test_an_id_is_recognised_however_it_was_written_down(typed: str) -> None:
    assert requests.normalize_request_id(typed) == "7F3K-9QXM-2BTD"
    for other in ("", "trace-1.2_3", "7F3K-9QXM", "0" * 32):
        assert requests.normalize_request_id(other) == other
