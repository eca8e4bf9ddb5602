"""Makes the changes of the sample, one at a time, and says which ones no test notices."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from bench.mutants import equivalents
from bench.mutants.results import Results, Verdict, table
from bench.mutants.run import Run
from bench.mutants.sample import SEED, WHOLE, sample
from bench.mutants.targets import AREAS, Area
from bench.mutants.trial import warm

ROOT = Path(__file__).resolve().parents[2]


def main(
    arguments: Sequence[str] | None = None,
    root: Path = ROOT,
    areas: Sequence[Area] = AREAS,
    listed: Path = equivalents.LIST,
) -> int:
    """Run the trials; return 1 if a change is unnoticed, or the tests fail without any."""
    options = _parser(root).parse_args(arguments)
    os.nice(10)
    begun = time.monotonic()
    some = sample(root, areas, count=options.count, seed=options.seed)
    reasons = equivalents.read(listed)
    stale = equivalents.unmatched(reasons, some) if options.count >= WHOLE else []
    some = {each: area for each, area in some.items() if fnmatch(each.path, options.only)}
    file = Results(options.results, resume=options.resume)
    warm(root)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        scratch = Path(folder)
        run = Run(root, some, reasons, file, scratch=scratch, processes=options.processes)
        if not options.resume and (failing := run.baseline()):
            print("Without any change these tests fail:", *failing, sep="\n  ")
            return 1
        results = run.results()
    print(table(results))
    for key in stale:
        print("Listed as equivalent, but not in the sample:", " | ".join(key))
    unnoticed = [result.change for result in results if result.verdict is Verdict.UNNOTICED]
    for change in unnoticed:
        print("Unnoticed:", change)
    print(f"{(time.monotonic() - begun) / 60:.1f} minutes, {options.processes} at a time")
    return 1 if unnoticed else 0


def _parser(root: Path) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--processes", type=int, default=2, help="trials at a time (default: 2)")
    parser.add_argument("--count", type=int, default=WHOLE, help=f"changes (default: {WHOLE})")
    parser.add_argument("--seed", default=SEED, help=f"which ones (default: {SEED})")
    parser.add_argument("--only", default="*", help="modules by a pattern of their paths")
    parser.add_argument("--resume", action="store_true", help="keep what was noticed before")
    parser.add_argument(
        "--results", type=Path, default=root / "var" / "mutants.jsonl", help="one line a change"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
