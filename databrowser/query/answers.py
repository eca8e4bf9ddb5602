"""Answers of the data browser, each cached until the data behind it change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

from databrowser.query.questions import Question
from databrowser.query.totals import Live, Total, compute_totals, version_of

CACHE_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals by the values of the data filters, in their order, without empty groups.

    from_cache: nothing was computed for this request.
    """

    groups: dict[tuple[str, ...], Total]
    from_cache: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The cached content of an answer. from_cache: nothing was computed for this request."""

    content: Any
    from_cache: bool


def totals(question: Question, live: Live) -> Totals:
    """Return counts and sums, from the cache if the same data were queried before.

    Raises: Busy, TooSlow.
    """

    def figures() -> list[tuple[tuple[str, ...], int, float]]:
        groups = compute_totals(question, live)
        return [(group, total.count, total.sum) for group, total in groups.items()]

    answer = cached("totals", question, live, figures)
    groups = {tuple(group): Total(*total) for group, *total in answer.content}
    return Totals(groups, answer.from_cache)


def cached(kind: str, question: Question, live: Live, figures: Callable[[], Any]) -> Answer:
    """Return an answer from the cache, or else compute and cache it.

    kind: of answer. figures: returns lists, tuples, dictionaries, texts and numbers only.
    Raises: what `figures` raises.
    """
    key = _key(kind, question, live)
    content = cache.get(key)
    if content is not None:
        return Answer(content, from_cache=True)
    content = figures()
    cache.set(key, content, CACHE_SECONDS)
    return Answer(content, from_cache=False)


def _key(kind: str, question: Question, live: Live) -> str:
    values_by_parameter = [
        (dimension.parameter, sorted(values)) for dimension, values in question.chosen
    ]
    content = json.dumps([kind, version_of(question, live), values_by_parameter])
    return f"databrowser:{hashlib.sha256(content.encode()).hexdigest()}"
