"""The pages of webhooks: what a filer sees and does there, and what others cannot."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing.access import Caller
from filing.models import Job, Membership, Webhook, WebhookAttempt, WebhookDelivery
from filing.webhooks import endpoints
from tests.conftest import LEI
from tests.filing.pages.steps import OTHER_LEI, member, signed_in, text

pytestmark = pytest.mark.django_db
PAGE = f"/filing/{LEI}/webhooks/"
URL = "https://bank.example/hmda"


@pytest.fixture
def webhook(browser: Client, filer: Caller) -> Webhook:
    return endpoints.add_webhook(LEI, URL, by=filer).webhook


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "Enter the address of your program"),
        ("http://bank.example/", "enter an address that begins with https://"),
        ("https://168.63.129.16/", "168.63.129.16 is a private address, which is not allowed."),
    ],
)
def test_an_address_that_is_not_accepted_is_shown_again_with_the_reason(
    browser: Client, address: str, message: str
) -> None:
    page = text(browser.post(PAGE, {"url": address}), 400)
    assert message in page
    assert not Webhook.objects.exists()


def test_a_delivery_shows_each_attempt_and_can_be_replayed(
    browser: Client, webhook: Webhook, filer: Caller
) -> None:
    delivery = endpoints.send_test_message(webhook, by=filer)
    WebhookAttempt.objects.create(
        delivery=delivery,
        started_at=timezone.now(),
        milliseconds=1234,
        status=500,
        answer="<script>alert(1)</script>",
        error="The address answered 500.",
    )
    WebhookDelivery.objects.update(state="given up", tries=10)
    Job.objects.filter(pk=delivery.job_id).update(state="done")
    answer = browser.get(f"{PAGE}{webhook.pk}/")
    page = text(answer)
    for words in ("given up", "1,234 ms, HTTP 500", "The address answered 500."):
        assert words in page
    assert b"<script>alert" not in answer.content
    replay = f"{PAGE}{webhook.pk}/deliveries/{delivery.pk}/replay/"
    assert f'action="{replay}"' in answer.content.decode()
    assert browser.post(replay).status_code == 303
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == ("pending", 0)
    assert "retried automatically" in text(browser.post(replay), 400)


def test_it_is_disabled_enabled_and_deleted(browser: Client, webhook: Webhook) -> None:
    own = f"{PAGE}{webhook.pk}/"
    assert "The webhook is disabled." in text(browser.post(f"{own}disable/", follow=True))
    assert "Enable it first" in text(browser.post(f"{own}test/"), 400)
    assert "The webhook is enabled." in text(browser.post(f"{own}enable/", follow=True))
    deleted = browser.post(f"{own}delete/")
    assert (deleted.status_code, deleted["Location"]) == (303, PAGE)
    assert browser.get(own).status_code == 404
    assert "This institution has no webhooks." in text(browser.get(PAGE))


def test_others_of_the_institution_see_and_delete_it_after_its_user_left(
    browser: Client, ann: User
) -> None:
    browser.post(PAGE, {"url": URL})
    webhook = Webhook.objects.get()
    bob = signed_in(member("bob", LEI))
    Membership.objects.filter(user=ann).delete()
    assert browser.get(PAGE).status_code == 403
    assert browser.post(f"{PAGE}{webhook.pk}/delete/").status_code == 403
    assert "ann@bank.example" in text(bob.get(PAGE))
    assert bob.post(f"{PAGE}{webhook.pk}/delete/").status_code == 303
    assert not endpoints.list_webhooks(LEI).exists()


def test_another_institution_does_not_see_it(webhook: Webhook) -> None:
    eve = signed_in(member("eve", OTHER_LEI))
    assert eve.get(f"{PAGE}{webhook.pk}/").status_code == 403
    for tail in ("", "test/", "rotate/", "delete/", "deliveries/1/replay/"):
        address = f"/filing/{OTHER_LEI}/webhooks/{webhook.pk}/{tail}"
        assert eve.post(address).status_code in {404, 405}
    assert eve.get(f"/filing/{OTHER_LEI}/webhooks/{webhook.pk}/").status_code == 404
    assert endpoints.list_webhooks(LEI).count() == 1
