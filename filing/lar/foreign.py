"""What is plainly no register: an archive, a spreadsheet, UTF-16, a file with NUL bytes."""

from __future__ import annotations

from pathlib import Path

_READ_BYTES = 1 << 20
SAVE_AS_TEXT = "Save the register as pipe-delimited UTF-8 text and upload that."
_KINDS = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
    (b"\xd0\xcf\x11\xe0", "an Excel or Word document"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xff\xfe", "text in UTF-16 or UTF-32"),
    (b"\xfe\xff", "text in UTF-16"),
)
_HEAD_BYTES = max(len(magic) for magic, _ in _KINDS)


class Watch:
    """Looks at the bytes of a file as they pass. way_out: what to do about one that is foreign."""

    def __init__(self, way_out: str = SAVE_AS_TEXT) -> None:
        self._way_out = way_out
        self._lines = 0
        self._head = b""

    def fault(self, data: bytes) -> str | None:
        """Return, in a sentence with the way out, why the next bytes are of no register."""
        if (missing := _HEAD_BYTES - len(self._head)) > 0:
            self._head += data[:missing]
            for magic, kind in _KINDS:
                if self._head.startswith(magic):
                    return f"the file is {kind}. {self._way_out}"
        if (at := data.find(b"\0")) >= 0:
            line = 1 + self._lines + data.count(b"\n", 0, at)
            return f"line {line} holds a NUL byte, text has none. {self._way_out}"
        self._lines += data.count(b"\n")
        return None


def fault(path: Path) -> str | None:
    """Return why a file is plainly no register, or nothing."""
    watch = Watch()
    with path.open("rb") as file:
        while data := file.read(_READ_BYTES):
            if found := watch.fault(data):
                return found
    return None
