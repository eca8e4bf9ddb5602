"""The page on which staff choose the events that they get emails about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from filing.admin.forms import find_caller
from filing.emails import subscriptions
from filing.errors import Refusal
from filing.models import Subscription
from filing.people.institutions import is_lei, normalize_lei
from filing.registries import STAFF_EVENT_KINDS

_CHOICES = [("", "No emails"), ("now", "At once"), ("daily", "Once a day")]


class SubscriptionForm(forms.Form):
    """When to send an email about a kind of event, and about which institutions."""

    wanted = forms.ChoiceField(
        label="Emails", choices=_CHOICES, required=False, widget=forms.RadioSelect
    )
    leis = forms.CharField(
        label="LEIs",
        required=False,
        max_length=12_000,
        widget=forms.Textarea(attrs={"rows": 2, "cols": 60}),
        help_text="Of some institutions, separated by spaces or lines. Blank: all institutions but "
        "test institutions.",
    )

    def __init__(self, data: Any, *, kind: str, initial: dict[str, Any]) -> None:
        super().__init__(data, prefix=kind, initial=initial)
        self.kind, self.about = kind, STAFF_EVENT_KINDS[kind]
        if not self.about.is_of_institution:
            del self.fields["leis"]

    def clean_leis(self) -> list[str]:
        leis = [normalize_lei(word) for word in re.split(r"[\s,;]+", self.cleaned_data["leis"])]
        leis = list(dict.fromkeys(filter(None, leis)))
        if wrong := [lei for lei in leis if not is_lei(lei)]:
            raise ValidationError(f"{wrong[0][:40]} is not an LEI; enter 20 letters and digits.")
        return leis


@require_http_methods(["GET", "HEAD", "POST"])
def choose_subscriptions(request: HttpRequest) -> HttpResponse:
    """Show the subscriptions of the user, and save them."""
    user = cast(User, request.user)
    forms_of_kinds = list(_forms(request, user))
    if request.method == "POST" and all(form.is_valid() for form in forms_of_kinds):
        by = find_caller(request)
        try:
            changes = [
                subscriptions.change_subscription(
                    user,
                    form.kind,
                    wanted=form.cleaned_data["wanted"],
                    leis=form.cleaned_data.get("leis", []),
                    by=by,
                )
                for form in forms_of_kinds
            ]
        except Refusal as refusal:
            messages.error(request, refusal.message)
        else:
            text = "Your subscriptions are saved." if any(changes) else "Nothing has changed."
            messages.success(request, text)
        return redirect("admin:subscriptions")
    context = {
        **admin.site.each_context(request),
        "title": "Your subscriptions",
        "forms": forms_of_kinds,
        "address": user.email,
        "has_errors": any(form.errors for form in forms_of_kinds),
    }
    return TemplateResponse(request, "admin/subscriptions.html", context)


def _forms(request: HttpRequest, user: User) -> Iterator[SubscriptionForm]:
    """Yield the form of each kind of event that the user may see."""
    current = {each.kind: each for each in Subscription.objects.filter(user=user)}
    for kind, about in STAFF_EVENT_KINDS.items():
        if not user.has_perm(about.right):
            continue
        subscription = current.get(kind)
        initial = {
            "wanted": ("daily" if subscription.is_daily else "now") if subscription else "",
            "leis": "\n".join(subscription.leis) if subscription else "",
        }
        data = request.POST if request.method == "POST" else None
        yield SubscriptionForm(data, kind=kind, initial=initial)
