"""Addresses of the embedded identity provider, the same as Keycloak's."""

from django.conf import settings
from django.urls import include, path

from config.identity import device_pages, views

app_name = "identity"

_realm = [
    path(".well-known/openid-configuration", views.discovery, name="discovery"),
    path("login", views.SignIn.as_view(), name="login"),
    path(f"{views.CONNECT}/auth", views.Authorize.as_view(), name="auth"),
    path(
        f"{views.CONNECT}/auth/device",
        device_pages.DeviceAuthorization.as_view(),
        name="device-authorization",
    ),
    path(f"{views.CONNECT}/token", views.Token.as_view(), name="token"),
    path(f"{views.CONNECT}/certs", views.certs, name="certs"),
    path(f"{views.CONNECT}/userinfo", views.UserInfo.as_view(), name="userinfo"),
    path(f"{views.CONNECT}/logout", views.Logout.as_view(), name="logout"),
]

urlpatterns = [path(f"realms/{settings.OIDC_REALM}/", include(_realm))]
