"""Write the software bill of materials: every package and vendored file set of a release.

`python deploy/sbom.py` writes `deploy/sbom.json` (CycloneDX 1.6) from the lock file and from the
manifest of vendored files; `--check` writes nothing and exits with 1 where it is out of date. The
document has no time and a serial number that follows from its content, so that the same
dependencies give the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "deploy" / "requirements.lock"
MANIFEST = ROOT / "config" / "static" / "vendor" / "manifest.json"
SBOM = ROOT / "deploy" / "sbom.json"
_PINNED = re.compile(r"^([a-z0-9._-]+)(?:\[[^]]*])?==([^\s;\\]+)", re.MULTILINE)
_REQUIRED_BY = re.compile(r"^    #(?: via|  ) ([a-z0-9._-]+)", re.MULTILINE)


def python_packages() -> dict[str, tuple[Component, list[str]]]:
    """Return the locked packages by name, each with the names of those that require it."""
    text = LOCK.read_text()
    starts = [*_PINNED.finditer(text)]
    ends = [match.start() for match in starts[1:]] + [len(text)]
    packages = {}
    for match, end in zip(starts, ends, strict=True):
        name, version = match.groups()
        purl = PackageURL("pypi", name=name, version=version)
        component = Component(
            type=ComponentType.LIBRARY, name=name, version=version, purl=purl, bom_ref=str(purl)
        )
        packages[name] = component, _REQUIRED_BY.findall(text, match.end(), end)
    return packages


def vendored_packages() -> list[Component]:
    """Return the packages whose files pages load, with the SHA-256 of each file."""
    components = []
    for full_name, package in json.loads(MANIFEST.read_text()).items():
        namespace, _, name = full_name.rpartition("/")
        purl = PackageURL("npm", namespace=namespace or None, name=name, version=package["version"])
        component = Component(
            type=ComponentType.LIBRARY,
            group=namespace or None,
            name=name,
            version=package["version"],
            purl=purl,
            bom_ref=str(purl),
            components=[
                Component(
                    type=ComponentType.FILE,
                    name=path,
                    bom_ref=f"{purl}#{path}",
                    hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256)],
                )
                for path, sha256 in package["files"].items()
            ],
        )
        components.append(component)
    return components


def document() -> str:
    """Return the bill of materials as JSON."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    service = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        bom_ref=project["name"],
    )
    packages, vendored = python_packages(), vendored_packages()
    bom = Bom(components=[*(component for component, _ in packages.values()), *vendored])
    bom.metadata.component = service
    by_name = {project["name"]: service} | {name: item[0] for name, item in packages.items()}
    for component, required_by in packages.values():
        for name in required_by:
            bom.register_dependency(by_name[name], [component])
    bom.register_dependency(service, vendored)
    content = json.loads(JsonV1Dot6(bom).output_as_string())
    del content["metadata"]["timestamp"], content["serialNumber"]
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    return json.dumps({**content, "serialNumber": serial.urn}, indent=1, sort_keys=True) + "\n"


def main(*options: str) -> int:
    """Write the document, or compare it; return the exit code."""
    text = document()
    if "--check" not in options:
        SBOM.write_text(text)
        return 0
    if SBOM.is_file() and SBOM.read_text() == text:
        return 0
    print("deploy/sbom.json is out of date; write it with: make lock", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
