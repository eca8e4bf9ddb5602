"""Each figure answers, with as many cells as columns; figures of work, by hand."""

from __future__ import annotations

import pytest

from filing.figures import answer_figure, list_figures
from tests.filing.figures.conftest import LEIS
from tests.filing.figures.season import Season

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def test_each_figure_answers_in_one_shape(season: Season) -> None:
    for figure in list_figures():
        parameters = {"lei": LEIS[0]} if figure.name == "filer_all_periods" else {}
        answer = answer_figure(figure.name, period="2024", parameters=parameters).as_json()
        assert answer.keys() == {"figure", "period", "asOf", "columns", "rows", "definition"}
        assert {len(row) for row in answer["rows"]} <= {len(answer["columns"])}, figure.name
        assert "{" not in answer["definition"]
