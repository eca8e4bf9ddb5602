"""Pages and documents of the embedded identity provider.

Also the page on which a user confirms the sign-in of a program, and where a program begins it; and
the policy that lets the forms of some pages lead to a client.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from django import forms
from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from django.views.generic import FormView, View
from oauth2_provider.exceptions import InvalidOIDCClientError, OAuthToolkitError
from oauth2_provider.models import get_application_model
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import (
    AuthorizationView,
    RPInitiatedLogoutView,
    TokenView,
    UserInfoView,
)
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2 import DeviceApplicationServer
from oauthlib.openid.connect.core.exceptions import ConsentRequired

from config.identity import (
    accounts,
    device_grant,
    guesses,
    keyfiles,
    provider,
    second_factors,
    tokens,
)
from config.identity.device_grant import WrongCode
from config.identity.forms import SignInForm
from config.identity.sign_in import ENDED, HINT
from config.identity.sign_up import logs_emails
from config.pages import browser_policy
from filing.emails import outbox
from filing.people import sign_ins
from filing.storable_text import is_storable
from filing.submissions import status_report

PUBLISHED_FOR = 600  # seconds that clients may cache the keys
CONNECT = "protocol/openid-connect"
_HALF_ESCAPED = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DECISIONS = {"allow": True, "deny": False}


class LeadsToClient(View):
    """Allows the forms of a page to redirect back to the client."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with the client's address in the content policy, if the client registered it."""
        response = super().dispatch(request, *args, **kwargs)
        browser_policy.allow_forms_to(response, client_addresses(request))
        return response


def client_addresses(request: HttpRequest) -> list[str]:
    """Return the addresses to which a client asks to send the visitor back, if it may.

    It asks in the address of this page, or of the page that follows the sign-in.
    """
    parameters = {**_read_authorization_request(request), **request.GET.dict()}
    client_id = parameters.get("client_id", "")
    if not is_storable(client_id):  # in `next` it is encoded twice
        return []
    client = get_application_model().objects.filter(client_id=client_id).first()
    if client is None:
        return []
    allows = {
        "redirect_uri": client.redirect_uri_allowed,
        "post_logout_redirect_uri": client.post_logout_redirect_uri_allowed,
    }
    addresses = {name: parameters.get(name) for name in allows}
    return [address for name, address in addresses.items() if address and allows[name](address)]


def _read_authorization_request(request: HttpRequest) -> dict[str, str]:
    """Return the parameters of the page that follows the sign-in; empty if it is no address."""
    onward = request.POST.get("next") or request.GET.get("next", "")
    try:
        return QueryDict(urlsplit(onward).query).dict()
    except ValueError:
        return {}


class ProtocolView:
    """Checks that parameters are well-formed, which the library assumes.

    Source: RFC 6749, appendix B: parameters are UTF-8 text, percent-encoded.
    """

    # Not in `dispatch`: the library's is marked as exempt from CSRF tokens.
    def setup(self, request: HttpRequest, *args: Any, **where: Any) -> None:
        """Check the request. Raises: BadRequest for parameters that are not encoded correctly."""
        super().setup(request, *args, **where)  # type: ignore[misc]
        if _HALF_ESCAPED.search(request.META.get("QUERY_STRING", "")):
            raise BadRequest("The query has a % without two hexadecimal digits; write it as %25.")
        if not is_storable(dict(request.POST.lists())):
            raise BadRequest("The form holds a NUL character; send text without it.")


class ProviderSignIn(LeadsToClient, views.LoginView):
    """The sign-in page of the provider, for every active user: the admin's is for staff only."""

    template_name = "identity/login.html"
    authentication_form = SignInForm
    next_page = "/"

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        """Add why the user is asked: for a fresh sign-in, or because their session is over."""
        values = super().get_context_data(**options)
        request = _read_authorization_request(self.request)
        return values | {
            "is_fresh": "max_age" in request,
            "is_ended": ENDED in request,
            "was_signed_out": sign_ins.was_signed_out(self.request.session),
            "session_length": status_report.describe_duration(settings.SESSION_COOKIE_AGE),
        }

    def get_initial(self) -> dict[str, Any]:
        """Return who signs in again, if that is known."""
        return {"username": _read_authorization_request(self.request).get(HINT, "")}

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign the user in and remember their browser, or ask for the second factor first."""
        user, onward = form.get_user(), self.get_success_url()
        if second_factors.needs_second_step(user):
            second_factors.begin_pending_sign_in(self.request, user)
            return redirect(f"{reverse('second-factor')}?{urlencode({'next': onward})}")
        second_factors.finish_sign_in(self.request, user, with_factor=False)
        response = redirect(onward)
        guesses.remember_browser(self.request, response, user)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        """Email the link to choose a password to a user whose password someone else set."""
        if (user := form.staff_password_of) is None:
            return super().form_invalid(form)
        has_address = outbox.is_email_address(user.email)
        if has_address:
            accounts.email_password_links(user.email)
        context = {"has_address": has_address, "logs_emails": logs_emails}
        return render(self.request, "identity/own_password.html", context, status=403)


class _ConsentNeeded(Exception):
    """The user must be asked before a code is given."""


class AuthorizePage(ProtocolView, LeadsToClient, AuthorizationView):
    """Gives a code to a client whose user has signed in.

    Any program of a computer may listen at a loopback address, whoever registered it: there the
    user decides each time, also for our own client, unless this service itself is at the address.

    Source: RFC 8252, sections 7.3 and 8.6.
    """

    login_url = reverse_lazy("identity:login")  # the provider's own, not where the site signs in

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Redirect to the client with a code, or ask the user."""
        try:
            return super().get(request, *args, **kwargs)
        except _ConsentNeeded:
            data = self.oauth2_data
            if "none" in request.GET.get("prompt", "").split():
                refusal = ConsentRequired(state=data["state"])
                error = OAuthToolkitError(refusal, redirect_uri=data["redirect_uri"])
                return self.error_response(error, data["application"])
            return self.render_to_response(self.get_context_data(**self.oauth2_data))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        address = (self.oauth2_data or {}).get("redirect_uri") or ""
        return super().get_context_data(
            destination=address.partition("?")[0],
            is_own_computer=provider.is_loopback(address),
            **kwargs,
        )

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """Redirect to the client, with the answer or error in the fragment if it asked for that."""
        if self.request.GET.get("response_mode") == "fragment" and "#" not in redirect_to:
            address = self.request.GET.get("redirect_uri", "")
            if not address or not redirect_to.startswith(address):
                address = redirect_to.split("?")[0]
            redirect_to = f"{address}#{redirect_to[len(address) :].lstrip('?&')}"
        return super().redirect(redirect_to, application)

    def create_authorization_response(
        self, request: HttpRequest, scopes: str, credentials: dict[str, Any], allow: bool
    ) -> Any:
        """Grant a code, stored with when its user last entered their password."""
        is_asked = request.method == "POST"
        if not is_asked and provider.needs_consent(credentials["redirect_uri"], request):
            raise _ConsentNeeded
        credentials["proved_at"] = sign_ins.read_authentication_time(request.session)
        return super().create_authorization_response(request, scopes, credentials, allow)


class LogoutPage(ProtocolView, LeadsToClient, RPInitiatedLogoutView):
    """Ends the session of a user, and the refresh tokens with it."""

    def get_request_application(self, id_token: Any, client_id: str | None) -> Any:
        """Return the client that sent the request.

        Raises: InvalidOIDCClientError for a client that is not registered.
        """
        try:
            return super().get_request_application(id_token, client_id)
        except get_application_model().DoesNotExist as error:
            raise InvalidOIDCClientError from error


class TokenEndpoint(ProtocolView, TokenView):
    """Exchanges a code or a refresh token for tokens."""

    def post(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponse:
        """Answer with tokens, or with an error of OAuth. Source: RFC 6749, section 5.2."""
        grant = request.POST.get("grant_type")
        if grant and grant not in provider.GRANTS:
            *others, last = provider.GRANTS
            accepted = f"{', '.join(others)} or {last}"
            error = {
                "error": "unsupported_grant_type",
                "error_description": f"grant_type is {grant[:100]!r}; send {accepted}.",
            }
            return JsonResponse(error, status=400, headers={"Cache-Control": "no-store"})
        # The library's way for device codes does not look at their client or their expiry; the
        # validator does.
        code, refresh_token = (request.POST.get(name, "") for name in ("code", "refresh_token"))
        with provider.lock_family(code=code, refresh_token=refresh_token):
            return self.authorization_flow_token_response(request)


class UserInfoEndpoint(ProtocolView, UserInfoView):
    """Answers the claims about the user of a token."""


@require_safe
def answer_discovery(request: HttpRequest) -> JsonResponse:
    """Answer the discovery document of the provider.

    Source: OpenID Connect Discovery 1.0, section 3.
    """
    connect = f"{settings.OIDC_ISSUER}/{CONNECT}"
    claims = tokens.identity_claims("", username="")
    return JsonResponse(
        {
            "issuer": settings.OIDC_ISSUER,
            "authorization_endpoint": f"{connect}/auth",
            "token_endpoint": f"{connect}/token",
            "device_authorization_endpoint": f"{connect}/auth/device",
            "userinfo_endpoint": f"{connect}/userinfo",
            "end_session_endpoint": f"{connect}/logout",
            "jwks_uri": f"{connect}/certs",
            "grant_types_supported": list(provider.GRANTS),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "fragment"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": [
                "none",
                "client_secret_basic",
                "client_secret_post",
            ],
            "code_challenge_methods_supported": ["S256"],
            "prompt_values_supported": ["none", "login"],
            "scopes_supported": list(oauth2_settings.SCOPES),
            "claims_supported": sorted({*claims, "iss", "aud", "azp", "exp", "iat", "auth_time"}),
            "authorization_response_iss_parameter_supported": True,
        }
    )


@require_safe
def answer_public_keys(request: HttpRequest) -> JsonResponse:
    """Answer the public keys that verify the provider's tokens."""
    keyfiles.signing_key()  # makes the first key if there is none: clients cache the answer
    response = JsonResponse({"keys": [key.jwk for key in keyfiles.list_keys()]})
    response["Cache-Control"] = f"public, max-age={PUBLISHED_FOR}"
    return response


@method_decorator(csrf_exempt, name="dispatch")
class DeviceAuthorization(ProtocolView, OAuthLibMixin, View):
    """Gives a program the code that its user confirms. Source: RFC 8628, section 3.2."""

    server_class = DeviceApplicationServer
    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer with the codes, or with an error of OAuth."""
        headers, body, status = self.create_device_authorization_response(request)
        content = json.loads(body) if isinstance(body, str) else body
        if status == 200:
            client_id = request.POST["client_id"]
            client = get_application_model().objects.get(client_id=client_id)
            if client.authorization_grant_type != device_grant.GRANT:
                content, status = {"error": "unauthorized_client"}, 400
            else:
                device_grant.begin_device_grant(client_id, content)
        headers = {**headers, "Cache-Control": "no-store"}
        return JsonResponse(content, status=status, headers=headers)


class CodeForm(forms.Form):
    """The code that the program shows."""

    user_code = forms.CharField(
        label="Code",
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


@method_decorator(never_cache, name="dispatch")
class DevicePage(LoginRequiredMixin, FormView):
    """Asks for the code, says which program waits for it, and asks for a decision."""

    login_url = reverse_lazy("identity:login")  # the provider's own, not where the site signs in
    template_name = "identity/device.html"
    form_class = CodeForm

    def get_initial(self) -> dict[str, Any]:
        return {"user_code": self.request.GET.get("user_code", "")[:20]}

    def form_valid(self, form: CodeForm) -> HttpResponse:
        """Show the program that waits, or store the decision."""
        user = cast(User, self.request.user)
        try:
            grant = device_grant.find_waiting_grant(form.cleaned_data["user_code"], user=user)
            decision = _DECISIONS.get(self.request.POST.get("decision", ""))
            if decision is None:
                return render(self.request, "identity/device_confirm.html", _about(grant))
            if not device_grant.decide_device_grant(grant, allowed=decision, user=user):
                raise WrongCode("This code was used already.")
        except WrongCode as reason:
            form.add_error("user_code", str(reason))
            return self.form_invalid(form)
        return render(self.request, "identity/device_done.html", {"allowed": decision})


def _about(grant: Any) -> dict[str, Any]:
    client = get_application_model().objects.filter(client_id=grant.client_id).first()
    texts = oauth2_settings.SCOPES
    return {
        "code": grant.user_code,
        "name": client.name if client else grant.client_id,
        "scopes": [texts.get(scope, scope) for scope in grant.scope.split()],
    }
