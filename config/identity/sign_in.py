"""Sign-in and sign-out pages: to the provider, back from it, and when that fails.

Sign-ins that wait for the provider's answer are in a cookie of their browser: a visitor who starts
one is unknown and may never come back, so nothing is stored on the server.
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.decorators import login_not_required
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View
from mozilla_django_oidc import views as library

from config.identity import issuer, keys
from config.identity.login import ID_TOKEN, SignInRefused
from filing import access, audit
from filing.models import AuditEvent
from filing.people import sign_ins
from filing.storable_text import is_storable

log = logging.getLogger(__name__)

AGAIN = "again"  # the parameter, and the flag of a pending sign-in
ENDED = "ended"  # the parameter of pages whose session is over
HINT = "login_hint"  # the parameter of who signs in
_LONGEST_HINT = 254
DOWN = "The identity provider does not answer at the moment."
STALE = "This page was opened twice, or the sign-in was started in another browser or too long ago."
# The errors of providers, as shown to users.
# Source: RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6.
ERRORS = {
    "access_denied": "You or the identity provider declined this sign-in.",
    "login_required": "The identity provider requires you to sign in again.",
    "interaction_required": "The identity provider needs more information from you first.",
    "consent_required": "The identity provider needs your consent first.",
    "account_selection_required": "The identity provider needs you to choose an account.",
    "temporarily_unavailable": "The identity provider is busy.",
    "server_error": "The identity provider reported an internal error.",
}
# What a sign-in leaves in a session.
_SESSION_KEYS = (ID_TOKEN, sign_ins.BEARER_KEY, sign_ins.AUTHENTICATED_AT_KEY)

PENDING_SECONDS = 24 * 3600  # a sign-in page may stay open overnight
LONGEST_COOKIE = 3800  # bytes; browsers take 4096 with the name and the attributes
STATES, ONWARD = "oidc_states", "oidc_login_next"  # the keys that the library writes


def render_failed_sign_in(
    request: HttpRequest, status: int, text: str, *, reason: str
) -> HttpResponse:
    """Return the page of a failed sign-in and why. It never redirects, so nothing can loop."""
    audit.count_refusal(AuditEvent.SIGN_IN_REFUSED, about=settings.OIDC_ISSUER, reason=reason)
    log.info("A sign-in was refused: %s", reason)
    onward = library.get_next_url(request, "next") or PendingSignIns(request).onward
    again = reverse("sign-in") + (f"?{urlencode({'next': onward})}" if onward else "")
    context = {"text": text, "again": again, "is_down": status == 503}
    return render(request, "identity/failed.html", context, status=status)


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignIn(library.OIDCAuthenticationRequestView):
    """Sends the browser to the provider, with `next` as the page to come back to.

    With `again` the provider must ask for the password although the user is signed in. With `ended`
    it says that the session is over. Who signs in again is filled in.
    """

    def __init__(self, **options: Any) -> None:
        # The parent would fetch the provider's address here; `get` does, and answers failures.
        View.__init__(self, **options)

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            self.OIDC_OP_AUTH_ENDPOINT = issuer.find_issuer_addresses().authorization
        except issuer.IssuerUnavailable as error:
            return render_failed_sign_in(request, 503, DOWN, reason=str(error))
        self.OIDC_RP_CLIENT_ID = settings.OIDC_CLIENT_ID
        self.is_again = bool(request.GET.get(AGAIN))
        self.is_ended = bool(request.GET.get(ENDED)) or _has_ended_session(request)
        pending, session = PendingSignIns(request), request.session
        request.session = pending  # the library writes into it
        try:
            response = super().get(request)
        finally:
            request.session = session
        if self.is_again:
            pending.mark_newest(AGAIN)
        pending.keep_in(response)
        return response

    def get_extra_params(self, request: HttpRequest) -> dict[str, Any]:
        """Return further parameters for the provider.

        Source: OpenID Connect Core 1.0, section 3.1.2.1: with `max_age` the ID token says when the
        user last entered their password; `login_hint` is who signs in, if that is known. A provider
        ignores what it does not know.
        """
        parameters: dict[str, Any] = {}
        if hint := _find_login_hint(request):
            parameters["login_hint"] = hint
        if self.is_again:
            seconds = int(sign_ins.RECENT_AUTHENTICATION.total_seconds())
            parameters |= {"prompt": "login", "max_age": seconds}
        elif self.is_ended and settings.EMBEDDED_PROVIDER:
            parameters[ENDED] = 1
        return parameters


def _has_ended_session(request: HttpRequest) -> bool:
    """Return whether the browser still has the cookie of a session that is over."""
    is_known = request.user.is_authenticated or getattr(request, "has_unknown_visitor", False)
    return settings.SESSION_COOKIE_NAME in request.COOKIES and not is_known


def _find_login_hint(request: HttpRequest) -> str:
    """Return who signs in again, as the provider knows them; blank for an unknown visitor."""
    user = request.user
    if not user.is_authenticated:
        hint = request.GET.get(HINT, "")
        return hint if len(hint) <= _LONGEST_HINT and is_storable(hint) else ""
    return sign_ins.name_login_hint(user)


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignedIn(library.OIDCAuthenticationCallbackView):
    """Where the provider sends the browser back to, with a code or with an error."""

    def get(self, request: HttpRequest) -> HttpResponse:
        self.pending = PendingSignIns(request)
        state, error = request.GET.get("state", ""), request.GET.get("error", "")[:100]
        message = ERRORS.get(error, "The identity provider refused this sign-in.")
        # An unknown state is refused. Some providers send no state with their errors.
        if not self.pending.has(state):
            reason = f"no sign-in with this state was started here {error}".strip()
            return render_failed_sign_in(request, 400, message if error else STALE, reason=reason)
        sign_in = self.pending.take(state)
        if error:
            response = render_failed_sign_in(
                request, 403, message, reason=f"the provider says {error}"
            )
        else:
            response = self._finish(request, sign_in)
        self.pending.keep_in(response)
        return response

    def _finish(self, request: HttpRequest, sign_in: dict[str, Any]) -> HttpResponse:
        """Sign in the user of the code, or answer why not."""
        nonce, verifier = sign_in["nonce"], sign_in["code_verifier"]
        try:
            user = auth.authenticate(request, nonce=nonce, code_verifier=verifier)
        except SignInRefused as refused:
            return render_failed_sign_in(request, 403, refused.message, reason=str(refused))
        except (issuer.IssuerUnavailable, keys.NoKeysError) as error:
            return render_failed_sign_in(request, 503, DOWN, reason=str(error))
        if user is None:
            text = "The identity provider sent no sign-in code."
            return render_failed_sign_in(request, 400, text, reason="the provider sent no code")
        self.user = user
        if sign_in.get(AGAIN) and sign_ins.read_authentication_time(request.session) is None:
            # The provider had to ask for the password, but does not say when it did.
            sign_ins.record_authentication(request.session)
        return self.login_success()

    @property
    def success_url(self) -> str:
        """Return the requested page, else the start page: the admin for staff."""
        home = "admin:index" if self.user.is_staff else settings.LOGIN_REDIRECT_URL
        return self.pending.onward or resolve_url(home)

    def login_success(self) -> HttpResponse:
        """Sign the user in and redirect. The provider's tokens move to the new session."""
        onward, session = self.success_url, self.request.session
        values = {name: session[name] for name in _SESSION_KEYS if name in session}
        super().login_success()
        self.request.session.update(values)
        return HttpResponseRedirect(onward)


@method_decorator([never_cache, login_not_required], name="dispatch")
class SignOut(library.OIDCLogoutView):
    """Ends the session here and at the provider. POST only: no link can sign a user out."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            audit.record_event(AuditEvent.SIGNED_OUT, by=access.caller_of(request.user))
        return super().post(request)


def provider_sign_out(request: HttpRequest) -> str:
    """Return the address that ends the provider's session and leads back to the home page.

    Source: OpenID Connect RP-Initiated Logout 1.0, section 2.
    """
    hint = request.session.get(ID_TOKEN)
    try:
        address = issuer.find_issuer_addresses().end_session if hint else ""
    except issuer.IssuerUnavailable as error:
        log.warning("The session at the provider could not be ended: %s", error)
        address = ""
    if not address:
        return reverse("home")
    parameters = {
        "id_token_hint": hint,
        "client_id": settings.OIDC_CLIENT_ID,
        "post_logout_redirect_uri": request.build_absolute_uri(reverse("home")),
    }
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"


@method_decorator([never_cache, login_not_required], name="dispatch")
class AdminSignIn(View):
    """Replaces the admin's own sign-in page, which takes passwords only."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the sign-in, or for staff who are signed in to the admin.

        Raises: PermissionDenied for other users: a redirect to the admin would come back here.
        """
        onward = library.get_next_url(request, "next") or reverse("admin:index")
        if not request.user.is_authenticated:
            return redirect(f"{reverse('sign-in')}?{urlencode({'next': onward})}")
        if not request.user.is_staff:
            raise PermissionDenied
        return redirect(onward)


class PendingSignIns(SessionStore):
    """Acts as the session into which the library writes the sign-ins that it starts."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.COOKIES.get(settings.SIGN_IN_COOKIE_NAME))

    def get_session_cookie_age(self) -> int:
        """Return the age up to which a cookie is accepted."""
        return PENDING_SECONDS

    @property
    def onward(self) -> str:
        """The page to open after the sign-in; blank where none was named."""
        return str(self.get(ONWARD) or "")

    def has(self, state: str) -> bool:
        """Return whether a sign-in with this state was started in this browser."""
        return state in self.get(STATES, {})

    def take(self, state: str) -> dict[str, Any]:
        """Return the sign-in with this state and remove it: a state can be used once."""
        states = dict(self[STATES])
        pending: dict[str, Any] = states.pop(state)
        self[STATES] = states
        return pending

    def mark_newest(self, name: str) -> None:
        """Set a flag of the sign-in that was started last."""
        states = dict(self[STATES])
        newest = next(reversed(states))
        self[STATES] = states | {newest: {**states[newest], name: True}}

    def keep_in(self, response: HttpResponseBase) -> None:
        """Set the cookie, without the page to return to if that is too long."""
        self.save()
        if len(self.session_key or "") > LONGEST_COOKIE:
            self.pop(ONWARD, None)
            self.save()
        response.set_cookie(
            settings.SIGN_IN_COOKIE_NAME,
            self.session_key or "",
            max_age=PENDING_SECONDS,
            secure=settings.SECURE,
            httponly=True,
            samesite="Lax",
        )
