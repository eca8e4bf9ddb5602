"""Addresses of accounts of the embedded provider: sign-up, password, second factor, programs."""

from django.urls import path

from config.identity import pages, second_factor_pages, sign_up

urlpatterns = [
    path("device/", pages.DevicePage.as_view(), name="device"),
    path("sign-up/", sign_up.SignUp.as_view(), name="sign-up"),
    path("sign-up/sent/", sign_up.SignUpSent.as_view(), name="sign-up-sent"),
    path("sign-up/<user>/<token>/", sign_up.Confirm.as_view(), name="confirm-email"),
    path("forgotten/", sign_up.Forgotten.as_view(), name="forgotten"),
    path("forgotten/sent/", sign_up.ForgottenSent.as_view(), name="forgotten-sent"),
    path("forgotten/<uidb64>/<token>/", sign_up.NewPassword.as_view(), name="new-password"),
    path("second-factor/", second_factor_pages.SecondStep.as_view(), name="second-factor"),
    path(
        "second-factor/settings/",
        second_factor_pages.SecondFactors.as_view(),
        name="second-factors",
    ),
    path("second-factor/app/", second_factor_pages.AddApp.as_view(), name="second-factor-app"),
    path(
        "second-factor/passkey/",
        second_factor_pages.AddPasskey.as_view(),
        name="second-factor-passkey",
    ),
    path(
        "second-factor/recovery-codes/",
        second_factor_pages.NewRecoveryCodes.as_view(),
        name="recovery-codes",
    ),
    path(
        "second-factor/<int:factor_id>/remove/",
        second_factor_pages.RemoveFactor.as_view(),
        name="second-factor-remove",
    ),
]
