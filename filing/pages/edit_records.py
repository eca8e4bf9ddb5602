"""The records that triggered an edit, as HTML tables.

A template would take ten times as long; the report of a large submission has hundreds of them.
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
    """Return records that triggered an edit, in their order.

    The transmittal sheet has other columns than a loan, hence a table of its own.
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
    """Return what an edit of the whole file found, as fields and their values."""
    found = [field for row in rows for field in row.fields]
    if not found:
        return SafeString()
    about = f"What edit {code} found in the file"
    head = '<tr><th scope="col">Field</th><th scope="col">Value</th></tr>'
    body = "".join(
        f'<tr><th scope="row">{_escaped(field, "</th><td>")}</td></tr>' for field in found
    )
    return _joined([_FRAME.format(label=about, caption=about, head=head, body=body)])


def _head(records: Sequence[EditRow], columns: Iterable[str]) -> str:
    identifier = "LEI" if records[0].line == 1 else "ULI"
    labels = _escaped(["Line", identifier, *columns], '</th><th scope="col">')
    return f'<tr><th scope="col">{labels}</th></tr>'


def _record(record: EditRow) -> str:
    cells = _escaped([record.id, *[value for _, value in record.fields]], "</td><td>")
    return f'<tr><th scope="row">{record.line:,}</th><td class="site-id">{cells}</td></tr>'


def _escaped(texts: Iterable[str], between: str) -> str:
    """Return texts as HTML with what stands between them. No text has the character U+0000."""
    return html.escape("\0".join([text or BLANK for text in texts])).replace("\0", between)


def _joined(parts: Iterable[str]) -> SafeString:
    """Return pieces of HTML, in which all texts are escaped, as one."""
    return mark_safe("".join(parts))  # noqa: S308 -- escaped
