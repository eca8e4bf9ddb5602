"""The pages of the LAR tool as a browser without script uses them: forms are filled and sent."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing.edits import examples
from tests.markup import strip_cell_classes
from tests.publicapi.lar_tool.calls import YEAR

TOOL = "/tools/lar/"
COLUMNS, RESULT, FILE = f"{TOOL}columns/", f"{TOOL}result/", f"{TOOL}file/"
PERIOD = {"year": "2024", "quarter": ""}


_SELECT = re.compile(r"(<select\b[^>]*>)(.*?)(</select>)", re.DOTALL)
_OPTION = re.compile(r"<option\b[^>]*>")


def _keep_chosen(select: re.Match[str]) -> str:
    """Return a list box with the option that a browser would send: a page has thousands."""
    options = _OPTION.findall(select[2])
    chosen = [option for option in options if re.search(r"\sselected\b", option)]
    return f"{select[1]}{''.join((chosen or options)[:1])}{select[3]}"


class Form(HTMLParser):
    """The fields of the form of a page, with the values that a browser would send."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._select, self._is_within = "", False
        self.feed(_SELECT.sub(_keep_chosen, page))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self._is_within = given.get("id") == "lar-tool"
        if not self._is_within:
            return
        if tag == "input" and given.get("name"):
            is_box = given.get("type") in {"checkbox", "radio"}
            if given.get("type") != "file" and (not is_box or "checked" in given):
                self.fields[given["name"]] = given.get("value", "on" if is_box else "")
        if tag == "select":
            self._select = given["name"]
        if (
            tag == "option"
            and self._select
            and (self._select not in self.fields or "selected" in given)
        ):
            self.fields[self._select] = given["value"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_within = False
        if tag == "select":
            self._select = ""


def sent(
    client: Client,
    path: str,
    content: bytes | None,
    fields: dict[str, str] | None = None,
    *,
    name: str = "loans.csv",
    **more: str,
) -> Any:
    """Send a form, with a file or after it was lost."""
    data: dict[str, Any] = {**PERIOD, **(fields or {}), **more}
    if content is not None:
        data["file"] = SimpleUploadedFile(name, content)
    answer = client.post(path, data)
    if path != FILE:
        assert answer["Cache-Control"] == "no-store"
    return answer


def html(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.content[-3000:]
    return strip_cell_classes(answer.content.decode())


def words(page: str) -> str:
    """Return the text of the main part of a page."""
    main = page[page.index("<main") : page.index("</main>")]
    return " ".join(re.sub(r"<[^>]*>", " ", main).split())


def columns(client: Client, content: bytes, **more: str) -> dict[str, str]:
    """Return the fields of the form with the columns of a file, as they are proposed."""
    return Form(html(sent(client, COLUMNS, content, **more))).fields


def sheet(lei: str, loans: int = 1) -> dict[str, str]:
    """Return a filled-in form of the transmittal sheet."""
    values = examples.correct_transmittal_sheet(YEAR, lei, loans)
    left_out = {"record_id", "total_lines"}
    return {f"ts-{name}": str(value) for name, value in values.items() if name not in left_out}
