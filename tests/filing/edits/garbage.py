"""Rows that nobody would file: correct lines with anything at all done to them."""

from __future__ import annotations

from itertools import product
from random import Random

from bench.yardstick.reading import BOM, MOST_BYTES, cells, is_text, readable
from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field


def _cased(word: str) -> list[str]:
    return ["".join(letters) for letters in product(*zip(word.lower(), word.upper(), strict=True))]


NUMBERS = (
    *("0", "-0", "+0", "-1", "-0.01", "+1", "00000000001", "1e99", "-1e99", "1e-99", "1E+99"),
    *("1e100", "1e1000", "1e", "e1", ".", "-", "+", "+-1", ".5", "5.", "1.2.3", "1,000", "1 000"),
    *("$1", "50%", "0x1F", "1_000", "NaN", "inf", "-Infinity", "1/2", "9" * 15, "9" * 38, "9" * 39),
    *("-" + "9" * 99, "9" * 100, "9" * 101, "0." + "3" * 98, "0." + "3" * 99, "1" + "0" * 400),
    *("2147483647", "2147483648", "-2147483648", "-2147483649", "4294967296", str(2**63), "1111"),
    *("8888", "9999", "99999", "888.00", "999.0", "1111.0", "3", "11", "12", "17", "44", "100"),
)
DATES = (
    *("20240230", "20230229", "20240229", "20241301", "20240001", "00000000", "00010101"),
    *("99991231", "2024-01-01", "01/01/2024", "20240101T000000", "2024011", "202401011"),
)
WORDS = (*_cased("NA"), *_cased("Exempt"), "N/A", "null", "None", "true", "Exempt ", "NA.")
FORMULAS = (
    *("=1+1", "+1+1", "-1+1", "@SUM(A1)", '=HYPERLINK("http://x","y")', "=cmd|' /C calc'!A0"),
    *("\t=1+1", "\r=1+1", "' OR 1=1 --", "<script>alert(1)</script>", "../../etc/passwd", "%s%n"),
    *("${jndi:ldap://x}", "{0}", "{}", "\\", "\\n", "'", '"', '""', 'a"b', "a,b", "a;b", "a\\|b"),
)
LETTERS = (
    *("é", "ß", "日本語", "😀", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"),
    *("👩\N{ZERO WIDTH JOINER}👧", "e\N{COMBINING ACUTE ACCENT}", "\N{RIGHT-TO-LEFT OVERRIDE}1"),
    *("\N{NO-BREAK SPACE}", "\N{LINE SEPARATOR}", "\N{NEXT LINE}", "\N{IDEOGRAPHIC SPACE}", "\x7f"),
    *("\N{REPLACEMENT CHARACTER}", "\uffff", "\U0010ffff", "\N{ARABIC-INDIC DIGIT THREE}"),
    *("\N{FULLWIDTH DIGIT ONE}", "\N{FULLWIDTH LATIN CAPITAL LETTER N}A", "\N{BYTE ORDER MARK}"),
    *("A" * 20, "A" * 23, "A" * 45, "A" * 46, "é" * 20, "Main St", "CA", "ZZ", "90001"),
)
CONTROLS = ("\0", "\x01", "\t", "\x0b", "\x0c", "\x1a", "\x1b[31m", "\x1f", "\b", "1\x002", "\r")
NO_TEXT = (
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xff", b"\xfe", b"\x80", b"\xc0\xaf", b"\xe2\x82"),
    *(b"\xf5\x80\x80\x80", b"\xf0\x9f\x98", b"caf\xe9", b"\xff\xfe1\x00"),
)
ULI = 2  # the place of what is told with every finding
LONG_ONE_IN = 400  # so seldom is a text or a line very long
NO_TEXT_ONE_IN = 60  # so seldom is a line no UTF-8 on purpose

POOLS = (NUMBERS, DATES, WORDS, FORMULAS, LETTERS, CONTROLS, ("",))


def mutated(line: bytes, draw: Random) -> bytes:
    """Return the line with something done to a few of its cells, or to the line as a whole."""
    if draw.randrange(NO_TEXT_ONE_IN) == 0:
        return _inserted(line, draw.choice((*NO_TEXT, draw.randbytes(draw.randint(1, 9)))), draw)
    if draw.randrange(8) == 0:
        return draw.choice(ON_LINES)(line, draw)
    found = line.split(b"|")
    fields = LAR if len(found) == len(LAR) else TRANSMITTAL_SHEET
    shall_be_readable = draw.randrange(4) > 0
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        at = draw.randrange(len(found)) if draw.randrange(9) else ULI
        value = _cell(found[at], found, draw)
        while shall_be_readable and not _is_readable(value, fields[at]):
            value = _cell(found[at], found, draw)
        found[at] = value
    return b"|".join(found)


def _is_readable(value: bytes, field: Field) -> bool:
    return b"|" not in value and is_text(value) and readable(field, cells(value)[0])


def _cell(old: bytes, others: list[bytes], draw: Random) -> bytes:
    """Return what comes in the place of a value."""
    way = draw.randrange(12)
    if way == 0:
        return draw.choice(others)
    if way == 1:
        return _text(draw, draw.randint(1, 12)).encode()
    if way == 2:
        return str(draw.choice((draw.randint(-9, 99), draw.randint(-(10**40), 10**40)))).encode()
    if way == 3:
        return draw.choice((old * 2, old[:-1], b" " + old + b" ", old.lower(), b"-" + old, old))
    if draw.randrange(LONG_ONE_IN) == 0:
        return draw.choice(("A", "9", "😀", "=")).encode() * draw.choice((300, 5000, 20_000))
    value = draw.choice(draw.choice(POOLS)).encode()
    return draw.choice((value, value, value, value, old + value, b" " + value + b"  "))


def _text(draw: Random, length: int) -> str:
    """Return characters of all of Unicode; line ends and surrogates are not among them."""
    tops = (0x80, 0x800, 0xD800, 0x110000)
    some = (chr(draw.randrange(draw.choice(tops))) for _ in range(length))
    return "".join(one for one in some if one not in "\r\n" and not "\ud800" <= one <= "\udfff")


def _inserted(line: bytes, more: bytes, draw: Random) -> bytes:
    at = draw.randint(0, len(line))
    # Line ends would make two rows of one.
    return line[:at] + more.replace(b"\n", b"").replace(b"\r", b"") + line[at:]


def _pipe_added(line: bytes, draw: Random) -> bytes:
    return _inserted(line, b"|" * draw.choice((1, 1, 2, 200)), draw)


def _pipe_removed(line: bytes, draw: Random) -> bytes:
    found = line.split(b"|")
    at = draw.randrange(len(found) - 1)
    return b"|".join([*found[:at], found[at] + found[at + 1], *found[at + 2 :]])


def _bytes_changed(line: bytes, draw: Random) -> bytes:
    changed = bytearray(line)
    for _ in range(draw.randint(1, 4)):
        changed[draw.randrange(len(changed))] = draw.randrange(32, 128)
    return bytes(changed)


ON_LINES = (
    _pipe_added,
    _pipe_removed,
    _bytes_changed,
    lambda line, draw: _inserted(line, BOM * draw.randint(1, 2), draw),
    lambda line, draw: _inserted(line, bytes([draw.randrange(32)]) * 3, draw),
    lambda line, draw: line + b"|" * draw.randint(1, 3),
    lambda line, draw: b" " * draw.randint(0, 3) + line.replace(b"|", b" | ") + b" ",
    lambda line, draw: line[: draw.randint(1, len(line))],
    lambda line, draw: line + draw.choice((b"|", b"\r")) + line,
    lambda line, draw: b'"' + line.replace(b"|", b'"|"') + b'"',
    lambda line, draw: line.replace(b"|", draw.choice((b",", b"\t", b";", "¦".encode()))),
    lambda line, draw: line.lower(),
    lambda line, draw: b"x^" + line,
    lambda line, draw: b"",
    lambda line, draw: b"|" * draw.choice((1, 14, 108, 109, 110)),
    lambda line, draw: line.ljust(MOST_BYTES - draw.randint(0, 1)) + b".",
    lambda line, draw: b"1" + line[1:],
)
