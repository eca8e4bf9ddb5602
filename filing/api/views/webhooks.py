"""The endpoints of the webhooks of an institution."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.access import Right
from filing.api.openapi import webhooks as openapi
from filing.api.serializers.webhooks import DeliveryBody, NewWebhook, WebhookList, WebhookRequest
from filing.api.views.base import InstitutionView, show_paging
from filing.api.views.idempotent import idempotent
from filing.requests import select_page
from filing.webhooks import endpoints


class _OfWebhooks(InstitutionView):
    """An endpoint for whoever looks after the webhooks of an institution."""

    reading_needs = changing_needs = Right.CONNECT


class WebhooksView(_OfWebhooks):
    """List the webhooks; add one."""

    @openapi.list_webhooks
    def get(self, request: Request, **where: Any) -> Response:
        return Response(WebhookList({"webhooks": endpoints.list_webhooks(self.lei)}).data)

    @openapi.add_webhook
    @idempotent(has_secret=True)
    def post(self, request: Request, **where: Any) -> Response:
        url = self.read(WebhookRequest)["url"]
        new = endpoints.add_webhook(self.lei, url, by=self.caller)
        return Response(NewWebhook(new).data, status=201)


class WebhookView(_OfWebhooks):
    """Delete a webhook."""

    @openapi.delete_webhook
    def delete(self, request: Request, webhook: str, **where: Any) -> Response:
        endpoints.delete_webhook(endpoints.find_webhook(self.lei, int(webhook)), by=self.caller)
        return Response(status=204)


class DeliveriesView(_OfWebhooks):
    """List the deliveries of a webhook."""

    @openapi.list_deliveries
    def get(self, request: Request, webhook: str, **where: Any) -> Response:
        own_deliveries = endpoints.list_deliveries(endpoints.find_webhook(self.lei, int(webhook)))
        current_page = select_page(request.query_params.get("page"), own_deliveries.count())
        rows = DeliveryBody(own_deliveries[current_page.rows], many=True).data
        return Response({"deliveries": rows, **show_paging(current_page, self.address)})


class ReplayView(_OfWebhooks):
    """Send a delivery again."""

    @openapi.replay_delivery
    @idempotent()
    def post(self, request: Request, webhook: str, delivery: str, **where: Any) -> Response:
        own_webhook = endpoints.find_webhook(self.lei, int(webhook))
        replayed = endpoints.replay_delivery(own_webhook, int(delivery), by=self.caller)
        return Response(DeliveryBody(replayed).data, status=202)
