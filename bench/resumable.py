"""`python bench/resumable.py`: uploads that are cut go on through another web server.

It runs its own service with two web servers. A file of 600 MB is cut at twenty random places, three
times because the web process that receives it is killed, and each time the sender goes on through
the other server. Then ten files are uploaded at once, each cut twice; and two uploads are left, one
of them by a killed process, until the service removes their parts. Workers are stopped meanwhile:
it is not the checking of files that is measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.files import pieces_of_a_lar
from bench.interrupted_sender import Sender, Sent
from bench.report import Check
from bench.service import Service, with_children
from bench.stages import ROOT
from config.running.supervisor import free_port
from filing.lar.period import Period
from filing.statuses import Status

YEAR = 2022
MEGABYTE = 1_000_000
CUTS_OF_ONE = 2  # of each of those at the same time
START_SECONDS = 120
OUTSIDE = ("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "STORAGE_URL")

# Prints of each submission its status, the files stored for it, the parts among them, and the
# SHA-256 of its file as it was received and as it is stored.
_LOOK = """
import hashlib, json
from django.core.files.storage import default_storage
from filing.models import Job, Submission
def names(folder):
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return []
    inner = [name for each in folders if each for name in names(f"{folder}/{each}")]
    return inner + [f"{folder}/{each}" for each in files if each]
def sha256(name):
    digest = hashlib.sha256()
    with default_storage.open(name) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
states = {}
for row in Submission.objects.select_related(
    "filing__institution", "filing__period"
).order_by("sequence_number"):
    found = names(f"submissions/{row.lei}/{row.period}/{row.sequence_number}")
    states[row.sequence_number] = {
        "status": row.status,
        "files": len(found),
        "parts": len([name for name in found if "/parts-" in name]),
        "received": row.sha256,
        "stored": sha256(row.raw_file) if row.raw_file else "",
        "jobs": Job.objects.filter(submission=row, stage="parse").count(),
    }
print(json.dumps(states))
"""
# Lets as much time pass for the uploads that are open as ends them, and does what a worker does
# every few seconds.
_LATER = """
from datetime import timedelta
from django.conf import settings
from filing.jobs import sweeper
from filing.models import Job, ResumableUpload
by = timedelta(hours=settings.LEFTOVER_HOURS, minutes=1)
for upload in ResumableUpload.objects.filter(outcome=ResumableUpload.Outcome.OPEN):
    ResumableUpload.objects.filter(pk=upload.pk).update(used_at=upload.used_at - by)
    for job in Job.objects.filter(submission=upload.submission_id, stage="upload", state="running"):
        Job.objects.filter(pk=job.pk).update(lease_until=job.lease_until - by)
sweeper.sweep()
"""


class Left(Exception):
    """The sender does not go on."""


@dataclass
class Node:
    """A web server. process: the one that starts the others."""

    url: str
    process: int

    def kill(self) -> int:
        """Kill its web processes; return how many."""
        killed = 0
        for process in list(with_children(self.process))[1:]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                killed += 1
        return killed


class Bench:
    """The service with its nodes, and what is sent to it."""

    def __init__(self, service: Service, folder: Path, nodes: list[Node], seed: int) -> None:
        self.service, self._folder = service, folder
        self._nodes = {node.url: node for node in nodes}
        self._chance = random.Random(seed)  # not for secrets
        self._token = service.program_token()
        self.kills = 0

    def file(self, size: int) -> Path:
        """Return a LAR of a size."""
        path = self._folder / f"{size}.txt"
        with path.open("wb") as file:
            for piece in pieces_of_a_lar(YEAR, size):
                file.write(piece)
        return path

    def sender(self, path: Path, submission: str, cuts: int, kills: int) -> Sender:
        """Return a sender whose line is cut at random places, some times by a killed process."""
        at = self._chance.sample(range(1, path.stat().st_size), cuts)
        killed = set(self._chance.sample(range(cuts), kills))

        def at_cut(number: int, server: str) -> None:
            if number in killed:
                self.kills += bool(self._nodes[server].kill())

        return Sender([*self._nodes], submission, self._token, path, at, at_cut)

    def submissions(self, count: int) -> list[str]:
        """Return the addresses of new submissions."""
        return self.service.new_submissions(count, self._token)

    def leave(self, path: Path, submission: str, *, killed: bool) -> None:
        """Begin an upload and leave it in the middle."""

        def at_cut(number: int, server: str) -> None:
            if number:
                if killed:
                    self._nodes[server].kill()
                raise Left

        size = path.stat().st_size
        cuts = [size // 2, size * 3 // 4]  # after the first one, some parts are stored
        with suppress(Left):
            Sender([*self._nodes], submission, self._token, path, cuts, at_cut).send()

    def states(self) -> dict[str, Any]:
        """Return what is stored of each submission, by its number."""
        return dict(json.loads(self.service.manage("shell", "-v", "0", "-c", _LOOK)))


@contextmanager
def second_node(service: Service) -> Iterator[Node]:
    """Run another web server of the service."""
    port, environment = free_port(), service.stack.environment
    process = subprocess.Popen(
        [
            f"{environment['BIN']}/gunicorn",
            *("--config", "python:config.web_server", "--bind", f"127.0.0.1:{port}"),
            *("--worker-tmp-dir", str(service.data_dir)),
        ],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + START_SECONDS
        while not _answers(url):
            if time.monotonic() > until:
                raise TimeoutError("The second web server does not answer.")
            time.sleep(0.2)
        yield Node(url, process.pid)
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def _stopped(processes: list[int]) -> Iterator[None]:
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def main() -> None:
    """Measure and print; ends with an error if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=600, help="of the first file")
    parser.add_argument("--cuts", type=int, default=20, help="of it")
    parser.add_argument("--kills", type=int, default=3, help="of these cuts, by killing")
    parser.add_argument("--uploads", type=int, default=10, help="at the same time")
    parser.add_argument("--at-once", type=int, default=60, help="megabytes of each of these")
    parser.add_argument("--seed", type=int, default=1, help="of the random places")
    parser.add_argument(
        "--environment", action="store_true", help=f"use what is in {', '.join(OUTSIDE)}"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as name:
        service = Service(Path(name), Period(YEAR))
        if options.environment:
            service.stack.environment |= {each: os.environ.get(each, "") for each in OUTSIDE}
        service.prepare()
        service.stack.start()
        try:
            first = Node(service.stack.url, service.processes(b"gunicorn")[0])
            with second_node(service) as second, _stopped(service.processes(b"worker")):
                bench = Bench(service, Path(name), [first, second], options.seed)
                checks = _measure(bench, options)
        finally:
            service.stack.stop()
    report.show_checks(report.console(), checks)
    if not all(check.ok for check in checks):
        sys.exit("An upload did not arrive as it was sent, or left something behind.")


def _measure(bench: Bench, options: argparse.Namespace) -> list[Check]:
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    table = report.table_of(
        "Uploads through two web servers",
        *("MB", "what", "cuts", "kills", "s", "MB/s", "MB again", "longest pause s", "joined in s"),
    )
    large = bench.file(options.megabytes * MEGABYTE)
    (submission,) = bench.submissions(1)
    sent = bench.sender(large, submission, options.cuts, options.kills).send()
    kills = bench.kills
    table.add_row(*_cells(large, "one file", [sent], kills, sent.seconds))

    small = bench.file(options.at_once * MEGABYTE)
    senders = [
        bench.sender(small, address, CUTS_OF_ONE, 0)
        for address in bench.submissions(options.uploads)
    ]
    began = time.monotonic()
    with ThreadPoolExecutor(options.uploads) as pool:
        all_sent = list(pool.map(Sender.send, senders))
    seconds = time.monotonic() - began
    table.add_row(*_cells(small, f"{options.uploads} at once", all_sent, 0, seconds))
    out.print(table)

    states = list(bench.states().values())
    expected = [_sha256(large), *[_sha256(small)] * options.uploads]
    cuts = sent.cuts + sum(each.cuts for each in all_sent)
    planned = options.cuts + CUTS_OF_ONE * options.uploads
    return [
        _is("cuts", cuts, planned),
        _is("of these, killed web processes", kills, options.kills),
        _is("files with the right SHA-256", _right(states, expected), len(expected)),
        _is("files stored, and nothing else", sum(each["files"] for each in states), len(expected)),
        _is("jobs to check a file", sum(each["jobs"] for each in states), len(expected)),
        _is("parts left", sum(each["parts"] for each in states), 0),
        *_left(bench, small, len(expected)),
    ]


def _left(bench: Bench, path: Path, others: int) -> list[Check]:
    """Leave two uploads; return the checks of what the service does about them."""
    for address, killed in zip(bench.submissions(2), (False, True), strict=True):
        bench.leave(path, address, killed=killed)

    def states() -> list[dict[str, Any]]:
        return list(bench.states().values())[others:]

    stored = [each["parts"] for each in states()]
    bench.service.manage("shell", "-v", "0", "-c", _LATER)
    later = states()
    return [
        Check("parts of an upload that was left", str(min(stored)), "over 0", min(stored) > 0),
        _is("files of both after their time", sum(each["files"] for each in later), 0),
        _is("of both, submissions that wait for a file", _waiting(later), 2),
    ]


def _waiting(states: list[dict[str, Any]]) -> int:
    return len([each for each in states if each["status"] == Status.CREATED])


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _right(states: list[dict[str, Any]], expected: list[str]) -> int:
    return sum(
        state["received"] == state["stored"] == sha256
        for state, sha256 in zip(states, expected, strict=True)
    )


def _is(name: str, figure: int, expected: int) -> Check:
    return Check(name, str(figure), str(expected), figure == expected)


def _cells(path: Path, name: str, sent: list[Sent], kills: int, seconds: float) -> list[str]:
    megabytes = path.stat().st_size / MEGABYTE
    return [
        f"{megabytes:.0f}",
        name,
        str(sum(each.cuts for each in sent)),
        str(kills),
        f"{seconds:.1f}",
        f"{len(sent) * megabytes / seconds:.0f}",
        f"{sum(each.sent_again for each in sent) / MEGABYTE:.1f}",
        f"{max(pause for each in sent for pause in each.stood_still):.1f}",
        f"{max(each.completing for each in sent):.1f}",
    ]


if __name__ == "__main__":
    main()
