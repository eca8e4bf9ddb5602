"""The endpoints of the institution's record: what the panel has, and proposals to change it."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.access import Right
from filing.api.openapi import records as openapi
from filing.api.serializers.records import (
    ProposalBody,
    ProposalRequest,
    RecordBody,
    RecordChange,
)
from filing.api.views.base import InstitutionView, show_paging
from filing.api.views.idempotent import idempotent
from filing.panel import history, institution_record, proposals
from filing.requests import select_page


class RecordView(InstitutionView):
    """Read the record, with a page of its changes."""

    reading_needs = Right.BELONG

    @openapi.institution_record
    def get(self, request: Request, **where: Any) -> Response:
        year = institution_record.read_year(request.query_params.get("year", ""))
        record = institution_record.read_record(self.lei, year)
        entries = history.list_entries(self.lei)
        current_page = select_page(request.query_params.get("page"), entries.count())
        editions = history.list_public_editions(
            entries[current_page.rows],
            lei=self.lei,
            proposed=institution_record.find_proposed_entries(self.lei),
        )
        return Response(
            {
                **RecordBody(record).data,
                "history": RecordChange(editions, many=True).data,
                **show_paging(current_page, self.address),
            }
        )


class ProposalsView(InstitutionView):
    """List the proposals; make one."""

    reading_needs = changing_needs = (
        Right.BELONG
    )  # a proposal needs more, which depends on the institution

    @openapi.list_proposals
    def get(self, request: Request, **where: Any) -> Response:
        rows = proposals.list_proposals(self.lei)
        current_page = select_page(request.query_params.get("page"), rows.count())
        body = ProposalBody(rows[current_page.rows], many=True).data
        return Response({"proposals": body, **show_paging(current_page, self.address)})

    @openapi.propose_change
    @idempotent()
    def post(self, request: Request, **where: Any) -> Response:
        proposals.require_proposer(self.caller, self.lei)
        body = self.read(ProposalRequest)
        record = institution_record.read_record(self.lei, body.get("activityYear"))
        proposal = proposals.propose_change(
            self.lei,
            record.institution.activity_year,
            body["changes"],
            reason=body["reason"],
            by=self.caller,
        )
        return Response(ProposalBody(proposal).data, status=201)


class ProposalView(InstitutionView):
    """Withdraw a proposal."""

    changing_needs = Right.BELONG  # as of a proposal

    @openapi.withdraw_proposal
    def delete(self, request: Request, proposal: str, **where: Any) -> Response:
        proposals.require_proposer(self.caller, self.lei)
        own = proposals.find_proposal(proposals.list_changes(self.lei), int(proposal))
        proposals.withdraw_proposal(own, by=self.caller)
        return Response(status=204)
