"""The system checks at the start of the service: in production an error stops it.

A production site is one whose own address is https (`SECURE`). Others are for trying out, where
the same settings are fine.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

log = logging.getLogger(__name__)

_OWN = {"localhost", "127.0.0.1", "::1"}


class UnsafeSettings(Exception):
    """A production site has settings that it must not have; the message lists what to set right."""


def run_checks(*, for_production: bool = True) -> list[checks.CheckMessage]:
    """Return the errors, then the warnings that the site has not silenced with a reason.

    for_production: also those of `check --deploy`.
    """
    messages = checks.run_checks(include_deployment_checks=for_production)
    counted = (each for each in messages if each.level >= checks.WARNING and not each.is_silenced())
    return sorted(counted, key=_is_warning)


def _is_warning(message: checks.CheckMessage) -> bool:
    return message.level < checks.ERROR


def require_safe() -> None:
    """Return if the service may start; log what a production site should consider.

    Raises: UnsafeSettings.
    """
    if not settings.SECURE:
        if is_reachable_without_https():
            log.warning(
                "%s is not https, so this site is not checked for production; passwords and "
                "filings are sent without encryption",
                settings.PUBLIC_URL,
            )
        return
    messages = run_checks()
    if errors := [message for message in messages if not _is_warning(message)]:
        raise UnsafeSettings(_refusal(errors))
    for message in messages:
        log.warning("Check %s: %s %s", message.id, message.msg, message.hint or "")
    for name, reason in settings.SILENCED_CHECKS.items():
        log.info("Check %s is silenced: %s", name, reason)


def is_reachable_without_https() -> bool:
    """Return whether the site's own address is http and of another machine than this one."""
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    return not settings.SECURE and host not in _OWN and not host.endswith(".localhost")


def _refusal(errors: list[checks.CheckMessage]) -> str:
    lines = [f"  {error.id}: {error.msg} {error.hint or ''}".rstrip() for error in errors]
    return "\n".join(
        [
            f"The service does not start: {settings.PUBLIC_URL} is a production site, and these "
            f"settings must be set right first ({len(errors)}):",
            *lines,
            "`manage.py check --deploy` prints them again, with warnings. A check that does not "
            "apply here can be left out with its reason in SILENCED_CHECKS.",
        ]
    )
