"""Who gets what at every address of the site: the table that the tests ask for."""

from __future__ import annotations

from fnmatch import fnmatchcase

from django.db.models import Model

from tests.addresses import CALLERS, STAFF
from tests.filing.people.members import RIGHTS

UNKNOWN = {401, 403, 404, 405}  # answers to a method that an address does not have

Expected = dict[str, int]


def everybody(status: int) -> Expected:
    return dict.fromkeys(CALLERS, status)


def filers(status: int) -> Expected:
    """Whose token has the LEI. No role gives the right to file."""
    return {**everybody(403), "anonymous": 401, "filer": status}


def members(status: int) -> Expected:
    """Whoever has signed in; all others are sent to do so."""
    return {**everybody(status), "anonymous": 302}


def own(status: int) -> Expected:
    """Pages of filers: whoever acts for the institution. No role gives the right to file."""
    return {**everybody(403), "anonymous": 302, "filer": status}


def shared(status: int) -> Expected:
    """Pages of filers that staff read."""
    return own(status) | dict.fromkeys(STAFF, status)


def with_reason(status: int) -> Expected:
    """Pages of filers with records: staff are asked for a reason first."""
    return own(status) | dict.fromkeys(STAFF, 302)


def readers(status: int) -> Expected:
    """Whose token has the LEI, and all staff."""
    return filers(status) | dict.fromkeys(STAFF, status)


def administrators(status: int) -> Expected:
    """Whose token has the role `hmda-admin`."""
    return {**everybody(403), "anonymous": 401, "administrator": status}


def staff(status: int, otherwise: int = 302) -> Expected:
    """Who may open the admin; all others are sent to sign in."""
    return everybody(otherwise) | dict.fromkeys(STAFF, status)


def acting(status: int) -> Expected:
    """Whoever acts in the admin: operators and administrators, not the help desk."""
    return {**staff(status), "help desk": 403}


OPERATORS_ACTIONS = (
    "admin:filing_submission_retry",
    "admin:filing_submission_run_edits_again",
    "admin:filing_submission_check_signed",
    "admin:filing_submission_stop",
    "admin:databrowser_modifiedlar_withdraw",
    "admin:databrowser_modifiedlar_publish_again",
    "admin:filing_filing_cancel",
    "admin:filing_filing_reinstate",
    "admin:filing_filing_hold",
    "admin:filing_filing_remove",
    "admin:filing_seasonopening_undo",
    "admin:filing_institution_hold",
    "admin:filing_institutionevent_undo",
    "admin:filing_listschedule_run_now",
    "admin:filing_legalhold_lift",
    "admin:filing_membership_end",
    "admin:filing_organization_end",
    "admin:filing_organizationmember_end",
    "admin:filing_delegation_end",
    "admin:filing_membership_make_administrator",
    "admin:filing_recordproposal_accept",
    "admin:filing_recordproposal_accept_with_administrator",
    "admin:filing_recordproposal_refuse",
    "admin:filing_filingyear_draft",
    "admin:filing_filingyear_checks",
    "admin:filing_filingyear_filing",
    "admin:filing_withdrawnedit_put_back",
    "admin:graphs_computation_show",
)

# Of each address, what GET answers; other methods stand below.
GET: dict[str, Expected] = {
    # pages
    "home": everybody(200),
    "help": everybody(200),
    "design": everybody(404),  # of developers
    "guides": everybody(200),
    "api-guide": everybody(200),
    "guide": everybody(404),  # the name is of no guide
    "guide-picture": everybody(404),
    "filing-instructions": everybody(302),  # to the newest year
    "filing-instructions-of-year": everybody(200),
    "accessibility": everybody(200),
    "privacy": everybody(200),
    "security-txt": everybody(404),  # no one is named to contact
    "security-txt-at-the-root": everybody(301),
    "robots-txt": everybody(200),
    "healthz": everybody(200),
    "readyz": everybody(200),
    "check-digit": everybody(200),
    "rate-spread": everybody(200),
    "check-line": everybody(200),
    "check-file": everybody(200),
    "lar-tool": everybody(200),
    "lar-edit": everybody(200),
    "*lar-formatting": everybody(301),  # to the tool
    "check-receipt": everybody(200),
    "receipt-keys": everybody(200),
    "edit-book": everybody(200),
    "am-i-covered": everybody(200),
    "edit-page": everybody(200),
    "data": everybody(302),  # to the data browser
    "tools": everybody(302),  # to the first of them
    "filing-pages": {**members(302), "filer": 200, "other": 200},  # to the question of theirs
    "choose-institutions": members(200),
    "filing-invitation": everybody(404),  # the link is of none
    "filing-contact": everybody(404),
    "filing-people": shared(200),
    "filing-people-leave": own(200),
    "filing-people-administer": own(200),
    "filing-people-*": own(403),  # the filer is no administrator
    "filing-deadlines": everybody(200),
    "filing-deadlines-calendar": everybody(200),
    "filing-institution": shared(200),
    "filing-record": shared(200),
    "filing-register": members(200),
    "filing-webhooks": shared(200),
    "filing-webhook": shared(404),  # there is none
    "*filing-period": shared(200),
    "*filing-new-upload": shared(302),  # to the submission that waits for its file
    "*filing-submission": shared(200),
    "*filing-upload": shared(302) | {"filer": 200},
    "*filing-events": own(200),
    "*filing-discard": own(200),
    "*filing-file": own(404),  # nothing was uploaded
    "filing-organizations": members(200),
    "filing-organization": members(404),  # there is none
    "filing-organization-invite": members(404),
    "filing-organization-person": members(404),
    "filing-organization-person-end": members(404),
    "filing-organization-client": members(404),
    "filing-organization-client-end": members(404),
    "filing-organization-end": members(404),
    "filing-organization-log": members(404),
    "filing-delegations": shared(200),
    "filing-delegation": shared(404),  # there is none
    "filing-delegation-end": own(403),  # of administrators of the institution
    "filing-many": members(200),
    "filing-many-results": members(404),  # no files were chosen
    "filing-records-reason": {**shared(404), "filer": 403},  # there is no such submission
    "*filing-formatting-errors": with_reason(200),
    "*filing-edits": shared(200),
    "*filing-edit": with_reason(200),
    "*filing-rules": shared(400),  # nothing is checked yet
    "*filing-edits-report": with_reason(200),
    "*filing-compare": with_reason(400),  # a submission with itself
    "*filing-verify": shared(302),  # to its part of the edits
    "*filing-sign": shared(400),  # nothing is checked yet
    "*filing-receipt": shared(404),
    "data-browser": everybody(200),  # and says that nothing is published yet
    "data-browser-places": everybody(200),
    "data-browser-counts": everybody(204),
    "data-browser-picture": everybody(404),
    "data-browser-map-image": everybody(404),
    "data-browser-loans": everybody(404),
    "data-browser-feed": everybody(404),
    **dict.fromkeys(("assistants", "api-catalogue", "llms"), everybody(404)),  # not by default
    "data-downloads": everybody(200),
    "season-clock*": everybody(404),  # not by default
    "data-sql": everybody(200),
    "data-sql-worker": everybody(200),
    "data-changes": everybody(200),
    "data-modified-lars": everybody(200),
    "data-version": everybody(404),  # nothing is public
    "reports": everybody(200),
    "reports-*": everybody(404),  # nothing is public
    "report": everybody(404),
    "disclosure-report": everybody(404),
    "data-differences": everybody(404),  # nothing is public
    "/updates-notes": everybody(301),
    "/data-browser/graphs/quarterly/info/filers": everybody(301),
    "quarterly-calendar": everybody(200),
    "quarterly-filers*": everybody(200),
    "graphs": everybody(200),
    "graph": everybody(200),  # and says that there are no figures yet
    "graph-file": everybody(200),
    "openapi": everybody(200),
    "swagger": everybody(200),
    "redoc": everybody(200),
    # signing in and out, and one's own page
    "sign-in": everybody(302),
    "session": everybody(200),
    "signed-in": everybody(400),  # nobody has begun
    "/admin/login/": {**staff(302), "filer": 403, "other": 403},
    "profile": members(200),
    "open-case": everybody(200),
    "case-opened": everybody(404),  # the address is of no case
    "sign-up": everybody(200),
    "sign-up-sent": everybody(200),
    "confirm-email": everybody(410),  # the link is spent
    "forgotten": everybody(200),
    "forgotten-sent": everybody(200),
    "new-password": everybody(200),  # and says that the link is spent
    "second-factor": everybody(302),  # no password was entered before
    "second-factors": everybody(302),  # to sign in, again
    "second-factor-app": everybody(302),
    "second-factor-passkey": everybody(302),
    # filing, annual and quarterly
    "filing:health": everybody(200),
    "filing:periods": everybody(200),
    "filing:periods-calendar": everybody(200),
    "filing:obligations": filers(200),
    "filing:obligations-calendar": filers(200),
    "filing:*rules": filers(400),  # nothing is checked yet
    "filing:record": filers(200),
    "filing:proposals": filers(200),
    "filing:webhooks": filers(200),
    "filing:delegations": filers(200),
    "filing:people": filers(200),
    "filing:people-invitations": filers(200),
    "filing:people-requests": filers(403),  # the filer is no administrator
    "filing:deliveries": filers(404),  # there is no webhook
    "filing:*filing": filers(200),
    "filing:*submissions": filers(200),
    "filing:*rights": filers(200),
    "filing:*latest": readers(200),
    "filing:*submission": filers(200),
    "filing:*progress": filers(200),
    "filing:*institution": filers(200),
    "filing:*parse-errors": filers(200),
    "filing:*parse-errors-csv": filers(200),
    "filing:*edits": filers(200),
    "filing:*edits-csv": filers(200),
    "filing:*edit": filers(200),
    "filing:*edit-csv": filers(200),
    "filing:*sign": filers(200),
    "filing:*receipt": filers(404),  # nothing is signed
    "filing:*summary": readers(404),  # nothing is parsed yet
    # programs of the operator
    "operators:institution": administrators(200),
    "operators:institution-of-year": administrators(200),
    "operators:institution-of-quarter": administrators(200),
    "operators:signed": administrators(404),  # nothing is signed
    "operators:history": administrators(200),
    "operators:latest-file": administrators(404),
    "operators:file": administrators(404),  # nothing was uploaded
    "operators:record-count": administrators(200),
    "operators:edit-counts": administrators(200),
    "operators:all-edit-counts": administrators(200),
    "operators:figure*": administrators(200),
    # what anyone may check
    "publicapi:coverage": everybody(400),  # without a year and a kind
    "publicapi:edits": everybody(200),
    "publicapi:edit": everybody(200),
    "publicapi:lar-fields": everybody(200),
    "publicapi:lar-template": everybody(200),
    "publicapi:receipt": everybody(404),  # no one was given this number
    "publicapi:institutions": everybody(400),  # without criteria
    "publicapi:institutions-of-year": everybody(400),
    "publicapi:institution": everybody(200),
    "publicapi:institution-history": everybody(200),
    "publicapi:lar-counts": everybody(200),
    "ratespread:apor": everybody(200),
    "modified:file*": everybody(404),  # nothing is signed
    "older:modified*": everybody(404),
    "modified:dictionary*": everybody(200),
    "modified-lar-list": everybody(200),
    "reports:years": everybody(200),
    "reports:*": everybody(404),  # nothing is public
    "older-reports:*": everybody(404),
    "irs:json": readers(404),  # nothing is signed
    "irs:csv": readers(404),
    "irs:file": everybody(401),  # a session is no token
    "irs:page": shared(404),
    "graphs:list": everybody(200),
    "graphs:graph": everybody(200),
    "databrowser:health": everybody(200),
    "databrowser:*": everybody(400),  # without years
    "changes:*": everybody(200),
    "differences:*": everybody(404),  # nothing is public
    "filers:*": everybody(200),
    "publications:feed": everybody(200),
    "publications:year": everybody(404),  # nothing is public
    "publications:file": everybody(404),
    "publications:version*": everybody(404),
    "publications:state-file": everybody(404),
    "publications:data-catalogue": everybody(200),
    "publications:variables": everybody(404),
    "publications:data-sets": everybody(200),
    "publications:data-set": everybody(404),
    "publications:data-set-file": everybody(404),
    "publications:data-set-state-file": everybody(404),
    # the embedded provider
    "identity:discovery": everybody(200),
    "identity:certs": everybody(200),
    "identity:login": everybody(200),
    "device": {**everybody(200), "anonymous": 302},
    "identity:auth": {**everybody(400), "anonymous": 302},
    "identity:userinfo": everybody(401),  # it takes tokens that it has handed out itself
    "identity:logout": {**everybody(200), "anonymous": 302},  # signing out is asked about first
    # the admin
    "admin:index": staff(200),
    "admin:password_change": staff(200),
    "admin:password_change_done": staff(200),
    "admin:autocomplete": staff(403),
    "admin:jsi18n": staff(200),
    "admin:view_on_site": staff(404),
    "admin:app_list": staff(200),
    "admin:season*": staff(200),
    "admin:subscriptions": staff(200),
    "admin:freshness": staff(200),
    "admin:evidence": staff(200),
    "admin:backups": staff(200),
    "admin:request_task": {**staff(404), "help desk": 403},  # the name is of no task
    "admin:request_rotation": {**staff(403), "administrator": 200},
    "admin:filing_keyrotation_approve": {**staff(403), "administrator": 302},
    "admin:filing_keyrotation_reject": {**staff(403), "administrator": 302},
    "admin:findings": {**staff(200), "help desk": 403},
    "admin:findings_json": {**staff(200), "help desk": 403},
    "admin:filing_referencedata_load": {**staff(200), "help desk": 403},
    "admin:filing_referencedata_confirm": {**staff(302), "help desk": 403},  # to the form
    "admin:filing_referencedata_restore": {**staff(200), "help desk": 403},
    "admin:filing_referencedata_template": acting(200),
    "admin:guide": staff(200),
    "admin:guide_section": staff(200),
    "admin:guide_document": staff(404),  # the name is of no document
    "admin:guide_picture": staff(404),
    "admin:auth_user_reset_second_factor": {**staff(403), "administrator": 302},
    "admin:auth_user_password_change": {**staff(403), "administrator": 200},
    "admin:filing_*_export_csv": staff(200),
    "admin:filing_*_export_xlsx": staff(200),
    "admin:filing_*_request_csv": staff(200),
    "admin:filing_*_request_xlsx": staff(200),
    "admin:filing_listexport_download": {**staff(403), "administrator": 302},  # of another; no file
    "admin:filing_submission_find": staff(200),
    "admin:filing_submission_run_former_again": acting(302),  # there are none
    "admin:filing_case_answer": staff(302),
    "admin:filing_submission_progress": staff(286),  # it is at rest
    "admin:filing_submission_edits": staff(200),
    "admin:filing_submission_edit": staff(302),  # to the question for the reason, as the next ones
    "admin:filing_submission_edits_csv": staff(302),
    "admin:filing_submission_edit_csv": staff(302),
    "admin:filing_submission_format_errors": staff(302),
    "admin:filing_submission_format_errors_csv": staff(302),
    "admin:filing_submission_as_filer": staff(302),
    "admin:filing_submission_file": staff(404),
    "admin:filing_submission_hash": staff(404),
    "admin:filing_submission_compare": staff(200),
    "admin:filing_submission_compare_csv": staff(404),
    "admin:filing_trailentry_who_looked": staff(200),
    "admin:filing_membership_why_not_sign": staff(200),
    "admin:filing_institution_import": acting(200),
    "admin:filing_institution_process_import": acting(302),  # nothing was previewed
    "admin:filing_institution_template_*": acting(200),
    "admin:filing_institution_export": staff(200),
    "admin:filing_institution_carry": acting(200),
    "admin:filing_institution_event": acting(404),  # it names no institution
    "admin:filing_recordproposal_correct": acting(200),
    "admin:filing_filingyear_rulebook": acting(200),
    "admin:nowhere": staff(404),
    "admin:*_by_key": staff(302),
    "admin:filing_seasonopening_open": {**staff(200), "help desk": 403},
    "admin:filing_seasonopening_confirm": {**staff(302), "help desk": 403},  # to the form
    "admin:filing_seasonopening_progress": staff(200),
    "admin:filing_reminder_write": acting(200),
    "admin:filing_producedlist_file": staff(400),  # it is still being made
    "admin:databrowser_version_build": acting(200),
    "admin:databrowser_version_progress": staff(200),
    # what staff do; without anything chosen they are sent back to the list
    "admin:filing_submission_send_receipt_again": staff(302),
    "admin:filing_mail_send_again": staff(302),
    "admin:databrowser_modifiedlar_make_again": acting(302),
    "admin:databrowser_version_accept_disagreements": acting(302),
    "admin:databrowser_version_go_live": acting(302),
    "admin:databrowser_version_roll_back": acting(302),
    "admin:databrowser_version_withdraw": acting(302),
    "admin:databrowser_boundaryfile_leave_out": acting(302),
    "admin:databrowser_boundaryfile_take_in": acting(302),
    "admin:databrowser_publicimport_leave_out": acting(302),
    "admin:databrowser_publicimport_take_in": acting(302),
    **{name: acting(302) for name in OPERATORS_ACTIONS},
    "admin:*_note": staff(405),
}
POST: dict[str, Expected] = {
    "check-digit": everybody(200),  # and says what is wrong
    "check-digit-*": everybody(400),  # without a file
    "rate-spread": everybody(400),  # without a loan
    "rate-spread-list": everybody(400),  # without a file
    "check-line": everybody(400),  # without a line
    "check-file": everybody(400),  # without a file
    "lar-columns": everybody(400),  # without a file
    "lar-result": everybody(400),
    "lar-file": members(400),
    "check-receipt": everybody(400),  # without a number
    "sign-up": everybody(200),  # the form again
    "open-case": everybody(400),  # without anything
    "admin:filing_case_answer": staff(302),
    "confirm-email": everybody(410),
    "forgotten": everybody(200),
    "new-password": everybody(200),
    "second-factor": everybody(302),
    "second-factor-app": everybody(302),
    "second-factor-passkey": everybody(302),
    "second-factor-remove": everybody(302),
    "recovery-codes": everybody(302),
    "session": everybody(200),  # of a visitor: that there is none
    "sign-out": everybody(302),
    "/admin/logout/": everybody(302),
    "filing-invitation": everybody(404),
    "filing-contact": everybody(404),
    "filing-people-leave": own(303),
    "filing-people-administer": own(400),  # there is no contact on file
    "filing-people-*": own(403),
    "filing-webhooks": own(400),  # without an address
    "filing-record": own(400),  # without values
    "filing-record-withdraw": own(404),  # there is none
    "filing-register": members(400),  # without values
    "filing-register-withdraw": members(404),  # there is none
    "filing-webhook-change": own(404),  # there is none
    "filing-webhook-replay": own(404),
    "*filing-period": own(303),  # to the upload of a submission
    "*filing-upload": own(400),  # without a file
    "*filing-new-upload": own(400),  # without a file
    "filing-organizations": members(400),  # without a name
    "filing-organization-invite": members(404),  # there is none
    "filing-organization-withdraw": members(404),
    "filing-organization-person": members(404),
    "filing-organization-person-end": members(404),
    "filing-organization-client-end": members(404),
    "filing-organization-end": members(404),
    "filing-delegations": own(403),  # of administrators of the institution
    "filing-delegation": own(403),
    "filing-delegation-end": own(403),
    "filing-many": members(400),  # without a file
    "filing-many-plan": {**everybody(400), "anonymous": 401},  # without a body
    "*filing-notify": own(303),  # back to the submission
    "*filing-discard": own(303),  # to the filing
    "*filing-verify": own(400),  # nothing is checked yet
    "*filing-edits": own(400),
    "*filing-edit": own(400),
    "*filing-sign": own(400),
    "*filing-receipt": own(404),
    "filing-records-reason": {**shared(404), "filer": 403},
    "profile-name": members(302),
    "profile-institutions": members(302),
    "choose-institutions": members(400),  # without one
    "profile-tokens": members(400),  # without a name
    "profile-token-revoke": members(302),  # there is none, which the page says
    "admin:filing_submission_file": staff(404),  # without a file
    "admin:filing_submission_send_receipt_again": staff(302),
    "admin:filing_mail_send_again": staff(302),
    "admin:databrowser_modifiedlar_make_again": acting(302),
    "admin:databrowser_version_accept_disagreements": acting(302),
    "admin:databrowser_version_go_live": acting(302),
    "admin:databrowser_version_roll_back": acting(302),
    "admin:databrowser_version_withdraw": acting(302),
    "admin:databrowser_boundaryfile_leave_out": acting(302),
    "admin:databrowser_boundaryfile_take_in": acting(302),
    "admin:databrowser_publicimport_leave_out": acting(302),
    "admin:databrowser_publicimport_take_in": acting(302),
    **{name: acting(302) for name in OPERATORS_ACTIONS},
    "admin:*_note": staff(302),
    "admin:filing_trailentry_who_looked": staff(400),  # without a reason
    "filing:proposals": filers(400),  # without values
    "filing:webhooks": filers(400),  # without an address
    "filing:delegations": filers(403),  # the filer is no administrator
    "filing:people-*": filers(403),  # the filer is no administrator
    "filing:replay": filers(404),
    "filing:*filing": filers(400),  # it is there
    "filing:*submissions": filers(201),
    "filing:*submission": filers(400),  # without a file
    "filing:*uploads": filers(412),  # without the version of the protocol
    "*filing-uploads": filers(412),
    "*filing-new-uploads": filers(412),
    "filing:*verify-quality": filers(400),  # nothing is analysed yet
    "filing:*verify-macro": filers(400),
    "filing:*sign": filers(400),
    "operators:institutions": administrators(400),  # without an institution
    "operators:follow-up": administrators(400),  # nothing is signed
    "operators:batch-edit-counts": administrators(400),  # without LEIs
    "operators:filed-edit-counts": administrators(400),
    "admin:filing_institution_import": acting(200),  # without a file
    "admin:filing_institution_process_import": acting(302),
    "admin:filing_institution_export": staff(200),
    "admin:filing_institution_carry": acting(200),
    "admin:filing_institution_event": acting(404),  # it names no institution
    "admin:filing_recordproposal_correct": acting(200),
    "admin:findings": acting(302),
    "admin:request_task": {**staff(404), "help desk": 403},
    "admin:request_rotation": {**staff(403), "administrator": 200},  # without a reason
    "admin:filing_keyrotation_approve": {**staff(403), "administrator": 302},
    "admin:filing_keyrotation_reject": {**staff(403), "administrator": 302},
    "admin:filing_*_request_csv": staff(200),  # without a reason
    "admin:filing_*_request_xlsx": staff(200),
    "publicapi:*validate-*": everybody(400),  # without a line or a file
    "publicapi:parse-*": everybody(400),
    "publicapi:lar-columns": everybody(400),  # without a file
    "publicapi:lar-convert": everybody(400),
    "publicapi:lar-spreadsheet": everybody(400),
    "publicapi:check-receipt": everybody(400),  # without a receipt
    "parse-ts-by-short-path": everybody(400),
    "uliapi:*": everybody(400),  # without an identifier or a file
    "admin:filing_seasonopening_open": {**staff(200), "help desk": 403},  # the form again
    "admin:filing_reminder_write": acting(200),  # the form again
    "admin:databrowser_version_build": acting(200),  # the form again
    "admin:filing_referencedata_load": {**staff(200), "help desk": 403},  # the form again
    "admin:filing_referencedata_confirm": {**staff(200), "help desk": 403},
    "admin:filing_referencedata_restore": {**staff(200), "help desk": 403},
    "admin:filing_seasonopening_confirm": {**staff(200), "help desk": 403},
    "ratespread:single": everybody(400),  # without a loan
    "ratespread:list": everybody(400),  # without a file
    "identity:login": everybody(200),
    "device": {**everybody(200), "anonymous": 302},
    "identity:auth": {**everybody(200), "anonymous": 302},
    "identity:token": everybody(400),
    "identity:device-authorization": everybody(400),
    "identity:userinfo": everybody(401),
    "identity:logout": {**everybody(400), "anonymous": 302},
}
# The framework's form pages take a form by either method.
FORMS = (
    "device",
    "identity:login",
    "identity:auth",
    "identity:logout",
    "sign-up",
    "forgotten",
    "confirm-email",
    "new-password",
)
PUT = {name: POST[name] for name in FORMS} | {
    "users:own": {**everybody(400), "anonymous": 401},  # without a record
    "operators:institutions": administrators(400),  # without an institution
}
# A link that is spent is told of whatever one wants with it.
SPENT = {"confirm-email": everybody(410), "new-password": everybody(200)}
# Of an upload in parts, without the version of the protocol.
PART = {"filing:*upload": filers(412), "*filing-upload-part": filers(412)}
DELETE = {
    **SPENT,
    **PART,
    "filing:webhook": filers(404),
    "filing:proposal": filers(404),
    "filing:person": filers(403),
    "filing:delegation": filers(403),
    "filing:people-invitation": filers(403),
    "filing:*submission": filers(200),
    "operators:institutions": administrators(400),  # without an institution
}
PATCH = SPENT | PART | {"filing:person": filers(403), "filing:delegation": filers(403)}
TABLES = {"GET": GET, "POST": POST, "PUT": PUT, "PATCH": PATCH, "DELETE": DELETE}


def line(table: dict[str, Expected], name: str) -> Expected | None:
    """Return the line of an address: its own, or that of its family."""
    families = (found for family, found in table.items() if fnmatchcase(name, family))
    return table.get(name) or next(families, None)


def rights_page(name: str) -> tuple[type[Model], str] | None:
    """Return the table and the page of an address of the admin that rights decide about."""
    for model in RIGHTS:
        space = f"admin:{model._meta.label_lower.replace('.', '_')}_"
        page = name.removeprefix(space)
        if name.startswith(space) and page in {"changelist", "add", "change", "delete", "history"}:
            return model, page
    return None


def by_rights(model: type[Model], verb: str) -> Expected:
    rights = RIGHTS[model]
    return everybody(302) | {role: 200 if verb in rights[role] else 403 for role in STAFF}


VERBS = {"changelist": "v", "history": "v", "change": "v", "add": "a", "delete": "d"}


def expected(method: str, name: str) -> Expected | None:
    """Return who gets what from a method of an address; nothing where it has no line."""
    if page := rights_page(name):
        model, shown = page
        if method == "POST" and shown == "change":
            return by_rights(model, "c")
        return by_rights(model, VERBS[shown]) if method in {"GET", "POST"} else None
    return line(TABLES.get(method, {}), name)
