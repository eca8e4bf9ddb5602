"""`python bench/season_figures.py`: every figure for operators, and their page, in a large season.

Made-up institutions and submissions are written as rows; no file is. Each figure is compared with
counting all submissions, one by one as the database reads them, in the same run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# Modules beside this file have the names of packages, which must be imported first.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page_times

YEAR, COUNTIES = 2025, 60  # of each institution, on average


def main() -> None:
    """Measure and print."""
    page_times.run_bench(
        __doc__ or "",
        {"institutions": (5_000, ""), "submissions": (50_000, "")},
        make=lambda options: _make_season(options.institutions, options.submissions),
        measure=_measure,
    )


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
    times = {
        "plain count": page_times.time_calls(
            lambda: Submission.objects.aggregate(Sum("lines")), reads
        )
    }
    for figure in list_figures():
        parameters = {"lei": lei} if figure.name == "filer_all_periods" else {}
        times[figure.name] = page_times.time_calls(
            lambda name=figure.name, given=parameters: answer_figure(  # type: ignore[misc]
                name, period=str(YEAR), parameters=given
            ),
            reads,
        )
        address = reverse("admin:season_figure", args=[figure.name])
        values = {"period": str(YEAR), **parameters}
        times[f"page of {figure.name}"] = page_times.time_calls(
            lambda to=address, given=values: client.get(to, given),  # type: ignore[misc]
            reads,
        )
    return times


if __name__ == "__main__":
    main()
