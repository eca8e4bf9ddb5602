"""One run over a sample: a trial for each change, some at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.mutants.changes import Change
from bench.mutants.equivalents import Key
from bench.mutants.results import Result, Results, Verdict
from bench.mutants.targets import Area
from bench.mutants.trial import Limits, Outcome, Task, Trial, warm_django

_PAUSE = 0.02  # seconds between two looks at what is running

Ended = Callable[[Change, Outcome], None]


class Run:
    """One run over the sample: first without Django, then what is left with it."""

    def __init__(
        self,
        root: Path,
        some: Mapping[Change, Area],
        reasons: Mapping[Key, str],
        file: Results,
        *,
        scratch: Path,
        processes: int,
    ) -> None:
        self._root, self._some, self._reasons, self._file = root, some, reasons, file
        self._scratch, self._processes = scratch, processes
        self._results: dict[Change, Result] = {}
        self._with_django: dict[Change, Task] = {}
        self._is_ready = False

    def baseline(self) -> list[str]:
        """Return the tests that fail on the code as it is: they could notice nothing."""
        pure: dict[str, None] = {}
        django: dict[str, None] = {}
        for path, area in {change.path: area for change, area in self._some.items()}.items():
            own = [*area.nearest(self._root, path), *area.further(self._root, path)]
            (django if area.is_django else pure).update(dict.fromkeys(own))
            django.update(dict.fromkeys(area.by_flow(self._root)))
        failing = self._failing(pure, is_django=False)
        return failing + (self._failing(django, is_django=True) if django else [])

    def _failing(self, paths: dict[str, None], *, is_django: bool) -> list[str]:
        if is_django:
            self._prepare_django()
        task = Task("", "", (tuple(paths),), is_django=is_django, keep_going=True)
        trial = Trial(self._root, task, Limits(3600, 3600), self._scratch)
        while (outcome := trial.outcome()) is None:
            time.sleep(_PAUSE)
        return outcome.test.split(" ") if outcome.is_noticed else []

    def results(self) -> list[Result]:
        """Return the result of every change, in the order of the sample."""
        tasks: deque[tuple[Change, Task]] = deque()
        for change, area in self._some.items():
            if (result := self._known(change)) is not None:
                self._results[change] = result
                continue
            task = self._task(change, area)
            if area.is_django:
                self._with_django[change] = task
            else:
                tasks.append((change, task))
        self._run(tasks, self._after_pure)
        if self._with_django:
            self._prepare_django()
            self._run(deque(self._with_django.items()), self._keep)
        return [self._results[change] for change in self._some]

    def _known(self, change: Change) -> Result | None:
        if change.key in self._reasons:
            return Result(change, Verdict.EQUIVALENT, self._reasons[change.key])
        return self._file.noticed(change, self._source(change))

    def _after_pure(self, change: Change, outcome: Outcome) -> None:
        flow = self._some[change].by_flow(self._root)
        if outcome.is_noticed or not flow:
            self._keep(change, outcome)
            return
        source = change.apply(self._source(change))
        self._with_django[change] = Task(change.path, source, (tuple(flow),), is_django=True)

    def _keep(self, change: Change, outcome: Outcome) -> None:
        verdict = Verdict.NOTICED if outcome.is_noticed else Verdict.UNNOTICED
        result = Result(change, verdict, outcome.test, outcome.seconds)
        self._results[change] = result
        self._file.add(result, self._source(change))
        if not outcome.is_noticed:
            print(f"{len(self._results)}/{len(self._some)} unnoticed: {change}", flush=True)

    def _run(self, tasks: deque[tuple[Change, Task]], ended: Ended) -> None:
        """Run tasks, some at a time."""
        running: dict[Change, Trial] = {}
        while tasks or running:
            while tasks and len(running) < self._processes:
                change, task = tasks.popleft()
                running[change] = Trial(self._root, task, Limits(), self._scratch)
            for change, trial in list(running.items()):
                if (outcome := trial.outcome()) is not None:
                    del running[change]
                    ended(change, outcome)
            time.sleep(_PAUSE)

    def _prepare_django(self) -> None:
        if not self._is_ready:
            warm_django(self._root, self._scratch)
            self._is_ready = True

    def _task(self, change: Change, area: Area) -> Task:
        return Task(
            change.path,
            change.apply(self._source(change)),
            area.parts(self._root, change),
            codes=area.codes(self._root, change),
            is_django=area.is_django,
        )

    def _source(self, change: Change) -> str:
        return (self._root / change.path).read_text()
