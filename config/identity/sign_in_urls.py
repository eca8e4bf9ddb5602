"""Addresses to sign in and out, with any provider."""

from django.urls import path

from config.identity import session_end, sign_in

urlpatterns = [
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    # Without a slash: providers have it registered in this form and compare it exactly.
    path("sign-in/done", sign_in.SignedIn.as_view(), name="signed-in"),
    path("sign-in/session/", session_end.SessionPage.as_view(), name="session"),
    path("sign-out/", sign_in.SignOut.as_view(), name="sign-out"),
    path("admin/login/", sign_in.AdminSignIn.as_view()),
    path("admin/logout/", sign_in.SignOut.as_view()),
]
