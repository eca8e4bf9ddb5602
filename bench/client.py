"""`python bench/client.py`: the client alone, and one command that files for many institutions.

First it installs the client into an empty environment: its size, and how long it takes to start, as
a ratio to Python itself. Then it runs its own service in a temporary folder, kills and freezes
processes of it at random, and files a folder with one file for each institution by one command.

`DATABASE_URL` and `CELERY_BROKER_URL` may name a PostgreSQL database and a Redis, both empty; else
SQLite and a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.chaos import Setting, lei_of, prepared
from bench.fault_kinds import Faults
from bench.stages import ROOT
from filing.demo import census as demo_census
from filing.demo import panel
from filing.demo.files import Recipe, make
from filing.lar.period import Period

YEAR = Period(2025)
MOST_MEGABYTES = 60
STARTS = 20
_SIGNATURES = """
import json
from collections import Counter
from filing.models import Signature
leis = Signature.objects.values_list("submission__filing__institution__lei", flat=True)
print(json.dumps(Counter(leis)))
"""


def main() -> None:
    """Print the figures; end with an error if the client is too large or a file is not signed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=200, help="institutions (%(default)s)")
    parser.add_argument("--rows", type=int, default=100, help="of each file (%(default)s)")
    parser.add_argument("--parallel", type=int, default=4, help="files at once (%(default)s)")
    parser.add_argument("--faults", type=int, default=12, help="(%(default)s)")
    parser.add_argument("--minutes", type=float, default=2, help="with faults (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as made:
        is_small = _install(Path(made) / "environment")
        is_whole = _file(given, Path(made))
    if not (is_small and is_whole):
        sys.exit(1)


def _install(folder: Path) -> bool:
    """Install the client alone and print its size and start; return whether it is small."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    before = _megabytes(folder)
    pip: list[str | Path] = [
        folder / "bin" / "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, ROOT], check=True)
    size = _megabytes(folder) - before
    client = _start([folder / "bin" / "hmda", "--help"])
    alone = _start([folder / "bin" / "python", "-c", "pass"])
    has_django = not subprocess.run(
        [folder / "bin" / "python", "-c", "import django"], capture_output=True, check=False
    ).returncode
    print(f"installed: {size:.1f} MB (limit {MOST_MEGABYTES}), Django: {has_django}")
    print(f"start: {client:.3f} s, {client / alone:.1f} times that of Python", flush=True)
    return size <= MOST_MEGABYTES and not has_django


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def _start(command: list[Any]) -> float:
    """Return the median seconds of a command."""
    seconds = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - began)
    return median(seconds)


def _file(given: argparse.Namespace, folder: Path) -> bool:
    """File the folder and print what came of it; return whether each file is signed once."""
    setting = Setting(given.minutes, given.files, given.faults, 30, given.rows, given.seed)
    data_dir = folder / "service"
    data_dir.mkdir()
    service = prepared(setting, data_dir)
    leis = [lei_of(number) for number in range(given.files)]
    token = service.manage("token", "--lei", ",".join(leis), "--minutes", "600").strip()
    paths = [_written(folder / f"{lei}.txt", lei, given.rows) for lei in leis]
    receipts = folder / "receipts"
    words = ["file", *paths, "--parallel", str(given.parallel), "--verify", "--sign"]
    words += ["--receipts", receipts, "--json"]
    service.stack.start()
    try:
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "filing.client", *map(str, words)],
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "HOME": str(folder),
                "HMDA_URL": service.stack.url,
                "HMDA_TOKEN": token,
            },
            stdout=subprocess.PIPE,
            text=True,
        ) as command:
            faults = Faults(service.stack, seed=given.seed, disk=None)
            faults.spread(given.faults, given.minutes * 60)
            output, _ = command.communicate()
        seconds = time.perf_counter() - began
        signatures = json.loads(service.manage("shell", "-v", "0", "-c", _SIGNATURES))
    finally:
        service.stack.stop()
    report = json.loads(output)
    once = sum(signatures.get(lei) == 1 for lei in leis)
    twice = sum(number > 1 for number in signatures.values())
    saved = len(list(receipts.glob("*.json")))
    kinds = sorted({fault.kind for fault in faults.done})
    print(f"faults: {len(faults.done)} ({', '.join(kinds)})")
    print(
        f"{len(paths)} files in {seconds:.0f} s: {report['endings']}; exit code "
        f"{command.returncode}; signed once {once}, more than once {twice}; receipts {saved}"
    )
    for filed in report["files"]:
        if filed["error"]:
            print(f"{filed['lei']}: {filed['error']}")
    return (command.returncode, once, twice, saved) == (0, len(paths), 0, len(paths))


def _written(path: Path, lei: str, rows: int) -> Path:
    like = panel.institutions()[0]
    recipe = Recipe(period=YEAR, lei=lei, rows=rows, fails={"Q613": 1}, tax_id=str(like["tax_id"]))
    path.write_bytes(b"".join(make(recipe, demo_census.rows(YEAR.year)["census_tract"])))
    return path


if __name__ == "__main__":
    main()
