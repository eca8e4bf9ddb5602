"""Figures for operators: one catalogue of questions about what was filed, and how filing goes.

`answer_figure` answers one of them for a period, as of a day; pages and programs ask it.
"""

from filing.figures.catalogue import GROUPS, answer_figure, find_figure, list_figures
from filing.figures.questions import Figure, FigureAnswer, FigureParameter

__all__ = [
    "GROUPS",
    "Figure",
    "FigureAnswer",
    "FigureParameter",
    "answer_figure",
    "find_figure",
    "list_figures",
]
