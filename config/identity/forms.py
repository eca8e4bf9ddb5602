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
from filing.access import PUBLIC_EMAIL_DOMAINS, domain_of
from filing.people import accounts, institutions, invitations, sign_ins

_PASSWORD = {"render_value": False}
# Checks disabled accounts as well: a user who knows the password may learn that.
_PASSWORDS = AllowAllUsersModelBackend()
# Of sessions that begin with a password.
PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105 -- not a password


def _disabled_text() -> str:
    """Return the message for users of disabled accounts, with how to contact the help desk."""
    contact = " or ".join(filter(None, (settings.CONTACT_EMAIL, settings.CONTACT_PHONE)))
    where = f": {contact}" if contact else ""
    return f"This account is disabled. To have it enabled, contact the help desk{where}."


_NO_MATCH = "The email address or user name, and the password, do not match an active account."


class SignInForm(library.AuthenticationForm):
    """User name or email address, and password."""

    error_messages = {
        "invalid_login": _NO_MATCH,
        "inactive": _NO_MATCH,
        "wait": "Too many wrong passwords. Try again in %(wait)s, or choose a new password to sign "
        "in now.",
    }

    # Whose right password was entered that someone else set.
    staff_password_of: User | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "Email address or user name"
        if self.initial.get("username"):  # the password is all that is missing
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True

    def clean_username(self) -> str:
        """Return the user name, in lowercase if it is an email address."""
        name = self.cleaned_data["username"]
        return name.lower() if "@" in name else name

    def clean(self) -> dict[str, Any]:
        """Check the password, unless too many wrong ones came before.

        It is hashed also for an unknown account, so that the time taken reveals nothing.
        """
        name, password = (self.cleaned_data.get(field) for field in ("username", "password"))
        if name and password:
            self.guess = _guess(self.request, name)
            user: Any = _PASSWORDS.authenticate(self.request, username=name, password=password)
            if user is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(user)
            self.guess.was_right()
            user.backend = PASSWORD_BACKEND
            self.user_cache = user
        return self.cleaned_data

    def confirm_login_allowed(self, user: Any) -> None:
        """Refuse the right password of an account that cannot be used.

        So is one that the user did not choose: whoever enters it may be who set it.
        """
        if accounts.is_account_disabled(user):
            self.guess.was_refused(guesses.DISABLED)
            raise ValidationError(_disabled_text(), code="disabled")
        if user.is_active and sign_ins.has_staff_password(user):
            self.guess.was_refused(guesses.OF_STAFF)
            self.staff_password_of = user
            raise ValidationError("Choose your own password first.", code="staff_password")
        if not user.is_active:
            raise self.get_invalid_login_error()

    def get_invalid_login_error(self) -> ValidationError:
        """Return the error, and record the wrong password in the audit log."""
        self.guess.was_wrong()
        return super().get_invalid_login_error()


def _guess(request: HttpRequest | None, name: str) -> guesses.Guess:
    """Return the attempt to be checked. Raises: ValidationError if it has to wait."""
    assert request is not None, "these forms are made by views"
    try:
        return guesses.begin_guess(request, name)
    except guesses.TooManyGuesses as error:
        wait = f"{error.seconds} second{'' if error.seconds == 1 else 's'}"
        messages = SignInForm.error_messages
        raise ValidationError(messages["wait"], code="wait", params={"wait": wait}) from error


class SignUpForm(forms.Form):
    """A new user's name, email address at their institution, and password."""

    first_name = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "given-name"})
    )
    last_name = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "family-name"})
    )
    email = forms.EmailField(
        label="Business email address",
        max_length=150,  # it becomes the user name
        help_text="Use the email domain of your institution.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        help_text="At least 8 characters, not only digits, and not easy to guess.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", **_PASSWORD}),
        strip=False,
        max_length=200,
    )

    def clean_email(self) -> str:
        """Return the address in lowercase, whatever its spelling."""
        email: str = self.cleaned_data["email"].lower()
        domain = domain_of(email)
        if invitations.is_invited(email):
            return email  # whoever invited the address knows whose it is
        if domain in PUBLIC_EMAIL_DOMAINS:
            raise ValidationError(
                f"Anyone can get an address at {domain}, so it does not show which institution you "
                "work for. Use the email address that your institution gave you."
            )
        if not institutions.find_by_email_domain(domain):
            raise ValidationError(
                f"No institution is listed with the email domain {domain}. If yours uses it, ask "
                "the help desk to add it, with the link below."
            )
        return email

    def clean(self) -> dict[str, Any]:
        """Check the password against the rules, including that it is not the user's name."""
        data = self.cleaned_data
        if password := data.get("password"):
            names = {name: data.get(name, "") for name in ("first_name", "last_name", "email")}
            try:
                password_validation.validate_password(password, User(**names))
            except ValidationError as error:
                self.add_error("password", error)
        return data


class ConfirmAddressForm(forms.Form):
    """The password chosen at sign-up, which proves that this is the person who signed up."""

    password = forms.CharField(
        label="The password you chose",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", **_PASSWORD}),
        strip=False,
    )

    def __init__(self, *args: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request, self.user = request, user

    def clean_password(self) -> str:
        """Return the password if it is right; wrong ones are counted as at sign-in."""
        password: str = self.cleaned_data["password"]
        guess = _guess(self.request, self.user.username)
        if not self.user.check_password(password):
            guess.was_wrong()
            raise ValidationError("This is not the password you chose at sign-up.")
        guess.was_right()
        return password
