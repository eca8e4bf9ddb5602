"""The password rule that also hears of each new password."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import MinimumLengthValidator

from filing.people import passwords


class MinimumLength(MinimumLengthValidator):
    """Django's rule of a minimum length, which records each password that is set.

    Django calls all rules after it has saved a new password, whoever set it and wherever.
    """

    def password_changed(self, password: str, user: User | None = None) -> None:
        """Record the new password of a user."""
        if user is not None:
            passwords.record_new(user)
