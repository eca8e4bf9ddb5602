"""Long lists as files: requested by staff, written by a job, kept for some days.

Whoever has lists registers each as a `ListSource`. The job opens the list again with the rights
that the user has by then, so a right that ended gives nothing.
"""

from filing.exports.requests import (
    KIND,
    MAX_UNFINISHED,
    RETENTION,
    find_missing_right,
    may_download_export,
    name_file,
    open_stored_export,
    request_export,
)
from filing.exports.sources import ListSource, OpenedList, find_source, register_list_sources
from filing.exports.writing import clear_old_exports, run_export, write_list

__all__ = [
    "KIND",
    "MAX_UNFINISHED",
    "RETENTION",
    "ListSource",
    "OpenedList",
    "clear_old_exports",
    "find_missing_right",
    "find_source",
    "may_download_export",
    "name_file",
    "open_stored_export",
    "register_list_sources",
    "request_export",
    "run_export",
    "write_list",
]
