"""`python bench/season_figures.py`: every figure for operators, and their page, in a large season.

Made-up institutions and submissions are written as rows; no file is. Each figure is compared with
counting all submissions, one by one as the database reads them, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

# Modules beside this file have the names of packages, which must be imported first.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report

YEAR, COUNTIES = 2025, 60  # of each institution, on average
PAGE_MS = 300


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--institutions", type=int, default=5_000)
    parser.add_argument("--submissions", type=int, default=50_000)
    parser.add_argument("--reads", type=int, default=10, help="times that each figure is asked")
    parser.add_argument("--folder", type=Path, help="keep the season here, and use it again")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        start_service(options.folder or Path(folder))
        _make_season(options.institutions, options.submissions)
        times = _measure(options.reads)
    if options.json:
        print(json.dumps(times))
    else:
        _show(times, options)


def start_service(folder: Path) -> None:
    """Set up the service on a folder of its own."""
    folder.mkdir(exist_ok=True)
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ |= dict.fromkeys(("CELERY_BROKER_URL", "CACHE_URL", "STORAGE_URL"), "")
    os.environ["LOG_LEVEL"] = "warning"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _make_season(institutions: int, submissions: int) -> None:
    from filing.demo import submissions as demo
    from filing.models import RecordCounts, Submission
    from filing.statuses import Status

    if RecordCounts.objects.exists():
        return
    demo.make_submissions(YEAR, institutions=institutions, submissions=submissions)
    signed = Submission.objects.filter(status=Status.SIGNED).select_related("filing__institution")
    rows = [_make_counts(submission) for submission in signed.iterator(chunk_size=2_000)]
    RecordCounts.objects.bulk_create(rows, batch_size=1_000)


def _make_counts(submission: Any) -> Any:
    """Return counts that fit the number of records, and differ from file to file."""
    from filing.models import RecordCounts

    records, key = submission.records, submission.pk
    names = [field.name for field in RecordCounts._meta.fields if field.name != "submission"]
    numbers = {
        name: records * (key * 7 + place) % (records + 1) for place, name in enumerate(names)
    }
    counties = (f"{(key * 37 + place * 53) % 3_200:05}:{place + 1}" for place in range(COUNTIES))
    facts = {
        "submission": submission,
        "agency": submission.filing.institution.agency,
        "city": f"City {key % 900}",
        "state": submission.filing.institution.state,
        "counties": " ".join(sorted(counties)),
    }
    return RecordCounts(**numbers | facts)


def _measure(reads: int) -> dict[str, dict[str, float]]:
    from django.contrib.auth.models import User
    from django.db.models import Sum
    from django.test import Client
    from django.urls import reverse

    from filing.figures import answer_figure, list_figures
    from filing.models import Institution, Submission

    client = Client()
    client.force_login(
        User.objects.get_or_create(username="bench", is_superuser=True, is_staff=True)[0]
    )
    lei = Institution.objects.values_list("lei", flat=True).first() or ""
    times = {"plain count": time_calls(lambda: Submission.objects.aggregate(Sum("lines")), reads)}
    for figure in list_figures():
        parameters = {"lei": lei} if figure.name == "filer_all_periods" else {}
        times[figure.name] = time_calls(
            lambda name=figure.name, given=parameters: answer_figure(  # type: ignore[misc]
                name, period=str(YEAR), parameters=given
            ),
            reads,
        )
        address = reverse("admin:season_figure", args=[figure.name])
        values = {"period": str(YEAR), **parameters}
        times[f"page of {figure.name}"] = time_calls(
            lambda to=address, given=values: client.get(to, given),  # type: ignore[misc]
            reads,
        )
    return times


def time_calls(work: Callable[[], Any], reads: int) -> dict[str, float]:
    """Return milliseconds of the processor: of the first call, and of the others.

    The database is in the same process. Other work on the machine counts for nothing so.
    """
    seconds = []
    for _ in range(reads + 1):
        began = time.process_time()
        work()
        seconds.append(1_000 * (time.process_time() - began))
    first, *others = seconds
    cuts = quantiles(others, n=20, method="inclusive")
    return {"first": first, "p50": cuts[9], "p95": cuts[18]}


def _show(times: dict[str, dict[str, float]], options: argparse.Namespace) -> None:
    title = f"{options.institutions:,} institutions, {options.submissions:,} submissions"
    table = report.table_of(title, "what", "first ms", "p50 ms", "p95 ms", "times the count")
    plain = times["plain count"]["p50"]
    for name, each in times.items():
        cells = [f"{each[key]:.1f}" for key in ("first", "p50", "p95")]
        table.add_row(name, *cells, f"{each['p50'] / plain:.1f}")
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(table)
    pages = {name: each["p95"] for name, each in times.items() if name != "plain count"}
    slowest = max(pages, key=pages.__getitem__)
    report.show_checks(
        out, [report.at_most(f"ms for 95 % of the answers of {slowest}", pages[slowest], PAGE_MS)]
    )


if __name__ == "__main__":
    main()
