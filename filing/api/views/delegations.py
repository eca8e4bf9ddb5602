"""The endpoints of what an institution lets organizations do."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.access import Right
from filing.api.openapi import delegations as openapi
from filing.api.serializers.delegations import (
    DelegationBody,
    DelegationChange,
    DelegationList,
    DelegationRequest,
)
from filing.api.views.base import InstitutionView
from filing.api.views.idempotent import idempotent
from filing.people import delegations, memberships, organizations
from filing.people.delegations import DelegationTerms


class _OfDelegations(InstitutionView):
    """An endpoint that everyone of the institution reads, and administrators change."""

    reading_needs, changing_needs = Right.BELONG, Right.MANAGE


class DelegationsView(_OfDelegations):
    """List the delegations; let an organization act."""

    @openapi.list_delegations
    def get(self, request: Request, **where: Any) -> Response:
        rows = delegations.list_delegations(self.lei)
        return Response(DelegationList({"delegations": rows}).data)

    @openapi.agree_delegation
    @idempotent()
    def post(self, request: Request, **where: Any) -> Response:
        body = DelegationRequest(data=request.data)
        body.is_valid(raise_exception=True)
        organization = organizations.find_organization(body.validated_data["code"])
        terms = body.read_terms(DelegationTerms())
        new = delegations.agree_delegation(self.lei, organization, terms, by=self.caller)
        return Response(DelegationBody(new).data, status=201)


class DelegationView(_OfDelegations):
    """Change or end a delegation."""

    @openapi.change_delegation
    def patch(self, request: Request, delegation: str, **where: Any) -> Response:
        row = delegations.find_delegation(int(delegation), lei=self.lei)
        body = DelegationChange(data=request.data)
        body.is_valid(raise_exception=True)
        terms, reason = body.change_terms(row), body.validated_data["reason"]
        seen = delegations.terms_of(row).in_words  # what is left out of the body stays
        delegations.change_delegation(row, terms, by=self.caller, reason=reason, seen=seen)
        changed = delegations.find_delegation(row.pk, lei=self.lei)
        return Response(DelegationBody(changed).data)

    @openapi.end_delegation
    def delete(self, request: Request, delegation: str, **where: Any) -> Response:
        row = delegations.find_delegation(int(delegation), lei=self.lei)
        reason = memberships.required_reason(request.query_params.get("reason", ""))
        delegations.end_delegation(row, by=self.caller, reason=reason)
        return Response(status=204)
