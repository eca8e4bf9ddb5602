"""The form below a preview, as a browser sends it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.test import Client


class _Forms(HTMLParser):
    """Reads the forms of a page: their addresses and fields, and the first named button."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, list[str]]]] = []
        self._area = self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((values.get("action", ""), {}))
        if tag == "option" and "selected" in values:
            self.forms[-1][1].setdefault(self._select, []).append(values["value"])
        name, kind = values.get("name", ""), values.get("type", "text")
        if not (self.forms and name):
            return
        fields = self.forms[-1][1]
        if tag == "textarea":
            self._area = name
            fields[name] = [""]
        elif tag == "select":
            self._select = name
        elif tag == "input" and (kind not in {"checkbox", "radio", "file"} or "checked" in values):
            fields.setdefault(name, []).append(values.get("value", ""))

    def handle_data(self, data: str) -> None:
        if self._area:
            self.forms[-1][1][self._area][0] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""


def read_confirmation(preview: Any) -> tuple[str, dict[str, list[str]]]:
    """Return the address and the fields of the form of a preview that asks for the reason."""
    page = _Forms()
    page.feed(preview.content.decode())
    address, fields = next(form for form in reversed(page.forms) if "reason" in form[1])
    return address or preview.wsgi_request.get_full_path(), fields


def confirm(client: Client, preview: Any, *, reason: str = "", **changes: Any) -> Any:
    """Send the form of a preview; a reason that it has already is kept."""
    address, fields = read_confirmation(preview)
    reasons = {"reason": [reason]} if reason else {}
    return client.post(address, {**fields, **reasons, **changes}, follow=True)
