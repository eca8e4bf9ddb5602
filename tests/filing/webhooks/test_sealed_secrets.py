"""Secrets are stored encrypted, and readable only with the key of the service."""

from __future__ import annotations

from typing import Any

import pytest

from filing.webhooks import sealed_secrets
from filing.webhooks.sealed_secrets import Unreadable


def test_a_stored_secret_can_be_read_again_and_does_not_show_it() -> None:
    stored = sealed_secrets.sealed("whsec_abc")
    assert "abc" not in stored
    assert stored != sealed_secrets.sealed("whsec_abc")
    assert sealed_secrets.opened(stored) == "whsec_abc"


def test_with_another_key_it_cannot_be_read(settings: Any) -> None:
    stored = sealed_secrets.sealed("whsec_abc")
    settings.SECRET_KEY = "another key of the service"
    with pytest.raises(Unreadable, match="Rotate the secret"):
        sealed_secrets.opened(stored)
