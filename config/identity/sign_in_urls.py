"""Addresses of signing in and out, with whichever provider."""

from django.urls import path

from config.identity import sign_in

urlpatterns = [
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    # Without a slash: providers have it registered so, and compare it letter by letter.
    path("sign-in/done", sign_in.SignedIn.as_view(), name="signed-in"),
    path("sign-out/", sign_in.SignOut.as_view(), name="sign-out"),
    path("admin/login/", sign_in.AdminSignIn.as_view()),
    path("admin/logout/", sign_in.SignOut.as_view()),
]
