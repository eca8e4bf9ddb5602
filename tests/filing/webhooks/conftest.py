"""A webhook of the test institution, and a receiver behind it."""

from __future__ import annotations

import pytest

from filing.access import Caller
from filing.models import Institution, Webhook
from filing.webhooks import endpoints
from filing.webhooks.endpoints import WebhookWithSecret
from tests.conftest import LEI
from tests.filing.webhooks.receiver import Receiver, receiver

URL = "https://bank.example/hmda?key=very-secret"

__all__ = ["receiver"]  # a fixture


@pytest.fixture
def webhook(institution: Institution, filer: Caller) -> Webhook:
    return endpoints.add_webhook(LEI, URL, by=filer).webhook


@pytest.fixture
def new(institution: Institution, receiver: Receiver, filer: Caller) -> WebhookWithSecret:
    """A webhook with the address of the receiver, and its secret."""
    return endpoints.add_webhook(LEI, receiver.url, by=filer)
