"""Checks of receipts: what is genuine, and every way in which something is not."""

from __future__ import annotations

import json
import logging
import random
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection

from filing import submissions
from filing.access import Caller
from filing.audit import keys
from filing.audit.keys import SigningKey
from filing.errors import BadInput, NotFound
from filing.lar.years import Period
from filing.models import Signature, SignedReceipt, Submission
from filing.receipts import checking, documents, proofs
from tests.conftest import LEI
from tests.filing.receipts.conftest import SHA256, genuine, to_be_signed
from tests.tampering import unguarded

pytestmark = pytest.mark.django_db

Values = dict[str, Any]


def refused(receipt: str | None, message: str) -> Values:
    names = ("lei", "period", "sha256", "records", "signedAt", "replacedBy")
    return {
        "receipt": receipt,
        "genuine": False,
        **dict.fromkeys(names),
        "message": message,
    }


def checked(body: bytes) -> Values:
    return checking.check_receipt(body).as_json()


def with_proof(file: bytes, proof: object) -> bytes:
    return proofs.write_canonical_json(json.loads(file) | {"proof": proof})


def decoded(segment: str) -> bytes:
    return urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def tamper(table: str, column: str, value: object) -> None:
    """Change a row behind the back of the service, as an intruder in the database might."""
    change = f"UPDATE {table} SET {column} = %s"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"DROP TRIGGER {table}_is_never_changed")
            cursor.execute(change, [value])
        else:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(change, [value])
            cursor.execute("SET LOCAL session_replication_role = origin")


def test_a_receipt_file_a_number_and_a_file_are_genuine(signature, file) -> None:
    expected = genuine(signature)
    assert checked(file) == expected
    assert checking.check_receipt_number(signature.receipt).as_json() == expected
    assert checked(json.dumps({"sha256": SHA256}).encode()) == expected
    assert checked(json.dumps({"sha256": SHA256.upper()}).encode()) == expected


def test_what_was_never_filed_is_unknown(signature) -> None:
    with pytest.raises(NotFound, match=r"There is no receipt 1$"):
        checking.check_receipt_number("1")
    with pytest.raises(NotFound, match="There is no receipt"):
        checking.check_receipt_number(signature.receipt + "1")
    with pytest.raises(NotFound, match="No file with the SHA-256 cdcd"):
        checked(json.dumps({"sha256": "cd" * 32}).encode())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "This is not JSON. Send a receipt file"),
        (b"\xff\xfe", "This is not JSON."),
        (b"[" * 100_000, "This is not JSON."),
        (b"[1]", "The JSON is not an object."),
        (b"{}", "The JSON has no 'proof'. Send a receipt file"),
        (b'{"sha256": "ab", "other": 1}', "The JSON has no 'proof'."),
        (b'{"sha256": "ab"}', "'sha256' must be the 64 hexadecimal digits"),
        (b'{"sha256": 1}', "'sha256' must be the 64 hexadecimal digits"),
        (b'{"sha256": "ab", "sha256": "ab"}', "The JSON has no 'proof'."),
    ],
)
def test_other_bodies_are_refused_with_what_is_right(body: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        checked(body)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"records": 61}, "not the values that were signed: records."),
        ({"records": 60.0}, "not the values that were signed: records."),
        ({"proof": None}, "The receipt has no proof: it is not signed."),
        ({"proof": "a.b"}, "The proof was changed: it is not a signed document."),
        ({"proof": "ä.ä.ä"}, "The proof was changed: it is not a signed document."),
        ({"more": 1}, "it must have these values: receipt, lei, period"),
    ],
)
def test_changed_values_are_found(signature, file, change: Values, message: str) -> None:
    answer = checked(proofs.write_canonical_json(json.loads(file) | change))
    assert message in answer["message"]
    assert answer == refused(signature.receipt, answer["message"])


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda file: file + b"\n",
        lambda file: json.dumps(json.loads(file), sort_keys=True, separators=(",", ":")).encode(),
        lambda file: file.replace(b"2024", b"\\u0032024", 1),
    ],
)
def test_a_file_that_was_written_in_another_way_is_not_genuine(
    file, rewritten: Callable[[bytes], bytes]
) -> None:
    message = checked(rewritten(file))["message"]
    assert message.startswith("The file was changed: its values are those that were signed, but")


def test_a_value_that_is_there_twice_is_found(file) -> None:
    answer = checked(file.replace(b'"records":60', b'"records":60,"records":60'))
    assert answer["message"].startswith("The receipt was changed: it has a value twice.")


def test_every_change_of_a_byte_is_found(file) -> None:
    chance = random.Random(1003)
    for _ in range(300):
        place, byte = chance.randrange(len(file)), chance.randrange(1, 256)
        changed = bytearray(file)
        changed[place] ^= byte
        try:
            answer = checked(bytes(changed))
        except BadInput:
            continue
        assert answer["genuine"] is False, bytes(changed)


def test_every_other_spelling_of_the_last_character_is_found(file) -> None:
    """Four bits of it are not part of the signature."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    proof = json.loads(file)["proof"]
    for character in alphabet.replace(proof[-1], ""):
        assert checked(with_proof(file, proof[:-1] + character))["genuine"] is False


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"alg": "none"}, "The proof does not use the algorithm EdDSA"),
        ({"alg": "HS256"}, "The proof does not use the algorithm EdDSA"),
        ({"typ": "JWT"}, "The header of the proof has other entries"),
        ({"jwk": {"kty": "OKP"}}, "The header of the proof has other entries"),
        ({"crit": ["b64"], "b64": False}, "The header of the proof has other entries"),
        ({"kid": 1}, "The header of the proof has other entries"),
        ({"kid": "a\0"}, "The proof was changed"),
        ({"kid": "\ud800"}, "The proof was changed"),
        ({"\ud800": 1}, "The proof was changed"),
        ({"kid": "x" * 43}, "a key that is not one of this service."),
    ],
)
def test_other_headers_are_refused(file, header: Values, message: str) -> None:
    parts = json.loads(file)["proof"].split(".")
    content = json.loads(decoded(parts[0])) | header
    parts[0] = encoded(proofs.write_canonical_json(content, sort=True))
    assert message in checked(with_proof(file, ".".join(parts)))["message"]


def test_a_header_in_another_order_is_refused(file) -> None:
    parts = json.loads(file)["proof"].split(".")
    content = json.loads(decoded(parts[0]))
    parts[0] = encoded(proofs.write_canonical_json(dict(reversed(content.items()))))
    message = checked(with_proof(file, ".".join(parts)))["message"]
    assert message == "The proof was changed: its header is not written as this service does."


def test_proofs_that_others_made_are_refused(file) -> None:
    values = json.loads(file)
    payload = decoded(values["proof"].split(".")[1])
    kid, x = keys.require_signing_key().kid, keys.require_signing_key().x
    foreign = SigningKey(Ed25519PrivateKey.generate(), "another site")
    header = {"typ": proofs.TYPE, "kid": kid}
    claims = json.loads(payload)
    algorithms = jwt.PyJWS()
    for proof, message in (
        (algorithms.encode(payload, "", algorithm="none", headers=header), "algorithm EdDSA"),
        (algorithms.encode(payload, x, algorithm="HS256", headers=header), "algorithm EdDSA"),
        (documents.sign_claims(claims, foreign), "a key that is not one of this service"),
        (
            algorithms.encode(payload, foreign.private, algorithm="EdDSA", headers=header),
            "the signature does not fit it",
        ),
    ):
        assert message in checked(with_proof(file, proof))["message"]


def test_receipts_stay_genuine_after_a_rotation_and_the_loss_of_a_key(signature, file, folder):
    keys.rotate_key()
    for path in folder.iterdir():
        path.unlink()
    assert checked(file) == genuine(signature)


def test_a_receipt_counts_more_than_a_changed_row(signature, file, caplog) -> None:
    Submission.objects.update(lines=99)
    with caplog.at_level(logging.ERROR):
        assert checked(file) == genuine(signature)
        assert checking.check_receipt_number(signature.receipt).as_json() == genuine(signature)
    message = f"The database differs from signed receipt {signature.receipt}: records"
    assert [record.getMessage() for record in caplog.records] == [message] * 2


def test_a_receipt_is_genuine_if_its_submission_is_not_in_the_database(signature, file) -> None:
    with unguarded():
        SignedReceipt.objects.all()._raw_delete(using="default")
        Signature.objects.all()._raw_delete(using="default")
    assert checked(file) == genuine(signature)


def test_a_changed_proof_in_the_database_is_not_genuine(signature, file, caplog) -> None:
    parts = signature.signed_receipt.jws.split(".")
    claims = json.loads(decoded(parts[1])) | {"records": 61}
    parts[1] = encoded(proofs.write_canonical_json(claims, sort=True))
    tamper("filing_signedreceipt", "jws", ".".join(parts))
    message = "The receipt was changed: the signature does not fit it."
    with caplog.at_level(logging.ERROR):
        answer = checking.check_receipt_number(signature.receipt).as_json()
    assert answer == refused(signature.receipt, message)
    assert f"Receipt {signature.receipt} in the database is not genuine" in caplog.text


def test_a_file_that_was_put_into_the_place_of_the_signed_one_is_found(signature) -> None:
    other = "cd" * 32
    Submission.objects.update(sha256=other)
    tamper("filing_signature", "sha256", other)
    answer = checking.check_file_hash(other)
    assert (answer.genuine, answer.sha256) == (False, None)
    assert answer.message == "The signed receipt in the database is about another file."


def test_the_newest_receipt_of_a_file_that_was_filed_twice_counts(signature, filer) -> None:
    second = sign_another(filer, SHA256)
    assert checking.check_file_hash(SHA256).receipt == second.receipt


def sign_another(filer: Caller, sha256: str) -> Signature:
    new = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    return submissions.sign_submission(
        to_be_signed(new, sha256), signed=True, by=filer, reason="Again"
    )
