"""What may stand in the place of an expression: one small step away from what is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from filing.lar.fields import LAR, TRANSMITTAL_SHEET

Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A piece of source and what stands there instead."""

    operator: str
    start: Position
    end: Position
    text: str


_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_COMPUTED: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("//",),
    ast.Div: ("*",),
    ast.FloorDiv: ("*", "%"),
    ast.Mod: ("//",),
    ast.Pow: ("*",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
}
_CALLS = {
    "all_of": "any_of",
    "any_of": "all_of",
    "min_horizontal": "max_horizontal",
    "max_horizontal": "min_horizontal",
    "all_horizontal": "any_horizontal",
    "any_horizontal": "all_horizontal",
    "min": "max",
    "max": "min",
    "all": "any",
    "any": "all",
    "since": "annual_only",
    "between": "annual_only",
    "annual_only": "between",
    "quarterly_only": "between",
    "if_then": "iff",
    "iff": "if_then",
    "starts_with": "ends_with",
    "to_uppercase": "to_lowercase",
    "lower": "upper",
    "upper": "lower",
    "fullmatch": "match",
    "num": "integer",
    "known_county": "small_county",
    "no_co_applicant": "not_natural_person",
}
_PERIODS = {"since", "between", "annual_only", "quarterly_only"}
# In these calls the order of what is given does not matter, or there is no other.
_ANY_ORDER = {
    *("all_of", "any_of", "iff", "max", "min", "how_many", "isinstance", "all_distinct"),
    *("max_horizontal", "min_horizontal", "any_horizontal", "all_horizontal", "sum_horizontal"),
    *("any_reads", "one_of", "Field", "ValueError", "TypeError", "LookupError", "getattr"),
}
_CONDITIONS = {"all_of", "any_of", "how_many", "all_horizontal", "any_horizontal"}
_ENUMS = {
    "Kind": ("SYNTACTICAL", "VALIDITY", "QUALITY", "MACRO"),
    "Level": ("TS", "LAR", "FILE"),
    "Need": ("CENSUS", "INSTITUTION", "OTHER_ROWS", "TS"),
    "Parse": (
        *("INTEGER", "CODE", "CODE_OR_BLANK", "AGENCY", "DECIMAL", "INTEGER_OR_NA"),
        *("INTEGER_NA_OR_EXEMPT", "DECIMAL_NA_OR_EXEMPT", "DECIMAL_NA_EXEMPT_OR_BLANK"),
        *("DATE", "DATE_OR_NA", "NO_SPACE", "TEXT"),
    ),
    "Binding": ("IF", "OR", "AND", "WORD"),
}
_WORDS = {"NA": "Exempt", "Exempt": "NA", "": "x", "0": "1"}
_PATTERNS = (
    (r"\[0-9\]", "[1-9]"),
    (r"\[0-9\]", "[0-8]"),
    (r"\]\+", "]*"),
    (r"\]\*", "]+"),
    (r"\[\+-\]\?", ""),
    (r"^\^", ""),
    (r"\$$", ""),
    (r"a-z", "b-z"),
    (r"A-Z", "A-Y"),
    (r"\{1,", "{2,"),
    (r"\{2\}", "{3}"),
    (r"\{4\}", "{3}"),
    (r"\)\?", ")"),
    (r"\|\\\.", "|"),
)
_NAMES = [field.name for field in LAR]
_SHEET_NAMES = [field.name for field in TRANSMITTAL_SHEET]
_SIBLINGS = dict(zip(_SHEET_NAMES, [*_SHEET_NAMES[1:], _SHEET_NAMES[0]], strict=True)) | dict(
    zip(_NAMES, [*_NAMES[1:], _NAMES[0]], strict=True)
)


def replacements(node: ast.AST, above: Sequence[ast.AST], path: str) -> Iterator[Replacement]:
    """Yield what may stand in the place of a node, or of a part of it.

    above: the nodes around it, from the module on.
    """
    if isinstance(node, ast.Constant):
        yield from _constant(node, above, path)
    elif isinstance(node, ast.Compare):
        yield from _comparison(node)
    elif isinstance(node, ast.BoolOp):
        yield from _logic(node)
    elif isinstance(node, ast.BinOp):
        yield from _binary(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield _whole("negation", node, _source(node.operand))
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.Attribute):
        yield from _member(node)
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        yield from _list(node, above)
    elif isinstance(node, ast.If | ast.IfExp):
        yield _whole("condition", node.test, "True")
        yield _whole("condition", node.test, "False")
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield _whole("condition", test, "True")


def _constant(node: ast.Constant, above: Sequence[ast.AST], path: str) -> Iterator[Replacement]:
    value, parent = node.value, above[-1]
    if isinstance(value, bool):
        yield _whole("truth", node, str(not value))
    elif isinstance(value, int):
        if _is_called(parent, {"Field"}) and node is parent.args[0]:  # type: ignore[attr-defined]
            return
        operator = "period" if _is_called(parent, _PERIODS) else "number"
        yield _whole(operator, node, str(value + 1))
        yield _whole(operator, node, str(value - 1))
    elif isinstance(value, float):
        yield _whole("number", node, repr(round(value + 0.001, 6)))
        yield _whole("number", node, repr(round(value - 0.001, 6)))
    elif isinstance(value, str):
        yield from _text(node, value, parent, path)


def _text(node: ast.Constant, value: str, parent: ast.AST, path: str) -> Iterator[Replacement]:
    if value in _SIBLINGS:
        yield _whole("column", node, repr(_SIBLINGS[value]))
    elif value in _WORDS:
        yield _whole("text", node, repr(_WORDS[value]))
    elif _is_pattern(value):
        for old, new in _PATTERNS:
            changed = re.sub(old, lambda _, new=new: new, value, count=1)  # type: ignore[misc]
            if changed != value and _compiles(changed):
                yield _whole("pattern", node, repr(changed))
    elif _is_called(parent, {"Field"}) and node in parent.args[2:3]:  # type: ignore[attr-defined]
        return  # a label
    elif " " not in value or "/records/" in path:
        yield _whole("text", node, repr(value[:-1] + ("x" if value[-1:] != "x" else "y")))


def _is_pattern(value: str) -> bool:
    return bool(re.search(r"\[[^\]]+\]|\\[dwAz]|\{\d", value))


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _comparison(node: ast.Compare) -> Iterator[Replacement]:
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        text = _COMPARED[type(operator)]
        yield Replacement("comparison", _end(left), _start(right), f" {text} ")
        left = right


def _logic(node: ast.BoolOp) -> Iterator[Replacement]:
    word = "or" if isinstance(node.op, ast.And) else "and"
    for one, other in zip(node.values, node.values[1:], strict=False):
        yield Replacement("logic", _end(one), _start(other), f" {word} ")
    for value in node.values:
        others = [each for each in node.values if each is not value]
        old = "and" if isinstance(node.op, ast.And) else "or"
        yield _whole("condition", node, f" {old} ".join(f"({_source(each)})" for each in others))


def _binary(node: ast.BinOp) -> Iterator[Replacement]:
    if _is_text(node.left) or _is_text(node.right):
        return
    is_logic = isinstance(node.op, ast.BitAnd | ast.BitOr)
    for text in _COMPUTED.get(type(node.op), ()):
        changed = f"({_source(node.left)}) {text} ({_source(node.right)})"
        yield _whole("logic" if is_logic else "arithmetic", node, changed)
    if is_logic:
        yield _whole("condition", node, _source(node.left))
        yield _whole("condition", node, _source(node.right))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.Tuple | ast.List) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _call(node: ast.Call) -> Iterator[Replacement]:
    name = _name(node.func)
    if name in _CALLS and not _is_built_in_of_text(node, name):
        func = node.func
        if isinstance(func, ast.Attribute):
            first, last = _end(func.value), _end(func)
            yield Replacement("call", first, last, f".{_CALLS[name]}")
        else:
            yield _whole("period" if name in _PERIODS else "call", func, _CALLS[name])
    plain = [each for each in node.args if not isinstance(each, ast.Starred)]
    if len(plain) == len(node.args) >= 2 and name not in _ANY_ORDER | _PERIODS:
        one, other, *_ = node.args
        text = f"{_source(other)}, {_source(one)}"
        yield Replacement("arguments", _start(one), _end(other), text)
    if name in _CONDITIONS and len(node.args) > 1:
        yield from _without("condition", node.args)
    if name == "if_then" and len(node.args) == 2:
        yield _whole("condition", node, _source(node.args[1]))
    if name == "one_of":
        yield from _codes(node.args[1:])
    if name == "frozenset" and len(node.args) == 1 and isinstance(node.args[0], ast.Set):
        yield _whole("codes", node, "frozenset()")


def _is_built_in_of_text(node: ast.Call, name: str) -> bool:
    """Return whether a call has the name of a word of ours, but is one of Python's texts."""
    return name in {"lower", "upper"} and isinstance(node.func, ast.Attribute)


def _codes(values: Sequence[ast.expr]) -> Iterator[Replacement]:
    """Yield a list of codes with one left out, and with one more."""
    if len(values) > 1:
        yield from _without("codes", values)
    last = values[-1]
    numbers = [each.value for each in values if isinstance(each, ast.Constant)]
    whole = [each for each in numbers if isinstance(each, int)]
    if whole and len(whole) == len(values):
        more = max((each for each in whole if each != 1111), default=0) + 1
        yield Replacement("codes", _start(last), _end(last), f"{_source(last)}, {more}")


def _without(operator: str, values: Sequence[ast.expr]) -> Iterator[Replacement]:
    for number, value in enumerate(values):
        if number:
            yield Replacement(operator, _end(values[number - 1]), _end(value), "")
        else:
            yield Replacement(operator, _start(value), _start(values[1]), "")


def _list(node: ast.Tuple | ast.List | ast.Set, above: Sequence[ast.AST]) -> Iterator[Replacement]:
    """Yield a list of constants with one left out; column names: with two neighbors swapped."""
    values = node.elts
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or len(values) < 2:
        return
    if isinstance(above[-1], ast.Subscript) or not all(map(_is_plain, values)):
        return
    if isinstance(above[-1], ast.Assign) and isinstance(above[-1].targets[0], ast.Tuple):
        return
    is_fields = all(isinstance(v, ast.Constant) and v.value in _SIBLINGS for v in values)
    if len(values) > 2 or not isinstance(node, ast.Tuple):
        yield from _without("fields" if is_fields else "codes", values)
    if is_fields and isinstance(node, ast.Tuple):
        one, other = values[:2]
        text = f"{_source(other)}, {_source(one)}"
        yield Replacement("fields", _start(one), _end(other), text)
    if not is_fields:
        yield from (each for each in _codes(values) if each.text)


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant | ast.Name | ast.Attribute)


def _member(node: ast.Attribute) -> Iterator[Replacement]:
    if isinstance(node.value, ast.Name) and node.attr in _ENUMS.get(node.value.id, ()):
        members = _ENUMS[node.value.id]
        following = members[(members.index(node.attr) + 1) % len(members)]
        yield _whole("member", node, f"{node.value.id}.{following}")


def _name(func: ast.AST) -> str:
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")


def _is_called(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in names


def _source(node: ast.AST) -> str:
    return ast.unparse(node)


def _whole(operator: str, node: ast.AST, text: str) -> Replacement:
    is_compound = isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp)
    return Replacement(operator, _start(node), _end(node), f"({text})" if is_compound else text)


def _start(node: ast.AST) -> Position:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> Position:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
