"""`python bench/admin.py`: queries and time of every admin list, with a hundred thousand
submissions.

Each list is read without options, with each choice of each filter, with each kind of search, on its
last page, and sorted by each column. It uses its own database: a file, or one created beside that
that `DATABASE_URL` names on a PostgreSQL server.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.stages import ROOT

MOST_QUERIES, MOST_MS = 15, 300
REPEATS = 2


@dataclass(frozen=True, slots=True)
class PageCost:
    """The cost of a page of a list, the best of some tries. cpu: milliseconds of this process.

    database: milliseconds of the queries.
    """

    table: str
    what: str
    queries: int
    milliseconds: float
    cpu: float
    database: float


def main() -> None:
    """Fill a database, read every list and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--institutions", type=int, default=10_000)
    parser.add_argument("--submissions", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/hmda-bench-admin"))
    parser.add_argument("--table", help="only this one, such as filing.submission")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    _set_up(options.folder, options.institutions, options.submissions)
    lists = _lists()
    if options.table and options.table not in lists:
        parser.error(
            f"{options.table} is not a list of the admin; choose one of {', '.join(lists)}."
        )
    pages = list(_pages([options.table] if options.table else lists))
    if options.json:
        print(json.dumps([asdict(page) for page in pages]))
    else:
        _show(pages)


def _set_up(folder: Path, institutions: int, submissions: int) -> None:
    """Point the settings at the benchmark's own database, and fill it if it is empty."""
    size = f"{institutions}_{submissions}"
    server = os.environ.get("DATABASE_URL", "")
    folder = folder / f"{'postgresql' if server.startswith('postgres') else 'sqlite'}_{size}"
    folder.mkdir(parents=True, exist_ok=True)
    if server.startswith("postgres"):
        url = _database_beside(server, f"hmda_bench_{size}")
    else:
        url = f"sqlite:///{folder / 'bench.sqlite3'}"
    os.environ |= {
        "DATABASE_URL": url,
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOG_LEVEL": "error",
        **dict.fromkeys(("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED"), "off"),
    }
    manage = [sys.executable, str(ROOT / "manage.py")]
    subprocess.run([*manage, "migrate", "-v", "0"], check=True)
    import django

    django.setup()
    from filing.models import Submission

    if not Submission.objects.exists():
        sizes = (f"--institutions={institutions}", f"--submissions={submissions}")
        # Its output is not part of the result.
        subprocess.run([*manage, "make_submissions", *sizes], check=True, stdout=sys.stderr)
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as a server does automatically, in time


def _database_beside(server: str, name: str) -> str:
    import psycopg
    from psycopg import sql

    with psycopg.connect(server, autocommit=True) as connection:
        there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not there.fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return f"{server.rpartition('/')[0]}/{name}"


def _lists() -> list[str]:
    """Return the tables with a list, which register when the URLs are imported."""
    from django.conf import settings
    from django.contrib import admin

    import_module(settings.ROOT_URLCONF)
    return sorted(model._meta.label_lower for model in admin.site._registry)


def _pages(tables: Iterable[str]) -> Iterator[PageCost]:
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    user, _ = User.objects.get_or_create(username="bench", is_staff=True, is_superuser=True)
    client = Client(headers={"host": "localhost"}, raise_request_exception=False)
    client.force_login(user)
    for table in tables:
        address = reverse(f"admin:{table.replace('.', '_')}_changelist")
        for what, query in _ways(client, address):
            yield _measured(client, table, what, address + query)


def _ways(client: Any, address: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a list, each with its query."""
    from django.test.utils import setup_test_environment, teardown_test_environment

    setup_test_environment()  # only so that an answer has its context: it takes time
    changelist = client.get(address).context["cl"]
    teardown_test_environment()
    yield "plain", ""
    yield "second page", "?p=2" if changelist.multi_page else ""
    if changelist.multi_page:
        yield "last page", f"?p={changelist.paginator.num_pages}"
    for spec in changelist.filter_specs:
        for choice in spec.choices(changelist):
            if not choice["selected"]:
                yield f"{spec.title}: {choice['display']}", choice["query_string"]
    if changelist.date_hierarchy:
        name, year = f"?{changelist.date_hierarchy}__year=", time.gmtime().tm_year
        yield "a year", f"{name}{year}"
        yield "a month", f"{name}{year}&{name[1:-5]}month={time.gmtime().tm_mon}"
    if changelist.search_fields:
        for kind, text in _searches().items():
            yield f"search: {kind}", f"?q={text}"
    for column, field in enumerate(changelist.list_display):
        if changelist.get_ordering_field(field):
            yield f"by {field}", f"?o={column}"
            yield f"by {field}, down", f"?o=-{column}"


def _searches() -> dict[str, str]:
    """Return a search text of each kind that has matches."""
    from filing.models import Signature, StatusChange

    signature = Signature.objects.select_related("submission__filing__institution").latest("pk")
    submission = signature.submission
    institution = submission.filing.institution
    change = StatusChange.objects.filter(submission=submission).exclude(actor_email="").latest("pk")
    return {
        "LEI": submission.lei,
        "ULI": f"{submission.lei}000000000000123456",
        "institution": institution.name,
        "common word": "bank",
        "nothing": "no such thing",
        "TIN": institution.tax_id,
        "email address": change.actor_email,
        "email domain": f"@{institution.email_domains[0]}",
        "receipt": signature.receipt,
        "submission": str(submission),
        "file name": submission.file_name,
        "SHA-256": submission.sha256,
        "request id": change.request_id,
        "network address": change.address,
        "user name": change.actor_username,
        "event": "EVERYTHING_VERIFIED",
        "edit": "V612-1",
    }


def _measured(client: Any, table: str, what: str, address: str) -> PageCost:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    tries = []
    for _ in range(REPEATS):
        with CaptureQueriesContext(connection) as queries:
            cpu, wall = time.process_time(), time.perf_counter()
            answer = client.get(address)
            spent = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
        if answer.status_code != 200:
            what = f"{what} ANSWERS {answer.status_code}"
        database = sum(float(query["time"]) for query in queries.captured_queries) * 1000
        tries.append((*spent, database, len(queries)))
    wall, cpu, database, count = min(tries)
    return PageCost(table, what, int(count), wall, cpu, database)


def _show(pages: list[PageCost]) -> None:
    out = report.console()
    for key, title in (("milliseconds", "slowest"), ("queries", "most queries")):
        worst: dict[str, PageCost] = {}
        for page in sorted(pages, key=lambda page: getattr(page, key)):
            worst[page.table] = page
        table = report.table_of(
            f"Of each list the page with the {title}",
            *("list", "page", "queries", "ms", "of which database", "processor ms"),
        )
        for page in worst.values():
            figures = (page.milliseconds, page.database, page.cpu)
            cells = (str(page.queries), *(f"{figure:.0f}" for figure in figures))
            table.add_row(page.table, page.what, *cells)
        out.print(table)
    for page in pages:
        if " ANSWERS " in page.what:
            out.print(f"broken: {page.table} {page.what}")
    above = [page for page in pages if page.milliseconds > MOST_MS or page.queries > MOST_QUERIES]
    for page in above:
        out.print(f"above: {page.table} {page.what}: {page.queries}, {page.milliseconds:.0f} ms")
    most, slowest = max(p.queries for p in pages), max(p.milliseconds for p in pages)
    report.show_checks(
        out,
        [
            report.Check("queries at most", str(most), f"{MOST_QUERIES}", most <= MOST_QUERIES),
            report.Check("ms at most", f"{slowest:.0f}", f"{MOST_MS}", slowest <= MOST_MS),
        ],
    )
    out.print(f"{len(pages)} pages. {report.machine()}.")


if __name__ == "__main__":
    main()
