"""The single changes that can be made to a module: what is replaced by what, and where.

A change is known by words, not by a line number: the edit or function it lies in, and the
expression before and after. It stays the same when lines move.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from bench.mutants.replacements import Replacement, replacements

# An expression up to this length is shown with what surrounds it.
_SHOWN = 110
_SURROUNDING = (
    *(ast.Call, ast.Compare, ast.BoolOp, ast.BinOp, ast.Assign, ast.AnnAssign, ast.Return),
    *(ast.keyword, ast.If, ast.comprehension, ast.Dict, ast.Tuple, ast.Subscript),
)

Position = tuple[int, int]  # as `ast` counts: lines from 1, bytes from 0


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one module.

    path: of the module, from the root of the code. scope: the code and periods of the edit, or the
    function or name that is defined. operator: the kind of change. original, changed: the
    expression before and after; a number at the end of the first tells equal ones apart.
    """

    path: str
    scope: str
    operator: str
    original: str
    changed: str
    start: Position = field(compare=False)
    end: Position = field(compare=False)
    text: str = field(compare=False)

    def __str__(self) -> str:
        return f"{self.path} | {self.scope} | {self.original} => {self.changed}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.path, self.scope, self.original, self.changed

    @property
    def code(self) -> str:
        """The code of the edit without its part; a blank where the change lies in no edit."""
        found = re.match(r"[SVQ]\d{3}", self.scope)
        return found.group() if found else ""

    def apply(self, source: str) -> str:
        """Return the source of the module with the change made."""
        lines = _Lines(source)
        return f"{lines.cut((1, 0), self.start)}{self.text}{lines.cut(self.end)}"

    def is_one(self, source: str) -> bool:
        """Return whether the module compiles with the change, and says something else by it."""
        if self.text.isidentifier() and not re.search(rf"\b{self.text}\b", source):
            return self.text in {"True", "False"}
        if self.original == self.changed:
            return False
        try:
            ast.parse(self.apply(source))
        except SyntaxError:
            return False
        return True


def changes(root: Path, path: str) -> list[Change]:
    """Return all changes that may be made to a module, in the order of its lines.

    Some leave it as it was, or one that does not compile: see `Change.is_one`.
    """
    source = (root / path).read_text()
    seen: Counter[tuple[str, str, str, str]] = Counter()
    numbered = []
    for change in _Finder(path, source).walk(ast.parse(source)):
        seen[change.key] += 1
        number = seen[change.key]
        original = f"{change.original} #{number}" if number > 1 else change.original
        numbered.append(replace(change, original=original))
    return numbered


class _Finder:
    """Walks through a module and finds its changes."""

    def __init__(self, path: str, source: str) -> None:
        self._path, self._lines = path, _Lines(source)

    def walk(self, tree: ast.AST) -> Iterator[Change]:
        """Yield the changes inside a module."""
        yield from self._inside(tree, (), "")

    def _inside(self, node: ast.AST, above: tuple[ast.AST, ...], scope: str) -> Iterator[Change]:
        scope = _scope(node, scope)
        for each in replacements(node, above, self._path):
            yield self._change(each, (*above, node), scope)
        for child in ast.iter_child_nodes(node):
            if not _is_left_out(child, node):
                yield from self._inside(child, (*above, node), scope)

    def _change(self, each: Replacement, above: tuple[ast.AST, ...], scope: str) -> Change:
        start, end = self._shown(each, above)
        before, after = self._lines.cut(start, each.start), self._lines.cut(each.end, end)
        return Change(
            self._path,
            scope,
            each.operator,
            _one_line(self._lines.cut(start, end)),
            _one_line(f"{before}{each.text}{after}"),
            *(each.start, each.end, each.text),
        )

    def _shown(self, each: Replacement, above: tuple[ast.AST, ...]) -> tuple[Position, Position]:
        """Return the bounds of the widest short expression around what is replaced."""
        start, end = each.start, each.end
        for node in reversed(above):
            if not isinstance(node, _SURROUNDING) or not hasattr(node, "lineno"):
                continue
            first, last = _bounds(node)
            if len(_one_line(self._lines.cut(first, last))) > _SHOWN:
                break
            if first <= start and last >= end:
                start, end = first, last
        return start, end


def _scope(node: ast.AST, scope: str) -> str:
    """Return what the inside of a node is called."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Edit":
        values = {keyword.arg: keyword.value for keyword in node.keywords}
        if isinstance(code := values.get("code"), ast.Constant) and "periods" in values:
            return f"{ast.literal_eval(code)} {ast.unparse(values['periods'])}"
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return f"{scope}.{node.name}" if scope else node.name
    if not scope and isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return ast.unparse(target)
    return scope


# What an edit says to people, and the examples that are made to fail it.
_TEXTS = {"text", "computed", "code", "breaks", "what", "words", "parser_label"}


def _is_left_out(node: ast.AST, parent: ast.AST) -> bool:
    """Return whether nothing inside a node is changed: texts for people, types, assertions."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(node, ast.keyword) and node.arg in _TEXTS:
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return True
    if isinstance(parent, ast.FunctionDef | ast.ClassDef):
        return node in parent.decorator_list or node is getattr(parent, "returns", None)
    if isinstance(parent, ast.arg | ast.AnnAssign):
        return node is parent.annotation
    return isinstance(parent, ast.If) and _is_of_types(parent)


def _is_of_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _bounds(node: ast.AST) -> tuple[Position, Position]:
    line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
    end_line, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
    return (line, column), (end_line, end_column)


class _Lines:
    """The source of a module, to be cut where `ast` says that something begins and ends."""

    def __init__(self, source: str) -> None:
        self._data = source.encode()
        lengths = map(len, self._data.splitlines(keepends=True))
        self._begins = [0, *accumulate(lengths)]

    def cut(self, start: Position, end: Position | None = None) -> str:
        """Return what stands from one position to the other, or to the end."""
        stop = self._offset(end) if end else None
        return self._data[self._offset(start) : stop].decode()

    def _offset(self, position: Position) -> int:
        line, column = position
        return self._begins[line - 1] + column


def _one_line(text: str) -> str:
    """Return code on one line, spaced alike however it was broken into lines."""
    joined = " ".join(text.split())
    joined = re.sub(r"([(\[{]) ", r"\1", joined)
    return re.sub(r",? ([)\]}])", r"\1", joined)
