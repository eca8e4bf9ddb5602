"""The files of a backup: those that rows of the database name, with their hashes where known.

Keys are left out on purpose: whoever has a backup must not be able to sign tokens or receipts. The
public keys of receipts are in the database; new private ones are made where they are missing.
Everything else in DATA_DIR can be made again.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db.models import Model, QuerySet

from databrowser.models import BoundaryFile, ModifiedLar, PublicImport, Version, VersionReports
from databrowser.publication.builds.version_files import TEXTS
from databrowser.publication.layout import LOANS, MANIFEST
from databrowser.publication.records import quarterly_facts
from filing.models import LeiList, ReferenceData, Submission
from graphs.models import FactsImport

# The columns of each table that name a file or a folder; a test compares them with the tables.
COLUMNS: dict[type[Model], tuple[str, ...]] = {
    Submission: ("raw_file", "parse_folder", "edits_folder"),
    ModifiedLar: ("folder",),
    PublicImport: ("folder",),
    BoundaryFile: ("folder",),
    Version: ("folder",),
    VersionReports: ("file",),
    ReferenceData: ("path",),
    LeiList: ("path",),
    FactsImport: ("folder",),
}


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
    reports = _rows(VersionReports, alias).exclude(file="")
    counted = {each.version_id: {each.file: each.sha256} for each in reports.iterator()}
    for version in _rows(Version, alias).filter(state=Version.State.BUILT).iterator():
        files = version.manifest.get("files", {})
        if not version.has_text_files:
            texts = {form.file for form in TEXTS}
            files = {name: file for name, file in files.items() if name not in texts}
        hashes = {f"{version.folder}/{name}": file["sha256"] for name, file in files.items()}
        hashes[f"{version.folder}/{MANIFEST}"] = version.sha256
        hashes |= counted.get(version.pk, {})
        yield NamedFile(f"data set version {version.name}", version.folder, hashes=hashes)
    for public in _rows(PublicImport, alias).iterator():
        yield NamedFile(f"imported public file {public.pk}", public.folder)
    for boundaries in _rows(BoundaryFile, alias).iterator():
        yield NamedFile(f"boundary file {boundaries.pk}", boundaries.folder)
    for facts in _rows(FactsImport, alias).iterator():
        yield NamedFile(f"imported facts {facts.pk}", facts.folder)
    for data in _rows(ReferenceData, alias).iterator():
        yield NamedFile(f"reference data {data.pk}, {data.kind} {data.year}", data.path, False)
    for lei_list in _rows(LeiList, alias).iterator():
        yield NamedFile(f"LEI list {lei_list.source}", lei_list.path, False)


def list_paths(source: NamedFile) -> list[str]:
    """Return the paths of a file or of all files in a folder; none if it is not stored."""
    return _files_in(source.path) if source.is_folder else [source.path]


def set_token_keys_aside(*, backup: str) -> list[str]:
    """Set the keys aside that sign tokens, so that new ones are made; return where they are now."""
    set_aside = []
    for path in sorted(Path(settings.IDENTITY_KEY_DIR).glob("*.pem")):
        set_aside.append(path.with_name(f"{path.name}.before-{backup}"))
        path.replace(set_aside[-1])
    return list(map(str, set_aside))


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
