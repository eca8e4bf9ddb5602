"""Upload of many files at once: the form, what its script asks, and the page with the results.

The session keeps which files were chosen and the submission of each, for the page with the results.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Sequence
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from filing import access, audit, idempotency
from filing.access import Right
from filing.errors import INVALID_FORMAT, BadInput, NotFound, Refusal
from filing.idempotency import KeyClaim, StoredAnswer
from filing.lar import first_line, foreign_files
from filing.lar.raw_lines import LONGEST
from filing.lar.setting_words import use_setting_words
from filing.lar.years import Period
from filing.models import Submission
from filing.pages import repeated_forms, states
from filing.pages.filer import FilerPage, ScriptAddress
from filing.pages.tool_pages import SETTING_WORDS
from filing.people import sign_ins
from filing.storable_text import decode_json, is_storable
from filing.submissions import many_files, reception, results, uploads
from filing.submissions.halts import find_halts
from filing.submissions.many_files import MOST_FILES, ChosenFile, FilePlan
from filing.submissions.uploads import ManyFilesUpload, PartUpload

log = logging.getLogger(__name__)

_PARTS = ("file", "folder")  # of the form
_KEPT_CHOICES = 5  # of one session
_SESSION_KEY = "many_files"
_LONGEST_NAME = 255
_NO_FILE = "Choose at least one file."
_NOT_RECEIVED = "The file was not received. Upload it again."
_NO_RIGHT = "You can no longer file for this institution."


# The CSRF token is checked second, as on the page to upload one file.
@method_decorator(csrf_exempt, name="dispatch")
class UploadManyFilesPage(FilerPage):
    """The page to choose many files, and their upload by a form without its script."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._form()

    def post(self, request: HttpRequest) -> HttpResponseBase:
        try:
            with (
                use_setting_words(SETTING_WORDS),
                uploads.handle_many_files(request, _PARTS, most=MOST_FILES) as handler,
            ):
                return self._received(request, handler)
        except SuspiciousOperation:  # the framework reads no more parts
            refusal: Refusal = uploads.refuse_many_files(MOST_FILES)
        except Refusal as raised:
            refusal = raised
        return self._form(status=refusal.status, refusal=refusal.message)

    @method_decorator(csrf_protect)
    def _received(self, request: HttpRequest, handler: ManyFilesUpload) -> HttpResponse:
        fingerprint = idempotency.fingerprint_form(request.POST, handler.parts)
        if handler.refusal:
            raise handler.refusal
        claim = repeated_forms.claim_form(request, self.caller, fingerprint=fingerprint)
        if isinstance(claim, StoredAnswer):
            return repeated_forms.repeat_answer(request, claim)
        try:
            return self._receive(request, handler, claim)
        finally:
            if claim:
                claim.forget()  # unless it has an answer

    def _receive(
        self, request: HttpRequest, handler: ManyFilesUpload, claim: KeyClaim | None
    ) -> HttpResponse:
        if not handler.files:
            raise BadInput(_NO_FILE)
        plans = self._plan(handler.files)
        for index, file in enumerate(handler.files):
            if not plans[index].refusal:
                plans[index] = self._receive_one(file, plans[index])
            if claim:
                claim.hold()
        page = self.redirect_after_post("filing-many-results", _keep_choice(request, plans))
        if claim and (answer := repeated_forms.keep_redirect(request, page)):
            claim.keep(answer)
        return page

    def _plan(self, files: Sequence[PartUpload]) -> list[FilePlan]:
        """Return the plan of each file, also of those that were refused as they arrived."""
        refused: dict[int, FilePlan] = {}
        chosen: dict[int, ChosenFile] = {}
        for index, file in enumerate(files):
            try:
                upload = uploads.find_received_file(self.request, file, self.request.POST)
            except Refusal as refusal:
                name = (file.file_name or "")[:_LONGEST_NAME]
                refused[index] = FilePlan(name, file.size, refusal=_say_refusal(refusal))
                continue
            beginning = first_line.read_beginning(upload.path)
            chosen[index] = ChosenFile(upload.name, upload.size, beginning, upload.sha256)
        plans = many_files.plan_uploads(list(chosen.values()), by=self.caller)
        of_index = refused | dict(zip(chosen, plans, strict=True))
        return [of_index[index] for index in range(len(files))]

    def _receive_one(self, file: PartUpload, plan: FilePlan) -> FilePlan:
        """Receive a file, and return its plan with the submission, or the reason for a refusal."""
        assert file.upload
        try:
            submission = many_files.receive_planned_file(plan, file.upload, by=self.caller)
        except Refusal as refusal:
            return plan.refuse(_say_refusal(refusal))
        except Exception as error:  # an error with one file holds up no other
            log.exception("A file of many could not be received")
            audit.record_error(error, by=lambda: self.caller, about=f"{plan.lei}-{plan.period}")
            request_id = audit.current_origin().request_id
            return plan.refuse(f"Something went wrong on our side; request id {request_id}.")
        return plan.receive_in(submission.sequence_number)

    def _form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        name = uploads.make_lar_upload_rules().name_fault("{name}")
        return self.show(
            "upload_many",
            status=status,
            refusal=refusal,
            most=MOST_FILES,
            limit=settings.UPLOAD_LIMIT,
            longest=LONGEST,
            refusals=json.dumps({**foreign_files.list_foreign_kinds(), "name": name}),
            login_hint=sign_ins.name_login_hint(cast(User, self.request.user)),
        )


class PlanManyFilesAddress(ScriptAddress):
    """What happens with each of the chosen files; the script sends the first line of each."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        plans = many_files.plan_uploads(_read_chosen_files(request), by=self.caller)
        key = _keep_choice(request, plans)
        results_url = reverse("filing-many-results", args=[key])
        return JsonResponse({"results": results_url, "files": [_show_plan(plan) for plan in plans]})


class ManyFilesResultsPage(FilerPage):
    """The files that were chosen together, with the submission and the state of each."""

    def get(self, request: HttpRequest, key: str) -> HttpResponse:
        rows = self._rows(_read_choice(request, key))
        is_busy = any(row["is_busy"] for row in rows)
        ready = sum(not row["is_busy"] for row in rows)
        template = "many_results_table" if self.is_part else "many_results"
        return self.show(
            template,
            rows=rows,
            is_busy=is_busy,
            ready=ready,
            is_announced=self.is_part and request.GET.get("ready") != str(ready),
            url=request.path,
        )

    def _rows(self, plans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        submissions = self._find_submissions(plans)
        received = list(submissions.values())
        progress, halts = results.find_progress_of_each(received), find_halts(received)
        refusals = reception.find_last_refusals(received)
        leis = access.find_leis(self.caller)
        rights = access.find_rights_of_filings(
            self.caller, [(each.lei, each.period) for each in received]
        )
        rows = []
        for plan in plans:
            submission = submissions.get(_key_of(plan))
            row = {"plan": plan, "url": "", "state": None, "refusal": plan["refusal"]}
            is_hidden = submission and Right.READ not in rights[plan["lei"], submission.period]
            if is_hidden or (plan["lei"] and plan["lei"] not in leis):
                row["refusal"] = _NO_RIGHT
            elif submission is None:
                row["refusal"] = row["refusal"] or _NOT_RECEIVED
            elif not row["refusal"]:
                number = submission.sequence_number
                row["url"] = states.build_page_address(
                    "filing-submission", plan["lei"], submission.period, number=number
                )
                row["state"] = states.describe_submission_state(
                    submission, progress.get(submission.pk), halts.get(submission.pk)
                )
                row["refusal"] = refusals.get(submission.pk, "").removeprefix(f"{INVALID_FORMAT}: ")
            state = row["state"]
            # No worker acts next.
            row["is_busy"] = bool(state and not (row["refusal"] or state.page or state.is_ended))
            rows.append(row)
        return rows

    def _find_submissions(
        self, plans: Sequence[dict[str, Any]]
    ) -> dict[tuple[str, str, int], Submission]:
        """Return the submissions of the files by institution, period and number."""
        of_plans = Submission.objects.filter(
            filing__institution__lei__in={plan["lei"] for plan in plans},
            sequence_number__in={plan["number"] for plan in plans},
        )
        return {
            (each.lei, str(each.period), each.sequence_number): each
            for each in results.with_related_rows(of_plans)
        }


def _say_refusal(refusal: Refusal) -> str:
    text = refusal.message.removeprefix(f"{INVALID_FORMAT}: ")
    return f"{text[:1].upper()}{text[1:]}"


def _key_of(plan: dict[str, Any]) -> tuple[str, str, int]:
    return plan["lei"], plan["period"], plan["number"]


def _keep_choice(request: HttpRequest, plans: Sequence[FilePlan]) -> str:
    """Keep the plans of chosen files in the session, and return their key."""
    key = secrets.token_hex(16)
    kept = list(request.session.get(_SESSION_KEY, {}).items())[-_KEPT_CHOICES + 1 :]
    lines = [
        {
            "name": plan.name,
            "lei": plan.lei,
            "institution": plan.institution,
            "period": str(plan.period or ""),
            "number": plan.number,
            "refusal": plan.refusal,
        }
        for plan in plans
    ]
    request.session[_SESSION_KEY] = dict([*kept, (key, lines)])
    return key


def _read_choice(request: HttpRequest, key: str) -> list[dict[str, Any]]:
    """Return the plans that the session keeps. Raises: NotFound."""
    kept: dict[str, list[dict[str, Any]]] = request.session.get(_SESSION_KEY, {})
    if key not in kept:
        raise NotFound(
            "This list of files is no longer kept. The submissions are listed under Your "
            "institutions."
        )
    return kept[key]


def _read_chosen_files(request: HttpRequest) -> list[ChosenFile]:
    """Return the files of a request of the script. Raises: BadInput; TooLarge."""
    malformed = BadInput("Send a list of files, each with name, size and line.")
    try:
        files = decode_json(request.body, is_stored=False)["files"]
        chosen = [
            ChosenFile(str(each["name"])[:_LONGEST_NAME], int(each["size"]), _encode(each["line"]))
            for each in files
        ]
    except (ValueError, TypeError, KeyError, OverflowError):
        raise malformed from None
    if not chosen:
        raise BadInput(_NO_FILE)
    if len(chosen) > MOST_FILES:
        raise uploads.refuse_many_files(MOST_FILES)
    if not is_storable([file.name for file in chosen]):
        raise malformed
    return chosen


def _encode(line: Any) -> bytes:
    return str(line).encode(errors="replace")[:LONGEST]


def _show_plan(plan: FilePlan) -> dict[str, Any]:
    if plan.period is None or plan.refusal:
        filing = f"{plan.institution or plan.lei}, {plan.period}" if plan.period else ""
        return {"name": plan.name, "refusal": plan.refusal, "filing": filing}
    address = states.build_page_address("filing-new-uploads", plan.lei, plan.period)
    return {
        "name": plan.name,
        "refusal": "",
        "filing": f"{plan.institution}, {plan.period}",
        "what": f"Submission {plan.number}, {'waiting for its file' if plan.is_waiting else 'new'}",
        "fingerprint": _name_fingerprint(plan.lei, plan.period),
        "uploads": f"{address}?after={plan.after}",
        "same": [
            {"sha256": each.sha256, "refusal": many_files.describe_same_file(each)}
            for each in plan.same
        ],
    }


def _name_fingerprint(lei: str, period: Period) -> str:
    """Return how the script of the page for one file names a filing, which can continue it."""
    return f"lar-{lei}-{period.year}-{period.quarter or first_line.ANNUAL_QUARTER}"
