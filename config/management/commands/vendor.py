"""Fetches the files of other projects that pages use, as the manifest lists them."""

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

FOLDER = settings.BASE_DIR / "config" / "static" / "vendor"
MANIFEST = FOLDER / "manifest.json"


class Command(BaseCommand):
    help = "Download the vendored files again, each checked against its SHA-256 in the manifest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--update", action="store_true", help="write the hashes of the versions named there"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        packages = json.loads(MANIFEST.read_text())
        with tempfile.TemporaryDirectory() as folder:
            fetched = Path(folder)
            unlike = [
                f"{name} {path}"
                for name, package in packages.items()
                for path in fetch(name, package, into=fetched, update=options["update"])
            ]
            if unlike:
                raise CommandError(f"Not what the manifest says: {', '.join(unlike)}.")
            for package in packages.values():
                shutil.rmtree(FOLDER / package["folder"], ignore_errors=True)
            shutil.copytree(fetched, FOLDER, dirs_exist_ok=True)
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

    With `update` the hashes in the package become those of the files instead.
    Raises: CommandError if a listed file is not in it.
    """
    unlike = []
    for path, expected in package["files"].items():
        content = _content(archive, path)
        found = hashlib.sha256(content).hexdigest()
        if update:
            package["files"][path] = found
        elif found != expected:
            unlike.append(path)
        target = into / where(package, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return unlike


def where(package: dict[str, Any], path: str) -> Path:
    """Return where a file of a package lies below the folder of vendored files."""
    return Path(package["folder"], path.removeprefix("dist/"))


def _packed(name: str, package: dict[str, Any], folder: Path) -> tarfile.TarFile:
    if not (npm := shutil.which("npm")):
        raise CommandError("npm fetches the packages, and is not installed.")
    done = subprocess.run(  # noqa: S603 -- names and versions are our own manifest's
        [npm, "pack", "--silent", f"{name}@{package['version']}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"npm could not fetch {name} {package['version']}: {done.stderr}")
    return tarfile.open(next(folder.glob("*.tgz")))


def _content(archive: tarfile.TarFile, path: str) -> bytes:
    try:
        file = archive.extractfile(f"package/{path}")
    except KeyError:
        file = None
    if file is None:
        raise CommandError(f"There is no file {path} in the package.")
    return file.read()
