"""The answers of a word of the vocabulary, to a block of records and to each of them alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from filing.edits.facts import EditFacts
from filing.edits.sentences import ColumnValue, Condition
from filing.edits.texts import Texts
from filing.edits.trees import compile_program
from filing.lar.years import Period
from tests.filing.edits.cases import CENSUS

FACTS = EditFacts(Period(2024), census=CENSUS)


def answers(word: Condition | ColumnValue, frame: pl.DataFrame) -> list[Any]:
    """Return what a word answers on the records of a frame, the same whether together or alone."""
    rows = range(frame.height)
    together = _computed(word, pl.concat([frame, frame]))[: frame.height]
    alone = [answer for row in rows for answer in _computed(word, frame[row : row + 1])]
    assert together == alone
    return together


def _computed(word: Condition | ColumnValue, frame: pl.DataFrame) -> list[Any]:
    (answer,) = compile_program(word.node).run(FACTS.reading(frame))
    if isinstance(answer, Texts):
        return answer.series.to_list()
    return np.broadcast_to(answer, frame.height).tolist()
