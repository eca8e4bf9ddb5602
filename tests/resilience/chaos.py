"""`python -m tests.resilience.chaos`: filings while everything a service consists of fails.

It runs its own service in a temporary folder; institutions refile without pause over HTTP, and
faults are drawn at random from a seed: workers, single children, web processes and beat are killed
or frozen for a minute; database, broker and storage are away; disks fill up; connections are cut;
and some files end every worker that takes them. Then the history in the database is read: files
filed, lost, doubled, moved backward, and how long an unfinished submission stood still. Of each
signed submission the file, the receipt, the public records and the emails are compared.

`--servers` runs it on PostgreSQL, Redis and S3 servers of its own, else SQLite and folders. Disks
fill up only where the folder can have a file system of its own: as root.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.service import Service, lei_of
from filing.lar.years import Period
from filing.statuses import Status
from tests.resilience import evidence, poison, servers
from tests.resilience.between import Between
from tests.resilience.fault_kinds import Fault, Faults
from tests.resilience.outages import Folders, OfServers, Outages
from tests.resilience.refiling import Refiling
from tests.resilience.standstill import HISTORY, Outcome, clock, compute_outcome

YEAR = 2025
LIMIT_SECONDS = 60
_DISK = "1g"


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a run."""

    minutes: float
    institutions: int
    faults: int
    lease: int
    rows: int
    seed: int
    poison: int = 0
    frozen: float = 60
    servers: bool = False


def main() -> None:
    """Run and print the figures; end with an error if anything was lost, doubled or stalled."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="with faults (%(default)s)")
    parser.add_argument("--institutions", type=int, default=40)
    parser.add_argument("--faults", type=int, default=36)
    parser.add_argument("--lease", type=int, default=30, help="JOB_LEASE_SECONDS (%(default)s)")
    parser.add_argument("--rows", type=int, default=100, help="of each file")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--poison", type=int, default=4, help="files that end workers")
    parser.add_argument("--frozen", type=float, default=60, help="seconds (%(default)s)")
    parser.add_argument("--servers", action="store_true", help="PostgreSQL, Redis and S3")
    report = _report(Setting(**vars(parser.parse_args())))
    print(_text(report))
    if not report["is_whole"]:
        sys.exit(1)


def _report(setting: Setting) -> dict[str, Any]:
    """Run, and return the report."""
    with _disk() as (data_dir, fills_up):
        loads = [os.getloadavg()[0]]
        faults, result, differences = _run(setting, data_dir, fills_up=fills_up)
        loads.append(os.getloadavg()[0])
    recovered = result.recoveries or [0.0]
    return {
        "setting": asdict(setting),
        "is_whole": result.is_whole and not differences,
        "fills_up": fills_up,
        "differences": differences,
        "recovery": {"median": median(recovered), "worst": max(recovered)},
        "load_average": [round(load, 1) for load in loads],
        "faults": [asdict(fault) for fault in faults],
        **asdict(result),
    }


@contextmanager
def _disk() -> Iterator[tuple[Path, bool]]:
    """Yield an empty folder, and whether it has its own file system that may be filled."""
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as made:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", made]
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        try:
            yield Path(made), mounted
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", made], check=False)


def _run(
    setting: Setting, folder: Path, *, fills_up: bool
) -> tuple[list[Fault], Outcome, list[str]]:
    """Run; return the faults, the figures, and what is not as its filer sent it."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hmda-bench-")))
        outages: Outages = Folders(folder)
        more = {"EMAIL_URL": f"filemail://{place / 'mail'}"}
        if setting.servers:
            started = stack.enter_context(servers.running(place))
            outages, more = OfServers(started), more | started.settings
        leis = [lei_of(number) for number in range(setting.institutions)]
        poisoned = [lei_of(poison.FIRST + number) for number in _poisons(setting)]
        service = _prepare(setting, folder, leis + poisoned, more)
        token = service.manage(
            "token", "--email", "ann@bank.example", "--lei", ",".join(leis + poisoned),
            "--minutes", "600",
        ).strip()  # fmt: skip
        with _quiet():
            service.stack.start()
        stack.callback(service.stack.stop)
        line = Between()
        stack.callback(line.close)
        refiling = Refiling(line(service.stack.url, folder), token, folder, YEAR)
        refiling.begin(leis + poisoned, rows=setting.rows, once=poisoned)
        faults = Faults(
            service.stack,
            seed=setting.seed,
            disk=folder if fills_up else None,
            outages=outages,
            line=line,
            frozen=setting.frozen,
        )
        faults.spread(setting.faults, setting.minutes * 60)
        refiling.end(wait=(10 if poisoned else 2) * LIMIT_SECONDS)
        history = json.loads(service.manage("shell", "-v", "0", "-c", HISTORY))
        differences = _differences(service, refiling, setting.rows, place / "mail")
        differences += _not_given_up(history, poisoned)
        missing = faults.missing_parts()
    return (
        faults.done,
        compute_outcome(
            history,
            promised={k: v for k, v in refiling.promised.items() if k[:20] not in poisoned},
            limit=LIMIT_SECONDS,
            missing=missing,
            faults=[fault.time for fault in faults.done],
            hopeless=poisoned,
        ),
        differences,
    )


def _poisons(setting: Setting) -> list[int]:
    """Return the kinds of poison of a run, other ones with each seed."""
    return [(setting.seed * setting.poison + n) % len(poison.KINDS) for n in range(setting.poison)]


def _differences(service: Service, refiling: Refiling, rows: int, mail: Path) -> list[str]:
    """Return what the service has otherwise than sent, once the last public records are made."""
    until = time.monotonic() + 2 * LIMIT_SECONDS  # emails pause for a minute after an error
    while True:
        found = json.loads(service.manage("shell", "-v", "0", "-c", evidence.SIGNED))
        differences = evidence.faults_in(found, refiling.sent, rows)
        differences += evidence.email_faults(evidence.sent_emails(mail), found["emails"])
        if not differences or time.monotonic() > until:
            return differences
        time.sleep(2)


def _not_given_up(history: dict[str, Any], poisoned: list[str]) -> list[str]:
    """Return the poison that did not end at -1."""
    last = {history["names"][str(change[0])]: change[2] for change in history["changes"]}
    return [
        f"poison {list(poison.KINDS)[int(name[11:18]) - poison.FIRST]} ended at {status}"
        for name, status in last.items()
        if name[:20] in poisoned and status != Status.FAILED
    ]


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence processes started here: a process manager on a full disk writes a lot."""
    kept = os.dup(2)
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _prepare(setting: Setting, folder: Path, leis: list[str], more: dict[str, str]) -> Service:
    """Return a service with the institutions of a run, ready to start. more: settings."""
    service = Service(folder, Period(YEAR))
    service.stack.environment |= {"JOB_LEASE_SECONDS": str(setting.lease)} | more
    if setting.poison:
        service.stack.environment["DJANGO_SETTINGS_MODULE"] = "tests.resilience.poison_settings"
    service.prepare(leis)
    return service


def _text(report: dict[str, Any]) -> str:
    """Return the report as lines: figures first, then each submission that stalled."""
    setting = report["setting"]
    kinds: dict[str, int] = {}
    for fault in report["faults"]:
        kinds[fault["kind"]] = kinds.get(fault["kind"], 0) + 1
    lines = [
        f"lease {setting['lease']} s, {setting['institutions']} institutions, "
        f"{setting['minutes']:g} minutes, seed {setting['seed']}, "
        f"load average {' to '.join(map(str, report['load_average']))}",
        f"faults {len(report['faults'])}: "
        + ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))
        + ("" if report["fills_up"] else " (the disk was never full: no file system of its own)"),
        f"submissions {report['submissions']}, signed {report['signed']}, "
        f"failed {report['failed']}, lost {len(report['lost'])}, "
        f"doubled {len(report['doubled'])}, backward {len(report['backward'])}, "
        f"unfinished {len(report['unfinished'])}, parts missing {report['missing']}",
        "longest without a move, in seconds: "
        + ", ".join(f"status {code} {longest:.1f}" for code, longest in report["longest"].items()),
        f"stalls over {LIMIT_SECONDS} s: {len(report['stalls'])}; recovery in seconds: "
        f"median {report['recovery']['median']:.1f}, worst {report['recovery']['worst']:.1f}; "
        f"differences {len(report['differences'])}",
    ]
    for stall in report["stalls"]:
        lines.append(f"  {stall['submission']} in {stall['status']}: {stall['seconds']:.1f} s")
        lines += [f"    {line}" for line in stall["around"]]
        lines += [
            f"    fault {fault['kind']}, {fault['about']}, at {clock(fault['time'])}"
            for fault in report["faults"]
            if stall["since"] - 30 <= fault["time"] <= stall["since"] + stall["seconds"]
        ]
    for name in ("lost", "doubled", "backward", "unfinished", "differences"):
        lines += [f"{name}: {entry}" for entry in report[name]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
