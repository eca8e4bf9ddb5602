"""Files as GLEIF publishes its list of LEIs, of a few columns."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

HEADER = [
    "LEI",
    "Entity.LegalName",
    "Entity.LegalName.xmllang",
    "Entity.LegalAddress.Country",
    "Entity.EntityStatus",
    "Registration.RegistrationStatus",
]
Row = tuple[str, str, str, str, str, str]


def make_row(lei: str, name: str = "New Bank", country: str = "US", **more: str) -> Row:
    entity, registration = more.get("entity", "ACTIVE"), more.get("registration", "ISSUED")
    return (lei, name, "en", country, entity, registration)


def write_lei_file(path: Path, *rows: Row, header: list[str] = HEADER) -> Path:
    """Write a list, as a ZIP if its name ends so."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("golden-copy.csv", text.getvalue())
    else:
        path.write_text(text.getvalue(), encoding="utf-8")
    return path
