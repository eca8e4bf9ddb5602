"""Forms that are sent twice, as by a double click: one effect, and the same page after each."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from filing.access import Caller
from filing.models import Institution, Submission, Webhook, WebhookDelivery
from filing.pages import webhooks
from filing.webhooks import endpoints
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, text

pytestmark = pytest.mark.django_db
WEBHOOKS = f"/filing/{LEI}/webhooks/"
URL = "https://bank.example/hmda"
_FORM = re.compile(r'<form method="post"(?: action="([^"]*)")?.*?</form>', re.S)
_KEY = re.compile(r'name="idempotency_key" value="(\w+)"')


def keys_on(page: Any) -> dict[str, str]:
    """Return the keys of the forms of a page by their addresses; blank for the page itself."""
    forms = {form[1] or "": _KEY.search(form[0]) for form in _FORM.finditer(page.content.decode())}
    forms.pop(reverse("sign-out"))  # of every page; it has no effect on data
    assert forms
    assert all(forms.values()), forms
    return {address: found[1] for address, found in forms.items() if found}


def test_a_form_is_sent_twice_with_one_effect_and_another_one_is_refused(
    browser: Client, filing: Any
) -> None:
    first, again = (browser.post(FILING, {"idempotency_key": "k"}) for _ in range(2))
    assert first.status_code == again.status_code == 303
    assert first["Location"] == again["Location"]
    assert again["Idempotency-Replayed"] == "true"
    assert Submission.objects.count() == 1
    other = browser.post(FILING, {"idempotency_key": "k", "more": "1"})
    assert other.status_code == 422
    assert "was sent with another body" in text(other, 422)


def test_a_webhook_is_added_once_and_its_secret_shown_once(
    browser: Client, institution: Institution
) -> None:
    form = {"idempotency_key": keys_on(browser.get(WEBHOOKS))[""], "url": URL}
    first, again = (browser.post(WEBHOOKS, form) for _ in range(2))
    assert b"whsec_" in first.content
    assert (again.status_code, again["Location"]) == (303, WEBHOOKS)
    assert webhooks.SHOWN_ONCE in text(browser.get(WEBHOOKS))
    assert Webhook.objects.count() == 1
    refused = browser.post(WEBHOOKS, {"idempotency_key": "b", "url": URL})
    assert refused.status_code == 400
    assert browser.post(WEBHOOKS, {"idempotency_key": "b", "url": URL}).status_code == 400


@pytest.mark.parametrize("action", [*webhooks.WEBHOOK_ACTIONS, "replay"])
def test_each_button_of_a_webhook_has_one_effect(
    browser: Client, institution: Institution, filer: Caller, action: str
) -> None:
    webhook = endpoints.add_webhook(LEI, URL, by=filer).webhook
    delivery = endpoints.send_test_message(webhook, by=filer)
    delivery.job.state, delivery.state = "done", WebhookDelivery.State.GIVEN_UP
    delivery.job.save()
    delivery.save()
    if action == "enable":
        endpoints.disable_webhook(webhook, by=filer)
    page = f"{WEBHOOKS}{webhook.pk}/"
    of_delivery = f"{page}deliveries/{delivery.pk}/replay/"
    address = of_delivery if action == "replay" else f"{page}{action}/"
    form = {"idempotency_key": keys_on(browser.get(page))[address]}
    before = endpoints.list_deliveries(webhook).count()
    first, again = (browser.post(address, form) for _ in range(2))
    assert first.status_code == (200 if action == "rotate" else 303)
    assert again.status_code == 303
    assert again["Location"] == (WEBHOOKS if action == "delete" else page)
    assert endpoints.list_deliveries(webhook).count() == before + (action == "test")
    webhook.refresh_from_db()
    assert bool(webhook.deleted_at) is (action == "delete")
    if action == "rotate":
        assert b"whsec_" in first.content
        assert webhooks.SHOWN_ONCE in text(browser.get(page))


def test_each_form_of_a_filer_has_a_key(browser: Client, filing: Any) -> None:
    keys = [*keys_on(browser.get(f"{FILING}upload/")).values()]
    form = begin(browser)
    for page in (form, form, "/filing/profile/", WEBHOOKS):
        keys += keys_on(browser.get(page)).values()
    assert len(keys) == len(set(keys)) > 4
