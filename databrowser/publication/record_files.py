"""Writes public records into Parquet files: as they come, or sorted, in bounded memory.

Columns have few different texts for their rows. Each text is a number here, of one or two bytes for
most columns, so that records are moved and written in a fraction of the time that texts take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from databrowser.publication.columns import SCHEMA
from databrowser.publication.lazy_imports import pa, pq
from databrowser.publication.scratch_database import GROUP_ROWS, Progress
from filing.lar.prefetch import map_in_parallel

# In all other columns the least and the greatest value of a row group would tell nothing.
_PLACES = ("lei", "derived_msa_md", "state_code", "county_code", "census_tract")
_RUN_ROWS = 250_000  # sorted in memory; of more records, sorted runs are put on disk
_RANGE_ROWS = 250_000  # of all runs, merged in memory


def sink_records(records: pl.LazyFrame, target: Path) -> None:
    """Write records as they come, with texts for texts."""
    records.sink_parquet(target, compression="zstd", row_group_size=GROUP_ROWS)


class RecordFile:
    """Public records for one Parquet file.

    plain: columns that stay texts until they are written.
    """

    def __init__(self, *plain: str) -> None:
        self._types = {
            name: pl.Categorical(pl.Categories.random())
            for name, dtype in SCHEMA.items()
            if dtype == pl.String and name not in plain
        }
        self._kept = pl.DataFrame(schema=self._types)  # a type forgets its texts with its columns

    def encode(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return records with numbers instead of texts."""
        coded = records.with_columns(
            pl.col(name).cast(dtype).to_physical() for name, dtype in self._types.items()
        )
        return coded.with_columns(coded[name].shrink_dtype() for name in self._types)

    def write(self, pieces: Iterable[pl.DataFrame], target: Path) -> None:
        """Write encoded records. The same records give the same bytes, whatever their numbers."""
        text = pa.dictionary(pa.int32(), pa.large_string())
        types = {pl.String: pa.large_string(), pl.Int32: pa.int32(), pl.Float64: pa.float64()}
        schema = pa.schema(
            (name, text if name in self._types else types[dtype]) for name, dtype in SCHEMA.items()
        )
        with pq.ParquetWriter(
            target, schema, compression="zstd", store_schema=False, write_statistics=list(_PLACES)
        ) as file:
            for columns in map_in_parallel(self._columns, _row_groups(pieces)):
                file.write_table(pa.table(columns, schema))

    def _columns(self, records: pl.DataFrame) -> list[pa.Array]:
        return [
            self._texts(name, records[name].to_numpy())
            if name in self._types
            else records[name].to_arrow(compat_level=pl.CompatLevel.oldest())
            for name in SCHEMA
        ]

    def _texts(self, name: str, codes: np.ndarray) -> pa.DictionaryArray:
        """Return a column with a dictionary of the texts that it has, sorted."""
        is_used = np.zeros(int(codes.max(initial=0)) + 1, bool)
        is_used[codes] = True
        used = pl.Series(np.flatnonzero(is_used), dtype=pl.UInt32)
        texts = pl.DataFrame({"code": used, "text": used.cat.to(self._types[name]).cast(pl.String)})
        texts = texts.sort("text")
        positions = np.empty(len(is_used), np.int32)
        positions[texts["code"]] = np.arange(texts.height, dtype=np.int32)
        return pa.DictionaryArray.from_arrays(
            positions[codes], texts["text"].to_arrow(compat_level=pl.CompatLevel.oldest())
        )


def _row_groups(pieces: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    rest: list[pl.DataFrame] = []
    for piece in pieces:
        records = pl.concat([*rest, piece], how="vertical_relaxed")
        end = records.height - records.height % GROUP_ROWS
        yield from records[:end].iter_slices(GROUP_ROWS)
        rest = [records[end:]]
    yield from (records for records in rest if records.height)


def write_sorted(
    pieces: Iterable[pl.DataFrame],
    target: Path,
    *,
    by: Sequence[str],
    folder: Path,
    progress: Progress = lambda share: None,
) -> None:
    """Write public records in the order of some columns, else in the order in which they come.

    by: the first two are those of a place; columns that are not public are not written. folder: for
    what does not fit in memory. progress: after all pieces are taken, while they are merged.
    """
    file = RecordFile(*by)
    runs = _Runs(by, folder)
    for piece in pieces:
        runs.add(file.encode(piece))
    file.write(runs.merged(progress), target)


class _Runs:
    """Records sorted in memory, run by run, and merged, range of places by range of places."""

    def __init__(self, by: Sequence[str], folder: Path) -> None:
        self._by, self._place, self._folder = by, by[:2], folder
        self._pieces: list[pl.DataFrame] = []
        self._sizes: list[pl.DataFrame] = []  # of each run: its rows by place

    def add(self, piece: pl.DataFrame) -> None:
        self._pieces.append(piece)
        if sum(piece.height for piece in self._pieces) >= _RUN_ROWS:
            self._end_run()

    def merged(self, progress: Progress) -> Iterator[pl.DataFrame]:
        if not self._sizes:
            if self._pieces:
                yield self._sorted(self._pieces)
            return
        if self._pieces:
            self._end_run()
        sizes, total = pl.concat(self._sizes), pl.col("rows").sum()
        ranges = (
            sizes.group_by(self._place)
            .agg(total)
            .sort(self._place)
            .select(*self._place, (pl.col("rows").cum_sum() // _RANGE_ROWS).alias("range"))
        )
        parts = sizes.join(ranges, on=self._place).group_by("range", "run").agg(total)
        begins = [0] * len(self._sizes)
        by_range = parts.sort("range", "run").partition_by("range", maintain_order=True)
        for number, part in enumerate(by_range, 1):
            pieces = []
            for run, rows in part.select("run", "rows").iter_rows():
                piece = pl.scan_ipc(self._path(run)).slice(begins[run], rows)
                pieces.append(piece.collect())
                begins[run] += rows
            yield self._sorted(pieces)
            progress(number / len(by_range))

    def _sorted(self, pieces: list[pl.DataFrame]) -> pl.DataFrame:
        return pl.concat(pieces, how="vertical_relaxed").sort(self._by, maintain_order=True)

    def _end_run(self) -> None:
        run, self._pieces = self._sorted(self._pieces), []
        number = len(self._sizes)
        sizes = run.group_by(self._place, maintain_order=True).len("rows")
        self._sizes.append(sizes.with_columns(pl.lit(number).alias("run")))
        run.write_ipc(self._path(number), compression="lz4", record_batch_size=GROUP_ROWS // 8)

    def _path(self, run: int) -> Path:
        return self._folder / f"run-{run}.arrow"
