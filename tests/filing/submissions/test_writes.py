"""Who writes to submissions: nobody outside their room, and to their status nobody but `moves`."""

from __future__ import annotations

import ast

from tests.tree import modules

WRITTEN = {"Submission", "StatusChange", "Signature", "EditResult"}
WRITES = {"create", "bulk_create", "get_or_create", "update_or_create", "update", "bulk_update"}
ROOM = "filing.submissions"
# Made-up submissions are written in bulk, each with the history that it would have had.
MADE_UP = "filing.demo"


def model_of(call: ast.Call) -> str:
    """Return the model at the head of a chain: `Submission.objects.filter().update()`."""
    node: ast.expr = call
    names = []
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        else:
            node = node.func
    return node.id if isinstance(node, ast.Name) and "objects" in names else ""


def writes(source: str) -> list[str]:
    """Return the writes to submissions, their history, signatures and results, with their lines."""
    if not any(f"{model}.objects" in source for model in WRITTEN):
        return []
    return [
        f"{model_of(node)}.{node.func.attr} on line {node.lineno}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr in WRITES or node.func.attr == "delete")
        and model_of(node) in WRITTEN
    ]


def is_outside(module: str) -> bool:
    return not f"{module}.".startswith((f"{ROOM}.", f"{MADE_UP}."))


def test_nothing_outside_the_room_writes_to_submissions() -> None:
    outside = [(name, path) for name, path in modules() if is_outside(name)]
    assert len(outside) > 500
    assert {name: found for name, path in outside if (found := writes(path.read_text()))} == {}


def test_history_is_written_in_one_place() -> None:
    histories = {
        name
        for name, path in modules()
        if name.startswith(ROOM)
        and any(each.startswith("StatusChange.") for each in writes(path.read_text()))
    }
    assert histories == {f"{ROOM}.moves"}


def test_writes_are_found() -> None:
    source = "Submission.objects.filter(pk=1).update(a=1)\nSubmission.objects.get()\n"
    assert writes(source) == ["Submission.update on line 1"]
