"""Filing seasons: the windows of a year, the institutions, previews and reports of openings."""

from filing.seasons.choice import Choice
from filing.seasons.counts import counted
from filing.seasons.deadlines import Deadline
from filing.seasons.opening import open_season, queue_opening, run
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
    "change",
    "clone",
    "closed",
    "counted",
    "current",
    "lacks_census",
    "open_season",
    "preview",
    "queue_opening",
    "report_of",
    "run",
    "windows",
]
