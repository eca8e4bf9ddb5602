"""`python bench/slow_clients.py`: other requests while hundreds of callers are slow.

It runs its own service and asks it for pages without a pause while callers read a year's file
slowly, send half of a request, or stop in the middle of an upload. With `--proxy` all of them call
nginx with the shipped configuration. Each slow caller has an address of its own: limits for one
address do not help.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import ssl
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
from bench.other_requests import LIMIT_MS, Reads, reads_while, table
from bench.proxy import HOST, Proxy
from bench.service import Service
from filing.lar.years import Period

YEAR = 2022
UPLOAD = "/v2/public/disclosure/parse/csv"
UPLOAD_BYTES = 5_000_000
TRICKLE_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Goal:
    """Where slow callers call: a port of this machine, the file, and how to trust a proxy."""

    port: int
    path: str
    context: ssl.SSLContext | None = None


async def _open(goal: Goal, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    connection = socket.socket()
    connection.bind((f"127.0.{1 + number // 200}.{1 + number % 200}", 0))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, (HOST, goal.port))
    name = "localhost" if goal.context else None
    return await asyncio.open_connection(
        sock=connection, limit=4096, ssl=goal.context, server_hostname=name
    )


async def _read_slowly(goal: Goal, number: int, over: asyncio.Event) -> None:
    reader, writer = await _open(goal, number)
    writer.write(f"GET {goal.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    while not over.is_set() and await reader.read(4096):
        await asyncio.sleep(TRICKLE_SECONDS)
    writer.close()


async def _send_half(goal: Goal, number: int, over: asyncio.Event) -> None:
    _, writer = await _open(goal, number)
    writer.write(f"GET {goal.path} HTTP/1.1\r\nHost: localhost\r\nX-Half: ".encode())
    while not over.is_set():
        await asyncio.sleep(TRICKLE_SECONDS)
        writer.write(b"x")
    writer.close()


async def _stop_upload(goal: Goal, number: int, over: asyncio.Event) -> None:
    _, writer = await _open(goal, number)
    head = (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {UPLOAD_BYTES}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="lar.txt"\r\n\r\n'
    )
    writer.write(head.encode() + b"x" * 100_000)
    while not over.is_set():
        await asyncio.sleep(TRICKLE_SECONDS)
    writer.close()


Caller = Callable[[Goal, int, asyncio.Event], Awaitable[None]]
CALLERS: dict[str, Caller] = {
    "reading slowly": _read_slowly,
    "half a request": _send_half,
    "stopped upload": _stop_upload,
}


class Crowd:
    """Slow callers in a thread of their own."""

    def __init__(self, call: Caller, count: int, goal: Goal) -> None:
        self._call, self._count, self._goal = call, count, goal
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    async def _run(self) -> None:
        calls = (self._call(self._goal, number, self._over) for number in range(self._count))
        await asyncio.gather(*calls, return_exceptions=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()


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
    if not options.proxy:
        return _measured_at(service, None, options)
    # nginx sends the files, and the service knows that it is a proxy.
    service.stack.environment |= {"TRUSTED_PROXIES": HOST, "DOWNLOADS": "x-accel-redirect"}
    proxy = Proxy(folder / "proxy", service.stack.address[1], files=folder / "files")
    return _measured_at(service, proxy, options)


def _measured_at(service: Service, proxy: Proxy | None, options: argparse.Namespace) -> list[Reads]:
    service.stack.start()
    try:
        goal = Goal(service.stack.address[1], _year_file(service.stack.url))
        if proxy is None:
            return _with_crowds(service.stack.url, goal, options)
        with proxy:
            goal = Goal(proxy.port, goal.path, proxy.context)
            return _with_crowds(proxy.url, goal, options, proxy.context)
    finally:
        service.stack.stop()


def _with_crowds(
    url: str, goal: Goal, options: argparse.Namespace, context: ssl.SSLContext | None = None
) -> list[Reads]:
    way = "nginx, " if context else ""
    measured = [reads_while(url, f"{way}none", options.seconds, context)]
    for name, call in CALLERS.items():
        with Crowd(call, options.callers, goal):
            time.sleep(2)
            callers = f"{way}{options.callers} {name}"
            measured.append(reads_while(url, callers, options.seconds, context))
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
    parser.add_argument("--proxy", action="store_true", help="behind nginx")
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
    out.print(table("Other requests while callers are slow", measured))
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
