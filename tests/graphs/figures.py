"""The figures of a graph: as data, on its page, in its files and in its picture."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from xml.etree import ElementTree


def figures(answer: Any) -> dict[str, dict[str, float]]:
    """Return the lines of an answer: of each its points."""
    series = answer.json()["series"]
    return {line["name"]: {p["x"]: p["y"] for p in line["coordinates"]} for line in series}


def page_figures(html: str) -> dict[str, dict[str, str]]:
    """Return the figures of the table of a page, as they are written."""
    table = html.split("<table", 1)[1].split("</table>")[0]
    head, *rows = re.findall(r"<tr>(.*?)</tr>", table, re.S)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in (head, *rows)]
    return {
        name: {row[0]: row[n] for row in cells[1:] if row[n] != "no figure"}
        for n, name in enumerate(cells[0])
        if n
    }


def file_figures(text: str) -> dict[str, dict[str, str]]:
    (_, *names), *rows = csv.reader(io.StringIO(text))
    return {
        name: {row[0]: row[n] for row in rows if row[n]} for n, name in enumerate(names, start=1)
    }


def picture_figures(svg: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for mark in ElementTree.fromstring(svg).iter():
        if mark.get("aria-roledescription") == "point":
            name, quarter, value = re.fullmatch(
                r"(.+), (\d{4}-Q\d): (.+)", mark.get("aria-label", "")
            ).groups()
            found.setdefault(name, {})[quarter] = value
    return found
