"""Base64url is read in the one way in which it is written."""

from __future__ import annotations

import pytest

from filing.receipts import proofs


@pytest.mark.parametrize("content", [b"", b"a", b"ab", b"abc", bytes(range(256))])
def test_what_is_written_is_read(content: bytes) -> None:
    assert proofs.decode_base64url(proofs.encode_base64url(content)) == content


@pytest.mark.parametrize("text", ["YR", "YQ==", "Y Q", "Y", "a+/b", "YQ\n", "ä"])
def test_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        proofs.decode_base64url(text)
