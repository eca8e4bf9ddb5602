"""Files the LAR that was made from a spreadsheet, for a signed-in user.

Unlike the other pages of the tool, this one changes something: it needs a session and the token of
the form. The token is checked after the size of the body, as on the page that uploads a LAR.
"""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, suppress
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from filing import access, idempotency, submissions
from filing.access import Right
from filing.errors import AlreadyExists, BadInput, NotFound, Refusal
from filing.idempotency import KeyClaim, StoredAnswer
from filing.lar.setting_words import use_setting_words
from filing.lar.years import Period, supported_periods
from filing.models import Submission
from filing.pages import repeated_forms, states
from filing.pages.filer import NOT_YOURS, FilerPage
from filing.periods import filings
from filing.spreadsheets.confined_conversion import ConvertedFile
from filing.submissions import ReceivedFile, overview, ownership, uploads
from filing.submissions.uploads import PartUpload
from publicapi.lar_tool import conversions, page_contents, pages
from publicapi.lar_tool.page_forms import SETTING_WORDS, ToolState
from publicapi.lar_tool.pages import CHOOSE_AGAIN, OTHER_COLUMNS, open_conversion

NO_FILING = "Choose one of your filings."


@method_decorator(csrf_exempt, name="dispatch")
class FileLarPage(FilerPage):
    """Puts the converted file into a submission, and goes to the page of that."""

    http_method_names = ["post"]

    @property
    def next_address(self) -> str:
        """The first page of the tool: the file was not kept."""
        return reverse("lar-tool")

    def post(self, request: HttpRequest) -> HttpResponseBase:
        self.state = ToolState({})
        rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT, any_kind=True)
        try:
            with use_setting_words(SETTING_WORDS), uploads.handle_body(request, rules) as handler:
                return self._received(request, handler)
        except Refusal as refusal:
            is_denied = isinstance(refusal, access.AccessDenied)
            page = pages.render_step(
                request, self.state.step, self.state, status=refusal.status,
                refusal=NOT_YOURS if is_denied else refusal.message,
            )  # fmt: skip
            page["Cache-Control"] = "no-store"
            return page

    @method_decorator(csrf_protect)
    def _received(self, request: HttpRequest, handler: PartUpload) -> HttpResponse:
        self.state = ToolState.of(request.POST)
        if not (handler.upload or handler.refusal or handler.size):
            raise BadInput(CHOOSE_AGAIN)
        upload = uploads.find_received_file(request, handler, request.POST)
        lei, period = self._filing()
        claim = repeated_forms.claim_form(
            request,
            self.caller,
            fingerprint=idempotency.fingerprint_form(request.POST, handler.parts),
        )
        if isinstance(claim, StoredAnswer):
            return repeated_forms.repeat_answer(request, claim)
        try:
            return self._filed(upload, lei, period, claim)
        finally:
            if claim:
                claim.forget()  # unless it has an answer

    def _filing(self) -> tuple[str, Period]:
        """Return the institution and period that were chosen.

        Raises: BadInput; AccessDenied.
        """
        lei, _, name = self.state.value("filing").partition("/")
        periods = {str(period): period for period in supported_periods()}
        if not lei or name not in periods:
            raise BadInput(NO_FILING)
        access.require_right(self.caller, Right.PREPARE, lei, periods[name])
        return lei, periods[name]

    def _filed(
        self, upload: ReceivedFile, lei: str, period: Period, claim: KeyClaim | None
    ) -> HttpResponse:
        """Convert the file and let a submission have the LAR.

        Raises: Refusal.
        """
        with ExitStack() as stack:
            result = stack.enter_context(open_conversion(self.state, upload))
            if page_contents.has_other_columns(self.state.matching, result.report):
                raise BadInput(OTHER_COLUMNS)
            with conversions.translate_refusals():
                result.require_writable()
            lar = _upload_of(result)
            ownership.require_fitting_file(lar.path, lei=lei, period=period)
            submission = self._submission(lei, period)
            page = redirect(
                states.build_page_address(
                    "filing-submission", lei, period, number=submission.sequence_number
                )
            )
            page.status_code = 303
            answer = repeated_forms.keep_redirect(self.request, page)
            reception = submissions.Reception(submission, by=self.caller, claim=claim)
            with reception.opened():
                reception.store(lar, answer=lambda: answer)
            return page

    def _submission(self, lei: str, period: Period) -> Submission:
        """Return a submission that waits for a file; the filing is started if needed.

        Raises: NotFound, PeriodClosed, NotReady.
        """
        dues = overview.find_due_filings([lei], period)
        if not dues:
            raise NotFound(f"There is no filing for {period} for this institution.")
        if dues[0].filing is None:
            with suppress(AlreadyExists):  # created by a simultaneous request
                filings.start_filing(lei=lei, period=period, by=self.caller)
        return submissions.find_or_create_submission(lei=lei, period=period, by=self.caller)


def _upload_of(result: ConvertedFile) -> ReceivedFile:
    """Return the LAR of a conversion as a file that has arrived."""
    path = Path(result.lar)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return ReceivedFile(path=path, name=result.name, size=path.stat().st_size, sha256=sha256)
