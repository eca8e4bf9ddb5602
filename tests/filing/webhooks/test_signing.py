"""Signatures are those of Standard Webhooks."""

from __future__ import annotations

from filing.webhooks import signing

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_a_signature_is_that_of_the_published_library() -> None:
    """Made by the Python package `standardwebhooks`."""
    message = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    signature = signing.sign_message(message, '{"test": 2432232314}', at=1614265330, secret=SECRET)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
