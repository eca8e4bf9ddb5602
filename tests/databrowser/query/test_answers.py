"""Answers are kept as long as the data behind them stay the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.cache import cache

from databrowser.dimensions.catalogue import BY_PARAMETER
from databrowser.publication.serving import data_sets
from databrowser.publication.serving.data_sets import LiveYear
from databrowser.query import answers, totals
from databrowser.query.questions import Question

pytestmark = pytest.mark.any_database

RACES, SEXES = BY_PARAMETER["races"], BY_PARAMETER["sexes"]
ONE = LiveYear(2019, 1, "2019-1", 5, "a" * 64, "one")
OTHER = LiveYear(2021, 1, "2021-1", 5, "b" * 64, "other")
ASKED = Question((2019,), (), ((RACES, ("Asian", "White")),))
SAME = {
    "the very same": (ASKED, (ONE,)),
    "values in another order": (replace(ASKED, filters=((RACES, ("White", "Asian")),)), (ONE,)),
    "another version of a year that is not asked for": (ASKED, (ONE, OTHER)),
}
DIFFERENT = {
    "another version": (ASKED, (replace(ONE, name="2019-2", sha256="c" * 64),)),
    "another year": (replace(ASKED, years=(2019, 2021)), (ONE, OTHER)),
    "another value": (replace(ASKED, filters=((RACES, ("Asian",)),)), (ONE,)),
    "another filter": (replace(ASKED, filters=(*ASKED.filters, (SEXES, ("Male",)))), (ONE,)),
}


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    cache.clear()


@pytest.mark.parametrize("asked", SAME.values(), ids=SAME)
def test_the_same_question_of_the_same_data_is_computed_once(asked) -> None:
    assert answers.cached("rows", ASKED, (ONE,), lambda: [1]) == answers.Answer(
        [1], from_cache=False
    )
    assert answers.cached("rows", *asked, lambda: [2]) == answers.Answer([1], from_cache=True)


@pytest.mark.parametrize("asked", DIFFERENT.values(), ids=DIFFERENT)
def test_another_question_or_other_data_are_computed_for_themselves(asked) -> None:
    answers.cached("rows", ASKED, (ONE,), lambda: [1])
    assert answers.cached("rows", *asked, lambda: [2]) == answers.Answer([2], from_cache=False)
    assert answers.cached("places", ASKED, (ONE,), lambda: [3]).content == [3]


def test_what_fails_is_not_kept_and_what_is_empty_is() -> None:
    def fails() -> None:
        raise ValueError("busy")

    with pytest.raises(ValueError, match="busy"):
        answers.cached("rows", ASKED, (ONE,), fails)
    assert answers.cached("rows", ASKED, (ONE,), list) == answers.Answer([], from_cache=False)
    assert answers.cached("rows", ASKED, (ONE,), fails) == answers.Answer([], from_cache=True)


def test_totals_are_the_same_from_the_cache(frames) -> None:
    live = data_sets.live()
    first, second = answers.totals(ASKED, live), answers.totals(ASKED, live)
    assert first.groups == second.groups == totals.compute_totals(ASKED, live)
    assert (first.from_cache, second.from_cache) == (False, True)
