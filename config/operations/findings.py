"""What `manage.py doctor` finds about this installation: a page, and the front page of the admin.

The checks take seconds: pages show what they found last. The front page looks itself at what is
quick to see and often away, renews the rest by a request of its own where it is old or that look
sees something else, and a button examines again. Problems are kept with the time since when they
are known, as long as each examination finds them. Nothing here is in the cache: it may be away.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from config.doctor.examination import DEADLINE_SECONDS, Findings, examine_parts
from config.doctor.listing import describe_findings
from config.health.live_checks import Latest, wait_for_look
from config.pages.navigation import find_address
from filing.models import Examination

MAY_READ = "filing.act_on_submission"
OLD_AFTER = timedelta(minutes=5)
# At these the front page looks itself, within so many seconds.
_QUICK_PARTS, _QUICK_SECONDS = ("broker", "cache"), 3
_KEPT_SECONDS = 30  # in which another reader gets the same
_PROBLEMS = ("error", "warning")
_NUMBERS = re.compile(r"\d+")
# Where staff act on what is found about a part: the label of the link, and the page.
_PAGES = {
    "jobs": ("Jobs", "admin:filing_job_changelist"),
    "periods": ("Filing periods", "admin:filing_filingperiod_changelist"),
    "filing years": ("Filing years", "admin:filing_filingyear_changelist"),
    "filings": ("Filings", "admin:filing_filing_changelist"),
    "reference": ("Freshness of reference data", "admin:freshness"),
    "published": ("Data set versions", "admin:databrowser_version_changelist"),
    "audit log": ("Audit chain and receipt keys", "admin:evidence"),
    "receipts": ("Audit chain and receipt keys", "admin:evidence"),
    "backup": ("Backups", "admin:backups"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check says of a part: its level as in the JSON, and what to do.

    since: when a problem was found first, without an examination since that did not find it.
    """

    part: str
    level: str
    text: str
    hint: str
    since: datetime | None = None

    @property
    def is_error(self) -> bool:
        return self.level == "error"

    @property
    def page(self) -> tuple[str, str] | None:
        """The label and address of the page of the admin where staff act on it, if there is one."""
        label, name = _PAGES.get(self.part, ("", ""))
        return (label, find_address(name)) if name else None


@dataclass(frozen=True, slots=True)
class StoredFindings:
    """What the checks found, and when. content: as JSON, with `since` at each problem.

    at: none before all checks have run. has_changed: a look since has seen something else.
    """

    at: datetime | None
    content: dict[str, Any]
    has_changed: bool = False

    @property
    def is_old(self) -> bool:
        return self.has_changed or not self.at or timezone.now() - self.at > OLD_AFTER

    @property
    def findings(self) -> list[Finding]:
        """The problems, the errors first."""
        problems = [each for _, found in self.parts for each in found if each.level in _PROBLEMS]
        return sorted(problems, key=lambda finding: not finding.is_error)

    @property
    def parts(self) -> list[tuple[str, list[Finding]]]:
        """All findings by part, in the order of the checks."""
        return [
            (
                part,
                [
                    Finding(
                        part,
                        each["level"],
                        each["text"],
                        each["advice"],
                        datetime.fromisoformat(each["since"]) if each.get("since") else None,
                    )
                    for each in found["findings"]
                ],
            )
            for part, found in self.content["parts"].items()
        ]


def read_findings() -> StoredFindings | None:
    """Return what the checks found last; None before they have run."""
    kept = Examination.objects.order_by("-at").first()
    if kept is None:
        return None
    content = dict(kept.content)
    parts = content.pop("parts")
    order = content.pop("order")  # PostgreSQL keeps no order of keys
    return StoredFindings(kept.at, content | {"parts": {name: parts[name] for name in order}})


def store_findings(findings: Findings) -> StoredFindings:
    """Keep findings, with the time since when each problem is known, and return them."""
    now = timezone.now()
    content = {"at": now.isoformat(), **describe_findings(findings)}
    _date_problems(content, read_findings(), now)
    stored = content | {"order": [*content["parts"]]}
    Examination.objects.update_or_create(pk=1, defaults={"at": now, "content": stored})
    return StoredFindings(now, content)


def see_now() -> StoredFindings:
    """Return what the checks found last, with what a look at the quick parts sees now instead."""
    stored = read_findings() or StoredFindings(None, {"parts": {}})
    seen = describe_findings(examine_parts(_QUICK_PARTS, seconds=_QUICK_SECONDS))
    _date_problems(seen, stored, timezone.now())
    before = {_name(*each) for each in _problems(stored.content) if each[0] in _QUICK_PARTS}
    return replace(
        stored,
        content={"parts": stored.content["parts"] | seen["parts"]},
        has_changed=before != {_name(*each) for each in _problems(seen)},
    )


def _date_problems(content: dict[str, Any], before: StoredFindings | None, now: datetime) -> None:
    """Add the time since when it is known to each problem."""
    known = _problems(before.content) if before else ()
    since = {_name(part, each): each.get("since") for part, each in known}
    for part, each in _problems(content):
        each["since"] = since.get(_name(part, each)) or now.isoformat()


def _problems(content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part, found in content["parts"].items():
        for each in found["findings"]:
            if each["level"] in _PROBLEMS:
                yield part, each


def _name(part: str, finding: dict[str, Any]) -> tuple[str, str]:
    """Return what makes a problem the same as one before: its text without ages and counts."""
    return part, _NUMBERS.sub("", finding["text"])


def _examine() -> StoredFindings | None:
    try:
        return store_findings(examine_parts())
    finally:
        connections.close_all()  # of the thread of the look


_latest: Latest[StoredFindings | None] = Latest(_examine, failed=None, name="doctor")


def _examine_now() -> None:
    """Wait until the checks have run, unless they did some seconds ago for another reader."""
    until = time.monotonic() + DEADLINE_SECONDS + 5
    wait_for_look(_latest.current(kept_seconds=_KEPT_SECONDS), until=until, late=None)


@require_http_methods(["GET", "HEAD", "POST"])
def show_findings(request: HttpRequest) -> HttpResponse:
    """Show what the checks found last; run them for a form, or for the front page itself."""
    _require_reader(request)
    if request.method == "POST":
        _examine_now()
        return HttpResponseRedirect(reverse("admin:findings"))
    if "HX-Request" in request.headers:
        _examine_now()
        context = {"findings": see_now()}
        return TemplateResponse(request, "admin/parts/findings_state.html", context)
    page = {
        **admin.site.each_context(request),
        "title": "Checks of this installation",
        "findings": read_findings(),
    }
    return TemplateResponse(request, "admin/findings.html", page)


@require_safe
def send_findings(request: HttpRequest) -> HttpResponse:
    """Send what the checks found last as JSON, as `doctor --json` prints it; with times."""
    _require_reader(request)
    stored = read_findings()
    return JsonResponse(stored.content if stored else {"at": None, "parts": {}})


def _require_reader(request: HttpRequest) -> None:
    if not request.user.has_perm(MAY_READ):
        raise PermissionDenied(MAY_READ)
