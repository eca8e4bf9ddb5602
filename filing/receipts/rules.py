"""The rules that a receipt names: their year, and the version of their edits."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from django.conf import settings

from filing.edits import catalogue
from filing.lar.period import Period
from filing.lar.years import NoRulebookError
from filing.models import Submission


def claims(submission: Submission) -> dict[str, Any]:
    """Return which rules checked a submission, as its receipt names them.

    rulebook: their year; null where no edit was run, because the period had no rules.
    """
    try:
        period = submission.rules_period
    except NoRulebookError:
        return {"rulesVersion": f"{settings.VERSION}+none", "rulebook": None}
    return {"rulesVersion": version(period), "rulebook": period.year}


@cache
def version(period: Period) -> str:
    """Return the release of the service and a hash of the edits of a period.

    The hash is over kind, level, code, fields, text and rule of each edit, so releases with the
    same edits have the same hash.
    """
    digest = hashlib.sha256()
    for edit in catalogue.edits(period):
        parts = (edit.kind.value, edit.level.value, edit.code, *edit.fields, edit.text, edit.rule)
        digest.update("\x1f".join(parts).encode() + b"\x1e")
    return f"{settings.VERSION}+{digest.hexdigest()[:16]}"
