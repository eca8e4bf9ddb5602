"""Addresses of the filing API. Signing, receipt and summary exist only if signing is enabled."""

from __future__ import annotations

from django.conf import settings
from django.urls import re_path
from rest_framework.views import APIView

from filing.api.views import (
    filings,
    findings,
    periods,
    progress,
    rules_comparison,
    signing,
    uploads,
    webhooks,
)

FILING = r"^institutions/(?P<lei>[^/]+)/filings/(?P<year>[0-9]+)"
QUARTER = r"/quarter/(?P<quarter>Q[123])"
SUBMISSION = r"/submissions/(?P<sequence_number>[0-9]+)"
UPLOAD = r"(?P<key>[0-9a-f]{32})"
CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)"

_ENDPOINTS: list[tuple[str, str, type[APIView]]] = [
    ("filing", "", filings.FilingRoot),
    ("submissions", "/submissions", filings.Submissions),
    ("latest", "/submissions/latest", filings.Latest),
    ("submission", SUBMISSION, filings.OneSubmission),
    ("progress", f"{SUBMISSION}/progress", progress.ProgressEvents),
    ("uploads", f"{SUBMISSION}/uploads", uploads.Uploads),
    ("upload", rf"{SUBMISSION}/uploads/{UPLOAD}", uploads.OneUpload),
    ("parse-errors", f"{SUBMISSION}/parseErrors", findings.ParseErrors),
    ("parse-errors-csv", f"{SUBMISSION}/parseErrors/csv", findings.ParseErrorsCsv),
    ("edits", f"{SUBMISSION}/edits", findings.Edits),
    ("edits-csv", f"{SUBMISSION}/edits/csv", findings.EditsCsv),
    ("rules", f"{SUBMISSION}/edits/rules/(?P<rules>[0-9]{{4}})", rules_comparison.RulesComparison),
    ("verify-quality", f"{SUBMISSION}/edits/quality", signing.VerifyQuality),
    ("verify-macro", f"{SUBMISSION}/edits/macro", signing.VerifyMacro),
    ("edit", f"{SUBMISSION}/edits/{CODE}", findings.EditDetail),
    ("edit-csv", f"{SUBMISSION}/edits/{CODE}/csv", findings.EditCsv),
]
_SIGNING: list[tuple[str, str, type[APIView]]] = [
    ("sign", f"{SUBMISSION}/sign", signing.Sign),
    ("receipt", f"{SUBMISSION}/receipt", signing.ReceiptFile),
    ("summary", f"{SUBMISSION}/summary", signing.Summary),
]

_OBLIGATIONS = r"^institutions/(?P<lei>[^/]+)/obligations"
_WEBHOOKS = r"^institutions/(?P<lei>[^/]+)/webhooks"
_WEBHOOK = rf"{_WEBHOOKS}/(?P<webhook>[0-9]{{1,18}})"
_DELIVERY = rf"{_WEBHOOK}/deliveries/(?P<delivery>[0-9]{{1,18}})"

app_name = "filing"
urlpatterns = [
    re_path(r"^$", filings.Health.as_view(), name="health"),
    *(
        re_path(rf"{FILING}{quarter}{tail}/?$", view.as_view(), name=f"{prefix}{name}")
        for prefix, quarter in (("", ""), ("quarter-", QUARTER))
        for name, tail, view in (_ENDPOINTS + (_SIGNING if settings.SIGNING_ENABLED else []))
    ),
    *(
        re_path(
            rf"^institutions/(?P<lei>[^/]+)/year/(?P<year>[0-9]+){quarter}/?$",
            filings.InstitutionYear.as_view(),
            name=f"{prefix}institution",
        )
        for prefix, quarter in (("", ""), ("quarter-", QUARTER))
    ),
    re_path(r"^periods/?$", periods.Periods.as_view(), name="periods"),
    re_path(r"^periods\.ics$", periods.PeriodsCalendar.as_view(), name="periods-calendar"),
    re_path(rf"{_OBLIGATIONS}/?$", periods.Obligations.as_view(), name="obligations"),
    re_path(
        rf"{_OBLIGATIONS}\.ics$",
        periods.ObligationsCalendar.as_view(),
        name="obligations-calendar",
    ),
    re_path(rf"{_WEBHOOKS}/?$", webhooks.Webhooks.as_view(), name="webhooks"),
    re_path(rf"{_WEBHOOK}/?$", webhooks.OneWebhook.as_view(), name="webhook"),
    re_path(rf"{_WEBHOOK}/deliveries/?$", webhooks.Deliveries.as_view(), name="deliveries"),
    re_path(rf"{_DELIVERY}/replay/?$", webhooks.Replay.as_view(), name="replay"),
]
