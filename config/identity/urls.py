"""Addresses of the embedded identity provider, the same as Keycloak's."""

from django.conf import settings
from django.urls import include, path

from config.identity import pages

app_name = "identity"

_realm = [
    path(".well-known/openid-configuration", pages.answer_discovery, name="discovery"),
    path("login", pages.ProviderSignIn.as_view(), name="login"),
    path(f"{pages.CONNECT}/auth", pages.AuthorizePage.as_view(), name="auth"),
    path(
        f"{pages.CONNECT}/auth/device",
        pages.DeviceAuthorization.as_view(),
        name="device-authorization",
    ),
    path(f"{pages.CONNECT}/token", pages.TokenEndpoint.as_view(), name="token"),
    path(f"{pages.CONNECT}/certs", pages.answer_public_keys, name="certs"),
    path(f"{pages.CONNECT}/userinfo", pages.UserInfoEndpoint.as_view(), name="userinfo"),
    path(f"{pages.CONNECT}/logout", pages.LogoutPage.as_view(), name="logout"),
]

urlpatterns = [path(f"realms/{settings.OIDC_REALM}/", include(_realm))]
