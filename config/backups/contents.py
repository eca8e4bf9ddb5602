"""The files of a backup: those that rows of the database name, and keys that DATA_DIR holds.

Stored files come with their hashes where they are known. The keys are those that the service
generated for itself: with other keys, tokens and links in emails that were sent are no longer
accepted. Everything else in DATA_DIR is stored files, the database, or can be made again. The
private keys of receipts are left out on purpose: whoever has a backup must not be able to sign
receipts. Their public keys are in the database; after a restore to another place, a new key is made
with the first receipt.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db.models import Model, QuerySet

from databrowser.models import ModifiedLar, PublicImport, Version
from databrowser.publication.layout import LOANS, MANIFEST
from databrowser.publication.records import quarterly_facts
from filing.models import ReferenceData, Submission
from graphs.models import FactsImport

# The columns of each table that name a file or a folder; a test compares them with the tables.
COLUMNS: dict[type[Model], tuple[str, ...]] = {
    Submission: ("raw_file", "parse_folder", "edits_folder"),
    ModifiedLar: ("folder",),
    PublicImport: ("folder",),
    Version: ("folder",),
    ReferenceData: ("path",),
    FactsImport: ("folder",),
}

_SECRET_KEY = "secret-key"  # noqa: S105 -- the name of a file
_KEYS = "identity"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file or folder, and the row that names it.

    hashes: SHA-256 by path, where the row has it.
    """

    owner: str
    path: str
    is_folder: bool = True
    hashes: Mapping[str, str] = field(default_factory=dict)


def named_files(alias: str) -> Iterator[NamedFile]:
    """Yield everything that the rows of a database name. alias: of its connection."""
    yield from _of_submissions(alias)
    yield from _of_modified_lars(alias)
    for version in _rows(Version, alias).filter(state=Version.State.BUILT).iterator():
        files = version.manifest.get("files", {})
        hashes = {f"{version.folder}/{name}": file["sha256"] for name, file in files.items()}
        hashes[f"{version.folder}/{MANIFEST}"] = version.sha256
        yield NamedFile(f"data set version {version.name}", version.folder, hashes=hashes)
    for public in _rows(PublicImport, alias).iterator():
        yield NamedFile(f"imported public file {public.pk}", public.folder)
    for facts in _rows(FactsImport, alias).iterator():
        yield NamedFile(f"imported facts {facts.pk}", facts.folder)
    for data in _rows(ReferenceData, alias).iterator():
        yield NamedFile(f"reference data {data.pk}, {data.kind} {data.year}", data.path, False)


def list_paths(source: NamedFile) -> list[str]:
    """Return the paths of a file or of all files in a folder; none if it is not stored."""
    return _files_in(source.path) if source.is_folder else [source.path]


def data_files() -> list[tuple[str, Path]]:
    """Return the names and paths of the keys in DATA_DIR."""
    data = Path(settings.DATA_DIR)
    paths = [data / _SECRET_KEY, *sorted(Path(settings.IDENTITY_KEY_DIR).glob("*.pem"))]
    return [(_name_of(path), path) for path in paths if path.is_file()]


def put_data_file(name: str, content: bytes, *, backup: str) -> str:
    """Write a key into DATA_DIR; return where a different one of before is now, or a blank.

    Raises: ValueError for any other name.
    """
    path = _path_of(name)
    before = path.read_bytes() if path.exists() else None
    if before == content:
        return ""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.before-{backup}")
    if before is not None:
        path.replace(aside)
    partial = path.with_name(f".{path.name}.partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    partial.replace(path)
    return "" if before is None else str(aside)


def set_data_files_aside(names: set[str], *, backup: str) -> list[str]:
    """Set aside the keys in DATA_DIR that are not among some names; return where they are now.

    A key that only this place has would otherwise sign, and be trusted.
    """
    set_aside = []
    for name, path in data_files():
        if name not in names and name != _SECRET_KEY:
            aside = path.with_name(f"{path.name}.before-{backup}")
            path.replace(aside)
            set_aside.append(str(aside))
    return set_aside


def _of_submissions(alias: str) -> Iterator[NamedFile]:
    submissions = _rows(Submission, alias).select_related(
        "filing__institution", "filing__period", "signature"
    )
    for submission in submissions.iterator(chunk_size=2000):
        owner = f"submission {submission}"
        signature = getattr(submission, "signature", None)
        if submission.raw_file or signature:
            sha256 = signature.sha256 if signature else submission.sha256
            path = submission.raw_file
            yield NamedFile(owner, path, False, {path: sha256} if sha256 else {})
        for folder in (submission.parse_folder, submission.edits_folder):
            if folder:
                yield NamedFile(owner, folder)


def _of_modified_lars(alias: str) -> Iterator[NamedFile]:
    lars = _rows(ModifiedLar, alias).exclude(folder="")
    related = lars.select_related("submission__filing__institution", "submission__filing__period")
    for lar in related.iterator(chunk_size=2000):
        main = quarterly_facts.FILE if lar.submission.period.is_quarterly else LOANS
        hashes = {f"{lar.folder}/{main}": lar.sha256}
        yield NamedFile(f"modified LAR of submission {lar.submission}", lar.folder, hashes=hashes)


def _rows(table: type[Model], alias: str) -> QuerySet[Any]:
    return table._default_manager.using(alias).order_by("pk")


def _files_in(folder: str) -> list[str]:
    if isinstance(default_storage, FileSystemStorage) and not default_storage.exists(folder):
        return []
    folders, names = default_storage.listdir(folder)
    paths = [posixpath.join(folder, name) for name in sorted(names)]
    for name in sorted(folders):
        paths += _files_in(posixpath.join(folder, name))
    return paths


def _name_of(path: Path) -> str:
    return path.name if path.name == _SECRET_KEY else f"{_KEYS}/{path.name}"


def _path_of(name: str) -> Path:
    parts = PurePosixPath(name).parts
    if parts == (_SECRET_KEY,):
        return Path(settings.DATA_DIR, _SECRET_KEY)
    if len(parts) == 2 and parts[0] == _KEYS and parts[1].endswith(".pem"):
        return Path(settings.IDENTITY_KEY_DIR, parts[1])
    raise ValueError(f"{name!r} is not a file of a backup.")
