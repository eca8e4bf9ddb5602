"""Signing in and out with a browser: off to the provider, back from it, and what can go wrong."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View
from mozilla_django_oidc import views as library

from config.identity import issuer, keys
from config.identity.begun import BegunSignIns
from config.identity.login import ID_TOKEN, Refused
from filing import access, audit
from filing.audit import refusals
from filing.models import Happening
from filing.people import proofs, session_tokens

log = logging.getLogger(__name__)

AGAIN = "again"  # in the address, and of a sign-in that has begun
DOWN = "The identity provider does not answer at the moment."
STALE = (
    "This page was opened a second time, or the sign-in began in another browser or too long ago."
)
# What providers call their refusals.
# Source: RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6.
ERRORS = {
    "access_denied": "You, or the identity provider, have said no to this sign-in.",
    "login_required": "The identity provider asks you to sign in again.",
    "interaction_required": "The identity provider has a question for you first.",
    "consent_required": "The identity provider needs your consent first.",
    "account_selection_required": "The identity provider asks which account to take.",
    "temporarily_unavailable": "The identity provider is busy.",
    "server_error": "The identity provider had an error of its own.",
}
_OF_A_SIGN_IN = (ID_TOKEN, session_tokens.KEY, proofs.KEY)  # what a session keeps of it


def failed(request: HttpRequest, status: int, text: str, *, reason: str) -> HttpResponse:
    """Answer that nobody was signed in, and why; nothing leads on by itself, so nothing loops."""
    refusals.note(Happening.SIGN_IN_REFUSED, about=settings.OIDC_ISSUER, reason=reason)
    log.info("A sign-in was refused: %s", reason)
    onward = library.get_next_url(request, "next") or BegunSignIns(request).onward
    again = reverse("sign-in") + (f"?{urlencode({'next': onward})}" if onward else "")
    shown = {"text": text, "again": again, "is_down": status == 503}
    return render(request, "identity/failed.html", shown, status=status)


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignIn(library.OIDCAuthenticationRequestView):
    """Sends the browser to the provider, with `next` as the page to come back to.

    With `again` the provider is to ask for the password, although the person is signed in.
    """

    def __init__(self, **options: Any) -> None:
        # The parent asks here for the provider's address; who does not answer is told of in `get`.
        View.__init__(self, **options)

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            self.OIDC_OP_AUTH_ENDPOINT = issuer.provider().authorization
        except issuer.Unavailable as error:
            return failed(request, 503, DOWN, reason=str(error))
        self.OIDC_RP_CLIENT_ID = settings.OIDC_CLIENT_ID
        self.is_again = bool(request.GET.get(AGAIN))
        begun, session = BegunSignIns(request), request.session
        request.session = begun  # into which the library writes
        try:
            response = super().get(request)
        finally:
            request.session = session
        if self.is_again:
            begun.mark_newest(AGAIN)
        begun.keep_in(response)
        return response

    def get_extra_params(self, request: HttpRequest) -> dict[str, Any]:
        """Return what else is asked of the provider.

        Source: OpenID Connect Core 1.0, section 3.1.2.1: with `max_age` the ID token says when the
        person last proved who they are.
        """
        seconds = int(proofs.FRESH.total_seconds())
        return {"prompt": "login", "max_age": seconds} if self.is_again else {}


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignedIn(library.OIDCAuthenticationCallbackView):
    """Where the provider sends the browser back to, with a code or with an error."""

    def get(self, request: HttpRequest) -> HttpResponse:
        self.begun = BegunSignIns(request)
        state, error = request.GET.get("state", ""), request.GET.get("error", "")[:100]
        said = ERRORS.get(error, "The identity provider has refused this sign-in.")
        # Nothing is done for a state that is not ours. Some providers leave it out of their errors.
        if not self.begun.has(state):
            reason = f"no sign-in with this state has begun here {error}".strip()
            return failed(request, 400, said if error else STALE, reason=reason)
        begun = self.begun.take(state)
        if error:
            response = failed(request, 403, said, reason=f"the provider says {error}")
        else:
            response = self._finish(request, begun)
        self.begun.keep_in(response)
        return response

    def _finish(self, request: HttpRequest, begun: dict[str, Any]) -> HttpResponse:
        """Sign in whom the code is for, or answer why not."""
        nonce, verifier = begun["nonce"], begun["code_verifier"]
        try:
            user = auth.authenticate(request, nonce=nonce, code_verifier=verifier)
        except Refused as refused:
            return failed(request, 403, refused.shown, reason=str(refused))
        except (issuer.Unavailable, keys.NoKeysError) as error:
            return failed(request, 503, DOWN, reason=str(error))
        if user is None:
            text = "The answer of the identity provider holds no code."
            return failed(request, 400, text, reason="the provider sent no code")
        self.user = user
        if begun.get(AGAIN) and proofs.of(request.session) is None:
            proofs.keep(request.session)  # the provider had to ask, and does not say when it did
        return self.login_success()

    @property
    def success_url(self) -> str:
        """Return the page that was asked for, else where the user works: staff in the admin."""
        home = "admin:index" if self.user.is_staff else settings.LOGIN_REDIRECT_URL
        return self.begun.onward or resolve_url(home)

    def login_success(self) -> HttpResponse:
        """Sign the user in, and go on; what the provider gave survives the change of sessions."""
        onward, session = self.success_url, self.request.session
        kept = {name: session[name] for name in _OF_A_SIGN_IN if name in session}
        super().login_success()
        self.request.session.update(kept)
        return HttpResponseRedirect(onward)


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignOut(library.OIDCLogoutView):
    """Ends the session here and at the provider. By a form only: no link can sign anybody out."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            audit.record(Happening.SIGNED_OUT, by=access.caller_of(request.user))
        return super().post(request)


def provider_sign_out(request: HttpRequest) -> str:
    """Return the address that ends the session of the provider, too, and leads back home.

    Source: OpenID Connect RP-Initiated Logout 1.0, section 2.
    """
    hint = request.session.get(ID_TOKEN)
    try:
        there = issuer.provider().end_session if hint else ""
    except issuer.Unavailable as error:
        log.warning("The session of the provider goes on: %s", error)
        there = ""
    if not there:
        return reverse("home")
    asked = {
        "id_token_hint": hint,
        "client_id": settings.OIDC_CLIENT_ID,
        "post_logout_redirect_uri": request.build_absolute_uri(reverse("home")),
    }
    return f"{there}{'&' if '?' in there else '?'}{urlencode(asked)}"


@method_decorator([never_cache, login_not_required], name="dispatch")
class AdminSignIn(View):
    """Takes the place of the admin's own sign-in page, which knows passwords only."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Send on whoever is not signed in; whoever is, without the rights, is told so.

        Raises: PermissionDenied, so that the admin and this address do not send people in circles.
        """
        onward = library.get_next_url(request, "next") or reverse("admin:index")
        if not request.user.is_authenticated:
            return redirect(f"{reverse('sign-in')}?{urlencode({'next': onward})}")
        if not request.user.is_staff:
            raise PermissionDenied
        return redirect(onward)
