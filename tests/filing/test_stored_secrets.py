"""Secrets are stored encrypted, and readable only with the key of the service."""

from __future__ import annotations

from typing import Any

import pytest

from filing import stored_secrets
from filing.stored_secrets import UnreadableSecret


def test_a_stored_secret_can_be_read_again_and_does_not_show_it() -> None:
    stored = stored_secrets.encrypt_secret("whsec_abc")
    assert "abc" not in stored
    assert stored != stored_secrets.encrypt_secret("whsec_abc")
    assert stored_secrets.decrypt_secret(stored) == "whsec_abc"


def test_with_another_key_it_cannot_be_read(settings: Any) -> None:
    stored = stored_secrets.encrypt_secret("whsec_abc")
    settings.SECRET_KEY = "another key of the service"
    with pytest.raises(UnreadableSecret, match="Rotate the secret"):
        stored_secrets.decrypt_secret(stored)


def test_a_former_key_of_the_service_still_reads_it(settings: Any) -> None:
    stored = stored_secrets.encrypt_secret("whsec_abc")
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another key"
    settings.SECRET_KEY_FALLBACKS = [former]
    assert stored_secrets.decrypt_secret(stored) == "whsec_abc"
