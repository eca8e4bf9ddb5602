"""What `manage.py doctor` finds wrong with this installation, for the front page of the admin.

The checks take seconds: the front page shows what they found last, and renews it by a request of
its own where that is old.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.contrib import admin
from django.core import checks
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.doctor.examination import DEADLINE_SECONDS, Findings, examine_parts
from config.health.live_checks import Latest, wait_for_look
from config.pages.navigation import find_address

MAY_READ = "filing.act_on_submission"
OLD_AFTER = timedelta(minutes=5)
_KEY = "doctor:findings"
_KEPT_SECONDS = 30  # in which another reader gets the same
# Where staff act on what is found about a part: the label of the link, and the page.
_PAGES = {
    "jobs": ("Jobs", "admin:filing_job_changelist"),
    "periods": ("Filing periods", "admin:filing_filingperiod_changelist"),
    "filing years": ("Filing years", "admin:filing_filingyear_changelist"),
    "filings": ("Filings", "admin:filing_filing_changelist"),
    "reference": ("Reference data by year", "admin:filing_referencedata_changelist"),
    "published": ("Data set versions", "admin:databrowser_version_changelist"),
    "audit log": ("Audit log verifications", "admin:filing_chaincheck_changelist"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of this installation, and what to do."""

    part: str
    is_error: bool
    text: str
    hint: str

    @property
    def page(self) -> tuple[str, str] | None:
        """The label and address of the page of the admin where staff act on it, if there is one."""
        label, name = _PAGES.get(self.part, ("", ""))
        return (label, find_address(name)) if name else None


@dataclass(frozen=True, slots=True)
class StoredFindings:
    """What the checks found, the errors first, and when."""

    at: datetime
    findings: list[Finding]

    @property
    def is_old(self) -> bool:
        return timezone.now() - self.at > OLD_AFTER


def read_findings() -> StoredFindings | None:
    """Return what the checks found last; None before they have run."""
    text = cache.get(_KEY)
    if not text:
        return None
    stored = json.loads(text)
    findings = [Finding(**each) for each in stored["findings"]]
    return StoredFindings(datetime.fromisoformat(stored["at"]), findings)


def store_findings(findings: Findings) -> StoredFindings:
    """Keep the warnings and errors among the findings, and return them."""
    problems = [
        Finding(part, each.level >= checks.ERROR, str(each.msg), str(each.hint or ""))
        for part, messages in findings.items()
        for each in messages
        if each.level >= checks.WARNING
    ]
    problems.sort(key=lambda finding: not finding.is_error)
    stored = StoredFindings(timezone.now(), problems)
    content = {"at": stored.at.isoformat(), "findings": [asdict(each) for each in problems]}
    cache.set(_KEY, json.dumps(content), None)
    return stored


def _examine() -> StoredFindings | None:
    return store_findings(examine_parts())


_latest: Latest[StoredFindings | None] = Latest(_examine, failed=None, name="doctor")


@require_safe
def show_findings(request: HttpRequest) -> HttpResponse:
    """Run the checks, and show what is wrong; to the front page itself, only how much."""
    if not request.user.has_perm(MAY_READ):
        raise PermissionDenied(MAY_READ)
    until = time.monotonic() + DEADLINE_SECONDS + 5
    stored = wait_for_look(_latest.current(kept_seconds=_KEPT_SECONDS), until=until, late=None)
    context = {"findings": stored or read_findings()}
    if "HX-Request" in request.headers:
        return TemplateResponse(request, "admin/parts/findings_state.html", context)
    page = {**admin.site.each_context(request), "title": "Checks of this installation"}
    return TemplateResponse(request, "admin/findings.html", page | context)
