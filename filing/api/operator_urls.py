"""Addresses of the operator API."""

from __future__ import annotations

from django.urls import re_path
from rest_framework.views import APIView

from filing.api.views import operators

_LEI = r"(?P<lei>[0-9A-Za-z]{20})"
_PERIOD = r"(?P<period>[0-9A-Za-z-]+)"
_ID = r"(?P<submission_name>[0-9A-Za-z-]+)"
_YEAR = r"year/(?P<year>[0-9]{4})"
_SUBMISSION = rf"institutions/{_LEI}/filings/{_PERIOD}/submissions/(?P<number>[0-9]{{1,9}})"

_ENDPOINTS: list[tuple[str, str, type[APIView]]] = [
    ("institutions", "institutions", operators.InstitutionsView),
    ("institution", rf"institutions/{_LEI}", operators.InstitutionView),
    ("institution-of-year", rf"institutions/{_LEI}/{_YEAR}", operators.InstitutionOfYearView),
    (
        "institution-of-quarter",
        rf"institutions/{_LEI}/{_YEAR}/quarter/(?P<quarter>Q[123])",
        operators.InstitutionOfYearView,
    ),
    (
        "signed",
        rf"institutions/{_LEI}/signed/(?P<which>latest|oldest)/{_PERIOD}",
        operators.SignedSubmissionView,
    ),
    ("history", rf"institutions/{_LEI}/submissions/{_PERIOD}", operators.SubmissionHistoryView),
    ("latest-file", rf"institutions/{_LEI}/hmdafile/latest/{_PERIOD}", operators.LatestFileView),
    ("file", rf"receipt/{_ID}/hmdafile", operators.FileView),
    ("record-count", rf"receipt/{_ID}/count", operators.RecordCountView),
    ("follow-up", rf"publish/(?P<topic>[a-z-]+)/{_SUBMISSION}", operators.FollowUpView),
    ("edit-counts", rf"validate/{_LEI}/submissions/count", operators.EditCountsView),
    ("all-edit-counts", "validate/all/leis/submissions/count", operators.AllEditCountsView),
    ("figures", "figures", operators.FiguresView),
    ("figure", rf"figures/(?P<figure>[a-z_]+)/{_PERIOD}", operators.FigureView),
    ("figure-csv", rf"figures/(?P<figure>[a-z_]+)/{_PERIOD}/csv", operators.FigureCsvView),
    (
        "batch-edit-counts",
        "validate/batch/leis/all/submissions/count",
        operators.BatchEditCountsView,
    ),
    (
        "filed-edit-counts",
        "validate/batch/leis/latest/submissions/signed/count",
        operators.FiledEditCountsView,
    ),
]

app_name = "operators"
urlpatterns = [
    re_path(rf"^{address}/?$", view.as_view(), name=name) for name, address, view in _ENDPOINTS
]
