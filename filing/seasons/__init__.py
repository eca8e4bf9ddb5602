"""Filing seasons: the windows of a year, the institutions, previews and reports of openings."""

from filing.seasons.figures import count_filings
from filing.seasons.opening import (
    lock_opening,
    open_season,
    plan_undo,
    queue_opening,
    run_opening,
    undo_opening,
)
from filing.seasons.plans import InstitutionChoice, SeasonPlan, lacks_census
from filing.seasons.preview import SeasonPreview, preview_season
from filing.seasons.report import OpenedPeriod, SeasonReport, read_report
from filing.seasons.windows import (
    Deadline,
    Window,
    add_filing_period,
    change_window,
    close_window,
    copy_last_windows,
    describe_last_change,
    find_current_windows,
    require_rulebook,
    usual_windows,
)

__all__ = [
    "Deadline",
    "InstitutionChoice",
    "OpenedPeriod",
    "SeasonPlan",
    "SeasonPreview",
    "SeasonReport",
    "Window",
    "add_filing_period",
    "change_window",
    "close_window",
    "copy_last_windows",
    "count_filings",
    "describe_last_change",
    "find_current_windows",
    "lacks_census",
    "lock_opening",
    "open_season",
    "plan_undo",
    "preview_season",
    "queue_opening",
    "read_report",
    "require_rulebook",
    "run_opening",
    "undo_opening",
    "usual_windows",
]
