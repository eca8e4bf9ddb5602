"""A hint for files whose fields are not separated by pipes."""

from __future__ import annotations

import re
from collections.abc import Iterable

SAMPLE_LINES = 20  # the first lines that cannot be read
_NAMES = {b",": "commas", b"\t": "tabs", b";": "semicolons"}
# A record begins with its identifier; anything else, such as a line of headings, has many fields.
_RECORD = re.compile(rb'[\s"]*[12]"?[ ]*[,;\t]')
_MANY = 10


def hint(lines: Iterable[bytes]) -> str:
    """Return the remedy for all of these lines, in a sentence; a blank if they have no one cause.

    lines: raw ones that cannot be read; blank ones do not count.
    """
    names = {_separator(line) for line in lines if line.strip()}
    name = names.pop() if len(names) == 1 else ""
    if not name:
        return ""
    return (
        f"The fields are separated by {name}; save the file again as text with a pipe (|) between "
        "the fields."
    )


def _separator(line: bytes) -> str:
    """Return the name of the separator that a line has in place of pipes, or a blank."""
    counts = {mark: line.count(mark) for mark in _NAMES}
    mark = max(counts, key=lambda mark: counts[mark])
    is_record = counts[mark] > 0 and _RECORD.match(line) is not None
    return _NAMES[mark] if b"|" not in line and (is_record or counts[mark] >= _MANY) else ""
