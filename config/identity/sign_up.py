"""Pages of the embedded provider to sign up, confirm an email address, and reset a password."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import views as library
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView, TemplateView

from config.identity import accounts, guesses, second_factors
from config.identity.forms import ConfirmAddressForm, SignUpForm
from filing.people import accounts as account_changes

NEXT_PAGE = "sign_up_next"  # the cookie with the page that led to the sign-up
_SECONDS = 24 * 3600  # as long as the emailed link works
_PATH = "/sign-up/"


def logs_emails() -> bool:
    """Tell whether the site writes emails to a log and sends none."""
    return bool(settings.EMAIL_URL.startswith("consolemail:"))


def remember_next_page(request: HttpRequest, response: HttpResponse) -> None:
    """Let the browser open the page that led to the sign-up once the address is confirmed.

    It is in a cookie, like a sign-in that waits: who signs up may never come back.
    """
    page = request.GET.get("next", "")
    if not page.startswith("/") or not url_has_allowed_host_and_scheme(page, allowed_hosts=None):
        return
    response.set_signed_cookie(
        NEXT_PAGE,
        page,
        max_age=_SECONDS,
        path=_PATH,
        secure=settings.SECURE,
        httponly=True,
        samesite="Lax",
    )


def find_next_page(request: HttpRequest) -> str:
    """Return the page to open after the sign-up: that which led to it, else the filer's pages."""
    page = request.get_signed_cookie(NEXT_PAGE, "", max_age=_SECONDS)
    return page or reverse("filing-pages")


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class SignUp(FormView):
    """The form to create an account."""

    template_name = "identity/sign_up.html"
    form_class = SignUpForm
    success_url = reverse_lazy("sign-up-sent")
    extra_context = {"logs_emails": logs_emails}

    def get_initial(self) -> dict[str, Any]:
        """Return the email address that the link here names, as that of an invitation does."""
        return {"email": self.request.GET.get("email", "")[:150]}

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        accounts.create_account(**form.cleaned_data)
        response = super().form_valid(form)
        remember_next_page(self.request, response)
        return response


class SignUpSent(TemplateView):
    """Says that an email was sent, in the same words for new and for known addresses."""

    template_name = "identity/sign_up_sent.html"
    extra_context = {"logs_emails": logs_emails}


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class Confirm(FormView):
    """The page of the emailed link. It asks for the password: mail scanners open links as well."""

    template_name = "identity/confirm.html"
    form_class = ConfirmAddressForm

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> Any:
        account = accounts.find_unconfirmed_account(where["user"], where["token"])
        if account is None:
            return render(request, "identity/link_spent.html", status=410)
        self.account: User = account
        return super().dispatch(request, *args, **where)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request, "user": self.account}

    def form_valid(self, form: ConfirmAddressForm) -> HttpResponse:
        """Activate the account, sign its user in with the provider, and continue to the sign-in."""
        if accounts.confirm_account(self.account):
            second_factors.finish_sign_in(self.request, self.account, with_factor=False)
        query = urlencode({"next": find_next_page(self.request)})
        onward = redirect(f"{reverse('sign-in')}?{query}")
        onward.delete_cookie(NEXT_PAGE, path=_PATH)
        guesses.remember_browser(self.request, onward, self.account)
        return onward


class Forgotten(FormView):
    """Emails a link to choose a new password. Answers the same for unknown addresses."""

    template_name = "identity/forgotten.html"
    form_class = PasswordResetForm
    success_url = reverse_lazy("forgotten-sent")

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        accounts.email_password_links(form.cleaned_data["email"])
        return super().form_valid(form)


class ForgottenSent(TemplateView):
    """Says that an email was sent if the address has an account."""

    template_name = "identity/forgotten_sent.html"
    extra_context = {"logs_emails": logs_emails}


class NewPassword(library.PasswordResetConfirmView):
    """The page of that email's link."""

    template_name = "identity/new_password.html"
    success_url = reverse_lazy("profile")  # by way of the sign-in

    def form_valid(self, form: Any) -> HttpResponse:
        user: User = form.user
        with transaction.atomic(), account_changes.attribute_passwords(user, how="by email"):
            response = super().form_valid(form)
        guesses.remember_browser(self.request, response, user)
        accounts.verify_address(user)  # the link is void once the address changes
        return response
