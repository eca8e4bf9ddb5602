"""The pictures of the documents: each that is shown is there, and each that is there is shown."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_each_picture_is_shown_and_each_that_is_shown_is_there() -> None:
    pages = [page.read_text() for page in DOCS.rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"\((?:\.\./)?pictures/([^)]+)\)", page)}
    assert shown == {path.name for path in (DOCS / "pictures").iterdir()}
