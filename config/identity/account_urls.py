"""Addresses to sign up with the embedded provider, sign in programs, and reset a password."""

from django.urls import path

from config.identity import pages, sign_up

urlpatterns = [
    path("device/", pages.DevicePage.as_view(), name="device"),
    path("sign-up/", sign_up.SignUp.as_view(), name="sign-up"),
    path("sign-up/sent/", sign_up.SignUpSent.as_view(), name="sign-up-sent"),
    path("sign-up/<user>/<token>/", sign_up.Confirm.as_view(), name="confirm-email"),
    path("forgotten/", sign_up.Forgotten.as_view(), name="forgotten"),
    path("forgotten/sent/", sign_up.ForgottenSent.as_view(), name="forgotten-sent"),
    path("forgotten/<uidb64>/<token>/", sign_up.NewPassword.as_view(), name="new-password"),
]
