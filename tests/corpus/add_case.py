"""Add a case from a file that failed, with made-up values in place of those of people.

`python -m tests.corpus.add_case FILE --tool convert --as NAME --about "Program: what is peculiar."`

Headings stay (`--header` gives their row, if it is not found), and so do codes, words of code
lists, states and the shape of everything: read the result before you commit it. The JSON has no
answer yet: `pytest tests/corpus -k NAME` writes the present one, which you correct.
"""

from __future__ import annotations

import argparse
import html
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from filing.spreadsheets import reading
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from tests.corpus.case_files import FOLDER, TOOLS, write_description
from tests.corpus.made_up import MadeUpValues

_ENCODINGS = ("utf-16", "utf-8", "cp1252", "latin-1")
_MARKS = (b"\xff\xfe", b"\xfe\xff")
# What has values, by the part of a workbook: texts between tags, numbers, and attributes of cells.
_XLSX_TEXT = re.compile(r"(<t(?: [^>]*)?>)([^<]*)(</t>)")
_XLSX_NUMBER = re.compile(r'(<c (?![^>]*t="[sbe]")[^>]*>(?:<f[^>]*>[^<]*</f>)?<v>)([^<]*)(</v>)')
_ODS_TEXT = re.compile(r"(<text:p[^>]*>|<text:span[^>]*>)([^<]*)(<)")
_ODS_VALUE = re.compile(r'(office:(?:date-|string-)?value=")([^"]*)(")')
_OF_PEOPLE = re.compile(r"docProps/|meta\.xml$|comments|customXml/|person|Thumbnails/")


class NotAdded(Exception):
    """The file cannot be added; the message says why, and what to do."""


def main(words: Sequence[str] | None = None, *, folder: Path = FOLDER) -> None:
    """Add the case of the arguments."""
    parser = argparse.ArgumentParser(prog="add_case", description=__doc__)
    tools = {tool: kind for kind, tools in TOOLS.items() for tool in tools}
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--tool", choices=tools, required=True)
    parser.add_argument("--as", dest="name", required=True, metavar="NAME")
    parser.add_argument("--about", required=True, metavar="SENTENCE")
    parser.add_argument("--year", type=int)
    parser.add_argument("--header", type=int, default=0, metavar="ROW")
    options = parser.parse_args(words)
    target = folder / tools[options.tool] / f"{options.name}{options.file.suffix.lower()}"
    if list(target.parent.glob(f"{options.name}.*")):
        raise NotAdded(f"There is a case {options.name}; choose another name.")
    target.write_bytes(replace_values(options.file, header=options.header))
    body = {"about": options.about, "tool": options.tool}
    write_description(
        target.with_suffix(".json"), {**body, **({"year": options.year} if options.year else {})}
    )
    sys.stdout.write(f"{target}: read it, then run pytest tests/corpus -k {options.name}\n")


def replace_values(file: Path, *, header: int = 0) -> bytes:
    """Return the bytes of a file with made-up values. header: the row of headings, 0 if found.

    Raises: NotAdded.
    """
    headings, row = _headings(file, header)
    data = file.read_bytes()
    values = MadeUpValues(frozenset(headings))
    if data.startswith(b"PK\x03\x04"):
        return _replace_in_archive(data, values.replace)
    if data.startswith((b"\xd0\xcf\x11\xe0", b"%PDF", b"\x1f\x8b")):
        raise NotAdded(
            "The values of this kind of file cannot be replaced: describe it in "
            "tests/corpus/making instead."
        )
    return _replace_in_text(data, values.replace, row if headings else 0)


def _headings(file: Path, header: int) -> tuple[list[str], int]:
    """Return the headings of a file and their row; none for a file without them."""
    options = reading.ConversionOptions(header=header)
    try:
        table = reading.open_table(file, options=options)
    except SpreadsheetRefusal:
        return [], 0
    return [text.strip() for text in table.headers if text.strip()], table.header


def _replace_in_text(data: bytes, replace: Callable[[str], str], header: int) -> bytes:
    encodings = _ENCODINGS if data.startswith(_MARKS) else _ENCODINGS[1:]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        lines = re.split(r"(\r\n|\r|\n)", text)
        kept = 2 * (header - 1)  # between the lines are their ends
        made = "".join(
            line if at % 2 or at == kept else replace(line) for at, line in enumerate(lines)
        )
        mark = data[:2] if encoding == "utf-16" else b""
        order = "utf-16-be" if mark == _MARKS[1] else "utf-16-le" if mark else encoding
        return mark + made.encode(order, errors="replace")
    raise NotAdded("The text has an unknown encoding.")


def _replace_in_archive(data: bytes, replace: Callable[[str], str]) -> bytes:
    """Return a workbook with made-up values in the parts with cells, and no word of its author."""

    def made(match: re.Match[str]) -> str:
        before, text, after = match.groups()
        return f"{before}{html.escape(replace(html.unescape(text)))}{after}"

    target = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(target, "w") as new:
        for part in old.infolist():
            content = old.read(part)
            if _OF_PEOPLE.search(part.filename) and part.filename.endswith(".xml"):
                content = re.sub(rb">[^<]+<", b"><", content)
            elif _OF_PEOPLE.search(part.filename):
                content = b""
            elif part.filename.startswith("xl/") and part.filename.endswith(".xml"):
                text = _XLSX_TEXT.sub(made, content.decode())
                if part.filename.startswith("xl/worksheets/"):
                    text = _XLSX_NUMBER.sub(made, text)
                content = text.encode()
            elif part.filename == "content.xml":
                content = _ODS_VALUE.sub(made, _ODS_TEXT.sub(made, content.decode())).encode()
            elif part.filename.endswith(".bin"):
                raise NotAdded("The values of .xlsb cannot be replaced: save it as .xlsx first.")
            new.writestr(part, content, zipfile.ZIP_DEFLATED if content else zipfile.ZIP_STORED)
    return target.getvalue()


if __name__ == "__main__":
    try:
        main()
    except (NotAdded, OSError) as error:
        sys.exit(f"add_case: {error}")
