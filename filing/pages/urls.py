"""Addresses of the filer's pages."""

from __future__ import annotations

from django.urls import URLPattern, path, re_path

from filing.pages import (
    comparisons,
    delegations,
    findings,
    invitations,
    many_files,
    open_pages,
    organizations,
    overview,
    people,
    profile,
    receipts,
    records,
    signing,
    submission,
    webhooks,
)
from filing.pages.comparisons import RulesComparisonPage
from filing.pages.filer import FilerPage, RecordsReasonPage
from filing.pages.findings import FormattingErrorsPage

LEI = r"^(?P<lei>[A-Z0-9]{20})/"
_QUARTER = r"(?P<quarter>Q[123])/"
_NUMBER = r"(?P<number>[0-9]{1,10})/"
_UPLOAD = r"(?P<key>[0-9a-f]{32})/"
_WEBHOOK = rf"{LEI}webhooks/(?P<webhook>[0-9]{{1,18}})/"
_ORGANIZATION = r"^organizations/(?P<organization>ORG-[A-Z0-9]{6})/"
_MEMBER = rf"{_ORGANIZATION}people/(?P<member>[0-9]{{1,18}})/"
_CLIENT = rf"{_ORGANIZATION}clients/(?P<delegation>[0-9]{{1,18}})/"
_DELEGATION = rf"{LEI}delegations/(?P<delegation>[0-9]{{1,18}})/"
_PROPOSAL = r"(?P<proposal>[0-9]{1,18})/"
_CODE = r"(?P<code>[SVQ][0-9]{3}(?:-[0-9])?)/"

# By name, with what follows institution, year and quarter.
_PAGES: tuple[tuple[str, str, type[FilerPage]], ...] = (
    ("filing-period", "", overview.FilingOfPeriodPage),
    ("filing-new-upload", "upload/", submission.NewUploadPage),
    ("filing-new-uploads", "uploads/", submission.NewResumableUploadsAddress),
    ("filing-submission", _NUMBER, submission.SubmissionStepsPage),
    ("filing-upload", f"{_NUMBER}upload/", submission.UploadLarPage),
    ("filing-uploads", f"{_NUMBER}uploads/", submission.ResumableUploadsAddress),
    ("filing-upload-part", f"{_NUMBER}uploads/{_UPLOAD}", submission.ResumableUploadAddress),
    ("filing-events", f"{_NUMBER}events/", submission.SubmissionEvents),
    ("filing-notify", f"{_NUMBER}notify/", submission.NotifyWhenFinishedPage),
    ("filing-discard", f"{_NUMBER}discard/", submission.DiscardSubmissionPage),
    ("filing-file", f"{_NUMBER}file/", submission.FiledFileDownload),
    ("filing-formatting-errors", f"{_NUMBER}formatting-errors/", FormattingErrorsPage),
    ("filing-edits", f"{_NUMBER}edits/", findings.TriggeredEditsPage),
    ("filing-rules", f"{_NUMBER}edits/rules/(?P<rules>[0-9]{{4}})/", RulesComparisonPage),
    ("filing-edits-report", f"{_NUMBER}edits/report/", findings.EditsReportPage),
    ("filing-edit", f"{_NUMBER}edits/{_CODE}", findings.TriggeredEditPage),
    (
        "filing-compare",
        rf"compare/(?P<earlier>[0-9]{{1,10}})/{_NUMBER}",
        comparisons.SubmissionComparisonPage,
    ),
    ("filing-verify", rf"{_NUMBER}verify/(?P<edits>quality|macro|all)/", signing.VerifyEditsPage),
    ("filing-sign", f"{_NUMBER}sign/", signing.SignSubmissionPage),
    ("filing-receipt", f"{_NUMBER}receipt/", receipts.ReceiptPage),
)

# Of the people of an institution.
_PEOPLE_PAGES: tuple[tuple[str, str, type[FilerPage]], ...] = (
    ("", "", people.PeoplePage),
    ("-invite", "invite/", people.InvitePersonPage),
    ("-confirm", "confirm/", people.ConfirmPeoplePage),
    ("-joining", "joining/", people.JoiningPage),
    ("-leave", "leave/", people.LeaveInstitutionPage),
    ("-administer", "administer/", people.AskToAdministerPage),
    ("-change", r"(?P<person>[0-9]{1,18})/", people.ChangePersonPage),
    ("-end", r"(?P<person>[0-9]{1,18})/end/", people.EndPersonPage),
    (
        "-withdraw",
        r"invitations/(?P<invitation>[0-9]{1,18})/",
        people.WithdrawInvitationPage,
    ),
    ("-request", r"requests/(?P<access_request>[0-9]{1,18})/", people.AccessRequestPage),
)


# By the end of the name.
_OF_ORGANIZATIONS: tuple[tuple[str, str, type[organizations.OrganizationPage]], ...] = (
    ("", _ORGANIZATION, organizations.OrganizationDetailPage),
    ("-invite", rf"{_ORGANIZATION}invite/", organizations.InviteToOrganizationPage),
    (
        "-withdraw",
        rf"{_ORGANIZATION}invitations/(?P<invitation>[0-9]{{1,18}})/withdraw/",
        organizations.WithdrawOrganizationInvitationPage,
    ),
    ("-person", _MEMBER, organizations.OrganizationPersonPage),
    ("-person-end", rf"{_MEMBER}end/", organizations.EndOrganizationPersonPage),
    ("-client", _CLIENT, organizations.OrganizationClientPage),
    ("-client-end", rf"{_CLIENT}end/", organizations.EndOrganizationClientPage),
    ("-end", rf"{_ORGANIZATION}end/", organizations.EndOrganizationPage),
    ("-log", rf"{_ORGANIZATION}log/", organizations.OrganizationLogPage),
)


def _addresses(prefix: str, quarter: str) -> list[URLPattern]:
    return [
        re_path(rf"{LEI}(?P<year>[0-9]{{4}})/{quarter}{tail}$", view.as_view(), name=prefix + name)
        for name, tail, view in _PAGES
    ]


urlpatterns = [
    path("", overview.InstitutionsPage.as_view(), name="filing-pages"),
    path("deadlines/", open_pages.show_deadlines, name="filing-deadlines"),
    path("deadlines.ics", open_pages.download_calendar, name="filing-deadlines-calendar"),
    path("case/", open_pages.OpenCasePage.as_view(), name="open-case"),
    path("case/<case>/", open_pages.show_opened_case, name="case-opened"),
    path("invitation/<token>/", invitations.InvitationPage.as_view(), name="filing-invitation"),
    path("institutions/", profile.ChooseInstitutionsPage.as_view(), name="choose-institutions"),
    path("profile/", profile.ProfilePage.as_view(), name="profile"),
    path("profile/name/", profile.ProfileNamePage.as_view(), name="profile-name"),
    path(
        "profile/institutions/",
        profile.ProfileInstitutionsPage.as_view(),
        name="profile-institutions",
    ),
    path("profile/tokens/", profile.ProfileTokensPage.as_view(), name="profile-tokens"),
    path(
        "profile/tokens/<int:token_id>/revoke/",
        profile.RevokeTokenPage.as_view(),
        name="profile-token-revoke",
    ),
    path("register/", records.RegisterInstitutionPage.as_view(), name="filing-register"),
    re_path(
        rf"^register/{_PROPOSAL}withdraw/$",
        records.WithdrawRegistrationPage.as_view(),
        name="filing-register-withdraw",
    ),
    path("upload/", many_files.UploadManyFilesPage.as_view(), name="filing-many"),
    path("upload/plan/", many_files.PlanManyFilesAddress.as_view(), name="filing-many-plan"),
    re_path(
        rf"^upload/{_UPLOAD}$",
        many_files.ManyFilesResultsPage.as_view(),
        name="filing-many-results",
    ),
    path("reason/<int:submission_id>/", RecordsReasonPage.as_view(), name="filing-records-reason"),
    re_path(rf"{LEI}$", overview.FilingPeriodsPage.as_view(), name="filing-institution"),
    path("administrator/<token>/", invitations.ContactPage.as_view(), name="filing-contact"),
    *(
        re_path(rf"{LEI}people/{tail}$", view.as_view(), name=f"filing-people{name}")
        for name, tail, view in _PEOPLE_PAGES
    ),
    re_path(rf"{LEI}record/$", records.InstitutionRecordPage.as_view(), name="filing-record"),
    re_path(
        rf"{LEI}record/{_PROPOSAL}withdraw/$",
        records.WithdrawProposalPage.as_view(),
        name="filing-record-withdraw",
    ),
    re_path(rf"{LEI}webhooks/$", webhooks.WebhooksPage.as_view(), name="filing-webhooks"),
    re_path(rf"{_WEBHOOK}$", webhooks.WebhookDetailPage.as_view(), name="filing-webhook"),
    re_path(
        rf"{_WEBHOOK}(?P<action>{'|'.join(webhooks.WEBHOOK_ACTIONS)})/$",
        webhooks.ChangeWebhookPage.as_view(),
        name="filing-webhook-change",
    ),
    re_path(
        rf"{_WEBHOOK}deliveries/(?P<delivery>[0-9]{{1,18}})/replay/$",
        webhooks.ReplayDeliveryPage.as_view(),
        name="filing-webhook-replay",
    ),
    path("organizations/", organizations.OrganizationsPage.as_view(), name="filing-organizations"),
    *(
        re_path(rf"{where}$", view.as_view(), name=f"filing-organization{name}")
        for name, where, view in _OF_ORGANIZATIONS
    ),
    re_path(
        rf"{LEI}delegations/$", delegations.DelegationsPage.as_view(), name="filing-delegations"
    ),
    re_path(rf"{_DELEGATION}$", delegations.DelegationPage.as_view(), name="filing-delegation"),
    re_path(
        rf"{_DELEGATION}end/$",
        delegations.EndDelegationPage.as_view(),
        name="filing-delegation-end",
    ),
    *_addresses("", ""),
    *_addresses("quarter-", _QUARTER),
]
