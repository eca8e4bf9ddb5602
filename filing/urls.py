"""Addresses of the filing API. Signing, receipt and summary exist where signing is enabled."""

from __future__ import annotations

from django.conf import settings
from django.urls import re_path
from rest_framework.views import APIView

from filing import views

FILING = r"^institutions/(?P<lei>[^/]+)/filings/(?P<year>[0-9]+)"
QUARTER = r"/quarter/(?P<quarter>Q[123])"
SUBMISSION = r"/submissions/(?P<sequence_number>[0-9]+)"
CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)"

_ENDPOINTS: list[tuple[str, str, type[APIView]]] = [
    ("filing", "", views.FilingRoot),
    ("submissions", "/submissions", views.Submissions),
    ("latest", "/submissions/latest", views.Latest),
    ("submission", SUBMISSION, views.OneSubmission),
    ("parse-errors", f"{SUBMISSION}/parseErrors", views.ParseErrors),
    ("parse-errors-csv", f"{SUBMISSION}/parseErrors/csv", views.ParseErrorsCsv),
    ("edits", f"{SUBMISSION}/edits", views.Edits),
    ("edits-csv", f"{SUBMISSION}/edits/csv", views.EditsCsv),
    ("verify-quality", f"{SUBMISSION}/edits/quality", views.VerifyQuality),
    ("verify-macro", f"{SUBMISSION}/edits/macro", views.VerifyMacro),
    ("edit", f"{SUBMISSION}/edits/{CODE}", views.EditDetail),
]
_SIGNING: list[tuple[str, str, type[APIView]]] = [
    ("sign", f"{SUBMISSION}/sign", views.Sign),
    ("summary", f"{SUBMISSION}/summary", views.Summary),
]

app_name = "filing"
urlpatterns = [
    re_path(r"^$", views.Health.as_view(), name="health"),
    *(
        re_path(rf"{FILING}{quarter}{tail}/?$", view.as_view(), name=f"{prefix}{name}")
        for prefix, quarter in (("", ""), ("quarter-", QUARTER))
        for name, tail, view in (_ENDPOINTS + (_SIGNING if settings.SIGNING_ENABLED else []))
    ),
    *(
        re_path(
            rf"^institutions/(?P<lei>[^/]+)/year/(?P<year>[0-9]+){quarter}/?$",
            views.InstitutionYear.as_view(),
            name=f"{prefix}institution",
        )
        for prefix, quarter in (("", ""), ("quarter-", QUARTER))
    ),
]
