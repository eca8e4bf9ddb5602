"""The modified LAR of an institution as a file to download, streamed in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from databrowser.models import ModifiedLar
from databrowser.publication.columns import MODIFIED
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import pq
from filing import storage

# The separator of the values in a file, by its extension.
SEPARATORS = {"txt": "|", "csv": ","}
_ROWS = 8_192  # written as text at a time

_AMOUNT = pl.col("loan_amount")
# Midpoints are whole numbers; the fallback is for amounts too large for any integer type.
_WHOLE = pl.coalesce(_AMOUNT.cast(pl.Int128, strict=False).cast(pl.String), _AMOUNT.cast(pl.String))


def latest(year: int, lei: str) -> ModifiedLar | None:
    """Return the modified LAR in use of the annual filing of an institution, or None."""
    lars = ModifiedLar.objects.annual().in_use()
    return lars.filter(
        submission__filing__period__year=year, submission__filing__institution__lei=lei
    ).first()


class Pieces:
    """The pieces of a modified LAR file; lines end in a line feed and are sorted by place.

    form: one of `SEPARATORS`. The stored file is opened at once, so a missing one is noticed before
    the response begins. Hand it to a streaming response, which closes it.
    """

    def __init__(self, lar: ModifiedLar, *, form: str, header: bool) -> None:
        self._file = pq.ParquetFile(storage.local(f"{lar.folder}/{LOANS}"))
        self._separator, self._header = SEPARATORS[form], header

    def __iter__(self) -> Iterator[bytes]:
        if self._header:
            yield (self._separator.join(MODIFIED.values()) + "\n").encode()
        for batch in self._file.iter_batches(batch_size=_ROWS, columns=list(MODIFIED)):
            rows = pl.DataFrame(batch).select(
                (_WHOLE if name == "loan_amount" else pl.col(name)).alias(published)
                for name, published in MODIFIED.items()
            )
            # There are no free-form texts, so no value contains a quote or a separator.
            text = rows.write_csv(
                separator=self._separator, include_header=False, quote_style="never"
            )
            yield text.encode()

    def close(self) -> None:
        """Close the stored file."""
        self._file.close()
