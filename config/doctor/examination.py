"""Runs the live checks of all parts, each in a thread of its own, with a deadline for all.

One part that fails or hangs hides no other. What it found before it hung is reported. Levels of
messages: `DEBUG` is what is as it should be, `INFO` what could not, or need not, be looked at.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from django.core.checks import CheckMessage, Error, Info
from django.core.checks.registry import CheckRegistry
from django.db import Error as DatabaseError
from django.db import connections

from config.doctor import data, files, outside, services, site  # noqa: F401 -- they register checks
from config.health.dependencies import check_database, check_migrations, first_line
from config.health.live_checks import (
    DOCTOR,
    LIVE_CHECKS,
    NEEDS_DATABASE,
    NEEDS_TABLES,
    OUTSIDE,
    Check,
    find_fault,
    select_checks,
    start_look,
    wait_for_look,
)

DEADLINE_SECONDS = 20
PARTS = (  # in the order of the page
    *("settings", "software", "folders", "static files", "database", "migrations", "clock"),
    *("broker", "cache", "workers", "beat", "jobs", "work", "storage", "virus scan", "backup"),
    *("audit log", "receipts", "web", "proxy", "email", "identity"),
    *("periods", "filing years", "filings", "reference", "published"),
    "made-up data",
)
_NEEDS: dict[str, Check] = {NEEDS_DATABASE: check_database, NEEDS_TABLES: check_migrations}

Findings = dict[str, list[CheckMessage]]


def examine_parts(
    parts: Sequence[str] = PARTS,
    *,
    email_to: str = "",
    is_offline: bool = False,
    seconds: float = DEADLINE_SECONDS,
    registry: CheckRegistry = LIVE_CHECKS,
) -> Findings:
    """Return the messages about each part, in the order of the parts.

    Args:
        email_to: Where to send a test message; blank for none.
        is_offline: Leave out the parts outside.
        seconds: The deadline; what others need has half of it.
    """
    findings: Findings = {part: [] for part in parts}
    began, looks = time.monotonic(), {}
    selected = select_checks(DOCTOR, parts, registry=registry)
    needs = {
        need: start_look(partial(find_fault, check), failed="It cannot be looked at.", name=need)
        for need, check in _NEEDS.items()
        if any(need in each.tags for each in selected.values())
    }
    for part, check in selected.items():
        if is_offline and OUTSIDE in check.tags:
            findings[part].append(Info("Left out with --offline."))
            continue
        look = partial(_look, check, findings[part], needs, began + seconds / 2, email_to)
        looks[part] = start_look(look, failed=True, name=part)
    for part, look_at_part in looks.items():
        if not wait_for_look(look_at_part, until=began + seconds, late=False):
            late = Error(f"No answer within {seconds:g} seconds.", "Look at what it waits for.")
            findings[part] = [*findings[part], late]  # what comes later is not added
    return findings


def _look(
    check: Any,
    messages: list[CheckMessage],
    needs: dict[str, Future[str]],
    needs_until: float,
    email_to: str,
) -> bool:
    """Run a check to messages, whatever happens, unless what it needs is away."""
    try:
        for need in needs.keys() & set(check.tags):
            if wait_for_look(needs[need], until=needs_until, late="No answer."):
                messages.append(Info(f"Not looked at: it {need}."))
                return True
        for message in check(app_configs=None, databases=None, email_to=email_to):
            messages.append(message)  # noqa: PERF402 -- what is there when it hangs is reported
    except DatabaseError as failure:
        hint = "Run `manage.py prepare`, then look at the database's own log."
        messages.append(Error(f"The database refused: {first_line(failure)}", hint))
    except Exception as failure:  # one part must not hide the others
        text = f"It cannot be looked at: {type(failure).__name__}: {first_line(failure)}"
        messages.append(Error(text, "See the logs in DATA_DIR/log."))
    finally:
        connections.close_all()
    return True
