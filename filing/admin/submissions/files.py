"""The file of a submission: its download, for a reason, and the check of its hash."""

from __future__ import annotations

from typing import cast

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods, require_safe

from filing import access
from filing.admin.submissions import subpages
from filing.models import Submission
from filing.submissions import raw_files


class ReasonForm(forms.Form):
    """The reason for downloading a file."""

    reason = forms.CharField(
        max_length=500,
        help_text="One sentence, such as: The filer asks why line 17 has a formatting error.",
        error_messages={"required": "Enter a reason; it is recorded in the audit log."},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def download(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Ask for a reason, record it in the audit log, and send the file as it was uploaded."""
    user = cast(User, request.user)
    if not user.has_perm("filing.download_file"):
        raise PermissionDenied("filing.download_file")
    raw_files.stored(submission)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return subpages.render(
            request,
            submission,
            "file",
            title=f"Download the file of {submission}",
            form=form,
            status=400 if form.is_bound else 200,
        )
    return raw_files.download(
        request,
        submission,
        name=submission.file_name or f"{submission}.txt",
        reason=form.cleaned_data["reason"],
        by=access.caller_of(user),
    )


@require_safe
def check_hash(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Compute the hash of the stored file, and show whether it is the one uploaded and signed."""
    signature = getattr(submission, "signature", None)
    recorded = signature.sha256 if signature else submission.sha256
    current = raw_files.sha256(submission)
    return subpages.render(
        request,
        submission,
        "hash",
        title=f"Hash of the file of {submission}",
        signature=signature,
        recorded=recorded,
        current=current,
        is_same=current == recorded,
    )
