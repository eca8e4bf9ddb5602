"""What a file that is not UTF-8 seems to be, and where it first shows."""

import pytest

from filing.lar import encodings

LATIN, UTF_16, OTHER = "Windows-1252 (Latin-1)", "UTF-16", "another encoding"
LONG = "x" * (1 << 20)


@pytest.mark.parametrize(
    ("content", "line", "kind", "place"),
    [
        ("1|Cañon Bank\n".encode("latin-1"), 1, LATIN, "byte 5 of line 1 is F1"),
        ("1|a\n2|“b”\n".encode("cp1252"), 2, LATIN, "byte 3 of line 2 is 93"),
        ("1|a\r2|é\r".encode("latin-1"), 2, LATIN, "byte 3 of line 2 is E9"),
        ("1|a|ñ\n".encode("utf-16"), 1, UTF_16, "byte 1 of line 1 is FF"),
        (b"1|a\n2|\x81\n", 2, OTHER, "byte 3 of line 2 is 81"),
        (b"1|a\n2|\xc3", 2, LATIN, "byte 3 of line 2 is C3"),  # it ends within a character
        (f"1|{LONG}é".encode("latin-1"), 1, LATIN, "byte 1,048,579 of line 1 is E9"),
        (f"1|a\n{LONG[:-1]}é\n".encode("latin-1"), 2, LATIN, "byte 1,048,576 of line 2 is E9"),
        # A character of UTF-8 lies across two reads, and a byte after it is wrong.
        (f"{LONG[:-1]}é".encode() + b"\xe9\n", 1, LATIN, "byte 1,048,578 of line 1 is E9"),
        (f"{LONG[:-1]}".encode() + b"\xe9x\n", 1, LATIN, "byte 1,048,576 of line 1 is E9"),
    ],
)
def test_kind_and_place(tmp_path, content, line, kind, place):
    path = tmp_path / "lar.txt"
    path.write_bytes(content)
    sentence = encodings.explain(path, line=line)
    assert kind in sentence
    assert place in sentence
    assert "Save the file as UTF-8" in sentence
