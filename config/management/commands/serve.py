"""Runs the whole service on this machine: web, workers and beat, until Ctrl-C."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shlex
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser, SystemCheckError
from django.db import connections

from config.management.commands import prepare
from config.running import data_folder, start_checks, supervisor
from config.running.supervisor import DidNotStart, Supervisor


class Command(BaseCommand):
    help = "Prepare the data folder and run web, workers and beat until Ctrl-C."
    requires_system_checks = ()  # a process of their own runs them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        demo = parser.add_mutually_exclusive_group()
        demo.add_argument(
            "--demo",
            action="store_true",
            default=None,
            help="load made-up data; default: only on a site for trying out, whose PUBLIC_URL is "
            "not https and whose database is the embedded one",
        )
        demo.add_argument(
            "--no-demo", dest="demo", action="store_false", help="load no made-up data"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        service = Supervisor(data_dir=settings.DATA_DIR, port=settings.PORT, host=options["host"])
        description = data_folder.RunningService(
            port=settings.PORT,
            public_url=settings.PUBLIC_URL,
            local_url=service.url,
            environment=data_folder.shared_environment(settings),
        )
        signal.signal(signal.SIGTERM, _exit)  # so that what it started ends with it
        wants_demo = _is_for_trying_out() if options["demo"] is None else options["demo"]
        try:
            with data_folder.claim_data_folder(settings.DATA_DIR, description) as claim:
                service.require_free_port()  # before what takes minutes
                static: AbstractContextManager[None] = nullcontext()
                if not settings.STATIC_ROOT:
                    folder = settings.DATA_DIR / "static"
                    static = supervisor.collect_static_files(folder)
                    service.environment["STATIC_ROOT"] = str(folder)
                with static:
                    self._prepare(demo=wants_demo)
                service.start(claim=claim)
                _run_apart(lambda: print(welcome(), flush=True))
                service.wait(claim.state)
        except (data_folder.AlreadyRuns, DidNotStart) as error:
            raise CommandError(str(error)) from error

    def _prepare(self, *, demo: bool) -> None:
        lacks_demo = multiprocessing.Value("b", False)

        def prepare_data_folder() -> None:
            start_checks.require_safe()
            lacks_demo.value = prepare.prepare_data_folder(demo=demo)

        _run_apart(prepare_data_folder, self.check)
        if lacks_demo.value:
            _run_apart(prepare.publish_demo_graphs, prepare.publish_demo_records)


def _exit(*_: object) -> NoReturn:
    sys.exit(1)


def _is_for_trying_out() -> bool:
    """Tell whether the site is one to try out: without https, and with its own SQLite file."""
    database = settings.DATABASES["default"]
    return not settings.SECURE and (
        database["ENGINE"] == "django.db.backends.sqlite3"
        and Path(database["NAME"]).parent == settings.DATA_DIR
    )


def _run_apart(*works: Callable[[], object]) -> None:
    """Run what needs much memory in processes of their own: this one waits for days.

    Nothing may use polars here before: its threads would be missing in the others.

    Raises: SystemExit where one failed; it has said why.
    """

    def run(work: Callable[[], object]) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        gc.disable()  # it ends soon
        try:
            work()
        except SystemCheckError as error:  # it has a heading of its own
            sys.exit(str(error))
        except (CommandError, start_checks.UnsafeSettings) as error:
            sys.exit(f"CommandError: {error}")

    connections.close_all()
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=run, args=(work,)) for work in works]
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join()
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    if any(process.exitcode for process in processes):
        sys.exit(1)


def welcome() -> str:
    """Return what to start with: addresses, demo accounts, and three calls to copy."""
    from config import demo  # which loads much
    from config.identity.sign_up import logs_emails

    url, year = settings.PUBLIC_URL, prepare.data_year()
    institution = demo.demo_institution(year)
    lei = institution.lei if institution else "<LEI>"
    base = f"{url}/v2/filing/institutions/{lei}/filings/{year}"
    manage = " ".join([*settings_to_repeat(), ".venv/bin/python manage.py"])
    file = demo.logins_file()
    lines = file.read_text().splitlines() if file.exists() else []
    logins = "\n".join(
        f"    {name:14} {password}   {' '.join(task)}"
        for name, password, *task in map(str.split, lines)
    )
    log = settings.DATA_DIR / "log" / "worker-other.log"
    emails = f"\n    emails       written to {log}" if logs_emails() else ""
    return f"""
  The service is running at {url}
    filing API   {url}/v2/filing/     try it: {url}/docs/
    sign in      {url}/sign-in/      your profile: {url}/filing/profile/
    operators    {url}/admin/{emails}

  Demo accounts (made for this data folder, {settings.DATA_DIR}):
{logins or "    none: this folder has your own data"}

  Three calls to start with:
    TOKEN=$({manage} token --lei {lei})
    curl -H "Authorization: Bearer $TOKEN" {base}
    curl -X POST -H "Authorization: Bearer $TOKEN" {base}/submissions

  Ctrl-C ends it. All data are kept in {settings.DATA_DIR}, logs in log/;
  the next start continues with them.
"""


def settings_to_repeat() -> list[str]:
    """Return the settings to write before a command so that it uses the same service."""
    is_set = os.environ.get("DATA_DIR", "").strip()
    return [f"DATA_DIR={shlex.quote(str(settings.DATA_DIR))}"] if is_set else []
