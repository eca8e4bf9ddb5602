"""Addresses of the filing API. Signing, receipt and summary exist only if signing is enabled."""

from __future__ import annotations

from django.conf import settings
from django.urls import re_path
from rest_framework.views import APIView

from filing.api.views import (
    delegations,
    filings,
    findings,
    people_of_institution,
    periods,
    records,
    signing,
    webhooks,
)

FILING = r"^institutions/(?P<lei>[^/]+)/filings/(?P<year>[0-9]+)"
QUARTER = r"/quarter/(?P<quarter>Q[123])"
SUBMISSION = r"/submissions/(?P<sequence_number>[0-9]+)"
UPLOAD = r"(?P<key>[0-9a-f]{32})"
CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)"

_ENDPOINTS: list[tuple[str, str, type[APIView]]] = [
    ("filing", "", filings.FilingRootView),
    ("rights", "/rights", filings.RightsView),
    ("submissions", "/submissions", filings.SubmissionsView),
    ("latest", "/submissions/latest", filings.LatestSubmissionView),
    ("submission", SUBMISSION, filings.SubmissionView),
    ("progress", f"{SUBMISSION}/progress", filings.ProgressEventsView),
    ("uploads", f"{SUBMISSION}/uploads", filings.UploadsView),
    ("upload", rf"{SUBMISSION}/uploads/{UPLOAD}", filings.UploadView),
    ("parse-errors", f"{SUBMISSION}/parseErrors", findings.ParseErrorsView),
    ("parse-errors-csv", f"{SUBMISSION}/parseErrors/csv", findings.ParseErrorsCsvView),
    ("edits", f"{SUBMISSION}/edits", findings.EditsView),
    ("edits-csv", f"{SUBMISSION}/edits/csv", findings.EditsCsvView),
    ("rules", f"{SUBMISSION}/edits/rules/(?P<rules>[0-9]{{4}})", findings.RulesComparisonView),
    ("verify-quality", f"{SUBMISSION}/edits/quality", signing.VerifyQualityView),
    ("verify-macro", f"{SUBMISSION}/edits/macro", signing.VerifyMacroView),
    ("edit", f"{SUBMISSION}/edits/{CODE}", findings.EditDetailView),
    ("edit-csv", f"{SUBMISSION}/edits/{CODE}/csv", findings.EditCsvView),
]
_SIGNING: list[tuple[str, str, type[APIView]]] = [
    ("sign", f"{SUBMISSION}/sign", signing.SignView),
    ("receipt", f"{SUBMISSION}/receipt", signing.ReceiptFileView),
    ("summary", f"{SUBMISSION}/summary", signing.SummaryView),
]

_OBLIGATIONS = r"^institutions/(?P<lei>[^/]+)/obligations"
_RECORD = r"^institutions/(?P<lei>[^/]+)/record"
_WEBHOOKS = r"^institutions/(?P<lei>[^/]+)/webhooks"
_WEBHOOK = rf"{_WEBHOOKS}/(?P<webhook>[0-9]{{1,18}})"
_DELIVERY = rf"{_WEBHOOK}/deliveries/(?P<delivery>[0-9]{{1,18}})"
_DELEGATIONS = r"^institutions/(?P<lei>[^/]+)/delegations"
_PEOPLE = r"^institutions/(?P<lei>[^/]+)/people"
_PEOPLE_ENDPOINTS: list[tuple[str, str, type[APIView]]] = [
    ("people", "", people_of_institution.PeopleView),
    ("person", "/(?P<person>[0-9]{1,18})", people_of_institution.PersonView),
    ("people-invitations", "/invitations", people_of_institution.InvitationsView),
    (
        "people-invitation",
        "/invitations/(?P<invitation>[0-9]{1,18})",
        people_of_institution.InvitationView,
    ),
    ("people-requests", "/requests", people_of_institution.AccessRequestsView),
    (
        "people-request",
        "/requests/(?P<access_request>[0-9]{1,18})",
        people_of_institution.AccessRequestView,
    ),
    ("people-confirmation", "/confirmation", people_of_institution.ConfirmationView),
]

app_name = "filing"
urlpatterns = [
    re_path(r"^$", filings.HealthView.as_view(), name="health"),
    *(
        re_path(rf"{FILING}{quarter}{tail}/?$", view.as_view(), name=f"{prefix}{name}")
        for prefix, quarter in (("", ""), ("quarter-", QUARTER))
        for name, tail, view in (_ENDPOINTS + (_SIGNING if settings.SIGNING_ENABLED else []))
    ),
    *(
        re_path(
            rf"^institutions/(?P<lei>[^/]+)/year/(?P<year>[0-9]+){quarter}/?$",
            filings.InstitutionYearView.as_view(),
            name=f"{prefix}institution",
        )
        for prefix, quarter in (("", ""), ("quarter-", QUARTER))
    ),
    re_path(r"^periods/?$", periods.PeriodsView.as_view(), name="periods"),
    re_path(r"^periods\.ics$", periods.PeriodsCalendarView.as_view(), name="periods-calendar"),
    re_path(rf"{_OBLIGATIONS}/?$", periods.ObligationsView.as_view(), name="obligations"),
    re_path(
        rf"{_OBLIGATIONS}\.ics$",
        periods.ObligationsCalendarView.as_view(),
        name="obligations-calendar",
    ),
    re_path(rf"{_RECORD}/?$", records.RecordView.as_view(), name="record"),
    re_path(rf"{_RECORD}/proposals/?$", records.ProposalsView.as_view(), name="proposals"),
    re_path(
        rf"{_RECORD}/proposals/(?P<proposal>[0-9]{{1,18}})/?$",
        records.ProposalView.as_view(),
        name="proposal",
    ),
    *(
        re_path(rf"{_PEOPLE}{tail}/?$", view.as_view(), name=name)
        for name, tail, view in _PEOPLE_ENDPOINTS
    ),
    re_path(rf"{_DELEGATIONS}/?$", delegations.DelegationsView.as_view(), name="delegations"),
    re_path(
        rf"{_DELEGATIONS}/(?P<delegation>[0-9]{{1,18}})/?$",
        delegations.DelegationView.as_view(),
        name="delegation",
    ),
    re_path(rf"{_WEBHOOKS}/?$", webhooks.WebhooksView.as_view(), name="webhooks"),
    re_path(rf"{_WEBHOOK}/?$", webhooks.WebhookView.as_view(), name="webhook"),
    re_path(rf"{_WEBHOOK}/deliveries/?$", webhooks.DeliveriesView.as_view(), name="deliveries"),
    re_path(rf"{_DELIVERY}/replay/?$", webhooks.ReplayView.as_view(), name="replay"),
]
