"""Pages and documents of the embedded identity provider."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe
from oauth2_provider.exceptions import InvalidOIDCClientError
from oauth2_provider.models import get_application_model
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import (
    AuthorizationView,
    RPInitiatedLogoutView,
    TokenView,
    UserInfoView,
)

from config.identity import accounts, devices, keyfiles, provider, tokens
from config.identity.client_pages import LeadsToClient
from config.identity.forms import SignInForm
from config.identity.sign_up import email_logs
from filing.emails import outbox
from filing.models.storable import is_storable
from filing.people import last_authentication

PUBLISHED_FOR = 600  # seconds that clients may cache the keys
CONNECT = "protocol/openid-connect"
_HALF_ESCAPED = re.compile(r"%(?![0-9A-Fa-f]{2})")


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


class SignIn(LeadsToClient, views.LoginView):
    """The sign-in page of the provider, for every active user: the admin's is for staff only."""

    template_name = "identity/login.html"
    authentication_form = SignInForm
    next_page = "/"

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign the user in, and remember their browser."""
        response = super().form_valid(form)
        last_authentication.record(self.request.session)
        devices.remember(self.request, response, form.get_user())
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        """Email the link to choose a password to a user whose password someone else set."""
        if (user := form.staff_password_of) is None:
            return super().form_invalid(form)
        has_address = outbox.is_address(user.email)
        if has_address:
            accounts.ask_for_password(user.email)
        context = {"has_address": has_address, "email_logs": email_logs}
        return render(self.request, "identity/own_password.html", context, status=403)


class Authorize(ProtocolView, LeadsToClient, AuthorizationView):
    """Gives a code to a client whose user has signed in."""

    login_url = reverse_lazy("identity:login")  # the provider's own, not where the site signs in

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
        credentials["proved_at"] = last_authentication.of(request.session)
        return super().create_authorization_response(request, scopes, credentials, allow)


class Logout(ProtocolView, LeadsToClient, RPInitiatedLogoutView):
    """Ends the session of a user, and the refresh tokens with it."""

    def get_request_application(self, id_token: Any, client_id: str | None) -> Any:
        """Return the client that sent the request.

        Raises: InvalidOIDCClientError for a client that is not registered.
        """
        try:
            return super().get_request_application(id_token, client_id)
        except get_application_model().DoesNotExist as error:
            raise InvalidOIDCClientError from error


class Token(ProtocolView, TokenView):
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
        return self.authorization_flow_token_response(request)


class UserInfo(ProtocolView, UserInfoView):
    """Answers the claims about the user of a token."""


@require_safe
def discovery(request: HttpRequest) -> JsonResponse:
    """Answer the discovery document of the provider.

    Source: OpenID Connect Discovery 1.0, section 3.
    """
    connect = f"{settings.OIDC_ISSUER}/{CONNECT}"
    claims = tokens.identity("", username="")
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
def certs(request: HttpRequest) -> JsonResponse:
    """Answer the public keys that verify the provider's tokens."""
    keyfiles.signing()  # makes the first key if there is none: clients cache the answer
    response = JsonResponse({"keys": [key.jwk for key in keyfiles.every()]})
    response["Cache-Control"] = f"public, max-age={PUBLISHED_FOR}"
    return response
