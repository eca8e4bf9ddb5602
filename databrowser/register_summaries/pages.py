"""The page of the Institution Register Summary, for everyone or for those who may read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.generic import View

from databrowser.register_summaries import documents
from databrowser.register_summaries.views import write_csv_answer
from filing.access import AccessDenied, caller_of
from filing.errors import Refusal
from filing.files import responses
from filing.lar.years import Period
from filing.requests import describe_unknown_parameters

_NOT_YOURS = (
    "The Institution Register Summaries of this period are not public. You may read those of the "
    "institutions that you file for."
)


class RegisterSummaryPage(View):
    """A summary as a table with its total; `?format=csv` is the file."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, year: str, lei: str) -> HttpResponseBase:
        period, user = Period.parse(year), request.user
        is_public = documents.is_public(period)
        if not is_public and not isinstance(user, User):
            return redirect_to_login(request.get_full_path())
        context: dict[str, Any] = {"period": period, "lei": lei.upper(), "is_public": is_public}
        caller = caller_of(user) if isinstance(user, User) else None
        try:
            summary = documents.find_register_summary(period, lei.upper(), caller)
        except Refusal as refusal:
            context["refusal"] = (
                _NOT_YOURS if isinstance(refusal, AccessDenied) else refusal.message
            )
            return self.show(context, status=refusal.status, seconds=refusal.seconds)
        if request.GET.get("format") == "csv":
            etag = responses.make_etag(["csv", summary.body])
            answer = responses.answer_conditionally(
                request, etag, lambda: write_csv_answer(summary)
            )
            patch_cache_control(answer, no_cache=True, private=True)
            return answer
        context["summary"] = summary
        context["columns"] = [label for _, label in documents.COLUMNS.values()]
        # Written here: a filter of the template for each of some thousand numbers takes longer.
        context["lines"] = [(msa, _write(figures)) for msa, figures in summary.lines]
        context["total"] = _write(summary.total_line)
        context["unknown_parameters"] = describe_unknown_parameters(request.GET, ["format"])
        return self.show(context)

    def show(self, context: dict[str, Any], *, status: int = 200, seconds: int = 0) -> HttpResponse:
        """Return the page. seconds: after which trying again may help."""
        page = render(self.request, "databrowser/register_summary.html", context, status=status)
        patch_cache_control(page, no_cache=True, private=True)
        if seconds:
            page["Retry-After"] = str(seconds)
        return page


def _write(numbers: Iterable[int]) -> list[str]:
    return [f"{number:,}" for number in numbers]
