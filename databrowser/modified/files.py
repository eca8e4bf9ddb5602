"""The modified LAR of an institution, as it is handed out: pieces of text, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from databrowser.models import ModifiedLar
from databrowser.publication.columns import MODIFIED
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import pq
from filing import storage

# What separates the values of a file, by the end of its name.
SEPARATORS = {"txt": "|", "csv": ","}
_ROWS = 8_192  # made into text at a time

_AMOUNT = pl.col("loan_amount")
# Midpoints are whole; the last resort is for amounts that no type of whole numbers holds.
_WHOLE = pl.coalesce(_AMOUNT.cast(pl.Int128, strict=False).cast(pl.String), _AMOUNT.cast(pl.String))


def latest(year: int, lei: str) -> ModifiedLar | None:
    """Return the modified LAR that counts: of the annual submission that was signed last."""
    filed = ModifiedLar.objects.made().annual()
    made = filed.filter(
        submission__filing__period__year=year, submission__filing__institution__lei=lei
    )
    return made.order_by("-submission__signature__signed_at").first()


class Pieces:
    """The file of a modified LAR, in pieces; rows end in a line feed, sorted by place.

    form: one of `SEPARATORS`. It is open from the start, so that one that is gone is known before
    an answer begins; hand it to a streaming response, which closes it.
    """

    def __init__(self, made: ModifiedLar, *, form: str, header: bool) -> None:
        self._file = pq.ParquetFile(storage.local(f"{made.folder}/{LOANS}"))
        self._separator, self._header = SEPARATORS[form], header

    def __iter__(self) -> Iterator[bytes]:
        if self._header:
            yield (self._separator.join(MODIFIED.values()) + "\n").encode()
        for batch in self._file.iter_batches(batch_size=_ROWS, columns=list(MODIFIED)):
            rows = pl.DataFrame(batch).select(
                (_WHOLE if name == "loan_amount" else pl.col(name)).alias(published)
                for name, published in MODIFIED.items()
            )
            # No free text is among them: no value holds a quote or what separates them.
            text = rows.write_csv(
                separator=self._separator, include_header=False, quote_style="never"
            )
            yield text.encode()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
