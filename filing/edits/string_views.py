"""The buffers of a column, as the Arrow format lays them out.

A text is a view of 16 bytes: its length in four bytes, then the text itself if it has at most
12 bytes, padded with zeros; of a longer one its first four bytes and the place of the others.

Source: Arrow columnar format, variable-size binary view layout; C data and stream interfaces.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, byref, c_int, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

VIEW_BYTES = 12

Words = npt.NDArray[np.uint64]


class _Array(ctypes.Structure):
    """One chunk of a column; it belongs to its reader, who has to release it."""

    _fields_ = (
        ("length", c_int64),
        *((name, c_int64) for name in ("null_count", "offset", "n_buffers", "n_children")),
        ("buffers", POINTER(c_void_p)),
        *((name, c_void_p) for name in ("children", "dictionary")),
        ("release", CFUNCTYPE(None, c_void_p)),
        ("private_data", c_void_p),
    )


class _Stream(ctypes.Structure):
    _fields_ = (("get_schema", c_void_p), ("get_next", CFUNCTYPE(c_int, c_void_p, c_void_p)))


_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def read_views(texts: pl.Series) -> Words:
    """Return the views of texts as two rows of numbers: their first eight bytes, and the others."""
    content, offset = _copy_values(texts, bits=128)
    views = np.frombuffer(content, np.uint64).reshape(-1, 2)
    return np.ascontiguousarray(views[offset:].T)


def read_bools(bools: pl.Series) -> Any:
    """Return bools, none of them null, as an array: much faster than polars does."""
    content, offset = _copy_values(bools, bits=1)
    bits = np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little")
    return bits[offset : offset + len(bools)].view(np.bool_)


def view_of(text: str) -> tuple[int, int]:
    """Return the view of a text of at most `VIEW_BYTES`."""
    content = text.encode()
    view = len(content).to_bytes(4, "little") + content.ljust(VIEW_BYTES, b"\0")
    first, second = np.frombuffer(view[:16], np.uint64).tolist()
    return first, second


def require_views() -> None:
    """Refuse to read texts that the library no longer gives as views: edits would compare wrongly.

    Raises: ImportError.
    """
    if read_views(pl.Series(["NA"]))[:, 0].tolist() != list(view_of("NA")):
        raise ImportError("This version of polars gives texts in another layout than Arrow views.")


def _copy_values(values: pl.Series, *, bits: int) -> tuple[bytes, int]:
    """Return the values of a column, of so many bits each, and where the first one is."""
    if not len(values):
        return b"", 0
    capsule = values.rechunk().__arrow_c_stream__()  # frees the stream at the end
    stream = _pointer(capsule, b"arrow_array_stream")
    array = _Array()
    _Stream.from_address(stream).get_next(stream, byref(array))
    size = -(-(array.offset + array.length) * bits // 8)
    content = ctypes.string_at(array.buffers[1], size)
    array.release(byref(array))
    return content, array.offset


require_views()
