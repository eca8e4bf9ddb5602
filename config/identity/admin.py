"""Admin pages of the clients of the embedded identity provider."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from oauth2_provider.admin import ApplicationAdmin, RefreshTokenAdmin
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from filing.admin.guarded import GuardedAdmin
from filing.admin.tables import ReadOnly

# Access tokens are verified offline, so revoking one here would change nothing. Refresh tokens stay
# listed: revoking one signs its user out.
admin.site.unregister([AccessToken, Application, Grant, IDToken, RefreshToken])


@admin.register(RefreshToken)
class SignInAdmin(ReadOnly, RefreshTokenAdmin):
    """The refresh tokens, read-only. Revoking one signs its user out."""


@admin.register(Application)
class ClientAdmin(GuardedAdmin, ApplicationAdmin):
    """The applications that may request tokens, and where they may send users back to."""

    list_display = ("client_id", "name", "client_type", "redirect_uris")
    fields = (
        "client_id",
        "name",
        "redirect_uris",
        "post_logout_redirect_uris",
        "skip_authorization",
        "client_type",
        "authorization_grant_type",
        "algorithm",
        "client_secret",
        "hash_client_secret",
    )
    readonly_fields = ()
    view_on_site = False  # the toolkit's own pages of a client are not mounted

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, str | list[str]]:
        """Return the initial values for an application in a browser."""
        return {
            "client_type": Application.CLIENT_PUBLIC,
            "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
            "algorithm": Application.RS256_ALGORITHM,
        }

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show clients only where the embedded provider is used."""
        return settings.EMBEDDED_PROVIDER and super().has_module_permission(request)
