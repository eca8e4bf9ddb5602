"""Seasons: the windows of a year, whom they are opened for, what an opening would do and does."""

from filing.seasons.choice import Choice
from filing.seasons.counts import counted
from filing.seasons.deadlines import Deadline
from filing.seasons.opening import ask, open_season, run
from filing.seasons.plan import Plan, lacks_census
from filing.seasons.preview import Preview, preview
from filing.seasons.report import OpenedPeriod, SeasonReport, report_of
from filing.seasons.windows import Window, add, change, clone, closed, current, windows

__all__ = [
    "Choice",
    "Deadline",
    "OpenedPeriod",
    "Plan",
    "Preview",
    "SeasonReport",
    "Window",
    "add",
    "ask",
    "change",
    "clone",
    "closed",
    "counted",
    "current",
    "lacks_census",
    "open_season",
    "preview",
    "report_of",
    "run",
    "windows",
]
