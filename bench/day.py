"""`python bench/day.py`: the last filing day, each part on a service of its own.

filers  50, 200 and 500 filers at once go through the whole flow: start the filing, create a
        submission, upload, check the status, read and verify the edits, sign, get the receipt.
files   1,000 files of 1,000 records at once: the seconds until all checks have ended.
behind  50 small files, one after the other, while a file of 1.5 million records is checked: how
        much longer each takes than the same file takes alone, and the memory of the workers.
turns   one institution with 200 files, and 20 others that come later with one file each.

Each filer has a token and connections of its own, waits as long as `Retry-After` says, and sends a
refused call again with the same key, as the API guide tells programs to. Whatever a filer must not
see ends the command with an error: a connection that was refused or broken, a refusal that does
not say for how long, a file that was lost, work that was done twice. Rate limits and all other
settings have their default values. `--servers` runs it on PostgreSQL, Redis and S3 servers of its
own, else SQLite and folders. Filers and service share this machine: seconds are those of both, so
the limits are ratios within one run where that is possible.

The clients are our own: a load tool such as locust counts requests, and here the outcome of each
filing is compared with what its filer was promised.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.day_parts import PARTS, Part
from bench.day_service import progress

_FAULTS_SHOWN = 20


def main() -> None:
    """Run the parts and print them; ends with an error if one missed a limit or lost something."""
    options = _options()
    loads = [os.getloadavg()[0]]
    parts = []
    for name in options.part or PARTS:
        for part in PARTS[name](options):
            parts.append(part)
            progress(f"part {part.name}: {'ok' if part.is_ok else 'NOT OK'}")
    loads.append(os.getloadavg()[0])
    is_ok = all(part.is_ok for part in parts)
    if options.json:
        figures = {"parts": [asdict(part) for part in parts], "load_average": loads}
        print(json.dumps(figures | {"is_ok": is_ok}))
    else:
        _show(parts, loads)
    if not is_ok:
        sys.exit("A limit was missed, or something went wrong.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", action="append", choices=list(PARTS), help="default: all")
    parser.add_argument("--servers", action="store_true", help="PostgreSQL, Redis and S3")
    parser.add_argument("--filers", type=_numbers, default=[50, 200, 500], help="of each round")
    parser.add_argument("--rows", type=int, default=100, help="of parts filers, behind")
    parser.add_argument("--files", type=int, default=1_000, help="that come at once")
    parser.add_argument("--file-rows", type=int, default=1_000, help="of parts files, turns")
    parser.add_argument(
        "--workers", type=_numbers, default=[2], help="part files runs with each of these numbers"
    )
    parser.add_argument("--small", type=int, default=50, help="files behind the large one")
    parser.add_argument("--abreast", type=int, default=1, help="of them at a time")
    parser.add_argument("--large-rows", type=int, default=1_500_000, help="of the large file")
    parser.add_argument("--many", type=int, default=200, help="files of one institution")
    parser.add_argument("--others", type=int, default=20, help="institutions with one file")
    parser.add_argument("--seconds", type=float, default=1_200, help="for a round, at most")
    parser.add_argument("--folder", type=Path, help="for temporary files")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _show(parts: list[Part], loads: list[float]) -> None:
    out = report.console()
    load = " to ".join(f"{each:.1f}" for each in loads)
    out.print(f"{os.cpu_count()} cores, load average {load}. Clocks of a shared machine are rough.")
    for part in parts:
        out.print(f"\nPart {part.name}")
        for name, figure in part.figures.items():
            out.print(f"  {name}: {figure:,.2f}")
        if part.steps:
            table = report.table_of("Seconds", "number", "step", "median", "95 %", "most")
            for step, each in part.steps.items():
                times = (f"{each[name]:.3f}" for name in ("median", "p95", "most"))
                table.add_row(f"{each['number']:,.0f}", step, *times)
            out.print(table)
        refusals = ", ".join(f"{key}: {number}" for key, number in part.refusals.items())
        out.print(f"Refused for a while: {refusals or 'none'}. Faults: {len(part.faults)}")
        for fault in part.faults[:_FAULTS_SHOWN]:
            out.print(f"  {fault}")
        report.show_checks(out, part.checks)


if __name__ == "__main__":
    main()
