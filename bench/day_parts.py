"""The parts of a busy day: what its filers do, and the figures of it."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bench import report
from bench.day_filers import Filer, Filers, Log
from bench.day_service import (
    VERIFIED_EDITS,
    Day,
    checked,
    progress,
    result,
    running,
    worker_memory,
)

FILES_SECONDS = 300  # for 1,000 files of 1,000 records
LONGER_SECONDS = 3  # that a small file may take longer behind a large one
LEAST_SHARE = 0.5  # of the filings per second of few filers, with many
TURN_SHARE = 0.5  # of the median of an institution with many files, for those with one


@dataclass(slots=True)
class Part:
    """The figures of a part.

    faults: what must never happen. refusals: calls that filers had to repeat, by kind and status.
    steps: the seconds of each step as filers saw them, waits included.
    """

    name: str
    figures: dict[str, float]
    checks: list[report.Check]
    faults: list[str]
    refusals: dict[str, int] = field(default_factory=dict)
    steps: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def is_ok(self) -> bool:
        """Whether no limit is missed and nothing went wrong."""
        return not self.faults and all(check.ok for check in self.checks)


def whole_flow(options: argparse.Namespace) -> list[Part]:
    """Let filers go through the whole flow, in rounds of growing number, each institution once."""
    total = sum(options.filers)
    rates, logs = dict[int, float](), list[Log]()
    steps: dict[str, dict[str, float]] = {}
    with _running(options, total) as day:
        progress(f"making {total:,} files")
        files = {lei: day.file(lei, rows=options.rows, fails=VERIFIED_EDITS) for lei in day.leis}

        async def file(filer: Filer, lei: str) -> None:
            await filer.start()
            number = await filer.create()
            await filer.upload(number, files[lei])
            await filer.finish(number, await filer.wait(number))

        async def rounds() -> None:
            first = 0
            for number in options.filers:
                filers = Filers(day)
                leis = day.leis[first : first + number]
                first += number
                works = [file(filers.of(lei), lei) for lei in leis]
                seconds = await filers.all(works, about=f"{number} filers", seconds=options.seconds)
                await filers.close()
                rates[number] = number / seconds
                logs.append(filers.log)
                for step, figures in filers.log.steps.figures().items():
                    steps[f"{number} filers, {step}"] = figures

        asyncio.run(rounds())
        promised = {name: what for log in logs for name, what in log.promised.items()}
        outcome = result(day.history(), promised)
        progress("comparing what was filed with what was sent")
        faults = _faults(logs, outcome) + day.differences(options.rows, seconds=options.seconds)
    if outcome.signed != total:
        faults.append(f"{outcome.signed} of {total} filings are signed")
    fewest, most = min(rates), max(rates)
    name = f"times the filings per second of {fewest} filers, with {most}"
    checks = [_check(name, rates[most] / rates[fewest], least=LEAST_SHARE)]
    figures = {f"filings per second, {number} filers": rate for number, rate in rates.items()}
    return [Part("filers", figures, checks, faults, _refusals(logs), steps)]


def at_once(options: argparse.Namespace) -> list[Part]:
    """Send many files at once, with each number of workers; wait until all checks have ended."""
    return [_at_once(options, workers) for workers in options.workers]


def _at_once(options: argparse.Namespace, workers: int) -> Part:
    number, rows = options.files, options.file_rows
    with _running(options, number + 1, workers=workers) as day:
        progress(f"making {number + 1:,} files")
        files = {lei: day.file(lei, rows=rows) for lei in day.leis}
        filers = Filers(day)

        async def prepare(lei: str) -> tuple[str, int]:
            await filers.of(lei).start()
            return lei, await filers.of(lei).create()

        async def send(lei: str, submission: int) -> None:
            await filers.of(lei).upload(submission, files[lei])
            await filers.of(lei).wait(submission)

        async def run() -> None:
            alone, *others = [await prepare(lei) for lei in day.leis]
            await send(*alone)
            works = [send(*each) for each in others]
            await filers.all(works, about=f"{number:,} files", seconds=options.seconds)
            await filers.close()

        asyncio.run(run())
        history = day.history()
    times = sorted(checked(history).values())
    faults = _faults([filers.log], result(history, filers.log.promised))
    if len(times) != number + 1:
        faults.append(f"the checks of {len(times):,} of {number + 1:,} files have ended")
    (first, first_end), *others = times
    alone = first_end - first
    seconds = max(end for _, end in others) - min(begin for begin, _ in others)
    figures = {
        "workers": workers,
        "seconds until all checks had ended": seconds,
        "files per second": len(others) / seconds,
        "records per second": len(others) * rows / seconds,
        "seconds of one file alone": alone,
        "times as fast as one file after the other": len(others) * alone / seconds,
    }
    name = f"seconds for {number:,} files of {rows:,} records, {workers} workers"
    checks = [report.at_most(name, seconds, FILES_SECONDS)]
    log = filers.log
    return Part("files", figures, checks, faults, _refusals([log]), log.steps.figures())


def behind_large(options: argparse.Namespace) -> list[Part]:
    """Check small files alone, and the same files again while a large one is checked."""
    names: dict[str, dict[str, str]] = {"alone": {}, "behind": {}}
    with _running(options, options.small + 1) as day:
        large, *leis = day.leis
        progress(f"making a file of {options.large_rows:,} records")
        files = {lei: day.file(lei, rows=options.rows) for lei in leis}
        files[large] = day.file(large, rows=options.large_rows)
        filers = Filers(day)

        async def check(lei: str, *, uploaded: asyncio.Event | None = None) -> str:
            number = await filers.of(lei).create()
            await filers.of(lei).upload(number, files[lei])
            if uploaded:
                uploaded.set()
            await filers.of(lei).wait(number)
            return day.name(lei, number)

        async def check_small(when: str, may_begin: asyncio.Event | None) -> None:
            left = list(leis)

            async def some() -> None:
                while left:
                    lei = left.pop()
                    if may_begin:
                        await may_begin.wait()
                    names[when][lei] = await check(lei)

            about = f"{len(leis)} small files, {when}"
            works = [some() for _ in range(options.abreast)]
            await filers.all(works, about=about, seconds=options.seconds)

        async def run() -> None:
            for lei in day.leis:
                await filers.of(lei).start()
            await check_small("alone", None)
            has_large = asyncio.Event()
            small = asyncio.ensure_future(check_small("behind", has_large))
            while not small.done():
                progress("uploading the large file")
                await check(large, uploaded=has_large)
                has_large.clear()
            await small
            await filers.close()

        with worker_memory(day.service) as memory:
            asyncio.run(run())
        history = day.history()
    times = checked(history)
    large_times = [each for name, each in times.items() if name.startswith(large)]
    faults = _faults([filers.log], result(history, filers.log.promised))
    figures, longest = compared(times, names, large_times)
    figures["MB at most in a worker"] = memory[0]
    checks = [
        report.at_most("seconds longer behind a large file, the longest", longest, LONGER_SECONDS),
        report.at_most("MB at most in a worker", memory[0], report.MEMORY_MB),
    ]
    log = filers.log
    return [Part("behind", figures, checks, faults, _refusals([log]), log.steps.figures())]


def compared(
    times: dict[str, tuple[float, float]],
    names: dict[str, dict[str, str]],
    large: list[tuple[float, float]],
) -> tuple[dict[str, float], float]:
    """Return the figures of small files behind a large one, and the most seconds longer.

    times: when each submission began and ended. names: of submissions, by LEI. large: the times of
    the large file.
    """
    alone = {lei: _seconds(times[name]) for lei, name in names["alone"].items()}
    behind = {lei: times[name] for lei, name in names["behind"].items()}
    longer = sorted(_seconds(each) - alone[lei] for lei, each in behind.items())
    whole = sum(
        any(begin < own and own_end < end for begin, end in large)
        for own, own_end in behind.values()
    )
    figures = {
        "seconds of the large file": max(map(_seconds, large)),
        "small files": len(behind),
        "of them wholly behind it": whole,
        "seconds of a small file alone, median": median(alone.values()),
        "seconds longer behind the large file, median": median(longer),
        "seconds longer behind the large file, most": longer[-1],
    }
    return figures, longer[-1]


def fair_turns(options: argparse.Namespace) -> list[Part]:
    """Let institutions with one file come while one institution has many files in the queue."""
    with _running(options, options.others + 1) as day:
        one, *others = day.leis
        files = {lei: day.file(lei, rows=options.file_rows) for lei in day.leis}
        filers = Filers(day)
        accepted, is_busy = [0], asyncio.Event()
        single: dict[str, list[str]] = {"alone": [], "beside": []}

        async def check(lei: str, number: int) -> None:
            await filers.of(lei).upload(number, files[lei])
            if lei == one:
                accepted[0] += 1
                if accepted[0] >= options.many / 2:
                    is_busy.set()
            await filers.of(lei).wait(number)

        async def check_single(when: str) -> list[Any]:
            numbers = {lei: await filers.of(lei).create() for lei in others}
            single[when] = [day.name(lei, number) for lei, number in numbers.items()]
            return [check(lei, number) for lei, number in numbers.items()]

        async def run() -> None:
            for lei in day.leis:
                await filers.of(lei).start()
            works = await check_single("alone")
            await filers.all(works, about="institutions with one file", seconds=options.seconds)
            works = await check_single("beside")
            many = [check(one, await filers.of(one).create()) for _ in range(options.many)]

            async def later(work: Any) -> None:
                await is_busy.wait()
                await work

            works = [*many, *(later(work) for work in works)]
            await filers.all(works, about="all institutions", seconds=options.seconds)
            await filers.close()

        asyncio.run(run())
        history = day.history()
    times = {name: _seconds(each) for name, each in checked(history).items()}
    faults = _faults([filers.log], result(history, filers.log.promised))
    of_many = median(seconds for name, seconds in times.items() if name.startswith(one))
    alone, beside = (median(times[name] for name in single[when]) for when in single)
    figures = {
        f"seconds, median of one institution with {options.many} files": of_many,
        f"seconds, median of {options.others} institutions with one file": beside,
        "seconds, median of the same without the one": alone,
    }
    name = "times the median of many files, for institutions with one"
    checks = [_check(name, beside / of_many, most=TURN_SHARE)]
    log = filers.log
    return [Part("turns", figures, checks, faults, _refusals([log]), log.steps.figures())]


PARTS = {"filers": whole_flow, "files": at_once, "behind": behind_large, "turns": fair_turns}


def _running(
    options: argparse.Namespace, institutions: int, *, workers: int = 2
) -> AbstractContextManager[Day]:
    return running(
        institutions=institutions,
        with_servers=options.servers,
        workers=workers,
        parent=options.folder,
    )


def _seconds(times: tuple[float, float]) -> float:
    return times[1] - times[0]


def _check(
    name: str, figure: float, *, least: float | None = None, most: float | None = None
) -> report.Check:
    limit = f"at least {least}" if least is not None else f"at most {most}"
    is_ok = (least is None or figure >= least) and (most is None or figure <= most)
    return report.Check(name, f"{figure:.2f}", limit, is_ok)


def _faults(logs: list[Log], outcome: Any) -> list[str]:
    """Return what must never happen: of the filers, and of what became of their files."""
    kinds = ("lost", "doubled", "backward", "unfinished")
    return [
        *(each for log in logs for each in log.broken()),
        *(f"{log.late} filers had not ended in time" for log in logs if log.late),
        *(f"{kind}: {each}" for kind in kinds for each in getattr(outcome, kind)),
        *([f"{outcome.failed} submissions failed"] if outcome.failed else []),
    ]


def _refusals(logs: list[Log]) -> dict[str, int]:
    total: dict[str, int] = {}
    for log in logs:
        for key, number in log.refusals().items():
            total[key] = total.get(key, 0) + number
    return total
