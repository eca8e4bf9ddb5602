import hashlib
import json
import re
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders

from config.management.commands.vendor import FOLDER, MANIFEST, where

PACKAGES = json.loads(MANIFEST.read_text())
LISTED = {
    where(package, path): digest
    for package in PACKAGES.values()
    for path, digest in package["files"].items()
}
STYLES = sorted(path for path in LISTED if path.suffix == ".css")


def test_vendored_files_are_those_of_the_manifest_and_no_more():
    there = {
        path.relative_to(FOLDER): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.rglob("*")
        if path.is_file() and path != MANIFEST
    }
    assert there == LISTED


def test_each_package_brings_its_licence():
    for package in PACKAGES.values():
        assert any(path.startswith("LICENSE") for path in package["files"])


@pytest.mark.parametrize("path", STYLES, ids=str)
def test_styles_ask_for_nothing_but_vendored_files(path):
    asked = set(re.findall(r"""url\(['"]?([^)'"]+)""", (FOLDER / path).read_text()))
    assert not {each for each in asked if urlsplit(each).scheme or each.startswith("//")}
    missing = {each for each in asked if not (FOLDER / path.parent / each).resolve().is_file()}
    assert not missing
    assert finders.find(f"vendor/{path}")
