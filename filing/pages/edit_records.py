"""The records that triggered an edit, as HTML tables.

A template would take ten times as long, and the report of a large submission has hundreds.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import groupby

from django.utils.safestring import SafeString, mark_safe

from filing.submissions.findings import EditRow

BLANK = "(blank)"  # in place of an empty value
_FRAME = """\
<div class="usa-table-container--scrollable" tabindex="0" role="region" aria-label="{label}">
<table class="usa-table usa-table--borderless site-findings site-records">
<caption class="usa-sr-only">{caption}</caption>
<thead>{head}</thead>
<tbody>{body}</tbody>
</table>
</div>
"""


def tables(code: str, rows: Iterable[EditRow]) -> SafeString:
    """Return the records that triggered an edit, in the order of the file.

    The transmittal sheet has a table of its own because its columns differ from a loan's.
    """
    parts = groupby(rows, lambda row: [label for label, _ in row.fields])
    return _joined(
        _FRAME.format(
            label=f"Records of edit {code}{', continued' if number else ''}",
            caption=f"Records that triggered {code}",
            head=_head(records := list(part), columns),
            body="".join(map(_record, records)),
        )
        for number, (columns, part) in enumerate(parts)
    )


def of_file(code: str, rows: Iterable[EditRow]) -> SafeString:
    """Return the result of an edit of the whole file, as fields and their values."""
    fields = [field for row in rows for field in row.fields]
    if not fields:
        return SafeString()
    title = f"Result of edit {code} for the file"
    head = '<tr><th scope="col">Field</th><th scope="col">Value</th></tr>'
    body = "".join(
        f'<tr><th scope="row">{_escaped(field, "</th><td>")}</td></tr>' for field in fields
    )
    return _joined([_FRAME.format(label=title, caption=title, head=head, body=body)])


def _head(records: Sequence[EditRow], columns: Iterable[str]) -> str:
    identifier = "LEI" if records[0].line == 1 else "ULI"
    labels = _escaped(["Line", identifier, *columns], '</th><th scope="col">')
    return f'<tr><th scope="col">{labels}</th></tr>'


def _record(record: EditRow) -> str:
    cells = _escaped([record.id, *[value for _, value in record.fields]], "</td><td>")
    return f'<tr><th scope="row">{record.line:,}</th><td class="site-id">{cells}</td></tr>'


def _escaped(texts: Iterable[str], separator: str) -> str:
    """Return texts as HTML, joined with a separator. No text contains the character U+0000."""
    return html.escape("\0".join([text or BLANK for text in texts])).replace("\0", separator)


def _joined(parts: Iterable[str]) -> SafeString:
    """Return pieces of escaped HTML as one."""
    return mark_safe("".join(parts))  # noqa: S308 -- escaped
