"""What the tables and files of a page hold."""

from __future__ import annotations

import csv
import html
import re
from io import StringIO

from django.http import HttpResponse


def saved(answer: HttpResponse, delimiter: str = ",") -> list[dict[str, str]]:
    content = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(StringIO(content), delimiter=delimiter))


def cells(page: HttpResponse, caption: str) -> list[list[str]]:
    """Return the texts of the table with a caption, row by row."""
    content = page.content.decode()
    (table,) = (
        each
        for each in re.findall(r"<table.*?</table>", content, re.DOTALL)
        if re.search(rf"<caption[^>]*>{re.escape(html.escape(caption))}", each)
    )
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)[1:]
    return [[plain(cell) for cell in re.findall(CELL, row, re.DOTALL)] for row in rows]


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", markup)).split())


CELL = r"<t[hd][^>]*>(.*?)</t[hd]>"
