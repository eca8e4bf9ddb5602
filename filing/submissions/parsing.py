"""The parse stage: finds the lines of a file and its formatting errors."""

from __future__ import annotations

from filing import storage
from filing.lar import parse
from filing.models import Job, Submission
from filing.registries.kinds import Lease
from filing.submissions import error_groups, processing


def run(submission: Submission, lease: Lease) -> Job | None:
    """Parse the file of a submission; return the next job unless it has formatting errors.

    Raises: NotText for a file that is not text; LostLease.
    """
    folder = storage.folder(submission, "parse", lease.mark)
    raw = storage.local(submission.raw_file, on_block=lease.moves)

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows
        lease.rows_total = max(rows, round(rows * submission.size / max(position, 1)))

    with storage.work_folder() as work:
        offsets, bad_rows = work / storage.OFFSETS, work / storage.BAD_ROWS
        with offsets.open("wb") as offsets_file, bad_rows.open("wb") as bad_rows_file:
            scan = parse.scan(raw, offsets_file, bad_rows_file, progress=progress)
        lease.rows_done = lease.rows_total = scan.lines
        storage.store(offsets, f"{folder}/{storage.OFFSETS}")
        storage.store(bad_rows, f"{folder}/{storage.BAD_ROWS}")
        error_groups.store(scan.groups, work, folder)
    following = processing.publish_parsing(submission, lease, scan, folder)
    storage.discard_other_attempts(submission, "parse", current=folder)
    return following
