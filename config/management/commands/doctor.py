"""Says on one page what is wrong with this installation, and what to do."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config.doctor import report
from config.doctor.examination import examine
from config.doctor.findings import Level, Options
from config.doctor.registry import PARTS


class Command(BaseCommand):
    help = (
        "Say part by part what is wrong with this installation and what to do. Changes nothing. "
        "Exits with 1 if anything is wrong; warnings alone exit with 0."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON for programs")
        parser.add_argument(
            "--offline",
            action="store_true",
            help="call no mail server, identity provider or proxy",
        )
        parser.add_argument(
            "--email-to", default="", metavar="ADDRESS", help="send a test message there"
        )
        parser.add_argument(
            "--fail-level",
            choices=["ERROR", "WARNING"],
            default="ERROR",
            help="exit with 1 for this or worse; default: ERROR",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        logging.disable(logging.CRITICAL)  # the page says it in plain words
        import_module(settings.ROOT_URLCONF)  # takes seconds, which no part should wait for
        results = examine(PARTS, Options(email_to=options["email_to"]), offline=options["offline"])
        self.stdout.write(report.as_json(results) if options["json"] else report.page(results))
        numbers = report.counts(results)
        if numbers[Level.ERROR] or (options["fail_level"] == "WARNING" and numbers[Level.WARNING]):
            sys.exit(1)
