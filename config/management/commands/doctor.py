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

_WIDTH = 100  # columns of the page
_LEVELS = {  # in JSON, and on the page
    checks.DEBUG: ("ok", "OK"),
    checks.INFO: ("left out", "-"),
    checks.WARNING: ("warning", "WARNING"),
    checks.ERROR: ("error", "ERROR"),
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
        form = _form_json if options["json"] else _form_page
        self.stdout.write(form(findings, errors=errors, warnings=warnings))
        if errors or (options["fail_level"] == "WARNING" and warnings):
            sys.exit(1)


def _form_page(findings: Findings, *, errors: int, warnings: int) -> str:
    """Return the findings as a page, a line or two for each."""
    lines = [f"HMDA service {settings.VERSION} at {settings.PUBLIC_URL}", ""]
    for part, messages in findings.items():
        name = part
        for each in messages:
            start = f"{name:<14}{_LEVELS[each.level][1]:<9}"
            lines += _wrap_text(start, str(each.msg))
            if each.hint and each.level >= checks.WARNING:
                lines += _wrap_text(" " * len(start), f"-> {each.hint}")
            name = ""
    summary = f"Errors: {errors}. Warnings: {warnings}."
    return "\n".join([*lines, "", summary if errors or warnings else "Nothing is wrong."])


def _form_json(findings: Findings, *, errors: int, warnings: int) -> str:
    """Return the findings as JSON for programs; the level of a part is that of its worst."""
    parts = {
        part: {
            "level": _LEVELS[max((each.level for each in messages), default=checks.DEBUG)][0],
            "findings": [
                {
                    "level": _LEVELS[each.level][0],
                    "text": each.msg,
                    "advice": (each.hint or "") if each.level >= checks.WARNING else "",
                }
                for each in messages
            ],
        }
        for part, messages in findings.items()
    }
    content = {
        "version": settings.VERSION,
        "site": settings.PUBLIC_URL,
        "errors": errors,
        "warnings": warnings,
        "parts": parts,
    }
    return json.dumps(content, indent=2)


def _wrap_text(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
