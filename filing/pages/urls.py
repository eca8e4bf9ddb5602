"""Addresses of the filer's pages."""

from __future__ import annotations

from django.urls import URLPattern, path, re_path

from filing.pages import (
    cases,
    changes,
    deadlines,
    discarding,
    findings,
    overview,
    profile,
    receipt,
    report,
    resumable_upload,
    signing,
    submission,
    webhooks,
)
from filing.pages.filer import FilerPage
from filing.pages.formatting_errors import FormattingErrors
from filing.pages.records_reason import RecordsReason
from filing.pages.rules_comparison import RulesComparison

LEI = r"^(?P<lei>[A-Z0-9]{20})/"
_QUARTER = r"(?P<quarter>Q[123])/"
_NUMBER = r"(?P<number>[0-9]{1,10})/"
_UPLOAD = r"(?P<key>[0-9a-f]{32})/"
_WEBHOOK = rf"{LEI}webhooks/(?P<webhook>[0-9]{{1,18}})/"
_CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)/"

# By name, with what follows institution, year and quarter.
_PAGES: tuple[tuple[str, str, type[FilerPage]], ...] = (
    ("filing-period", "", overview.FilingOfPeriod),
    ("filing-submission", _NUMBER, submission.OneSubmission),
    ("filing-upload", f"{_NUMBER}upload/", submission.Upload),
    ("filing-uploads", f"{_NUMBER}uploads/", resumable_upload.Uploads),
    ("filing-upload-part", f"{_NUMBER}uploads/{_UPLOAD}", resumable_upload.OneUpload),
    ("filing-events", f"{_NUMBER}events/", submission.Events),
    ("filing-notify", f"{_NUMBER}notify/", submission.Notify),
    ("filing-discard", f"{_NUMBER}discard/", discarding.Discard),
    ("filing-file", f"{_NUMBER}file/", submission.FiledFile),
    ("filing-formatting-errors", f"{_NUMBER}formatting-errors/", FormattingErrors),
    ("filing-edits", f"{_NUMBER}edits/", findings.Edits),
    ("filing-rules", f"{_NUMBER}edits/rules/(?P<rules>[0-9]{{4}})/", RulesComparison),
    ("filing-edits-report", f"{_NUMBER}edits/report/", report.Report),
    ("filing-edit", f"{_NUMBER}edits/{_CODE}", findings.OneEdit),
    ("filing-compare", rf"compare/(?P<earlier>[0-9]{{1,10}})/{_NUMBER}", changes.Comparison),
    ("filing-verify", rf"{_NUMBER}verify/(?P<edits>quality|macro)/", signing.Verify),
    ("filing-sign", f"{_NUMBER}sign/", signing.Sign),
    ("filing-receipt", f"{_NUMBER}receipt/", receipt.Receipt),
)


def _addresses(prefix: str, quarter: str) -> list[URLPattern]:
    return [
        re_path(rf"{LEI}(?P<year>[0-9]{{4}})/{quarter}{tail}$", view.as_view(), name=prefix + name)
        for name, tail, view in _PAGES
    ]


urlpatterns = [
    path("", overview.Institutions.as_view(), name="filing-pages"),
    path("deadlines/", deadlines.deadlines, name="filing-deadlines"),
    path("deadlines.ics", deadlines.calendar, name="filing-deadlines-calendar"),
    path("case/", cases.OpenCase.as_view(), name="open-case"),
    path("case/<case>/", cases.case_opened, name="case-opened"),
    path("profile/", profile.Profile.as_view(), name="profile"),
    path("profile/name/", profile.Name.as_view(), name="profile-name"),
    path("profile/institutions/", profile.Institutions.as_view(), name="profile-institutions"),
    path("profile/tokens/", profile.PersonalTokens.as_view(), name="profile-tokens"),
    path(
        "profile/tokens/<int:token_id>/revoke/",
        profile.PersonalTokenRevoked.as_view(),
        name="profile-token-revoke",
    ),
    path("reason/<int:submission_id>/", RecordsReason.as_view(), name="filing-records-reason"),
    re_path(rf"{LEI}$", overview.Periods.as_view(), name="filing-institution"),
    re_path(rf"{LEI}webhooks/$", webhooks.Webhooks.as_view(), name="filing-webhooks"),
    re_path(rf"{_WEBHOOK}$", webhooks.OneWebhook.as_view(), name="filing-webhook"),
    re_path(
        rf"{_WEBHOOK}(?P<action>{'|'.join(webhooks.ACTIONS)})/$",
        webhooks.Change.as_view(),
        name="filing-webhook-change",
    ),
    re_path(
        rf"{_WEBHOOK}deliveries/(?P<delivery>[0-9]{{1,18}})/replay/$",
        webhooks.Replay.as_view(),
        name="filing-webhook-replay",
    ),
    *_addresses("", ""),
    *_addresses("quarter-", _QUARTER),
]
