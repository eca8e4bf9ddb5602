"""Forms of the embedded provider: sign in, sign up, confirm an address, choose a new password."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import forms as library
from django.contrib.auth import password_validation
from django.contrib.auth.backends import AllowAllUsersModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from config.identity import guesses
from filing.access.email_domains import PUBLIC_EMAIL_DOMAINS, domain_of
from filing.people import accounts, institutions

_PASSWORD = {"render_value": False}
# Those of accounts that are disabled, too: whoever knows the password may learn that.
_PASSWORDS = AllowAllUsersModelBackend()
_BACKEND = "django.contrib.auth.backends.ModelBackend"  # which sessions of passwords name


def _disabled_text() -> str:
    """Return what somebody reads whose account is disabled, and whom to contact."""
    contact = " or ".join(filter(None, (settings.CONTACT_EMAIL, settings.CONTACT_PHONE)))
    where = f": {contact}" if contact else ""
    return f"This account is disabled. To have it enabled, contact the help desk{where}."


class SignInForm(library.AuthenticationForm):
    """User name, or the email address of who signed up with one, and password."""

    error_messages = {
        "invalid_login": "The user name and password do not match an active account.",
        "inactive": "The user name and password do not match an active account.",
        "wait": "Too many wrong passwords were entered. Try again in %(wait)s, or choose a new "
        "password, which ends the wait.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "Email address or user name"

    def clean_username(self) -> str:
        """Return the name; those that are addresses were kept in small letters."""
        name = self.cleaned_data["username"]
        return name.lower() if "@" in name else name

    def clean(self) -> dict[str, Any]:
        """Check the password, unless too many wrong ones came before.

        It is hashed once for each account, and also for none, so that time tells nothing.
        """
        name, password = (self.cleaned_data.get(each) for each in ("username", "password"))
        if name and password:
            self.guess = _guess(self.request, name)
            user: Any = _PASSWORDS.authenticate(self.request, username=name, password=password)
            if user is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(user)
            self.guess.was_right()
            user.backend = _BACKEND
            self.user_cache = user
        return self.cleaned_data

    def confirm_login_allowed(self, user: Any) -> None:
        """Refuse whoever has the right password of an account that cannot be used."""
        if accounts.is_disabled(user):
            self.guess.was_of_disabled()
            raise ValidationError(_disabled_text(), code="disabled")
        if not user.is_active:
            raise self.get_invalid_login_error()

    def get_invalid_login_error(self) -> ValidationError:
        """Return what is wrong, and tell the audit log."""
        self.guess.was_wrong()
        return super().get_invalid_login_error()


def _guess(request: HttpRequest | None, name: str) -> guesses.Guess:
    """Return the try that is going to be looked at. Raises: ValidationError: it has to wait."""
    assert request is not None, "these forms are made by views"
    try:
        return guesses.begin(request, name)
    except guesses.TooMany as error:
        wait = f"{error.seconds} second{'' if error.seconds == 1 else 's'}"
        messages = SignInForm.error_messages
        raise ValidationError(messages["wait"], code="wait", params={"wait": wait}) from error


class SignUpForm(forms.Form):
    """Who somebody is, with an address of the institution that they file for."""

    first_name = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "given-name"})
    )
    last_name = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "family-name"})
    )
    email = forms.EmailField(
        label="Business email address",
        max_length=150,  # it becomes the user name
        help_text="At the email domain of your institution.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        help_text="At least 8 characters, not only digits, and nothing that is easy to guess.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", **_PASSWORD}),
        strip=False,
        max_length=200,
    )

    def clean_email(self) -> str:
        """Return the address in small letters: people write theirs in several ways."""
        email: str = self.cleaned_data["email"].lower()
        domain = domain_of(email)
        if domain in PUBLIC_EMAIL_DOMAINS:
            raise ValidationError(
                f"Anyone can have an address at {domain}, so it does not tell for whom you act. "
                "Use the address that your institution gave you."
            )
        if not institutions.of_mail_domain(domain):
            raise ValidationError(
                f"No institution is known to have the email domain {domain}. If yours has, ask the "
                "help desk to add it."
            )
        return email

    def clean(self) -> dict[str, Any]:
        """Hold the password against the rules, among them that it is not one's own name."""
        said = self.cleaned_data
        if password := said.get("password"):
            names = {name: said.get(name, "") for name in ("first_name", "last_name", "email")}
            try:
                password_validation.validate_password(password, User(**names))
            except ValidationError as error:
                self.add_error("password", error)
        return said


class ConfirmForm(forms.Form):
    """The password that was chosen at sign-up: who knows it wrote that form."""

    password = forms.CharField(
        label="The password that you chose",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", **_PASSWORD}),
        strip=False,
    )

    def __init__(self, *args: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request, self.user = request, user

    def clean_password(self) -> str:
        """Return the password, if it is the one; guesses are counted as at sign-in."""
        password: str = self.cleaned_data["password"]
        guess = _guess(self.request, self.user.username)
        if not self.user.check_password(password):
            guess.was_wrong()
            raise ValidationError("This is not the password that was chosen at sign-up.")
        guess.was_right()
        return password
