"""Organizations, their people, and what institutions let them do: found, read, and ended."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.safestring import SafeString

from filing import access
from filing.access import PUBLIC_EMAIL_DOMAINS
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.institution_columns import BesideLei
from filing.admin.own_pages import WithPageLinks
from filing.admin.tables import ReadOnlyAdmin, tag_state
from filing.errors import Refusal
from filing.models import Delegation, Organization, OrganizationMember
from filing.people import administrators, delegations, invitations, organizations
from filing.people.invitations import Roles

END_ORGANIZATION = AdminAction(
    name="end",
    label="End the organization",
    does="Its people can act for no institution any more, and its invitations are withdrawn. This "
    "cannot be undone.",
    permission="filing.change_organization",
    act="End {}",
    plan=organizations.plan_organization_end,
    run=organizations.end_organization,
    lock=administrators.lock_organization,
)
END_PERSON = AdminAction(
    name="end",
    label="End the right to act",
    does="The person can no longer act for the organization. An administrator of it can invite the "
    "person again.",
    permission="filing.change_organizationmember",
    act="End {}",
    plan=organizations.plan_member_end,
    run=organizations.end_member_as_staff,
)
END_DELEGATION = AdminAction(
    name="end",
    label="End the delegation",
    does="The organization can no longer act for the institution. An administrator of it can let "
    "the organization act again.",
    permission="filing.change_delegation",
    act="End {}",
    plan=delegations.plan_delegation_end,
    run=delegations.end_delegation,
)


def _tag_end(row: Organization | OrganizationMember | Delegation) -> SafeString:
    return tag_state("ended", kind="quiet") if row.ended_at else tag_state("active", kind="good")


def _count(rows: QuerySet[Any]) -> Coalesce:
    """Return how many rows of an organization have not ended, for its list."""
    own = rows.filter(organization=OuterRef("pk"), ended_at=None).order_by()
    counts = own.values("organization").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


class OrganizationForm(forms.ModelForm):
    """The name of an organization; of a new one its email domain and first administrator, too."""

    administrator = forms.EmailField(
        label="Email address of the first administrator",
        help_text="Gets an invitation, and looks after the organization's people.",
        required=True,
    )

    class Meta:
        model = Organization
        fields = ["name", "email_domain"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            self.fields.pop("administrator", None)

    def clean_email_domain(self) -> str:
        """Refuse a domain in which anyone can get an address."""
        domain = self.cleaned_data["email_domain"].strip().lower()
        if domain and (not access.is_domain(domain) or domain in PUBLIC_EMAIL_DOMAINS):
            raise forms.ValidationError("Enter the email domain of the organization, or none.")
        return domain

    def clean(self) -> dict[str, Any]:
        """Refuse a name that is taken, and a change of what has ended."""
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk and self.instance.ended_at:
            raise forms.ValidationError("The organization has ended; it cannot be changed.")
        if "name" in cleaned:
            domain = cleaned.get("email_domain", self.instance.email_domain)
            other_than = self.instance if self.instance.pk else None
            try:
                cleaned["name"] = organizations.check_organization_name(
                    cleaned["name"], domain, other_than=other_than
                )
            except Refusal as refusal:
                self.add_error("name", refusal.message)
        return cleaned


@admin.register(Organization)
class OrganizationAdmin(WithPageLinks, WithPossibleActions, GuardedAdmin):
    """Organizations. Operators register, rename and end them for a reason."""

    records_itself = True
    staff_actions = (END_ORGANIZATION,)
    form = OrganizationForm
    list_display = ["name", "code", "state", "email_domain", "people", "institutions", "made_at"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter)]
    date_hierarchy = "made_at"
    search_fields = ["name", "^code", "email_domain", "made_by"]
    search_help_text = "Search by name, code, email domain or who registered it."
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        return (
            super()
            .get_queryset(request)
            .annotate(
                people_count=_count(OrganizationMember.objects.all()),
                client_count=_count(Delegation.objects.all()),
            )
        )

    def get_fields(self, request: HttpRequest, obj: Organization | None = None) -> Any:
        """Return what a new organization needs, all facts for an existing one."""
        if obj is None:
            return ["name", "email_domain", "administrator"]
        return ["name", *self.get_readonly_fields(request, obj)]

    def get_readonly_fields(self, request: HttpRequest, obj: Organization | None = None) -> Any:
        if obj is None:
            return []
        facts = ["code", "email_domain", "people", "institutions", "made_at", "made_by"]
        return [*facts, *(["ended_at", "ended_by", "reason_of_end"] if obj.ended_at else [])]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Organization, form: forms.ModelForm, change: bool
    ) -> None:
        by, reason = find_caller(request), form.cleaned_data["reason"]
        if change:
            organizations.rename_organization(obj, obj.name, by=by, reason=reason)
            return
        new = organizations.register_organization_for(
            obj.name, obj.email_domain, by=by, reason=reason
        )
        roles = Roles(is_administrator=True, is_preparer=True)
        email = form.cleaned_data["administrator"]
        invitations.invite_person(email, roles, by=by, organization=new)
        vars(obj).update({name: value for name, value in vars(new).items() if name != "_state"})

    @admin.display(description="state", ordering="ended_at")
    def state(self, row: Organization) -> SafeString:
        return _tag_end(row)

    @admin.display(description="people", ordering="people_count")
    def people(self, row: Organization) -> int:
        return cast(Any, row).people_count

    @admin.display(description="institutions", ordering="client_count")
    def institutions(self, row: Organization) -> int:
        return cast(Any, row).client_count

    @admin.display(description="why it ended")
    def reason_of_end(self, row: Organization) -> str:
        return row.reason


@admin.register(OrganizationMember)
class OrganizationMemberAdmin(WithPageLinks, WithPossibleActions, ReadOnlyAdmin):
    """The people of organizations, found by user or organization; only their end is for staff."""

    how_rows_come = "Administrators of organizations invite them."
    staff_actions = (END_PERSON,)
    related = ["user", "organization"]
    list_display = ["user", "organization", "roles", "state", "added_at", "added_by"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter), "is_preparer", "is_signer"]
    date_hierarchy = "added_at"
    fields = [
        *("user", "organization", "roles", "added_at", "added_by"),
        *("ended_at", "ended_by", "reason"),
    ]
    search_fields = ["user__username", "user__email", "organization__name", "^organization__code"]
    search_help_text = "Search by user name, email address, or name or code of the organization."

    @admin.display(description="roles")
    def roles(self, row: OrganizationMember) -> str:
        return invitations.roles_of(row).in_words

    @admin.display(description="state", ordering="ended_at")
    def state(self, row: OrganizationMember) -> SafeString:
        return _tag_end(row)


@admin.register(Delegation)
class DelegationAdmin(BesideLei, WithPageLinks, WithPossibleActions, ReadOnlyAdmin):
    """What institutions let organizations do; only its end is for staff."""

    how_rows_come = "Administrators of institutions let organizations act."
    staff_actions = (END_DELEGATION,)
    related = ["organization"]
    list_display = ["organization", "lei", "of_institution", "terms", "state", "agreed_at"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter), "may_sign"]
    date_hierarchy = "agreed_at"
    fields = [
        *("organization", "lei", "of_institution", "terms", "agreed_at", "agreed_by"),
        *("ended_at", "ended_by", "reason"),
    ]
    search_fields = ["^lei", "organization__name", "^organization__code"]
    search_help_text = "Search by the beginning of an LEI, or name or code of the organization."

    @admin.display(description="may")
    def terms(self, row: Delegation) -> str:
        return delegations.terms_of(row).in_words

    @admin.display(description="state", ordering="ended_at")
    def state(self, row: Delegation) -> SafeString:
        return _tag_end(row)
