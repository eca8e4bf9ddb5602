"""`python bench/large_uploads.py`: other requests during many large uploads, and memory of one.

It runs its own service. 20 files of 200 MB are uploaded at once while others ask for pages; then
one file of 2 GiB, and the memory of the web processes is compared with that before any upload. With
`--proxy` the same again behind nginx with the shipped configuration. Workers are stopped meanwhile:
it is the web process that is measured, not the checking of files.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import signal
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.files import FILER, pieces_of_a_lar
from bench.other_requests import LIMIT_MS, Reads, reads_while, table
from bench.proxy import HOST, Proxy
from bench.service import Service
from filing.lar.period import Period

YEAR = 2022
MEGABYTE = 1_000_000
GIBIBYTE = 1 << 30
MEMORY_MB = 150  # above idle
WARM_SECONDS = 5
_BOUNDARY = "bench"
_HEAD = (
    f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="lar.txt"\r\n'
    "Content-Type: text/plain\r\n\r\n"
).encode()
_TAIL = f"\r\n--{_BOUNDARY}--\r\n".encode()


def _pieces(size: int) -> Iterator[bytes]:
    """Yield a body with a LAR of a size."""
    yield _HEAD
    yield from pieces_of_a_lar(YEAR, size)
    yield _TAIL


def _upload(port: int, path: str, token: str, size: int, certificate: str) -> None:
    """Upload a file. Raises: AssertionError if it is not accepted."""
    connection = (
        http.client.HTTPSConnection(
            HOST, port, timeout=600, context=ssl.create_default_context(cafile=certificate)
        )
        if certificate
        else http.client.HTTPConnection(HOST, port, timeout=600)
    )
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
        "Content-Length": str(len(_HEAD) + size + len(_TAIL)),
    }
    connection.request("POST", path, body=_pieces(size), headers=headers)
    answer = connection.getresponse()
    assert answer.status == 202, answer.read()
    connection.close()


def _upload_all(port: int, paths: list[str], token: str, size: int, certificate: str) -> None:
    """Upload files at the same time; end the process with an error if one is not accepted."""
    refused: list[BaseException] = []

    def upload(path: str) -> None:
        try:
            _upload(port, path, token, size, certificate)
        except (AssertionError, OSError, http.client.HTTPException) as error:
            refused.append(error)

    threads = [threading.Thread(target=upload, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in refused:
        print(repr(error), file=sys.stderr)
    sys.exit(bool(refused))


@contextmanager
def _stopped_workers(service: Service) -> Iterator[None]:
    """Stop the workers, but not the web processes."""
    workers = service.workers()
    for process in workers:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in workers:
            os.kill(process, signal.SIGCONT)


class Uploads:
    """The two measurements, without a proxy or behind one."""

    def __init__(
        self, service: Service, proxy: Proxy | None, token: str, idle: list[float]
    ) -> None:
        """Prepare to measure. idle: MB of a web process before any upload, once it is known."""
        self._service, self._token, self._idle = service, token, idle
        self._url = proxy.url if proxy else service.stack.url
        self._port = proxy.port if proxy else service.stack.address[1]
        self._context = proxy.context if proxy else None
        self._certificate = str(proxy.certificate) if proxy else ""
        self._way = "nginx, " if proxy else ""

    def other_requests(self, count: int, megabytes: int) -> list[Reads]:
        """Return the times of other requests without uploads, and during them."""
        measured = [reads_while(self._url, f"{self._way}none", WARM_SECONDS, self._context)]
        if not self._idle:
            self._idle.append(max(self._service.web_memory_now()))
        began = time.perf_counter()
        uploads = self._start(count, megabytes * MEGABYTE)
        name = f"{self._way}{count} uploads of {megabytes} MB"
        measured.append(reads_while(self._url, name, 0, self._context, uploads.is_alive))
        self._end(uploads)
        seconds = time.perf_counter() - began
        print(f"{name}: {count * megabytes / seconds:.0f} MB/s in all", file=sys.stderr)
        return measured

    def memory(self, size: int) -> float:
        """Return the most memory of a web process during an upload, above idle, in MB."""
        for process in self._service.processes(b"gunicorn"):
            Path(f"/proc/{process}/clear_refs").write_text("5")  # the peak begins here
        self._end(self._start(1, size))
        return self._service.web_memory() - self._idle[0]

    def _start(self, count: int, size: int) -> multiprocessing.Process:
        paths = self._service.new_submissions(count, self._token)
        uploads = multiprocessing.Process(
            target=_upload_all, args=(self._port, paths, self._token, size, self._certificate)
        )
        uploads.start()
        return uploads

    def _end(self, uploads: multiprocessing.Process) -> None:
        uploads.join()
        if uploads.exitcode:
            raise RuntimeError("Not all uploads were accepted.")


def main() -> None:
    """Measure and print; ends with an error above a limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=200, help="of each of these")
    parser.add_argument("--gibibytes", type=float, default=2, help="of the last one")
    parser.add_argument("--proxy", action="store_true", help="also behind nginx")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    multiprocessing.set_start_method("spawn")
    reads: list[Reads] = []
    idle: list[float] = []
    above_idle: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as name:
        folder = Path(name)
        service = Service(folder, Period(YEAR))
        service.stack.environment["TRUSTED_PROXIES"] = HOST
        service.prepare()
        token = service.manage("token", "--lei", str(FILER["lei"]), "--minutes", "600").strip()
        service.stack.start()
        try:
            with _stopped_workers(service):
                _measure(service, None, token, options, idle, reads, above_idle)
                if options.proxy:
                    with Proxy(folder / "proxy", service.stack.address[1]) as proxy:
                        _measure(service, proxy, token, options, idle, reads, above_idle)
        finally:
            service.stack.stop()
    checks = [
        report.at_most(f"{each.callers}: ms for 95 % of other requests", each.p95, LIMIT_MS)
        for each in reads
    ]
    checks += [
        report.at_most(f"{way}: MB of a web process above idle", megabytes, MEMORY_MB)
        for way, megabytes in above_idle.items()
    ]
    if options.json:
        print(json.dumps({"reads": [asdict(each) for each in reads], "memory": above_idle}))
    else:
        out = report.console()
        out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
        out.print(table("Other requests during large uploads", reads))
        report.show_checks(out, checks)
    if not all(check.ok for check in checks) or any(each.failed for each in reads):
        sys.exit("Other requests were too slow, or failed, or an upload took too much memory.")


def _measure(
    service: Service,
    proxy: Proxy | None,
    token: str,
    options: argparse.Namespace,
    idle: list[float],
    reads: list[Reads],
    above_idle: dict[str, float],
) -> None:
    uploads = Uploads(service, proxy, token, idle)
    reads += uploads.other_requests(options.uploads, options.megabytes)
    way = f"{'nginx, ' if proxy else ''}an upload of {options.gibibytes:g} GiB"
    above_idle[way] = uploads.memory(int(options.gibibytes * GIBIBYTE))
    for file in (service.data_dir / "files" / "submissions").rglob("raw.txt"):
        file.unlink()  # the disk need not hold all of them


if __name__ == "__main__":
    main()
