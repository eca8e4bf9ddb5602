"""Downloads the styles, fonts and scripts of other projects, as listed in the manifest."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.management.vendored_styles import derive_styles

FOLDER = settings.BASE_DIR / "config" / "static" / "vendor"
MANIFEST = FOLDER / "manifest.json"


class Command(BaseCommand):
    help = "Download the vendored files and check each against its SHA-256 in the manifest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--update",
            action="store_true",
            help="write the hashes of the listed versions to the manifest",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        packages = json.loads(MANIFEST.read_text())
        with tempfile.TemporaryDirectory() as folder:
            downloads = Path(folder)
            differing = [
                f"{name} {path}"
                for name, package in packages.items()
                for path in fetch(name, package, into=downloads, update=options["update"])
            ]
            if differing:
                raise CommandError(f"Hashes differ from the manifest: {', '.join(differing)}.")
            for package in packages.values():
                shutil.rmtree(FOLDER / package["folder"], ignore_errors=True)
            shutil.copytree(downloads, FOLDER, dirs_exist_ok=True)
        if options["update"]:
            MANIFEST.write_text(json.dumps(packages, indent=2) + "\n")


def fetch(name: str, package: dict[str, Any], *, into: Path, update: bool) -> list[str]:
    """Write the listed files of a package below its folder; return those with another hash.

    Raises: CommandError if there is no such version, or a listed file is not in it.
    """
    with tempfile.TemporaryDirectory() as folder, _packed(name, package, Path(folder)) as archive:
        return unpack(archive, package, into=into, update=update)


def unpack(
    archive: tarfile.TarFile, package: dict[str, Any], *, into: Path, update: bool = False
) -> list[str]:
    """Write the listed files of a packed package; return those with another hash.

    Of a style sheet listed as derived, its derived form is written, and has a hash of its own.
    With `update` the hashes in the package become those of the files instead.
    Raises: CommandError if a listed file is not in it.
    """
    differing = []
    derived = package.get("derived", {})
    for path in package["files"]:
        content = _content(archive, path)
        digests = [(package["files"], hashlib.sha256(content).hexdigest())]
        if path in derived:
            content = derive_styles(content.decode()).encode()
            digests.append((derived, hashlib.sha256(content).hexdigest()))
        for hashes, digest in digests:
            if update:
                hashes[path] = digest
            elif digest != hashes[path]:
                differing.append(path)
        target = into / location(package, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return differing


def location(package: dict[str, Any], path: str) -> Path:
    """Return the path of a package's file in the folder of vendored files."""
    return Path(package["folder"], path.removeprefix("dist/"))


def _packed(name: str, package: dict[str, Any], folder: Path) -> tarfile.TarFile:
    if not (npm := shutil.which("npm")):
        raise CommandError("npm is not installed; it is needed to download the packages.")
    result = subprocess.run(  # noqa: S603 -- names and versions are our own manifest's
        [npm, "pack", "--silent", f"{name}@{package['version']}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise CommandError(f"npm could not download {name} {package['version']}: {result.stderr}")
    return tarfile.open(next(folder.glob("*.tgz")))


def _content(archive: tarfile.TarFile, path: str) -> bytes:
    try:
        file = archive.extractfile(f"package/{path}")
    except KeyError:
        file = None
    if file is None:
        raise CommandError(f"The package has no file {path}.")
    return file.read()
