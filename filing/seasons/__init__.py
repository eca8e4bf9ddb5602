"""Seasons: the windows of a year, whom they are opened for, what an opening would do and does."""

from filing.seasons.choice import Choice
from filing.seasons.opening import ask, open_season, run
from filing.seasons.plan import Plan
from filing.seasons.preview import Preview, preview
from filing.seasons.report import OpenedPeriod, SeasonReport, report_of
from filing.seasons.windows import Window, add, change, clone, current, windows

__all__ = [
    "Choice",
    "OpenedPeriod",
    "Plan",
    "Preview",
    "SeasonReport",
    "Window",
    "add",
    "ask",
    "change",
    "clone",
    "current",
    "open_season",
    "preview",
    "report_of",
    "run",
    "windows",
]
