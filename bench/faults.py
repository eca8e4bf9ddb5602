"""`python bench/faults.py`: filings while processes are killed or frozen and disks fill up.

It runs its own service in a temporary folder; institutions refile without pause over HTTP, and
faults are drawn at random from a seed. Then the history in the database is read: files filed, lost,
doubled, moved backward, and how long an unfinished submission stood still.

`DATABASE_URL` and `CELERY_BROKER_URL` may name a PostgreSQL database and a Redis, both empty; else
SQLite and a folder. Disks fill up only where the folder can have a file system of its own: as root,
or with `--folder` on a small one that is there already.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.fault_kinds import Fault, Faults
from bench.refiling import Refiling
from bench.service import Service
from bench.standstill import HISTORY, Outcome, clock, outcome
from filing.demo import panel
from filing.lar.period import Period

YEAR = 2025
LIMIT_SECONDS = 60
_DISK = "1g"
_ALWAYS = ("--opens", "2017-01-01", "--timely-until", "2098-01-01", "--closes", "2099-12-31")


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a run."""

    minutes: float
    institutions: int
    faults: int
    lease: int
    rows: int
    seed: int


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
    parser.add_argument("--folder", type=Path, help="an empty one, on a small file system")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = vars(parser.parse_args())
    folder, as_json = arguments.pop("folder"), arguments.pop("json")
    setting = Setting(**arguments)
    with _disk(folder) as (data_dir, fills_up):
        loads = [os.getloadavg()[0]]
        faults, result = _run(setting, data_dir, fills_up=fills_up)
        loads.append(os.getloadavg()[0])
    report = {
        "setting": asdict(setting),
        "load_average": [round(load, 1) for load in loads],
        "faults": [asdict(fault) for fault in faults],
        **asdict(result),
    }
    print(json.dumps(report) if as_json else _text(report, fills_up=fills_up))
    if not result.is_whole:
        sys.exit(1)


@contextmanager
def _disk(folder: Path | None) -> Iterator[tuple[Path, bool]]:
    """Yield an empty folder, and whether it has its own file system that may be filled."""
    if folder is not None:
        yield folder, True
        return
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as made:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", made]
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        try:
            yield Path(made), mounted
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", made], check=False)


def _run(setting: Setting, folder: Path, *, fills_up: bool) -> tuple[list[Fault], Outcome]:
    service = prepared(setting, folder)
    leis = [lei_of(number) for number in range(setting.institutions)]
    token = service.manage("token", "--lei", ",".join(leis), "--minutes", "600").strip()
    with _quiet():
        service.stack.start()
    try:
        refiling = Refiling(service.stack.url, token, folder, YEAR)
        refiling.begin(leis, rows=setting.rows)
        faults = Faults(service.stack, seed=setting.seed, disk=folder if fills_up else None)
        faults.spread(setting.faults, setting.minutes * 60)
        refiling.end(wait=2 * LIMIT_SECONDS)
        history = json.loads(service.manage("shell", "-v", "0", "-c", HISTORY))
        missing = faults.missing_parts()
    finally:
        service.stack.stop()
    return faults.done, outcome(
        history, promised=refiling.promised, limit=LIMIT_SECONDS, missing=missing
    )


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


def prepared(setting: Setting, folder: Path) -> Service:
    """Return a service with the institutions of a run, ready to start."""
    given = {
        name: os.environ[name]
        for name in ("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL")
        if os.environ.get(name)
    }
    service = Service(folder, Period(YEAR))
    service.stack.environment |= given | {"JOB_LEASE_SECONDS": str(setting.lease)}
    path = folder / "panel.csv"
    names = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
    like = panel.institutions()[0]
    path.write_text(
        "\n".join(
            [
                names,
                *(
                    f"{YEAR},{lei_of(number)},Bank {number},{like['tax_id']},{like['agency']},"
                    f"b{number}.example,false"
                    for number in range(setting.institutions)
                ),
                "",
            ]
        )
    )
    service.manage("prepare")
    service.manage("load_institutions", "--strict", str(path))
    service.manage("load_census", str(YEAR), "--demo")
    service.manage("open_season", str(YEAR), *_ALWAYS)
    return service


def lei_of(number: int) -> str:
    """Return the LEI of an institution of a run."""
    return panel.lei(f"549300BENCH{number:07d}")


def _text(report: dict[str, Any], *, fills_up: bool) -> str:
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
        + ("" if fills_up else " (the disk was never full: no file system of its own)"),
        f"submissions {report['submissions']}, signed {report['signed']}, "
        f"failed {report['failed']}, lost {len(report['lost'])}, "
        f"doubled {len(report['doubled'])}, backward {len(report['backward'])}, "
        f"unfinished {len(report['unfinished'])}, parts missing {report['missing']}",
        "longest without a move, in seconds: "
        + ", ".join(f"status {code} {longest:.1f}" for code, longest in report["longest"].items()),
        f"stalls over {LIMIT_SECONDS} s: {len(report['stalls'])}",
    ]
    for stall in report["stalls"]:
        lines.append(f"  {stall['submission']} in {stall['status']}: {stall['seconds']:.1f} s")
        lines += [f"    {line}" for line in stall["around"]]
        lines += [
            f"    fault {fault['kind']}, {fault['about']}, at {clock(fault['time'])}"
            for fault in report["faults"]
            if stall["since"] - 30 <= fault["time"] <= stall["since"] + stall["seconds"]
        ]
    for name in ("lost", "doubled", "backward", "unfinished"):
        lines += [f"{name}: {entry}" for entry in report[name]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
