"""Files that no one would send: valid ones with anything at all done to their bytes, and garbage.

Every input is drawn from its number alone, so that the number in a failure repeats it.
"""

from __future__ import annotations

import os
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from tests.filing.edits.garbage import NO_TEXT, POOLS

SECONDS = 20  # of the processor, for one input
PATIENCE = 15  # times as long, on a machine with much else to do
GROWTH_BYTES = 512 << 20  # of this process, over all inputs
_LARGE_ONE_IN = 500  # so seldom does an input become large
_ENDS = (b"\n", b"\r\n", b"\r", b"\n\n", b"\x0b", b"\x0c", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8")
_LEADS = (
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\0",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"x^",
    b"\xd0\xcf\x11\xe0",
)
_RUNS = (b" ", b"\t", b'"', b"|", b",", b"\n", b"\r", b"\0", b"9", b"-", b"\xe9", "é".encode())

Change = Callable[[bytes, Random], bytes]


class TooSlow(Exception):
    """An input takes longer than any may."""


def try_each(
    numbers: range,
    valid: Sequence[bytes],
    attempt: Callable[[bytes, Random], object],
    *,
    name: str,
    changes: Sequence[Change] = (),
) -> Counter[object]:
    """Try inputs made of valid ones; return how often each result came.

    numbers: of the inputs. attempt: reads an input and returns its result; what it raises is a
    failure of the test. changes: further ways to change an input, besides those of all formats.
    """
    results: Counter[object] = Counter()
    before = _peak_bytes()
    for number in numbers:
        draw = Random(f"{name} {number}")
        data = made(valid, draw, changes)
        try:
            with within(SECONDS):
                results[attempt(data, draw)] += 1
        except BaseException as error:
            error.add_note(f"{name}, input {number}, {len(data)} bytes: {data[:2000]!r}")
            raise
        if number % 100 == 0:
            assert _peak_bytes() - before < GROWTH_BYTES, f"{name}, about input {number}"
    return results


def share(numbers: range, parts: int) -> range:
    """Return the numbers of one in so many inputs. Of ranges that adjoin they adjoin, too."""
    return range(numbers.start // parts, numbers.stop // parts)


def made(valid: Sequence[bytes], draw: Random, changes: Sequence[Change] = ()) -> bytes:
    """Return one input."""
    if draw.randrange(25) == 0:
        return draw.randbytes(draw.choice((0, 1, 3, 30, 300, 3000)))
    data = draw.choice(valid)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        data = draw.choice((*_CHANGES, *changes, *changes))(data, draw)
    if draw.randrange(_LARGE_ONE_IN) == 0:
        return _large(data, draw)
    return data


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Interrupt what hangs; of native code, only once that has returned.

    seconds: of the processor, those of child processes that have ended included.

    Raises: TooSlow.
    """

    def interrupt(*_: Any) -> None:
        raise TooSlow(f"not done after {seconds * PATIENCE} seconds")

    former = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(seconds * PATIENCE)
    began = _processor_seconds()
    try:
        yield
        if (used := _processor_seconds() - began) > seconds:
            raise TooSlow(f"{used:.0f} seconds of the processor, of {seconds}")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _span(data: bytes, draw: Random) -> tuple[int, int]:
    begin = draw.randint(0, len(data))
    return begin, min(len(data), begin + draw.choice((1, 2, 5, 20, 100, 1000)))


def _inserted(data: bytes, more: bytes, draw: Random) -> bytes:
    at = draw.randint(0, len(data))
    return data[:at] + more + data[at:]


def _bytes_changed(data: bytes, draw: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 6) if changed else 0):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _bits_changed(data: bytes, draw: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 3) if changed else 0):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _slice_removed(data: bytes, draw: Random) -> bytes:
    begin, end = _span(data, draw)
    return data[:begin] + data[end:]


def _slice_repeated(data: bytes, draw: Random) -> bytes:
    begin, end = _span(data, draw)
    return data[:end] + data[begin:end] * draw.choice((1, 1, 2, 9)) + data[end:]


def _slice_moved(data: bytes, draw: Random) -> bytes:
    begin, end = _span(data, draw)
    return _inserted(data[:begin] + data[end:], data[begin:end], draw)


def _cut_off(data: bytes, draw: Random) -> bytes:
    return data[: draw.randint(0, len(data))]


def _value_inserted(data: bytes, draw: Random) -> bytes:
    return _inserted(data, draw.choice(draw.choice(POOLS)).encode(), draw)


def _no_text_inserted(data: bytes, draw: Random) -> bytes:
    return _inserted(data, draw.choice((*NO_TEXT, draw.randbytes(4))), draw)


def _end_inserted(data: bytes, draw: Random) -> bytes:
    return _inserted(data, draw.choice(_ENDS), draw)


def _run_inserted(data: bytes, draw: Random) -> bytes:
    return _inserted(data, draw.choice(_RUNS) * draw.choice((2, 9, 50, 400, 4000)), draw)


def _led(data: bytes, draw: Random) -> bytes:
    return draw.choice(_LEADS) + data


def _ends_replaced(data: bytes, draw: Random) -> bytes:
    return data.replace(b"\n", draw.choice(_ENDS))


def _cell_replaced(data: bytes, draw: Random) -> bytes:
    separator = draw.choice((b"|", b"|", b"|", b",", b"\t"))
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    cells = lines[at].split(separator)
    cells[draw.randrange(len(cells))] = draw.choice(draw.choice(POOLS)).encode()
    lines[at] = separator.join(cells)
    return b"\n".join(lines)


def _lines_changed(data: bytes, draw: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    way = draw.randrange(4)
    if way == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif way == 1:
        lines.insert(one, lines[other])
    elif way == 2:
        del lines[one]
    else:
        lines[one] = b""
    return b"\n".join(lines)


def _large(data: bytes, draw: Random) -> bytes:
    """Return a megabyte or two: the same again and again, or one byte in the middle of it."""
    if data and draw.randrange(2):
        return data * (draw.choice((200_000, 1 << 20)) // len(data) + 1)
    return _inserted(data, draw.choice(_RUNS) * draw.choice((70_000, 1 << 20)), draw)


_CHANGES: tuple[Change, ...] = (
    *(_bytes_changed, _bits_changed, _slice_removed, _slice_repeated, _slice_moved, _cut_off),
    *(_value_inserted, _no_text_inserted, _end_inserted, _run_inserted, _led, _ends_replaced),
    *(_cell_replaced, _cell_replaced, _cell_replaced, _lines_changed, _lines_changed),
    lambda data, draw: data,
)
