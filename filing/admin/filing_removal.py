"""Removing filings from their list or page: a preview of all at once, a reason, one statement."""

from __future__ import annotations

import json
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from filing import access
from filing.admin.own_pages import OwnPages, WithOwnPages, own_page
from filing.admin.reasons import ReasonForm
from filing.errors import Refusal
from filing.models import Filing
from filing.models.many_keys import many_keys
from filing.periods import removal

LIMIT = 50_000  # filings at once: more than a season has
_PAGE = "admin:filing_filing_remove"
_LIST = "admin:filing_filing_changelist"


class WithRemoval(WithOwnPages):
    """Removes filings without a submission; the chosen ones travel in one field of the form."""

    def own_pages(self) -> OwnPages:
        """Return the page that previews and confirms a removal."""
        return (("remove/", self.remove_view, "remove"), *super().own_pages())

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the list actions, with our removal in place of Django's deletion."""
        actions: dict[str, Any] = super().get_actions(request)
        if self.has_delete_permission(request):
            actions["remove"] = (_from_list, "remove", "Delete filings without a submission")
        return actions

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the page that asks for the reason."""
        if not self.has_delete_permission(request):
            raise PermissionDenied("filing.delete_filing")
        return HttpResponseRedirect(f"{reverse(_PAGE)}?pk={object_id}")

    def remove_view(self, request: HttpRequest) -> HttpResponse:
        """Show what would be removed; remove it once confirmed with a reason."""
        if not self.has_delete_permission(request):
            raise PermissionDenied("filing.delete_filing")
        if request.method != "POST":
            keys = [int(key) for key in request.GET.getlist("pk") if key.isdecimal()]
            return self.preview(request, keys)
        keys, form = _keys(request), ReasonForm(request.POST)
        if not keys or not form.is_valid():
            return self.preview(request, keys, form)
        by = access.caller_of(cast(User, request.user))
        chosen = Filing.objects.filter(pk__in=many_keys(keys))
        try:
            removed = removal.remove_filings(chosen, by=by, reason=form.cleaned_data["reason"])
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return self.preview(request, keys)
        messages.success(request, f"Filings removed: {removed:,}.")
        return HttpResponseRedirect(reverse(_LIST))

    def preview(
        self, request: HttpRequest, keys: list[int], form: ReasonForm | None = None
    ) -> HttpResponse:
        """Return the page with the plan, and the form if the removal is possible."""
        problem = "" if keys else "Nothing was done: nothing is selected."
        if len(keys) > LIMIT:
            problem = f"Nothing was done: more than {LIMIT:,} are selected. Filter the list first."
        if problem:
            messages.warning(request, problem)
            return HttpResponseRedirect(reverse(_LIST))
        context = {
            "plan": removal.plan_removal(Filing.objects.filter(pk__in=many_keys(keys))),
            "chosen": json.dumps(keys),
            "form": form or ReasonForm(),
        }
        page = "admin/filing/filing/remove.html"
        return own_page(self, request, page, "Delete filings", context)


@admin.action(permissions=["delete"])
def _from_list(page: WithRemoval, request: HttpRequest, selected: QuerySet[Filing]) -> HttpResponse:
    keys = selected.order_by().values_list("pk", flat=True)[: LIMIT + 1]
    return page.preview(request, list(keys))


def _keys(request: HttpRequest) -> list[int]:
    try:
        return [int(key) for key in json.loads(request.POST.get("chosen", ""))][: LIMIT + 1]
    except (ValueError, TypeError):
        return []
