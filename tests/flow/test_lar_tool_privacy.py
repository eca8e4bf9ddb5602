"""Nothing of a spreadsheet stays in a whole service: not after an answer, nor after an error.

A word that is in everything that is sent (file name, header, cells, parts) is looked for in the
database, the folders of the service with its storage and logs, and the queue. A compressed file
would hide it, so no new file may be there either.
"""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import redis
from openpyxl import Workbook

from filing.edits import examples
from filing.edits.examples.pairs import LEI
from filing.lar.fields import LAR
from filing.lar.years import Period
from tests.flow.conftest import FILE_BYTES, SPREADSHEET_ROWS, Service, make_caller
from tests.flow.processes import wait_until
from tests.publicapi.lar_tool.pages import Form
from tests.redis_databases import find_redis_urls

pytestmark = pytest.mark.slow

WORD = "Zyxmarker7"
PUBLIC, PAGES = "/v2/public/lar", "/tools/lar"
YEAR = Period(2024)
SHEET = examples.correct_transmittal_sheet(YEAR, LEI, 1) | {"contact_name": WORD}
BEAT = "beat-schedule"  # of several files, which beat replaces while it works
CHANGING = {".log", ".sqlite3", ".sqlite3-wal", ".sqlite3-shm", ".sqlite3-journal"}


def loans(*changes: dict[str, Any]) -> list[list[str]]:
    """Return a header and records whose street has the word, with changes."""
    rows = [
        examples.correct_loan(YEAR, LEI, uli=examples.numbered_uli(LEI, number))
        | {"street": f"{number} {WORD} St"}
        | change
        for number, change in enumerate(changes)
    ]
    return [
        [*(field.label for field in LAR), WORD],
        *([*(str(row[field.name]) for field in LAR), WORD] for row in rows),
    ]


def csv(*changes: dict[str, Any]) -> bytes:
    return "\n".join(
        ",".join(f'"{cell}"' for cell in row) for row in loans(*(changes or ({},)))
    ).encode()


def workbook(*changes: dict[str, Any]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    book.active.title = WORD
    for row in loans(*(changes or ({},))):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def pipe_file() -> bytes:
    loan = examples.correct_loan(YEAR, LEI) | {"street": f"1 {WORD} St"}
    return "\n".join(map(examples.write_record_line, [SHEET, loan])).encode()


def sent(service: Service, path: str, content: bytes, parts: dict[str, Any]) -> httpx.Response:
    """Send a file to the API, with JSON parts."""
    given = {"sheet": SHEET, "map": {WORD: None}, "options": {"fill": {"street": WORD}}} | parts
    files = {"file": (f"{WORD}.bin", content)}
    data = {
        name: part if isinstance(part, str) else json.dumps(part) for name, part in given.items()
    }
    return post(f"{service.url}{PUBLIC}/{path}", files, data)


def post(url: str, files: dict[str, Any] | None, data: dict[str, Any]) -> httpx.Response:
    """Send a form as a caller that nobody else is."""
    return httpx.post(url, files=files, data=data, headers=make_caller(), timeout=120)


def filled_in(service: Service, path: str, content: bytes, form: dict[str, str]) -> httpx.Response:
    """Send a file to a page, with the form as it is after the columns were matched."""
    files = {"file": (f"{WORD}.bin", content)} if content else None
    fields = {"year": "2024", "quarter": ""}
    if path != "columns":
        columns = post(f"{service.url}{PAGES}/columns/", files, fields)
        sheet = {f"ts-{name}": str(value) for name, value in SHEET.items()}
        fields |= Form(columns.text).fields | sheet | {"fill-street": WORD}
    data = fields | form
    return post(f"{service.url}{PAGES}/{path}/", files, data)


ANSWERED = [
    ("columns", "columns", csv(), {}, 200),
    ("columns of a workbook", "columns", workbook(), {}, 200),
    *(
        (f"{kind}, {answer}", f"convert?format={answer}", content, parts, 200)
        for answer in ("json", "txt", "zip")
        for kind, content, parts in (
            ("csv", csv(), {}),
            ("workbook", workbook(), {}),
            ("pipes", pipe_file(), {"map": {}, "options": {}}),
        )
    ),
    ("no file", "convert?format=txt", csv({"action_taken_date": "21/7/2024"}), {}, 422),
    ("a wrong value", "convert", csv({"loan_type": WORD}), {}, 200),
    ("back to a workbook", "spreadsheet?format=xlsx", pipe_file(), {"options": {}}, 200),
    ("back to CSV", "spreadsheet?format=csv", pipe_file(), {"options": {"sheet": True}}, 200),
    ("an unknown field", "convert", csv(), {"map": {"A": WORD}}, 400),
    ("an unknown option", "convert", csv(), {"options": {WORD: 1}}, 400),
    ("a part that is no JSON", "convert", csv(), {"sheet": WORD}, 400),
    ("no header", "columns", f"{WORD},{WORD}\n".encode(), {"map": {}}, 400),
    ("no line", "spreadsheet", WORD.encode(), {"options": {}}, 400),
    ("not UTF-8", "spreadsheet", pipe_file() + b"\xff", {"options": {}}, 400),
    ("too many rows", "convert", csv(*[{}] * (SPREADSHEET_ROWS + 1)), {}, 413),
    ("too large", "convert", csv() + b" " * FILE_BYTES, {}, 413),
    ("a PDF", "convert", f"%PDF-1.7 {WORD}".encode(), {}, 415),
    ("a broken workbook", "columns", workbook()[:3000], {}, 415),
]  # fmt: skip

SHOWN = [
    ("columns", "columns", csv(), {}, 200),
    ("columns of a workbook", "columns", workbook(), {}, 200),
    ("columns of a pipe file", "columns", pipe_file(), {}, 200),
    ("columns again", "columns", csv(), {"again": "1", "header": "1"}, 200),
    ("the result", "result", csv(), {}, 200),
    *((f"saved as {save}", "result", workbook(), {"save": save}, 200)
      for save in ("txt", "typed", "findings", "xlsx", "editor")),
    ("a pipe file saved", "result", pipe_file(), {"save": "txt"}, 200),
    ("a wrong value", "result", csv({"loan_type": WORD}), {}, 200),
    ("no file", "result", csv({"action_taken_date": "21/7/2024"}), {"save": "txt"}, 422),
    ("an unknown field", "result", csv(), {"field-A": WORD}, 400),
    ("an unknown year", "result", csv(), {"year": WORD}, 400),
    ("a row that is none", "columns", csv(), {"header": WORD}, 400),
    ("no file chosen", "result", b"", {}, 400),
    ("no header", "columns", f"{WORD},{WORD}\n".encode(), {}, 400),
    ("a line that is no text", "result", pipe_file() + b"\xff", {}, 200),
    ("too many rows", "result", csv(*[{}] * (SPREADSHEET_ROWS + 1)), {}, 413),
    ("too large", "result", csv() + b" " * FILE_BYTES, {}, 413),
    ("a PDF", "columns", f"%PDF-1.7 {WORD}".encode(), {}, 415),
    ("a broken workbook", "columns", workbook()[:3000], {}, 415),
    ("filed by a visitor", "file", csv(), {"filing": f"{LEI}/2024"}, 302),
]  # fmt: skip
CALLS = [(sent, *case) for case in ANSWERED] + [(filled_in, *case) for case in SHOWN]


def places(service: Service) -> list[Path]:
    return [service.data_dir, Path(service.environment["TMPDIR"])]


def files(service: Service) -> Iterator[Path]:
    for place in places(service):
        yield from (path for path in place.rglob("*") if path.is_file())


def kept(service: Service) -> set[Path]:
    """Return the files; the key of receipts comes with the first sweep, whoever asks meanwhile."""
    return {
        path
        for path in files(service)
        if path.suffix not in CHANGING
        and path.stem != BEAT
        and not {"queue", "keys"} & {*path.parts}
    }


def where_the_word_is(service: Service) -> list[str]:
    word = WORD.lower()
    places = [str(path) for path in files(service) if word.encode() in content(path).lower()]
    for url in find_redis_urls(service.environment).values():
        server = redis.Redis.from_url(url)
        values = ((key, server.dump(key) or b"") for key in server.scan_iter())
        places += [f"{url}: {key!r}" for key, value in values if word.encode() in value.lower()]
    return places


def content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # of a queue, which works on
        return b""


@pytest.mark.parametrize(
    ("call", "path", "sheet", "given", "status"),
    [(call, *case) for call, _, *case in CALLS],
    ids=[f"{PUBLIC if call is sent else PAGES}, {name}" for call, name, *_ in CALLS],
)
def test_nothing_is_kept_after_an_answer(
    limits: Service,
    call: Callable[..., httpx.Response],
    path: str,
    sheet: bytes,
    given: dict[str, Any],
    status: int,
) -> None:
    before = kept(limits)
    answer = call(limits, path, sheet, given)
    assert answer.status_code == status, answer.text[-3000:]
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Set-Cookie" not in answer.headers
    assert kept(limits) - before == set()
    assert where_the_word_is(limits) == []


@pytest.mark.parametrize("is_answered", [False, True], ids=["upload", "answer"])
@pytest.mark.parametrize("path", [f"{PUBLIC}/convert?format=zip", f"{PAGES}/result/"])
def test_nothing_is_kept_of_a_call_that_was_cut_off(
    limits: Service, path: str, is_answered: bool
) -> None:
    before = kept(limits)
    form = {f"ts-{name}": str(value) for name, value in SHEET.items()}
    request = httpx.Request(
        "POST",
        f"{limits.url}{path}",
        files={"file": (f"{WORD}.csv", csv(*[{}] * SPREADSHEET_ROWS))},
        data={"sheet": json.dumps(SHEET), "year": "2024", "save": "txt"} | form,
    )
    body = request.read()
    address = urlsplit(limits.url)
    with socket.create_connection((str(address.hostname), address.port), timeout=60) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in make_caller().items())
        head += f"Content-Type: {request.headers['Content-Type']}\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + (body if is_answered else body[: len(body) // 2]))
        if is_answered:
            assert connection.recv(20).startswith(b"HTTP/1.1 200")
    # A busy service may begin to read after the call was cut off.
    wait_until(lambda: not [*(kept(limits) - before), *where_the_word_is(limits)], "all is gone")


def test_the_database_has_nothing_of_all_of_these_calls(limits: Service) -> None:
    rows = limits.manage("dumpdata")
    assert '"model": "filing.institution"' in rows
    assert WORD.lower() not in rows.lower()


def test_the_word_would_be_seen(limits: Service) -> None:
    path = Path(limits.environment["TMPDIR"], "left.txt")
    path.write_text(f"left of {WORD}")
    assert where_the_word_is(limits) == [str(path)]
    path.unlink()
