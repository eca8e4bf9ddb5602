"""Base classes of the filers' pages that are one form: shown, checked, acted on once, led on."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from filing.errors import Refusal
from filing.pages.filer import FilerPage
from filing.pages.people_forms import ReasonForm, WithSeen
from filing.pages.repeated_forms import once_per_form
from filing.people.own_rights import record_own_rights


class FormPage(FilerPage):
    """A page with one form. What the form does leads on to another page, with a message.

    refused_field: the field beside which a refusal stands; None for the head of the form.
    """

    http_method_names = ["get", "head", "post"]
    template = ""
    refused_field: str | None = None

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self.show_form(self.make_form())

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        form = self.make_form(request.POST)
        if not form.is_valid():
            return self.show_form(form, status=400)
        try:
            with record_own_rights(self.caller):
                text = self.act(form)
        except Refusal as refusal:
            form.add_error(self.refused_field, refusal.message)
            if isinstance(form, WithSeen):
                form.renew_seen(self.make_form())
            return self.show_form(form, status=refusal.status)
        return self.redirect_after_post(self.following_address, message=text)

    def make_form(self, data: Any = None) -> forms.Form:
        """Return the form, filled in as the browser sent it."""
        raise NotImplementedError

    def act(self, form: Any) -> str:
        """Do what a valid form says; return what was done."""
        raise NotImplementedError

    @property
    def following_address(self) -> str:
        """The page to open once the form has done what it says."""
        raise NotImplementedError

    def form_context(self) -> dict[str, Any]:
        """Return what the template shows beside the form."""
        return {}

    def show_form(self, form: forms.Form, *, status: int = 200) -> HttpResponse:
        """Return the page with its form."""
        return self.show(self.template, status=status, form=form, **self.form_context())


class EndRightPage(FormPage):
    """A page that asks for the reason before a right ends."""

    template = "end_right"
    button = ""

    def make_form(self, data: Any = None) -> forms.Form:
        return ReasonForm(data, help_text="It is recorded, and is in the emails about it.")

    def act(self, form: ReasonForm) -> str:
        return self.end_right(form.cleaned_data["reason"])

    def end_right(self, reason: str) -> str:
        """End the right; return what was done."""
        raise NotImplementedError

    def form_context(self) -> dict[str, Any]:
        heading, plan = self.describe_end()
        return {"heading": heading, "plan": plan, "button": self.button}

    def describe_end(self) -> tuple[str, str]:
        """Return the heading, and what ending it would do. Raises: NotReady if it has ended."""
        raise NotImplementedError
