"""Answers of the data browser, each kept in the cache until the data behind it change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

from databrowser.query.questions import Question
from databrowser.query.totals import Live, Total, computed, version_of

CACHE_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals by the values of the data filters, in their order; a group without rows is left out.

    from_cache: whether nothing was computed for this.
    """

    groups: dict[tuple[str, ...], Total]
    from_cache: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What the cache keeps of an answer. from_cache: whether nothing was computed for this."""

    content: Any
    from_cache: bool


def totals(question: Question, live: Live) -> Totals:
    """Return counts and sums, from the cache where the same was asked of the same data.

    Raises: Busy, TooSlow.
    """

    def figures() -> list[tuple[tuple[str, ...], int, float]]:
        groups = computed(question, live)
        return [(group, each.count, each.sum) for group, each in groups.items()]

    answer = of("totals", question, live, figures)
    groups = {tuple(group): Total(*total) for group, *total in answer.content}
    return Totals(groups, answer.from_cache)


def of(what: str, question: Question, live: Live, figures: Callable[[], Any]) -> Answer:
    """Return the answer to a question from the cache, else compute and keep it.

    what: kind of answer. figures: returns lists, tuples, dictionaries, texts and numbers only.
    Raises: what `figures` raises.
    """
    key = _key(what, question, live)
    content = cache.get(key)
    if content is not None:
        return Answer(content, from_cache=True)
    content = figures()
    cache.set(key, content, CACHE_SECONDS)
    return Answer(content, from_cache=False)


def _key(what: str, question: Question, live: Live) -> str:
    chosen = [(each.parameter, sorted(values)) for each, values in question.chosen]
    whole = json.dumps([what, version_of(question, live), chosen])
    return f"databrowser:{hashlib.sha256(whole.encode()).hexdigest()}"
