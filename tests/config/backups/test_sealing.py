"""Encrypted streams: what was changed, moved, cut off, renamed or sealed otherwise is refused."""

from __future__ import annotations

import pytest

from config.backups import sealing
from config.backups.sealing import CHUNK, Damaged, opened, sealed, sealed_size

KEY, OTHER = b"k" * 32, b"o" * 32
HEADER = sealed_size(0) - 16
PIECE = CHUNK + 16


def seal(content: bytes, name: str = "a") -> bytes:
    return b"".join(sealed([content], KEY, name))


def unseal(content: bytes, name: str = "a", key: bytes = KEY) -> bytes:
    return b"".join(opened([content[:10], content[10:]], key, name))


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_a_stream_of_any_length_comes_back_and_its_length_is_known(size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    stored = seal(content)
    assert unseal(stored) == content
    assert len(stored) == sealed_size(size)


def test_the_pieces_in_which_it_arrives_do_not_matter() -> None:
    content = b"abc" * CHUNK
    stored = b"".join(
        sealed((content[at : at + 999] for at in range(0, len(content), 999)), KEY, "a")
    )
    pieces = (stored[at : at + 65_000] for at in range(0, len(stored), 65_000))
    assert b"".join(opened(pieces, KEY, "a")) == content


def test_no_two_streams_are_alike() -> None:
    assert seal(b"same") != seal(b"same")


STORED = seal(b"a" * CHUNK + b"b" * CHUNK + b"c")
FIRST, SECOND = (STORED[HEADER + n * PIECE : HEADER + (n + 1) * PIECE] for n in range(2))
LAST = STORED[HEADER + 2 * PIECE :]
START = STORED[:HEADER]


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(START + SECOND + FIRST + LAST, id="reordered"),
        pytest.param(START + FIRST + LAST, id="one left out"),
        pytest.param(START + FIRST + SECOND, id="cut off between two"),
        pytest.param(STORED[:-1], id="cut off"),
        pytest.param(START + FIRST + FIRST + SECOND + LAST, id="repeated"),
        pytest.param(STORED + LAST, id="continued"),
        pytest.param(STORED + b"x", id="one byte more"),
        pytest.param(START, id="header only"),
        pytest.param(STORED[:20], id="half a header"),
        pytest.param(b"", id="nothing"),
        pytest.param(STORED[:-1] + bytes([STORED[-1] ^ 1]), id="one bit"),
        pytest.param(STORED[:20] + b"x" + STORED[21:], id="another salt"),
        pytest.param(seal(b"x" * CHUNK * 2)[:HEADER] + STORED[HEADER:], id="another header"),
        pytest.param(b"lei|name\n" * 99, id="never sealed"),
    ],
)
def test_a_stream_that_was_changed_is_refused(stored: bytes) -> None:
    with pytest.raises(Damaged, match=r"^a "):
        unseal(stored)


def test_another_name_and_another_key_are_refused() -> None:
    with pytest.raises(Damaged):
        unseal(STORED, name="b")
    with pytest.raises(Damaged):
        unseal(STORED, key=OTHER)


def test_a_key_has_a_name_that_does_not_give_it_away() -> None:
    assert sealing.key_name(KEY) != sealing.key_name(OTHER)
    assert len(sealing.key_name(KEY)) == 16
    assert sealing.key_name(b"") == ""
