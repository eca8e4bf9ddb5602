"""A webhook of the test institution, and a receiver behind it."""

from __future__ import annotations

import pytest

from filing.access import Caller
from filing.models import Institution
from filing.webhooks import endpoints
from filing.webhooks.endpoints import WebhookWithSecret
from tests.conftest import LEI
from tests.filing.webhooks.receiver import Receiver, receiver

__all__ = ["receiver"]  # a fixture


@pytest.fixture
def new(institution: Institution, receiver: Receiver, filer: Caller) -> WebhookWithSecret:
    """A webhook with the address of the receiver, and its secret."""
    return endpoints.add_webhook(LEI, receiver.url, by=filer)
