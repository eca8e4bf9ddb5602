"""The files of submissions in storage: one builder of names, one way to read and write them.

`submissions/<lei>/<period>/<number>/` has the files of one submission:

    upload-<attempt>/raw.txt     the file as it was uploaded
    parse-<attempt>/offsets      uint64, where each line begins, and where the last one ends
    parse-<attempt>/bad-rows     uint32, the rows with format errors, ascending
    parse-<attempt>/groups.json  format errors by field and accepted values; absent without errors
    parse-<attempt>/group-rows   uint32, the first rows of each of these, one after the other
    edits-<attempt>/findings     uint32, row numbers, edit after edit
    edits-<attempt>/report.json  outcomes of the edits, where the parse stage has run them
    disclose-<attempt>/          its public records once it is signed, and facts for graphs

The name of an attempt has its number and a unique suffix.

Each attempt writes into a folder of its own, and the database says which folder is in use: nothing
is changed in place, and the files of a killed worker do no harm.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils import timezone

from filing.models import PostponedRemoval, Submission

_BLOCK = 1 << 20  # bytes
STALE_SECONDS = 6 * 3600  # without a change, for files in the local work folder
RAW, OFFSETS, BAD_ROWS, FINDINGS = "raw.txt", "offsets", "bad-rows", "findings"
GROUPS, GROUP_ROWS, REPORT = "groups.json", "group-rows", "report.json"


def name_folder(submission: Submission, stage: str = "", attempt: str = "") -> str:
    """Return the storage folder of a submission, or of one attempt at one of its stages."""
    base = f"submissions/{submission.lei}/{submission.period}/{submission.sequence_number}"
    return f"{base}/{stage}-{attempt}" if stage else base


def store_file(path: Path, name: str) -> None:
    """Move a finished local file into storage under this name.

    On the local disk this is a rename; elsewhere the file is copied and then removed here.
    """
    if isinstance(default_storage, FileSystemStorage):
        target = Path(default_storage.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)
        return
    with path.open("rb") as file:
        default_storage.save(name, File(file))
    path.unlink()


def open_local_copy(name: str, *, on_block: Callable[[], None] | None = None) -> Path:
    """Return a path on this machine with the content of a stored file.

    A stored file never changes, so a copy that was fetched once is used again. The time of the copy
    is that of its last use. on_block: called after each part of a file that has to be fetched.
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
            while block := stored.read(_BLOCK):
                partial.write(block)
                if on_block:
                    on_block()
        Path(partial.name).replace(copy)
    return copy


@contextmanager
def make_work_folder() -> Iterator[Path]:
    """Give a local folder to write results in, deleted with all its files at the end."""
    folder = Path(tempfile.mkdtemp(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="work-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def discard_folder(folder_name: str) -> bool:
    """Note that a folder or a file is to be removed, and tell whether that is new.

    It stays for REMOVAL_HOURS: a backup first takes a snapshot of the database, and then copies the
    files that its rows name. Call this once rows no longer name the folder.
    """
    _, is_new = PostponedRemoval.objects.get_or_create(folder=folder_name)
    return is_new


def remove_discarded() -> int:
    """Remove the folders that were discarded long enough ago; return how many."""
    until = timezone.now() - timedelta(hours=settings.REMOVAL_HOURS)
    removed = 0
    for postponed in PostponedRemoval.objects.filter(at__lt=until).iterator():
        remove_folder(postponed.folder)
        postponed.delete()
        removed += 1
    return removed


def remove_folder(folder_name: str) -> None:
    """Remove a folder with all its files, or a file, at once: one that no row ever named.

    A missing folder is no error.
    """
    if isinstance(default_storage, FileSystemStorage):
        path = Path(default_storage.path(folder_name))
        if path.is_file():
            path.unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)
        return
    folders, files = default_storage.listdir(folder_name)
    for name in files:
        default_storage.delete(f"{folder_name}/{name}")
    for name in folders:
        remove_folder(f"{folder_name}/{name}")
    default_storage.delete(folder_name)  # a file; buckets have no folders
    shutil.rmtree(Path(settings.LOCAL_COPIES, folder_name), ignore_errors=True)


def discard_other_attempts(submission: Submission, stage: str, current: str) -> None:
    """Discard the folders of a stage except the current one."""
    for attempt in _attempts(submission, stage):
        if attempt != current:
            discard_folder(attempt)


def remove_attempts(submission: Submission, stage: str) -> None:
    """Remove the folders of a stage at once: call this where no row ever named one of them."""
    for attempt in _attempts(submission, stage):
        remove_folder(attempt)


def find_attempt_folders(submission: Submission, attempt_id: str) -> list[str]:
    """Return the folders of an attempt: where parsing was tried, one for the edits as well."""
    return [folder for folder in _attempts(submission) if folder.endswith(f"-{attempt_id}")]


def _attempts(submission: Submission, stage: str = "") -> list[str]:
    """Return the folders of a stage, or of all stages."""
    base = name_folder(submission)
    if isinstance(default_storage, FileSystemStorage) and not default_storage.exists(base):
        return []
    folders, _ = default_storage.listdir(base)
    prefix = f"{stage}-" if stage else ""
    return [f"{base}/{name}" for name in folders if name.startswith(prefix)]


def has_files(folder_name: str) -> bool:
    """Tell whether a storage folder has any files."""
    if isinstance(default_storage, FileSystemStorage) and not default_storage.exists(folder_name):
        return False
    return any(default_storage.listdir(folder_name))


def remove_stale_work(older_than_seconds: float, now: float) -> int:
    """Remove what killed processes left in the local work folder; return how many entries.

    A folder is as old as the newest file in it: a long job keeps writing to its files.
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
    """Remove local copies of stored files that have not been read for a while; return how many."""
    before = (time.time() if now is None else now) - settings.LOCAL_COPY_DAYS * 24 * 3600
    removed = 0
    for parent, folders, names in os.walk(settings.LOCAL_COPIES, topdown=False):
        for name in names:
            copy = Path(parent, name)
            if _modified(copy) < before:
                copy.unlink(missing_ok=True)
                removed += 1
        for name in folders:
            if _modified(Path(parent, name)) < before:
                with suppress(OSError):  # it is not empty
                    Path(parent, name).rmdir()
    return removed


def _newest(path: Path) -> float:
    """Return when a file, or anything in a folder, was written last."""
    inside = [
        Path(parent, name)
        for parent, folders, names in os.walk(path)  # yields nothing for a file
        for name in (*folders, *names)
    ]
    return max(_modified(entry) for entry in (path, *inside))


def _modified(path: Path) -> float:
    """Return when a path was changed; one that was just deleted counts as just changed."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def remove_older_files(folder: str, age: timedelta) -> int:
    """Delete the files in a stored folder that are older than an age; return how many.

    The storage knows the age; the name of a file does not count.
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
