"""The form with which anyone, signed in or not, asks something of the help desk."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.generic import FormView

from filing.access.rights import has_verified_email
from filing.errors import Refusal
from filing.models import Case
from filing.people import cases, institutions

_SALT = "filing.pages.cases"  # of the addresses that show a case number


class CaseForm(forms.Form):
    """A request to the help desk."""

    name = forms.CharField(
        label="Your name", max_length=300, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.EmailField(
        label="Your business email address",
        help_text="The help desk answers to this address.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    institution = forms.CharField(label="Name of the institution", max_length=255)
    lei = forms.CharField(
        label="LEI (optional)",
        required=False,
        max_length=20,
        help_text="20 capital letters and digits.",
    )
    text = forms.CharField(
        label="What do you want the help desk to do?",
        max_length=cases.LONGEST_TEXT,
        help_text="For example: add our email domain, or give me the right to file. Do not enter "
        "passwords, or data of borrowers.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def clean_lei(self) -> str:
        """Return the LEI in capital letters; blank if there is none."""
        lei = str(self.cleaned_data["lei"]).strip().upper()
        try:
            return institutions.check_lei(lei) if lei else ""
        except ValueError as error:
            raise ValidationError(f"{error}.") from error


@method_decorator(never_cache, name="dispatch")
class OpenCase(FormView):
    """The form. The address of a signed-in user whose address is verified cannot be changed."""

    http_method_names = ["get", "head", "post"]
    template_name = "filing/pages/case.html"
    form_class = CaseForm

    def get_initial(self) -> dict[str, Any]:
        """Return what is known: of the user, or in the link that led here."""
        if self.request.user.is_authenticated:
            user = self.request.user
            return {"name": user.get_full_name(), "email": user.email}
        return {"email": self.request.GET.get("email", "")[:254]}

    def get_form(self, form_class: Any = None) -> CaseForm:
        form: CaseForm = super().get_form(form_class)
        if self.request.user.is_authenticated:
            form.fields["email"].disabled = has_verified_email(self.request.user)
        return form

    def form_valid(self, form: CaseForm) -> HttpResponse:
        """Open the case, and show its number."""
        user = self.request.user if self.request.user.is_authenticated else None
        try:
            case = cases.open_case(**form.cleaned_data, user=user)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self.form_invalid(form)
        return redirect("case-opened", signing.dumps(case.pk, salt=_SALT))

    def form_invalid(self, form: CaseForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)


@never_cache
@require_safe
def case_opened(request: HttpRequest, case: str) -> HttpResponse:
    """Show the number of a case to whoever opened it, and what happens next."""
    try:
        key = signing.loads(case, salt=_SALT)
    except signing.BadSignature as error:
        raise Http404("There is no such case.") from error
    return render(request, "filing/pages/case_opened.html", {"number": Case(pk=key).number})
