"""Pages of the second factor: the step after the password, and what a user sets up."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import RedirectURLMixin
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView, View

from config.identity import guesses, second_factors
from config.identity.pages import LeadsToClient
from config.identity.sign_in import AGAIN
from filing.errors import Refusal
from filing.people import second_factors as stored_factors
from filing.people import sign_ins

_CODE = {"autocomplete": "one-time-code", "spellcheck": "false", "autocapitalize": "characters"}
_PRIVATE = [never_cache, sensitive_post_parameters("code", "passkey")]


class StepForm(forms.Form):
    """A code of the app or a recovery code; or what the browser answers for a passkey."""

    code = forms.CharField(max_length=50, widget=forms.TextInput(attrs=_CODE))
    passkey = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["code"].required = not self.data.get("passkey")


class AppForm(forms.Form):
    """The code that an app shows once it has the key."""

    code = forms.CharField(
        label="Code of the app",
        help_text="6 digits; the app shows new ones every 30 seconds.",
        max_length=20,
        widget=forms.TextInput(attrs={**_CODE, "inputmode": "numeric"}),
    )

    def clean_code(self) -> str:
        """Return the code without the blanks that apps show in it."""
        return "".join(self.cleaned_data["code"].split())


class PasskeyForm(forms.Form):
    """What the user calls a passkey, and what the browser answers."""

    name = forms.CharField(
        label="Name of the passkey", help_text="For example “laptop”.", max_length=100
    )
    passkey = forms.CharField(widget=forms.HiddenInput, required=False)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("name") and not data.get("passkey"):
            self.add_error("name", "The browser created no passkey. This needs JavaScript.")
        return data


@method_decorator(_PRIVATE, name="dispatch")
class SecondStep(LeadsToClient, RedirectURLMixin, FormView):
    """Asks for the second factor after the password, or leads to where it is set up."""

    template_name = "identity/second_step.html"
    form_class = StepForm
    next_page = "/"
    http_method_names = ["get", "post"]

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        if str(request.method).lower() not in self.http_method_names:
            return self.http_method_not_allowed(request)
        user = second_factors.find_pending_user(request.session)
        onward = urlencode({"next": self.get_success_url()})
        if user is None:
            return redirect(f"{reverse('identity:login')}?{onward}")
        if not stored_factors.find_factors(user).exists():
            return redirect(f"{reverse('second-factors')}?{onward}")
        self.user = user
        self.has_app = stored_factors.find_factors(user).filter(kind="app").exists()
        return super().dispatch(request, *args, **where)

    def get_form(self, form_class: Any = None) -> StepForm:
        """Return the form with the label that fits what the user has."""
        form: StepForm = super().get_form(form_class)
        app = "Code of your authenticator app, or a recovery code"
        form.fields["code"].label = app if self.has_app else "Recovery code"
        return form

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        options = second_factors.ask_for_passkey(self.request.session, self.user)
        return super().get_context_data(**context, has_app=self.has_app, options=options)

    def form_valid(self, form: StepForm) -> HttpResponse:
        """Sign the user in if the factor is right."""
        try:
            guess = guesses.begin_code_guess(self.request, self.user)
        except guesses.TooManyGuesses as error:
            form.add_error("code", f"Too many wrong codes. Try again in {error.seconds} seconds.")
            return self.form_invalid(form)
        code, passkey = form.cleaned_data["code"], form.cleaned_data["passkey"]
        if not (
            second_factors.is_passkey_right(self.request.session, self.user, passkey)
            if passkey
            else second_factors.is_code_right(self.user, code)
        ):
            guess.was_wrong()
            what = "This passkey was not accepted." if passkey else "This code is not right."
            form.add_error("code", f"{what} Try again, or use another way to sign in.")
            return self.form_invalid(form)
        guess.was_right()
        second_factors.finish_sign_in(self.request, self.user, with_factor=True)
        response = redirect(self.get_success_url())
        guesses.remember_browser(self.request, response, self.user)
        return response


@method_decorator(_PRIVATE, name="dispatch")
class FactorPage(RedirectURLMixin, View):
    """A page for users who signed in lately, or must have a second factor to be signed in."""

    next_page = "/"

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        if str(request.method).lower() not in self.http_method_names:
            return self.http_method_not_allowed(request)
        pending = second_factors.find_pending_user(request.session)
        self.is_signing_in = pending is not None
        user: Any = pending or request.user
        if not user.is_authenticated:
            return redirect(f"{reverse('sign-in')}?{urlencode({'next': request.path})}")
        if pending and stored_factors.find_factors(pending).exists():
            return redirect(self.address("second-factor"))
        if not pending and not sign_ins.is_recently_authenticated(request.session):
            again = urlencode({AGAIN: 1, "next": reverse("second-factors")})
            return redirect(f"{reverse('sign-in')}?{again}")
        self.user: User = user
        try:
            return super().dispatch(request, *args, **where)
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return redirect(self.address("second-factors"))

    def address(self, name: str) -> str:
        """Return the address of another page, with where the sign-in leads to."""
        onward = urlencode({"next": self.get_success_url()}) if self.is_signing_in else ""
        return f"{reverse(name)}{'?' if onward else ''}{onward}"

    def page(self, template: str, **context: Any) -> HttpResponse:
        names = ("second-factors", "second-factor-app", "second-factor-passkey")
        links = {name.replace("-", "_"): self.address(name) for name in names}
        context = {**links, "is_signing_in": self.is_signing_in, **context}
        return render(self.request, f"identity/{template}.html", context)

    def added(self, codes: list[str]) -> HttpResponse:
        """Sign the user in who was to be, and show the codes, once."""
        is_signing_in = self.is_signing_in
        onward = self.get_success_url() if is_signing_in else reverse("second-factors")
        if is_signing_in:
            second_factors.finish_sign_in(self.request, self.user, with_factor=True)
            response = self.page("recovery_codes", codes=codes, onward=onward)
            guesses.remember_browser(self.request, response, self.user)
            return response
        second_factors.continue_sign_in(self.request.session, self.user)
        if codes:
            return self.page("recovery_codes", codes=codes, onward=onward)
        messages.success(self.request, "The second factor was added.")
        return redirect(onward)


class SecondFactors(FactorPage):
    """What the user has, and ways to add and remove it."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        factors = list(stored_factors.find_factors(self.user))
        return self.page(
            "second_factors",
            factors=factors,
            has_app=any(factor.kind == "app" for factor in factors),
            codes_left=stored_factors.count_recovery_codes(self.user),
            is_required=stored_factors.is_factor_required(self.user),
        )


class AddApp(FactorPage):
    """Shows the key for an app, and takes its first code."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest, form: AppForm | None = None) -> HttpResponse:
        key = second_factors.offer_app_key(request.session)
        return self.page(
            "second_factor_app",
            form=form or AppForm(),
            picture=second_factors.draw_qr_code(second_factors.app_address(key, self.user)),
            key=second_factors.written_key(key),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        form = AppForm(request.POST)
        if not form.is_valid():
            return self.get(request, form)
        codes = second_factors.confirm_app(request.session, self.user, form.cleaned_data["code"])
        if codes is None:
            form.add_error(
                "code",
                "This is not the code of the key below. Wait for the next one, and check the clock "
                "of the device.",
            )
            return self.get(request, form)
        return self.added(codes)


class AddPasskey(FactorPage):
    """Lets the browser create a passkey."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest, form: PasskeyForm | None = None) -> HttpResponse:
        options = second_factors.offer_passkey(request.session, self.user)
        return self.page("second_factor_passkey", form=form or PasskeyForm(), options=options)

    def post(self, request: HttpRequest) -> HttpResponse:
        form = PasskeyForm(request.POST)
        if not form.is_valid():
            return self.get(request, form)
        data, session = form.cleaned_data, request.session
        codes = second_factors.confirm_passkey(
            session, self.user, data["passkey"], name=data["name"]
        )
        if codes is None:
            form.add_error("name", "The passkey was not accepted. Try again.")
            return self.get(request, form)
        return self.added(codes)


class NewRecoveryCodes(FactorPage):
    """Replaces the recovery codes; only this response shows the new ones."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        if not stored_factors.find_factors(self.user).exists():
            return redirect(self.address("second-factors"))
        codes = stored_factors.make_recovery_codes(self.user)
        return self.page("recovery_codes", codes=codes, onward=reverse("second-factors"))


class RemoveFactor(FactorPage):
    """Removes the app or a passkey."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, factor_id: int) -> HttpResponse:
        factor = stored_factors.remove_factor(self.user, factor_id)
        second_factors.continue_sign_in(request.session, self.user)
        messages.success(request, f"The {factor.get_kind_display()} was removed.")
        return redirect("second-factors")
