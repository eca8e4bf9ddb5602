"""Signatures are those of Standard Webhooks."""

from __future__ import annotations

import base64
import time

from filing.webhooks import signing
from tests.filing.webhooks.verification import is_genuine

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_a_signature_is_that_of_the_published_library() -> None:
    """Made by the Python package `standardwebhooks`."""
    message = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    signature = signing.sign_message(message, '{"test": 2432232314}', at=1614265330, secret=SECRET)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_has_32_random_bytes() -> None:
    secret = signing.new_secret()
    assert secret != signing.new_secret()
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32


def test_both_secrets_verify_a_message_and_no_other_does() -> None:
    new, former = signing.new_secret(), signing.new_secret()
    headers = signing.sign_headers("msg_1", '{"a":1}', at=int(time.time()), keys=[new, former])
    assert is_genuine(headers, b'{"a":1}', new)
    assert is_genuine(headers, b'{"a":1}', former)
    assert not is_genuine(headers, b'{"a":1}', signing.new_secret())
    assert not is_genuine(headers, b'{"a":2}', new)
    assert not is_genuine(headers | {"webhook-id": "msg_2"}, b'{"a":1}', new)
    assert not is_genuine(headers | {"webhook-timestamp": "1614265330"}, b'{"a":1}', new)
