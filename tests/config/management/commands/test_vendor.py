import hashlib
import io
import json
import tarfile

import pytest
from django.core.management.base import CommandError

from config.management.commands.vendor import FOLDER, MANIFEST, location, unpack

PACKAGES = json.loads(MANIFEST.read_text())
LISTED = {
    location(package, path): digest
    for package in PACKAGES.values()
    for path, digest in (package["files"] | package.get("derived", {})).items()
}


def test_vendored_files_are_those_of_the_manifest_and_no_more():
    there = {
        path.relative_to(FOLDER): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.rglob("*")
        if path.is_file() and path != MANIFEST
    }
    assert there == LISTED


def packed(**files: bytes) -> tarfile.TarFile:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"package/dist/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    held.seek(0)
    return tarfile.open(fileobj=held)


def package(**hashes: str) -> dict:
    return {"folder": "thing", "files": {f"dist/{name}": each for name, each in hashes.items()}}


GOOD = hashlib.sha256(b"good").hexdigest()


def test_listed_files_alone_are_taken(tmp_path):
    assert not unpack(packed(style=b"good", other=b"more"), package(style=GOOD), into=tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["style"]


def test_a_file_with_another_hash_is_told(tmp_path):
    assert unpack(packed(style=b"bad"), package(style=GOOD), into=tmp_path) == ["dist/style"]


def test_a_listed_file_that_is_not_in_the_package_is_named(tmp_path):
    with pytest.raises(CommandError, match="no file dist/script"):
        unpack(packed(style=b"good"), package(script=GOOD), into=tmp_path)


def test_a_derived_style_sheet_is_written_in_the_colors_of_the_site(tmp_path):
    original = b".usa-alert{color:#1b1b1b}.usa-banner{color:#fff}"
    kept = b".usa-alert{color:var(--ink)}"
    listed = package(style=hashlib.sha256(original).hexdigest()) | {
        "derived": {"dist/style": hashlib.sha256(kept).hexdigest()}
    }
    assert not unpack(packed(style=original), listed, into=tmp_path)
    assert (tmp_path / "thing" / "style").read_bytes() == kept
    listed["derived"]["dist/style"] = "old"
    assert unpack(packed(style=original), listed, into=tmp_path) == ["dist/style"]
    assert not unpack(packed(style=original), listed, into=tmp_path, update=True)
    assert listed["derived"] == {"dist/style": hashlib.sha256(kept).hexdigest()}
