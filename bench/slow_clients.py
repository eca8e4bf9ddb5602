"""`python bench/slow_clients.py`: other requests while hundreds of callers are slow.

It runs its own service and
asks it for pages without a pause while callers read a year's file slowly, send half of a request,
or stop in the middle of an upload.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from bench import report
from bench.service import Service
from filing.lar.period import Period

YEAR = 2022
LIMIT_MS = 200
PAGES = ("/", "/v2/public/edits/V600", "/tools/check-digit/", "/v2/filing/")
ASKING = 4  # threads that ask for pages
UPLOAD = "/v2/public/disclosure/parse/csv"
UPLOAD_BYTES = 5_000_000
TRICKLE_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Reads:
    """The times of other requests in milliseconds, while some callers were slow."""

    callers: str
    count: int
    median: float
    p95: float
    most: float
    failed: int


async def _open(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
    return await asyncio.open_connection(sock=connection, limit=4096)


async def _read_slowly(port: int, path: str, over: asyncio.Event) -> None:
    reader, writer = await _open(port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    while not over.is_set() and await reader.read(4096):
        await asyncio.sleep(TRICKLE_SECONDS)
    writer.close()


async def _send_half(port: int, path: str, over: asyncio.Event) -> None:
    _, writer = await _open(port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Half: ".encode())
    while not over.is_set():
        await asyncio.sleep(TRICKLE_SECONDS)
        writer.write(b"x")
    writer.close()


async def _stop_upload(port: int, path: str, over: asyncio.Event) -> None:
    _, writer = await _open(port)
    head = (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {UPLOAD_BYTES}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="lar.txt"\r\n\r\n'
    )
    writer.write(head.encode() + b"x" * 100_000)
    while not over.is_set():
        await asyncio.sleep(TRICKLE_SECONDS)
    writer.close()


Caller = Callable[[int, str, asyncio.Event], Awaitable[None]]
CALLERS: dict[str, Caller] = {
    "reading slowly": _read_slowly,
    "half a request": _send_half,
    "stopped upload": _stop_upload,
}


class Crowd:
    """Slow callers in a thread of their own."""

    def __init__(self, call: Caller, count: int, port: int, path: str) -> None:
        self._call, self._count, self._port, self._path = call, count, port, path
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    async def _run(self) -> None:
        calls = (self._call(self._port, self._path, self._over) for _ in range(self._count))
        await asyncio.gather(*calls, return_exceptions=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()


def _reads(url: str, callers: str, seconds: float) -> Reads:
    """Ask for pages for a while; return the times."""
    times: list[float] = []
    failures: list[str] = []
    until = time.monotonic() + seconds

    def ask(number: int) -> None:
        with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
            while time.monotonic() < until:
                began = time.perf_counter()
                try:
                    status = client.get(PAGES[number % len(PAGES)]).status_code
                except httpx.HTTPError as error:
                    failures.append(repr(error))
                else:
                    if status != 200:
                        failures.append(str(status))
                times.append((time.perf_counter() - began) * 1000)
                number += 1
                time.sleep(0.02)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(ASKING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cuts = statistics.quantiles(times, n=20)
    return Reads(callers, len(times), statistics.median(times), cuts[18], max(times), len(failures))


def _measured(folder: Path, options: argparse.Namespace) -> list[Reads]:
    service = Service(folder, Period(YEAR))
    service.manage("prepare")
    file = folder / "national.csv"
    year = str(YEAR)
    service.manage(
        "make_public_lar", "--rows", str(options.rows), "--years", year, "--out", str(file)
    )
    service.manage("load_public_lar", str(file))
    service.manage("publish", year)
    service.stack.start()
    try:
        url, port = service.stack.url, service.stack.address[1]
        path = _year_file(url)
        measured = [_reads(url, "none", options.seconds)]
        for name, call in CALLERS.items():
            with Crowd(call, options.callers, port, path):
                time.sleep(2)
                measured.append(_reads(url, f"{options.callers} {name}", options.seconds))
    finally:
        service.stack.stop()
    return measured


def _year_file(url: str) -> str:
    """Return the address of the largest file of the year."""
    published = httpx.get(f"{url}/v2/public/publications/{YEAR}", timeout=60).json()
    return str(max(published["files"], key=lambda file: file["bytes"])["href"])


def main() -> None:
    """Measure and print; ends with an error above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callers", type=int, default=300)
    parser.add_argument("--rows", type=int, default=300_000, help="of the year's file")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        measured = _measured(Path(folder), options)
    checks = [
        report.at_most(f"{reads.callers}: ms for 95 % of other requests", reads.p95, LIMIT_MS)
        for reads in measured
    ]
    if options.json:
        print(json.dumps({"reads": [asdict(reads) for reads in measured]}))
    else:
        _show(measured, checks)
    if not all(check.ok for check in checks) or any(reads.failed for reads in measured):
        sys.exit("Other requests were too slow, or failed.")


def _show(measured: list[Reads], checks: list[report.Check]) -> None:
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    columns = ("requests", "slow callers", "median ms", "95 % ms", "most ms", "failed")
    table = report.table_of("Other requests while callers are slow", *columns)
    for reads in measured:
        times = (f"{reads.median:.1f}", f"{reads.p95:.1f}", f"{reads.most:.0f}")
        table.add_row(f"{reads.count:,}", reads.callers, *times, str(reads.failed))
    out.print(table)
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
