"""Runs the whole service on this machine: web, workers and beat, until Ctrl-C."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

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
        parser.add_argument("--no-demo", action="store_true", help="load no made-up data")

    def handle(self, *args: Any, **options: Any) -> None:
        description = data_folder.RunningService(
            port=settings.PORT,
            public_url=settings.PUBLIC_URL,
            environment=data_folder.shared_environment(settings),
        )
        try:
            with data_folder.claim_data_folder(settings.DATA_DIR, description) as claim:
                service = Supervisor(
                    data_dir=settings.DATA_DIR, port=settings.PORT, host=options["host"]
                )
                static: AbstractContextManager[None] = nullcontext()
                if not settings.STATIC_ROOT:
                    folder = settings.DATA_DIR / "static"
                    static = supervisor.collect_static_files(folder)
                    service.environment["STATIC_ROOT"] = str(folder)
                with static:
                    self._prepare(demo=not options["no_demo"])
                service.start(claim=claim)
                _run_apart(lambda: print(welcome(), flush=True))
                service.wait(claim.state)
        except (data_folder.AlreadyRuns, DidNotStart) as error:
            raise CommandError(str(error)) from error

    def _prepare(self, *, demo: bool) -> None:
        has_new_data = multiprocessing.Value("b", False)

        def prepare_data_folder() -> None:
            start_checks.require_safe()
            has_new_data.value = prepare.prepare_data_folder(demo=demo)

        _run_apart(prepare_data_folder, self.check)
        if has_new_data.value:
            _run_apart(prepare.publish_demo_graphs, prepare.publish_demo_records)


def _run_apart(*works: Callable[[], object]) -> None:
    """Run what needs much memory in processes of their own: this one waits for days.

    Nothing may use polars here before: its threads would be missing in the others.

    Raises: SystemExit where one failed; it has said why.
    """

    def run(work: Callable[[], object]) -> None:
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
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit(1)


def welcome() -> str:
    """Return what to start with: addresses, demo accounts, and three calls to copy."""
    from config import demo  # which loads much
    from config.identity.sign_up import logs_emails
    from filing.models import Institution

    url, year = settings.PUBLIC_URL, prepare.data_year()
    lei = demo.demo_filer().lei if Institution.objects.exists() else "<LEI>"
    base = f"{url}/v2/filing/institutions/{lei}/filings/{year}"
    manage = " ".join([*settings_to_repeat(), ".venv/bin/python manage.py"])
    logins = "\n".join(
        f"    {name:14} {password}   {' '.join(task)}"
        for name, password, *task in map(str.split, demo.logins_file().read_text().splitlines())
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
