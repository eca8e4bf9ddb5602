"""Says on one page what is wrong with this installation, and what to do."""

from __future__ import annotations

import json
import logging
import sys
import textwrap
from collections import Counter
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management.base import BaseCommand, CommandParser

from config.doctor.examination import Findings, examine_parts
from config.doctor.listing import describe_findings

_WIDTH = 100  # columns of the page
_LEVELS = {  # on the page
    checks.DEBUG: "OK",
    checks.INFO: "-",
    checks.WARNING: "WARNING",
    checks.ERROR: "ERROR",
}


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
        findings = examine_parts(email_to=options["email_to"], is_offline=options["offline"])
        counts = Counter(each.level for messages in findings.values() for each in messages)
        errors, warnings = counts[checks.ERROR], counts[checks.WARNING]
        if options["json"]:
            self.stdout.write(json.dumps(describe_findings(findings), indent=2))
        else:
            self.stdout.write(_form_page(findings, errors=errors, warnings=warnings))
        if errors or (options["fail_level"] == "WARNING" and warnings):
            sys.exit(1)


def _form_page(findings: Findings, *, errors: int, warnings: int) -> str:
    """Return the findings as a page, a line or two for each."""
    lines = [f"HMDA service {settings.VERSION} at {settings.PUBLIC_URL}", ""]
    for part, messages in findings.items():
        name = part
        for each in messages:
            start = f"{name:<14}{_LEVELS[each.level]:<9}"
            lines += _wrap_text(start, str(each.msg))
            if each.hint and each.level >= checks.WARNING:
                lines += _wrap_text(" " * len(start), f"-> {each.hint}")
            name = ""
    summary = f"Errors: {errors}. Warnings: {warnings}."
    return "\n".join([*lines, "", summary if errors or warnings else "Nothing is wrong."])


def _wrap_text(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
