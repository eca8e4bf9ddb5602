"""The cases of the corpus: each a file as people have it, and beside it what is right.

`NAME.json` stands beside `NAME.ending`. Its members:

about: the program or person that makes such files, and what is peculiar to them.
tool: one of `TOOLS` of the folder; what the file is given to.
year, quarter, map, sheet, options: as in the API. Without `sheet` the transmittal sheet in
    `transmittal_sheet.json` is given, with `{}` none.
answer: what is right, in the words of the tool's module (`lar_tool`, `file_check`, `batch_lists`,
    `public_files`); or `refusal` with a status and words that the message has in any order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
OPEN = FOLDER / "open.txt"
TOOLS = {
    "spreadsheets": ("convert", "columns"),
    "lar": ("check",),
    "batch": ("check-digits", "validate-ulis", "rate-spreads"),
    "public": (
        *("load_public_lar", "load_institutions"),
        *("load_census", "load_county_limits", "load_apor"),
    ),
}
OF_SOME = ("fileEdits", "withoutYear")  # members that not every way of asking has

Answer = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A case, by its JSON."""

    description: Path

    @property
    def name(self) -> str:
        """The folder and the stem, as in `open.txt`."""
        return f"{self.description.parent.name}/{self.description.stem}"

    @cached_property
    def file(self) -> Path:
        """The file as people have it."""
        (file,) = (
            path
            for path in self.description.parent.glob(f"{self.description.stem}.*")
            if path != self.description
        )
        return file

    @cached_property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.description.read_text())
        return body

    @property
    def tool(self) -> str:
        return str(self.body["tool"])

    @property
    def year(self) -> int | None:
        return self.body.get("year")

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.body.get("options", {}))

    @property
    def mapping(self) -> dict[str, str | None]:
        return dict(self.body.get("map", {}))

    @property
    def sheet(self) -> dict[str, str]:
        """The values that are given for the transmittal sheet."""
        if "sheet" in self.body:
            return dict(self.body["sheet"])
        return dict(json.loads((FOLDER / "transmittal_sheet.json").read_text()))

    @property
    def answer(self) -> Answer | None:
        """What is right; None if nobody has said it yet."""
        return self.body.get("answer")

    def write_answer(self, answer: Answer) -> None:
        """Write an answer into the JSON, for review."""
        write_description(self.description, {**self.body, "answer": answer})


def list_cases(folder: str) -> list[Case]:
    """Return the cases of a folder, by name."""
    return [Case(path) for path in sorted((FOLDER / folder).glob("*.json"))]


def list_open_names() -> set[str]:
    """Return the names of cases that are not right yet."""
    lines = OPEN.read_text().splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def write_description(path: Path, body: dict[str, Any]) -> None:
    """Write the JSON of a case: a member a line, and of lists a value a line."""
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def is_refusal(answer: Answer) -> bool:
    return "refusal" in answer


def refuse(status: int | None, message: str) -> Answer:
    """Return the answer of a refusal, with its message in place of words."""
    return {"refusal": {"status": status, "message": " ".join(message.split())}}


def find_difference(right: Answer, answer: Answer) -> str:
    """Return how an answer differs from what is right; blank if it does not.

    A refusal without a status, as that of a command, is compared by its words.
    """
    if is_refusal(right) != is_refusal(answer):
        return f"right: {_shown(right)}\nanswered: {_shown(answer)}"
    if is_refusal(right):
        expected, given = right["refusal"], answer["refusal"]
        if given["status"] not in (None, expected["status"]):
            return f"status {given['status']}, not {expected['status']}: {given['message']}"
        message = given["message"].casefold()
        missing = [word for word in expected["words"] if word.casefold() not in message]
        if missing:
            return f"the message lacks {missing}: {given['message']}"
    lines = []
    for key in right:
        if key == "refusal" or (key in OF_SOME and key not in answer):
            continue
        if right[key] != answer.get(key):
            lines += _difference(key, right[key], answer.get(key))
    return "\n".join(lines)


def _difference(key: str, right: Any, answer: Any) -> list[str]:
    if isinstance(right, dict) and isinstance(answer, dict) and not is_refusal(right):
        return [
            f"{key} {name}: right {right.get(name)!r}, answered {answer.get(name)!r}"
            for name in {**right, **answer}
            if right.get(name) != answer.get(name)
        ]
    if not isinstance(right, list) or not isinstance(answer, list):
        return [f"{key}: right {_shown(right)}, answered {_shown(answer)}"]
    lines = []
    for number in range(max(len(right), len(answer))):
        one = right[number] if number < len(right) else None
        other = answer[number] if number < len(answer) else None
        if one != other:
            lines.append(f"{key} {number + 1}: {_parts(one, other)}")
    return lines[:12]


def _parts(right: Any, answer: Any) -> str:
    """Return what differs between two lines of a LAR; of other values both."""
    if isinstance(right, str) and isinstance(answer, str) and right.count("|") > 1:
        pairs = zip(right.split("|"), answer.split("|"), strict=False)
        fields = [
            f"field {number} {one!r}, answered {other!r}"
            for number, (one, other) in enumerate(pairs, 1)
            if one != other
        ]
        if fields and right.count("|") == answer.count("|"):
            return "; ".join(fields[:8])
    return f"right {_shown(right)}, answered {_shown(answer)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 600 else f"{text[:600]}…"
