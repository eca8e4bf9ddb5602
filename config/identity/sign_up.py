"""Pages of the embedded provider for those without a password: sign up, confirm, choose another."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import auth
from django.contrib.auth import views as library
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView, TemplateView

from config.identity import accounts, devices
from config.identity.forms import ConfirmForm, SignUpForm
from filing import access, audit
from filing.models import Happening
from filing.people import proofs

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105 -- no password


def where_mail_goes() -> dict[str, Any]:
    """Return what a page must say where emails are not sent, but written to the workers' logs."""
    if settings.EMAIL_URL.startswith("consolemail:"):
        workers = ("worker-small.log", "worker-large.log")
        return {"mail_logs": [settings.DATA_DIR / "log" / name for name in workers]}
    return {}


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class SignUp(FormView):
    """The form that makes an account."""

    template_name = "identity/sign_up.html"
    form_class = SignUpForm
    success_url = reverse_lazy("sign-up-sent")
    extra_context = {"where_mail_goes": where_mail_goes}

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        accounts.sign_up(**form.cleaned_data)
        return super().form_valid(form)


class SignUpSent(TemplateView):
    """Says that an email is on its way: the same words for a new address and for one we know."""

    template_name = "identity/sign_up_sent.html"
    extra_context = {"where_mail_goes": where_mail_goes}


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class Confirm(FormView):
    """Where the link of the email leads. Programs that check emails open it, too: it asks."""

    template_name = "identity/confirm.html"
    form_class = ConfirmForm

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> Any:
        waiting = accounts.awaiting(where["user"], where["token"])
        if waiting is None:
            return render(request, "identity/link_spent.html", status=410)
        self.waiting: User = waiting
        return super().dispatch(request, *args, **where)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request, "user": self.waiting}

    def form_valid(self, form: ConfirmForm) -> HttpResponse:
        """Open the account, sign its user in with the provider, and go on through the sign-in."""
        if accounts.confirm(self.waiting):
            auth.login(self.request, self.waiting, backend=PASSWORD_BACKEND)
            proofs.keep(self.request.session)
        onward = redirect(f"{reverse('sign-in')}?{urlencode({'next': reverse('profile')})}")
        devices.remember(self.request, onward, self.waiting)
        return onward


class Forgotten(FormView):
    """Emails a link to choose a new password; does and answers the same for unknown addresses."""

    template_name = "identity/forgotten.html"
    form_class = PasswordResetForm
    success_url = reverse_lazy("forgotten-sent")

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        accounts.ask_for_password(form.cleaned_data["email"])
        return super().form_valid(form)


class ForgottenSent(TemplateView):
    """Says that an email is on its way if the address has an account."""

    template_name = "identity/forgotten_sent.html"
    extra_context = {"where_mail_goes": where_mail_goes}


class NewPassword(library.PasswordResetConfirmView):
    """Where the link of that email leads."""

    template_name = "identity/new_password.html"
    success_url = reverse_lazy("profile")  # through the sign-in

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        user: User = form.user
        audit.record(
            Happening.PASSWORD_CHANGED, by=access.caller_of(user), about=f"user {user}, by mail"
        )
        devices.remember(self.request, response, user)
        accounts.verify_address(user)  # the link is void once the address is another one
        return response
