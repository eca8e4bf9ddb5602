"""Where the files of submissions lie: one builder of names, one way to read and write them.

`submissions/<lei>/<period>/<number>/` holds what belongs to one submission:

    upload-<attempt>/raw.txt     the file as it was uploaded
    parse-<attempt>/offsets      uint64, where each line begins, and where the last one ends
    parse-<attempt>/bad-rows     uint32, the rows with format errors, ascending
    parse-<attempt>/groups.json  format errors by what is wrong; none where there are no errors
    parse-<attempt>/group-rows   uint32, the first rows of each of these, one after the other
    edits-<attempt>/findings     uint32, row numbers, edit after edit
    disclose-<attempt>/          what is made public of it once it is signed, and facts for graphs

An attempt is named by its number and by something that is never used again.

Each attempt writes into a folder of its own, and the database says whose folder counts: nothing is
ever changed in place, and what a killed worker left behind disturbs nobody.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils import timezone

from filing.models import Submission

STALE_AFTER_SECONDS = 6 * 3600  # without a change, in the local work folder
RAW, OFFSETS, BAD_ROWS, FINDINGS = "raw.txt", "offsets", "bad-rows", "findings"
GROUPS, GROUP_ROWS = "groups.json", "group-rows"


def folder(submission: Submission, stage: str = "", attempt: str = "") -> str:
    """Return the storage folder of a submission, or of one attempt at one of its stages."""
    whole = f"submissions/{submission.lei}/{submission.period}/{submission.sequence_number}"
    return f"{whole}/{stage}-{attempt}" if stage else whole


def keep(made: Path, name: str) -> None:
    """Move a finished local file into storage under this name.

    On the local disk this is a rename; elsewhere the file is copied and then removed here.
    """
    if isinstance(default_storage, FileSystemStorage):
        target = Path(default_storage.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, target)
        return
    with made.open("rb") as file:
        default_storage.save(name, File(file))
    made.unlink()


def local(name: str) -> Path:
    """Return a path on this machine with the content of a stored file.

    Files never change under their name, so a copy that was fetched once is used again. Its time is
    that of its last use.
    """
    if isinstance(default_storage, FileSystemStorage):
        return Path(default_storage.path(name))
    copy = Path(settings.LOCAL_COPIES, name)
    try:
        os.utime(copy)
    except FileNotFoundError:
        copy.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.NamedTemporaryFile(dir=copy.parent, delete=False) as partial,
            default_storage.open(name) as stored,
        ):
            shutil.copyfileobj(stored, partial, 1 << 20)
        Path(partial.name).replace(copy)
    return copy


@contextmanager
def workshop() -> Iterator[Path]:
    """Give a local folder to write results in; what is not kept by its end is gone."""
    made = Path(tempfile.mkdtemp(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="work-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def discard(folder_name: str) -> None:
    """Delete a storage folder with all that is in it; one that does not exist is no error."""
    if isinstance(default_storage, FileSystemStorage):
        shutil.rmtree(default_storage.path(folder_name), ignore_errors=True)
        return
    folders, files = default_storage.listdir(folder_name)
    for name in files:
        default_storage.delete(f"{folder_name}/{name}")
    for name in folders:
        discard(f"{folder_name}/{name}")
    shutil.rmtree(Path(settings.LOCAL_COPIES, folder_name), ignore_errors=True)


def discard_other_attempts(submission: Submission, stage: str, kept: str) -> None:
    """Delete what earlier attempts at a stage left behind."""
    whole = folder(submission)
    if isinstance(default_storage, FileSystemStorage) and not default_storage.exists(whole):
        return
    folders, _ = default_storage.listdir(whole)
    for name in folders:
        if name.startswith(f"{stage}-") and f"{whole}/{name}" != kept:
            discard(f"{whole}/{name}")


def delete(submission: Submission) -> None:
    """Delete a submission with its files: first the row, so that no row points at nothing."""
    whole = folder(submission)
    submission.delete()
    discard(whole)


def has_files(folder_name: str) -> bool:
    """Tell whether there is anything in a storage folder."""
    if isinstance(default_storage, FileSystemStorage) and not default_storage.exists(folder_name):
        return False
    return any(default_storage.listdir(folder_name))


def remove_stale_work(older_than_seconds: float, now: float) -> int:
    """Remove what killed processes left in the local work folder; returns how many things.

    A folder is as old as the newest file in it: a long job goes on writing into its files.
    """
    removed = 0
    for entry in os.scandir(settings.FILE_UPLOAD_TEMP_DIR):
        if now - _newest(Path(entry.path)) <= older_than_seconds:
            continue
        if entry.is_dir():
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            Path(entry.path).unlink(missing_ok=True)
        removed += 1
    return removed


def remove_unused_copies(now: float | None = None) -> int:
    """Remove local copies of stored files that nobody has read for a while; returns how many."""
    before = (time.time() if now is None else now) - settings.LOCAL_COPY_DAYS * 24 * 3600
    removed = 0
    for where, folders, names in os.walk(settings.LOCAL_COPIES, topdown=False):
        for name in names:
            copy = Path(where, name)
            if _modified(copy) < before:
                copy.unlink(missing_ok=True)
                removed += 1
        for name in folders:
            if _modified(Path(where, name)) < before:
                with suppress(OSError):  # it is not empty
                    Path(where, name).rmdir()
    return removed


def _newest(path: Path) -> float:
    """Return when a file, or anything in a folder, was written last."""
    inside = [
        Path(where, name)
        for where, folders, names in os.walk(path)  # of a file: nothing
        for name in (*folders, *names)
    ]
    return max(_modified(each) for each in (path, *inside))


def _modified(path: Path) -> float:
    """Return when a path was changed; what has gone meanwhile counts as just changed."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def remove_older(folder: str, age: timedelta) -> int:
    """Delete the files of a stored folder that were written longer ago; return how many.

    The storage says when, never the name of a file.
    """
    until = timezone.now() - age
    try:
        names = [f"{folder}/{name}" for name in default_storage.listdir(folder)[1]]
    except FileNotFoundError:  # nothing was ever written there
        return 0
    removed = 0
    for name in names:
        with suppress(FileNotFoundError):  # removed by another process meanwhile
            if default_storage.get_modified_time(name) < until:
                default_storage.delete(name)
                removed += 1
    return removed
