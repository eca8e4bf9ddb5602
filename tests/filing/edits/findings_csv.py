"""The findings of a file as one CSV, with its header."""

from collections.abc import Iterator, Sequence

from filing.edits import details
from filing.edits.details import EditFindings
from filing.lar.lines import Lines


def stream_findings_csv(
    lines: Lines, parts: Sequence[EditFindings], *, lei: str, detailed: bool = False
) -> Iterator[bytes]:
    yield details.format_csv_header(detailed=detailed)
    for table in details.stream_findings_tables(lines, parts, lei=lei, detailed=detailed):
        yield table.write_csv(include_header=False).encode()
