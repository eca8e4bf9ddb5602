"""Public records in Parquet files that programs can use: numbers as numbers, with a schema.

Codes and numbers are typed as `columns` says; each number has a note column for NA and Exempt.
Texts have dictionaries. The Arrow schema in the file describes each column.

The file of a data set and the files of its states have the records in the same order. A row group
has records of one state only, so that a filter by state reads no others, and the file of a state
changes only with its records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl

from databrowser.publication.columns import PUBLIC
from databrowser.publication.layout import TYPED, name_state_file
from databrowser.publication.lazy_imports import pa, pq
from databrowser.publication.scratch_database import GROUP_ROWS, Progress
from databrowser.publication.variables import Variable, list_variables
from filing.files.local_files import hash_file
from filing.lar.prefetch import map_in_parallel

# Increased when a column of typed files gets another name, type or meaning.
SCHEMA_VERSION = 1
_STATE = "state_code"
NO_STATE = "blank"  # where a published file of others has no state, not even NA


def typed_schema(year: int, facts: Mapping[str, Any]) -> pa.Schema:
    """Return the schema of typed records. year: of the codes. facts: of the file as a whole."""
    fields = [field for variable in list_variables(year) for field in _fields(variable)]
    metadata = {"schema_version": SCHEMA_VERSION, **facts}
    return pa.schema(fields, {name: str(value) for name, value in metadata.items()})


def _fields(variable: Variable) -> Iterator[pa.Field]:
    described = {"description": variable.description}
    if variable.codes:
        described["codes"] = json.dumps(variable.codes)
    if variable.notes:
        described["notes"] = json.dumps(variable.notes)
    text = pa.dictionary(pa.int32(), pa.string())
    dtype = text if variable.type == "string" else pa.type_for_alias(variable.type)
    yield pa.field(variable.name, dtype, metadata=described)
    if variable.note_column:
        described = {"description": f"what is published where {variable.name} has no number"}
        yield pa.field(variable.note_column, text, metadata=described)


def type_records(records: pl.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return public records as typed ones. Shape: records have the columns of `columns.SCHEMA`."""
    typed = records.select(value for column in PUBLIC for value in column.typed_values)
    return pa.table([_arrow_column(values) for values in typed.get_columns()], schema)


def _arrow_column(values: pl.Series) -> pa.Array:
    column = values.to_arrow(compat_level=pl.CompatLevel.oldest())
    if values.dtype != pl.String:
        return column
    texts = column.dictionary_encode()  # in the order of rows: the same rows give the same bytes
    return pa.DictionaryArray.from_arrays(texts.indices, texts.dictionary.cast(pa.string()))


def write_typed_files(
    loans: Path,
    folder: Path,
    *,
    year: int,
    facts: Mapping[str, Any],
    progress: Progress = lambda share: None,
) -> list[str]:
    """Write the records of a year into a typed file, and into one for each state.

    Return the states. The same records and facts give the same bytes. loans: the records, sorted by
    state. facts: of the data set.
    """
    facts = {"year": year, **facts}
    schema = typed_schema(year, facts)

    def typed(piece: tuple[str, float, pl.DataFrame]) -> tuple[str, float, pa.Table]:
        state, share, records = piece
        return state or NO_STATE, share, type_records(records, schema)

    def open_file(name: str, **more: str) -> pq.ParquetWriter:
        described = typed_schema(year, facts | more)
        return pq.ParquetWriter(folder / name, described, compression="zstd")

    pieces = map_in_parallel(typed, _pieces(loans))
    states = []
    with open_file(TYPED, records_sha256=hash_file(loans)) as whole:
        for state, group in groupby(pieces, key=itemgetter(0)):
            states.append(state)
            with open_file(name_state_file(state), state=state) as part:
                for _, share, records in group:
                    whole.write_table(records)
                    part.write_table(records)
                    progress(share)
    return states


def _pieces(loans: Path) -> Iterator[tuple[str, float, pl.DataFrame]]:
    """Yield the records of each state in frames of a row group, with the share of all so far."""
    rows = pl.scan_parquet(loans)
    counts = rows.group_by(_STATE).len().sort(_STATE).collect(engine="streaming")
    total, start = counts["len"].sum(), 0
    for state, height in counts.iter_rows():
        end = start + height
        while start < end:
            stop = min(start + GROUP_ROWS, end)
            yield state, stop / total, rows.slice(start, stop - start).collect()
            start = stop
