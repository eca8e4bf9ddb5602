"""The webhooks of an institution: list, form for a new one, deliveries, and what can be done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.functional import cached_property

from filing.access import Caller, Right
from filing.errors import Refusal
from filing.models import Webhook
from filing.pages import repeated_forms
from filing.pages.filer import InstitutionPage
from filing.pages.forms import WebhookForm
from filing.pages.repeated_forms import once_per_form
from filing.requests import select_page
from filing.webhooks import deliveries, endpoints

# What a button of a webhook does, and the message after it; a rotation answers with the secret.
_CHANGES: dict[str, tuple[Callable[..., Any], str]] = {
    "test": (
        endpoints.send_test_message,
        "A test message is queued. Its result is listed below soon.",
    ),
    "disable": (endpoints.disable_webhook, "The webhook is disabled. It gets no messages."),
    "enable": (endpoints.enable_webhook, "The webhook is enabled."),
    "delete": (endpoints.delete_webhook, "The webhook was deleted."),
}
_ROTATE = "rotate"
SHOWN_ONCE = (
    "The secret was created and shown when the form was first sent. If you do not have it, rotate "
    "the secret of the webhook."
)
WEBHOOK_ACTIONS = (*_CHANGES, _ROTATE)


class WebhooksPage(InstitutionPage):
    """The webhooks of an institution, and the form to add one."""

    http_method_names = ["get", "head", "post"]
    reading_needs = changing_needs = Right.CONNECT

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        return self._page(WebhookForm())

    def post(self, request: HttpRequest, lei: str) -> HttpResponseBase:
        """Add a webhook; only this response shows its secret."""
        page = reverse("filing-webhooks", args=[lei])
        answer_of = repeated_forms.hide_secret(page, SHOWN_ONCE)
        return repeated_forms.answer_form_once(
            request, self.caller, partial(self._add, request), answer_of
        )

    def _add(self, request: HttpRequest) -> HttpResponse:
        form = WebhookForm(request.POST)
        if form.is_valid():
            try:
                new = endpoints.add_webhook(self.lei, form.cleaned_data["url"], by=self.caller)
            except Refusal as refusal:
                form.add_error("url", refusal.message)
            else:
                return self._page(WebhookForm(), new=new)
        return self._page(form, status=400)

    def _page(self, form: WebhookForm, *, status: int = 200, **context: Any) -> HttpResponse:
        webhooks = list(endpoints.list_webhooks(self.lei))
        return self.show(
            "webhooks",
            status=status,
            form=form,
            webhooks=webhooks,
            most=endpoints.MOST_WEBHOOKS,
            has_room=len(webhooks) < endpoints.MOST_WEBHOOKS,
            **context,
        )


class WebhookPage(InstitutionPage):
    """A page of one webhook."""

    reading_needs = changing_needs = Right.CONNECT

    @cached_property
    def webhook(self) -> Webhook:
        """The webhook of the address; a form that deleted it may be sent again.

        Raises: NotFound.
        """
        return endpoints.find_webhook(self.lei, int(self.kwargs["webhook"]))

    @property
    def next_address(self) -> str:
        """The page of the webhook: the address of a button alone cannot be opened."""
        where = self.kwargs
        return reverse("filing-webhook", args=[where["lei"], where["webhook"]])

    def page_of(self, **context: Any) -> HttpResponse:
        """Return the page of the webhook with its deliveries."""
        rows = endpoints.list_deliveries(self.webhook)
        current_page = select_page(self.request.GET.get("page"), rows.count())
        return self.show(
            "webhook",
            webhook=self.webhook,
            deliveries=rows[current_page.rows],
            current_page=current_page,
            days=deliveries.RETENTION.days,
            **context,
        )

    def back(self, text: str) -> HttpResponse:
        """Send the browser to the webhook, or to the list once it is deleted."""
        self.webhook.refresh_from_db()
        is_gone = self.webhook.deleted_at is not None
        to = reverse("filing-webhooks", args=[self.lei]) if is_gone else self.next_address
        return self.redirect_after_post(to, message=text)


class WebhookDetailPage(WebhookPage):
    """A webhook: its state, its deliveries with each attempt, and its buttons."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self.page_of()


class ChangeWebhookPage(WebhookPage):
    """Tests, rotates, disables, enables or deletes a webhook."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, action: str, **where: Any) -> HttpResponseBase:
        shown_once = repeated_forms.hide_secret(self.next_address, SHOWN_ONCE)
        answer_of = shown_once if action == _ROTATE else repeated_forms.keep_redirect
        act = partial(self._change, action, by=self.caller)
        return repeated_forms.answer_form_once(request, self.caller, act, answer_of)

    def _change(self, action: str, *, by: Caller) -> HttpResponse:
        if action == _ROTATE:
            return self.page_of(new=endpoints.rotate_secret(self.webhook, by=by))
        change, text = _CHANGES[action]
        change(self.webhook, by=by)
        return self.back(text)


class ReplayDeliveryPage(WebhookPage):
    """Sends a delivery again."""

    http_method_names = ["post"]

    @once_per_form
    def post(self, request: HttpRequest, delivery: str, **where: Any) -> HttpResponse:
        endpoints.replay_delivery(self.webhook, int(delivery), by=self.caller)
        return self.back("The delivery is queued again, with the same message ID.")
