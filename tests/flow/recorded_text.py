"""The text of a recorded file: the calls of an operation, cut to what an example needs.

Lists have two items, those within an item one; a text has a heading and two lines. How the file
says a call, `config/openapi/document.py` explains.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from config.openapi import document

ITEMS, LINES = 2, 3
MOST_CHARACTERS = 3_000
# An object of so many objects with the same keys is a list by name, such as that of files.
LIST_BY_NAME = 6
COLUMNS = 100
TABLES = ("text/csv", "text/plain")


def write_calls(calls: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a file: the calls by status."""
    by_status: dict[str, list[Any]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: call["status"]):
        by_status[str(call["status"])].append(_shorten_call(call))
    return write_json({status: _unwrap(each) for status, each in by_status.items()}) + "\n"


def _unwrap(calls: list[Any]) -> Any:
    return calls[0] if len(calls) == 1 and not isinstance(calls[0], list) else calls


def _shorten_call(call: Mapping[str, Any]) -> Any:
    """Return what a file says of a call: only what is not as usual."""
    status, answer = call["status"], cut_answer(call["answer"], call["media"])
    usual = {"name": document.name_call(status, answer), "media": document.JSON}
    said = {key: call[key] for key in usual if call[key] != usual[key]}
    # A body that was refused is no example of what to send.
    if "request" in call and status in document.SUCCESS:
        said["request"] = call["request"]
    if not said and isinstance(answer, dict) and "message" in answer:
        message = answer["message"]
        if answer == document.build_refusal(status, message, call["path"]):
            return message
    return {**said, "answer": answer} if said or document.is_whole_call(answer) else answer


def cut_answer(answer: Any, media: str) -> Any:
    """Return an answer with two items of each list, or two lines after the first of a table."""
    if not isinstance(answer, str):
        return cut_lists(answer)
    text = "".join(answer.splitlines(keepends=True)[: LINES if media in TABLES else None])
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def cut_lists(value: Any, items: int = ITEMS) -> Any:
    """Return JSON in which no list has more items; within an item, one of more is enough."""
    if isinstance(value, list):
        are_objects = any(isinstance(item, dict) for item in value)
        return [cut_lists(item, 1) for item in value[: items if are_objects else ITEMS]]
    if isinstance(value, dict):
        pairs = islice(value.items(), ITEMS if _is_list_by_name(value) else None)
        return {key: cut_lists(item, items) for key, item in pairs}
    return value


def _is_list_by_name(value: Mapping[str, Any]) -> bool:
    shapes = {tuple(item) if isinstance(item, dict) else None for item in value.values()}
    return len(value) >= LIST_BY_NAME and len(shapes) == 1 and None not in shapes


def write_json(value: Any, before: int = 0, depth: int = 0) -> str:
    """Return JSON with one value a line, or all on one line if they fit.

    before: so many characters stand in front of it.
    depth: the indentation of its line.
    """
    line = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or before + len(line) < COLUMNS:
        return line
    deeper, lines = depth + 1, []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        start = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(value, dict) else ""
        lines.append(f"{start}{write_json(item, deeper + len(start), deeper)}")
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    between = "\n" + " " * deeper
    return f"{opening}{between}{f',{between}'.join(lines)}\n{' ' * depth}{closing}"
