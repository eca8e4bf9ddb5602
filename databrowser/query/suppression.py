"""Which figures of a table are left out because they are of too few records.

Others are left out with them, so that no figure can be computed from those that are given: every
total of the table is the sum of its parts, and a rate with its number of records is two sums.

Source: a cell of a table with totals that is left out can be computed if, and only if, its edge is
a bridge in the graph of rows and columns whose edges are the cells left out (D. Gusfield, A Graph
Theoretic Approach to Statistical Data Security, SIAM Journal on Computing 17, 1988).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count

Key = tuple[str | None, ...]
_Edge = tuple[str, str]


def find_left_out(
    records: Mapping[Key, int], *, smallest: int, already: Iterable[Key] = ()
) -> frozenset[Key]:
    """Return the keys of figures to leave out.

    records: of each figure, by the values of up to two groupings; None means all of them. Those
    without records have no figure and are never left out. already: keys that are left out anyhow.
    """
    sized = {key: number for key, number in records.items() if number}
    edges = {key: _edge(key) for key in sized}
    lines = _lines(edges)
    left_out = {key for key, number in sized.items() if number < smallest} | {*already}
    while left_out:
        hidden = Counter(node for key in left_out for node in _nodes(edges[key]))
        exposed = _find_small_sums(lines, left_out, sized, smallest)
        if not exposed:
            nodes = [node for key in _bridges(left_out, edges) for node in _nodes(edges[key])]
            # A line with a single one first: what is added there may do for the other bridges.
            exposed = [node for node in nodes if hidden[node] == 1] or nodes[:1]
        more = {_choose(node, lines, left_out, hidden, sized) for node in exposed} - {None}
        if not more:
            break
        left_out |= {key for key in more if key is not None}
    return frozenset(left_out)


def _choose(
    node: str,
    lines: Mapping[str, Sequence[Key]],
    left_out: Collection[Key],
    hidden: Mapping[str, int],
    records: Mapping[Key, int],
) -> Key | None:
    """Return the figure of a line to leave out as well, where least is lost; None if all are.

    Best is one whose other line lacks one already, then no total, then one of few records.
    """

    def loss(key: Key) -> tuple[bool, bool, int, str]:
        (other,) = {*_nodes(_edge(key))} - {node}
        return not hidden.get(other), None in key, records[key], str(key)

    return min((key for key in lines[node] if key not in left_out), key=loss, default=None)


def _edge(key: Key) -> _Edge:
    """Return the row and the column of a figure. A list has one row, which is its column too."""
    row, column = key if len(key) > 1 else ("list", "list")
    return _name(row), _name(column)


def _name(value: str | None) -> str:
    return "total" if value is None else f"of {value}"


def _nodes(edge: _Edge) -> tuple[str, str]:
    return f"row {edge[0]}", f"column {edge[1]}"


def _lines(edges: Mapping[Key, _Edge]) -> dict[str, list[Key]]:
    """Return the figures of each row and column, totals included."""
    lines = defaultdict(list)
    for key, edge in edges.items():
        for node in _nodes(edge):
            lines[node].append(key)
    return lines


def _find_small_sums(
    lines: Mapping[str, Sequence[Key]],
    left_out: set[Key],
    records: Mapping[Key, int],
    smallest: int,
) -> list[str]:
    """Return the lines whose total gives away a sum of too few records."""
    found = []
    for node, line in lines.items():
        hidden = [key for key in line if key in left_out]
        parts = sum(records[key] for key in hidden if not _is_total(key, node))
        has_total = any(_is_total(key, node) and key not in left_out for key in line)
        if hidden and has_total and parts < smallest:
            found.append(node)
    return found


def _is_total(key: Key, node: str) -> bool:
    """Tell whether a figure is the total of a line."""
    return not key or key[-1 if node.startswith("row") else 0] is None


def _bridges(left_out: Iterable[Key], edges: Mapping[Key, _Edge]) -> list[Key]:
    """Return the figures left out that the others give away."""
    graph: dict[str, list[tuple[str, Key]]] = defaultdict(list)
    for key in left_out:
        row, column = _nodes(edges[key])
        graph[row].append((column, key))
        graph[column].append((row, key))
    found: list[Key] = []
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    numbers = count()
    for root in graph:
        if root in order:
            continue
        order[root] = lowest[root] = next(numbers)
        path: list[tuple[str, Key | None, Iterable[tuple[str, Key]]]] = [
            (root, None, iter(graph[root]))
        ]
        while path:
            node, taken, others = path[-1]
            for other, key in others:
                if key == taken:
                    continue
                if other not in order:
                    order[other] = lowest[other] = next(numbers)
                    path.append((other, key, iter(graph[other])))
                    break
                lowest[node] = min(lowest[node], order[other])
            else:
                path.pop()
                if path and taken is not None:
                    before = path[-1][0]
                    lowest[before] = min(lowest[before], lowest[node])
                    if lowest[node] > order[before]:
                        found.append(taken)
    return found
