"""Pages below the page of a submission: its edits, its file, and its comparison with another.

They share who may see them, how refusals are shown, and their context. Records are shown for a
reason only, which the audit log keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from http import HTTPStatus
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from filing import access
from filing.edits import catalogue
from filing.errors import BadInput, NotFound, Refusal
from filing.files import responses
from filing.models import FileComparison, Submission
from filing.pages import filer
from filing.periods import timeliness
from filing.requests import select_page
from filing.statuses import Status
from filing.submissions import comparison, comparison_jobs, downloads, findings, results, rules_run

SubpageView = Callable[..., HttpResponseBase]
RELATED = ("filing__institution", "filing__period", "signature")


def find_submission(key: int | str) -> Submission | None:
    """Return the submission with a key, joined with the rows its name needs; None if unknown."""
    try:
        rows = Submission.objects.select_related(*RELATED).filter(pk=key)
        return timeliness.with_first_signature(rows, filing="filing").first()
    except (ValueError, TypeError):
        return None


def as_subpage(view: SubpageView) -> SubpageView:
    """Return the view for an address below a submission's page, for users who may see submissions.

    A refusal is shown on a page with a link back to the submission.
    """

    @wraps(view)
    def checked_view(request: HttpRequest, object_id: int, **parts: Any) -> HttpResponseBase:
        if not request.user.has_perm("filing.view_submission"):
            raise PermissionDenied("filing.view_submission")
        submission = find_submission(object_id)
        if submission is None:
            raise Http404(f"There is no submission with the key {object_id}.")
        try:
            return view(request, submission, **parts)
        except Refusal as refusal:
            return render_subpage(
                request,
                submission,
                "refused",
                title="You cannot do this now",
                sentence=refusal.message,
                status=refusal.status,
            )

    return checked_view


def guard_records(what: str) -> Callable[[SubpageView], SubpageView]:
    """Return a decorator for views that show records: for a reason, recorded in the audit log.

    what: which records, with the parts of the address in braces.
    """

    def decorate(view: SubpageView) -> SubpageView:
        @wraps(view)
        def guarded(request: HttpRequest, submission: Submission, **parts: Any) -> HttpResponseBase:
            answer = partial(view, request, submission, **parts)
            return filer.answer_with_records(request, submission, what.format(**parts), answer)

        return guarded

    return decorate


def render_subpage(
    request: HttpRequest,
    submission: Submission,
    template: str,
    *,
    title: str,
    status: int = 200,
    **page_context: Any,
) -> TemplateResponse:
    """Return a page below that of the submission."""
    context = {
        **admin.site.each_context(request),
        "opts": Submission._meta,
        "submission": submission,
        "title": title,
        **page_context,
    }
    name = f"admin/filing/submission/{template}.html"
    return TemplateResponse(request, name, context, status=status)


@require_safe
def show_edits(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the edits that were triggered, by kind, and those that were not checked."""
    verified = {"quality": submission.quality_verified, "macro": submission.macro_verified}
    return render_subpage(
        request,
        submission,
        "edits",
        title=f"Edits of {submission}",
        kinds=[
            (kind, items, verified.get(kind))
            for kind, items in results.summarize_edits(submission).items()
        ],
        not_run=rules_run.find_unrun_edits(submission),
        rules=submission.rules_in_sentence,
        is_unchecked=rules_run.was_signed_without_rules(submission),
    )


@require_safe
@guard_records("all edits as CSV")
def download_edits(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all findings as CSV; with `detail=true` also their lines and values."""
    downloads.find_raw_file(submission)
    return downloads.download_findings(submission, detailed=request.GET.get("detail") == "true")


@require_safe
@guard_records("edit {code}")
def show_edit(request: HttpRequest, submission: Submission, code: str) -> HttpResponseBase:
    """Show the records that triggered an edit, page by page."""
    try:
        text = catalogue.find_edit_text(code, submission.rules_period)
    except LookupError as error:
        raise NotFound(str(error)) from error
    parts = findings.find_results_of_edit(submission, code)
    if parts:
        downloads.find_raw_file(submission)
    current_page = select_page(request.GET.get("page"), findings.count_records(parts))
    return render_subpage(
        request,
        submission,
        "edit",
        title=f"Edit {code} of {submission}",
        code=code,
        text=text,
        detail=findings.describe_macro_result(submission, parts),
        rows=findings.read_edit_rows(submission, parts, current_page),
        current_page=current_page,
    )


@require_safe
@guard_records("edit {code} as CSV")
def download_edit(request: HttpRequest, submission: Submission, code: str) -> HttpResponseBase:
    """Return all records that triggered an edit as CSV."""
    downloads.find_raw_file(submission)
    return downloads.download_findings(submission, code=code)


@require_safe
@guard_records("formatting errors")
def show_formatting_errors(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the lines with formatting errors, page by page."""
    current_page = select_page(request.GET.get("page"), submission.format_errors)
    if current_page.total:
        downloads.find_raw_file(submission)
    return render_subpage(
        request,
        submission,
        "format_errors",
        title=f"Formatting errors of {submission}",
        # For a submission that an operator stopped, `failure` is the operator's message instead.
        hint=submission.failure if submission.status == Status.PARSED_WITH_ERRORS else "",
        lines=findings.read_format_errors(submission, current_page),
        current_page=current_page,
    )


@require_safe
@guard_records("formatting errors as CSV")
def download_formatting_errors(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all values with formatting errors as CSV."""
    if submission.format_errors:
        downloads.find_raw_file(submission)
    return downloads.download_format_errors(submission)


class DownloadReasonForm(forms.Form):
    """The reason for downloading a file."""

    reason = forms.CharField(
        max_length=500,
        help_text="One sentence, such as: The filer asks why line 17 has a formatting error.",
        error_messages={"required": "Enter a reason; it is recorded in the audit log."},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def download_file(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Ask for a reason, record it in the audit log, and send the file as it was uploaded."""
    user = cast(User, request.user)
    if not user.has_perm("filing.download_file"):
        raise PermissionDenied("filing.download_file")
    downloads.require_stored_file(submission)
    form = DownloadReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return render_subpage(
            request,
            submission,
            "file",
            title=f"Download the file of {submission}",
            act=f"Download {submission.file_name} ({filesizeformat(submission.size)})",
            form=form,
            status=400 if form.is_bound else 200,
        )
    return downloads.download_raw_file(
        request,
        submission,
        name=submission.file_name or f"{submission}.txt",
        reason=form.cleaned_data["reason"],
        by=access.caller_of(user),
    )


@require_safe
def check_file_hash(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Compute the hash of the stored file, and show whether it is the one uploaded and signed."""
    signature = getattr(submission, "signature", None)
    recorded = signature.sha256 if signature else submission.sha256
    current = downloads.hash_raw_file(submission)
    return render_subpage(
        request,
        submission,
        "hash",
        title=f"Hash of the file of {submission}",
        signature=signature,
        recorded=recorded,
        current=current,
        is_same=current == recorded,
    )


@require_safe
def show_comparison(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show how the file differs from another submission's, by default the previous one's."""
    other = _other(request, submission)
    title = f"Compare {submission}"
    if other is None:
        others = _others(submission)
        return render_subpage(
            request, submission, "compare", title=title, others=others, other=None
        )
    what = f"comparison with {other}"
    differences = partial(_differences, request, submission, other, title)
    return filer.answer_with_records(request, submission, what, differences)


def _differences(
    request: HttpRequest, submission: Submission, other: Submission, title: str
) -> HttpResponseBase:
    context: dict[str, Any] = {"title": title, "others": _others(submission), "other": other}
    is_part = "HX-Request" in request.headers
    compared = comparison_jobs.find_comparison(submission, other, retries=not is_part)
    if isinstance(compared, FileComparison):
        # This status also says that the page shows no records yet.
        accepted = HTTPStatus.ACCEPTED
        return render_subpage(
            request, submission, "compare", status=accepted, queued=compared, **context
        )
    listing = comparison.list_differences(compared, comparison.MAX_LISTED)
    return render_subpage(
        request,
        submission,
        "compare",
        counts=[
            *((name.capitalize(), number) for name, number in listing["numbers"].items()),
            ("The same in both", compared.difference.same),
        ],
        edits=[
            edit
            for edit in comparison.compare_edits(compared.before, compared.after)
            if edit.was != edit.now
        ],
        **context,
        **listing,
    )


@require_safe
def download_comparison(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all differences between the records of two submissions as CSV."""
    other = _other(request, submission)
    if other is None:
        raise NotFound(f"There is no other submission to compare {submission} with.")
    what = f"comparison with {other} as CSV"
    return filer.answer_with_records(request, submission, what, partial(_csv, submission, other))


def _csv(submission: Submission, other: Submission) -> HttpResponseBase:
    compared = comparison_jobs.find_comparison(submission, other)
    if isinstance(compared, FileComparison):
        page = reverse("admin:filing_submission_compare", args=[submission.pk])
        return redirect(f"{page}?with={other.pk}")  # which waits for the job
    name = f"changes-{compared.before}-to-{compared.after}.csv"
    return responses.stream_attachment(name, comparison.write_comparison_csv(compared))


def _others(submission: Submission) -> list[Submission]:
    return list(comparison.find_comparable_submissions(submission)[: comparison.MOST_CHOICES])


def _other(request: HttpRequest, submission: Submission) -> Submission | None:
    """Return the submission that the address names, or the default one.

    Raises: BadInput if there is no such submission.
    """
    key = request.GET.get("with")
    if not key:
        return comparison.find_usual_comparison(submission)
    other = find_submission(key)
    if other is None:
        raise BadInput(f"There is no submission {key!r}; choose one from the list.")
    return other
