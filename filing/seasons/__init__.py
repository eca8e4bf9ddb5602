"""Filing seasons: the windows of a year, the institutions, previews and reports of openings."""

from filing.seasons.choice import Choice
from filing.seasons.counts import counted
from filing.seasons.deadlines import Deadline
from filing.seasons.opening import open_season, queue_opening, run
from filing.seasons.plan import Plan, lacks_census
from filing.seasons.preview import Preview, preview
from filing.seasons.report import OpenedPeriod, SeasonReport, report_of
from filing.seasons.undoing import plan_undo, undo_opening
from filing.seasons.windows import (
    Window,
    add,
    change,
    clone,
    closed,
    current,
    last_change,
    require_rulebook,
    windows,
)

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
    "last_change",
    "open_season",
    "plan_undo",
    "preview",
    "queue_opening",
    "report_of",
    "require_rulebook",
    "run",
    "undo_opening",
    "windows",
]
