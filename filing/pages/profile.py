"""The profile page: the user's name, institutions, and tokens for programs."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View

from filing import access
from filing.access import Caller, Right, domain_of
from filing.errors import NotFound, Refusal
from filing.models import Filing
from filing.pages import repeated_forms
from filing.pages.forms import PersonalTokenForm, ProfileInstitutionsForm, ProfileNameForm
from filing.pages.overview import MANY, find_filing_cards
from filing.pages.repeated_forms import once_per_form
from filing.people import (
    access_requests,
    delegations,
    institutions,
    invitations,
    personal_tokens,
    sign_ins,
    users,
)
from filing.periods import due_dates, filings

SHOWN_ONCE = (
    "The token was created and shown when the form was first sent. If you do not have it, revoke "
    "it and create another one."
)
LISTED = 50  # institutions of a kind
_CAN_FILE = "Institutions you can file for"
_CAN_READ = "Institutions you can only read"
_ENDED = "Rights that have ended"
_HEADINGS = (_CAN_FILE, _CAN_READ, _ENDED)


@method_decorator(never_cache, name="dispatch")
class ProfilePage(LoginRequiredMixin, View):
    """The user's name, email address, institutions and tokens."""

    http_method_names = ["get"]

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **where)
        except Refusal as refusal:  # of the key of a form
            messages.error(request, refusal.message)
            return self.page(status=refusal.status)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def handle_no_permission(self) -> HttpResponseRedirect:
        """Redirect to the sign-in page, and from there back to the profile."""
        return redirect_to_login(reverse("profile"))

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    @property
    def caller(self) -> access.Caller:
        return access.caller_of(self.user)

    def page(self, *, status: int = 200, new_token: str = "", **forms: BaseForm) -> HttpResponse:
        """Return the whole page; `forms` are submitted forms with errors."""
        rows = self._list_rights()
        token = sign_ins.read_access_token(self.request.session)
        context = {
            "may_operate": access.is_administrator(self.user),
            "rights": [
                (heading, of_kind[:LISTED], max(0, len(of_kind) - LISTED))
                for heading in _HEADINGS
                if (of_kind := [row for row in rows if row["heading"] == heading])
            ],
            "can_file": any(row["heading"] == _CAN_FILE for row in rows),
            "ended_rights": _ended_rights(self.user),
            "waiting": _waiting(self.user),
            "invitations": invitations.find_invitations_of(self.user),
            "email_is_verified": access.has_verified_email(self.user),
            "domain": domain_of(self.user.email),
            "roles": self.user.groups.filter(name__in=[role.group for role in access.ROLES]),
            "token": token,
            "call": _example_call(self.caller, [row["lei"] for row in rows]),
            "new_token": new_token,
            "may_rename": settings.EMBEDDED_PROVIDER,
            "personal_tokens": _personal_tokens(self.user),
            "has_personal_tokens": settings.PERSONAL_TOKENS_ENABLED,
            "issuer": settings.OIDC_ISSUER,
            **self.forms(),
            **forms,
        }
        return render(self.request, "filing/profile.html", context, status=status)

    def _list_rights(self) -> list[dict[str, Any]]:
        """Return each institution of the user: what they may do for it, since when, and why."""
        rows: dict[str, dict[str, Any]] = {
            lei: {"lei": lei, "why": f"member of {organization.name}"}
            for lei, organization in delegations.find_delegated_leis(self.user)
        }
        for row in access.with_grounds(self.user.memberships.all()):
            facts = access.grounds_for_membership(row)
            if row.lei not in rows or not facts.lapse:
                of_own = {"why": facts.why, "since": row.added_at, "checked": row.checked_at}
                rows[row.lei] = {"lei": row.lei, **of_own}
        names = institutions.find_institution_names(rows)
        rights = access.find_rights_of_filings(self.caller, [(lei, None) for lei in rows])
        return [
            {**row, "name": names.get(lei, ""), "heading": _name_rights(rights[lei, None])}
            for lei, row in sorted(rows.items())
        ]

    def forms(self) -> dict[str, Any]:
        """Return the forms of the page before the user fills them in."""
        matching = self.matching()
        selected = _selected(self.user)
        return {
            "name_form": ProfileNameForm(instance=self.user),
            "institutions_form": ProfileInstitutionsForm(
                matching=matching, initial={"leis": selected}
            ),
            "matching": matching,
            "many": len(matching) > MANY,
            "token_form": self.token_form(),
        }

    def token_form(self, data: Any = None) -> PersonalTokenForm:
        """Return the form of a new token."""
        may_operate = access.is_administrator(self.user)
        leis = sorted(access.find_leis(self.caller))
        return PersonalTokenForm(
            data, names=_name_institutions(leis), has_scopes=may_operate, prefix="token"
        )

    def matching(self) -> list[Any]:
        """Return the institutions that the user can select, without those that staff added."""
        fixed = set(self.user.memberships.exclude(source="domain").values_list("lei", flat=True))
        return [
            institution
            for institution in users.find_matching_institutions(self.user)
            if institution.lei not in fixed
        ]

    def done(self, text: str) -> HttpResponse:
        messages.success(self.request, text)
        return redirect("profile")


class ProfileNamePage(ProfilePage):
    """Changes the user's name, for accounts of this service."""

    http_method_names = ["post"]

    @once_per_form
    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProfileNameForm(request.POST)
        if not settings.EMBEDDED_PROVIDER or not form.is_valid():
            return self.page(status=400, name_form=form)
        users.rename_user(self.user, by=self.caller, **form.cleaned_data)
        return self.done("Your name was saved.")


class ProfileInstitutionsPage(ProfilePage):
    """Saves the selected institutions."""

    http_method_names = ["post"]

    @once_per_form
    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProfileInstitutionsForm(request.POST, matching=self.matching())
        if not form.is_valid():
            return self.page(status=400, institutions_form=form)
        waiting = users.confirm_institutions(self.user, form.cleaned_data["leis"], by=self.caller)
        tell_waiting(request, waiting)
        return self.done("Your institutions were saved.")


class ChooseInstitutionsPage(ProfilePage):
    """The one question after the first sign-in: which institutions the user files for."""

    http_method_names = ["get", "post"]

    def handle_no_permission(self) -> HttpResponseRedirect:
        """Redirect to the sign-in page, and from there back to the question."""
        return redirect_to_login(reverse("choose-institutions"))

    @once_per_form
    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProfileInstitutionsForm(request.POST, matching=self.matching(), is_required=True)
        if not form.is_valid():
            return self.page(status=400, form=form)
        waiting = users.confirm_institutions(self.user, form.cleaned_data["leis"], by=self.caller)
        if waiting and not access.find_leis(self.caller):
            return redirect("choose-institutions")  # it names what waits
        messages.success(request, "Your institutions were saved.")
        tell_waiting(request, waiting)
        cards = find_filing_cards(access.find_leis(self.caller), self.caller)
        to_do = [card for card in cards if card.needs_step and card.button]
        return redirect(to_do[0].button) if len(to_do) == 1 else redirect("filing-pages")

    def page(self, *, status: int = 200, new_token: str = "", **forms: BaseForm) -> HttpResponse:
        matching = self.matching()
        chosen = _selected(self.user)
        if len(matching) == 1:
            chosen = [matching[0].lei]
        context = {
            "form": ProfileInstitutionsForm(
                matching=matching, is_required=True, initial={"leis": chosen}
            ),
            "matching": matching,
            "many": len(matching) > MANY,
            "has_institutions": bool(access.find_leis(self.caller)),
            "ended_rights": _ended_rights(self.user),
            "waiting": _waiting(self.user),
            "invitations": invitations.find_invitations_of(self.user),
            "email_is_verified": access.has_verified_email(self.user),
            "domain": domain_of(self.user.email),
            "may_rename": settings.EMBEDDED_PROVIDER,
            **forms,
        }
        return render(self.request, "filing/pages/choose.html", context, status=status)


class ProfileTokensPage(ProfilePage):
    """Creates a personal token; only this response shows it."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.PERSONAL_TOKENS_ENABLED:
            raise Http404
        act = partial(self._make, request)
        answer_of = repeated_forms.hide_secret(reverse("profile"), SHOWN_ONCE)
        return repeated_forms.answer_form_once(request, self.caller, act, answer_of)

    def _make(self, request: HttpRequest) -> HttpResponse:
        form = self.token_form(request.POST)
        if not form.is_valid():
            return self.page(status=400, token_form=form)
        try:
            values = {"leis": [], **form.cleaned_data}
            text, _ = personal_tokens.create_token(self.user, by=self.caller, **values)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self.page(status=400, token_form=form)
        return self.page(new_token=text)


class RevokeTokenPage(ProfilePage):
    """Revokes a personal token."""

    http_method_names = ["post"]

    @once_per_form
    def post(self, request: HttpRequest, token_id: int) -> HttpResponse:
        try:
            token = personal_tokens.revoke_token(self.user, token_id, by=self.caller)
        except NotFound as refusal:
            messages.error(request, refusal.message)
            return redirect("profile")
        return self.done(f"The token {token.name} was revoked.")


def tell_waiting(request: HttpRequest, leis: Collection[str]) -> None:
    """Show which institutions decide first whether the user joins."""
    names = institutions.find_institution_names(leis)
    for lei in leis:
        messages.info(
            request,
            f"You asked to act for {names.get(lei, lei)}. An administrator of the institution "
            "decides, and you get an email.",
        )


def _selected(user: User) -> list[str]:
    """Return the institutions that are checked in the form: those of the user, and asked ones."""
    leis = list(user.memberships.filter(source="domain").values_list("lei", flat=True))
    return [*leis, *(request.lei for request in access_requests.find_requests_of(user))]


def _waiting(user: User) -> list[dict[str, Any]]:
    """Return the requests of a user that wait for an administrator, with names."""
    requests = access_requests.find_requests_of(user)
    names = institutions.find_institution_names({request.lei for request in requests})
    return [
        {"request": request, "name": names.get(request.lei, request.lei)} for request in requests
    ]


def _ended_rights(user: User) -> list[dict[str, Any]]:
    """Return the rights that ended, with the names of the institutions."""
    ended = list(access.find_ended_rights().filter(user=user))
    names = institutions.find_institution_names({right.lei for right in ended})
    return [{"right": right, "name": names.get(right.lei, right.lei)} for right in ended]


def _name_rights(rights: frozenset[Right]) -> str:
    """Return the heading of the institutions for which someone has such rights."""
    if Right.READ not in rights:
        return _ENDED
    return _CAN_READ if rights.isdisjoint({Right.PREPARE, Right.SIGN}) else _CAN_FILE


def _name_institutions(leis: list[str]) -> dict[str, str]:
    """Return the names of institutions by LEI, in the same order; blank if not in any panel."""
    names = institutions.find_institution_names(leis)
    return {lei: names.get(lei, "") for lei in leis}


def _personal_tokens(user: User) -> list[dict[str, Any]]:
    """Return the user's tokens, newest first, and expired ones after the others."""
    usable = set(
        personal_tokens.find_usable_tokens().filter(user=user).values_list("pk", flat=True)
    )
    tokens = user.personal_tokens.filter(revoked_at=None)
    rows = [{"token": token, "is_usable": token.pk in usable} for token in tokens]
    return sorted(rows, key=lambda row: not row["is_usable"])


def _example_call(caller: Caller, leis: list[str]) -> dict[str, str] | None:
    """Return an example call for the first institution that the user files for; None without one.

    None also without a filing period.
    """
    periods = due_dates.find_current_periods()
    period = next((one for one in periods if not one.quarter and filings.is_period_open(one)), None)
    if period is None:
        return None
    rights = access.find_rights_of_filings(caller, [(lei, period.period) for lei in leis])
    lei = next((lei for (lei, _), each in rights.items() if Right.PREPARE in each), "")
    if not lei:
        return None
    year = period.year
    started = Filing.objects.filter(institution__lei=lei, period=period).exists()
    return {
        "options": "" if started else "-X POST ",
        "url": f"{settings.PUBLIC_URL}/v2/filing/institutions/{lei}/filings/{year}",
        "does": f"shows the filing of {year}" if started else f"starts the filing of {year}",
    }
