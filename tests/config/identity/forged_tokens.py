"""Tokens that prove nothing: each is a way to pretend that the issuer has signed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm
from jwt.utils import base64url_encode

LEI = "529900EXAMPLELEI0001"
OTHER_LEI = "529900EXAMPLELEI0002"
HEADER = {"alg": "RS256", "kid": "rsa-1"}


def encoded(part: Any) -> str:
    return base64url_encode(part if isinstance(part, bytes) else json.dumps(part).encode()).decode()


def signed(issuer: Any, header: Any, payload: Any) -> str:
    """Sign what the library would not."""
    text = f"{encoded(header)}.{encoded(payload)}"
    algorithm = jwt.get_algorithm_by_name("RS256")
    return f"{text}.{encoded(algorithm.sign(text.encode(), issuer.rsa))}"


def with_claims(issuer: Any, **claims: Any) -> str:
    """Sign claims that the library would not."""
    return signed(issuer, HEADER, issuer.claims(**claims))


def with_header(issuer: Any, **header: Any) -> str:
    """Sign under a header that the library would not write."""
    header = {name: value for name, value in (HEADER | header).items() if value is not ...}
    return signed(issuer, header, issuer.claims())


def with_expiry(issuer: Any, digits: str) -> str:
    """Sign an expiry that no number of Python is written as."""
    claims = issuer.claims()
    return signed(issuer, HEADER, json.dumps(claims).replace(str(claims["exp"]), digits).encode())


def unsigned(issuer: Any, algorithm: str) -> str:
    return f"{encoded({'alg': algorithm, 'kid': 'rsa-1'})}.{encoded(issuer.claims())}."


def public_pem(issuer: Any) -> bytes:
    key = issuer.rsa.public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def with_shared_secret(
    issuer: Any, secret: bytes, kid: str = "rsa-1", algorithm: str = "HS256"
) -> str:
    text = f"{encoded({'alg': algorithm, 'kid': kid})}.{encoded(issuer.claims())}"
    return f"{text}.{encoded(jwt.get_algorithm_by_name(algorithm).sign(text.encode(), secret))}"


def with_blank_elliptic_signature(issuer: Any) -> str:
    """Sign with zeros, which careless arithmetic takes for a signature by anybody."""
    text = f"{encoded({'alg': 'ES256', 'kid': 'ec-1'})}.{encoded(issuer.claims())}"
    return f"{text}.{encoded(bytes(64))}"


def with_signature_of_another(issuer: Any) -> str:
    return f"{issuer.token().rsplit('.', 1)[0]}.{issuer.token(sub='another').rsplit('.', 1)[1]}"


def changed_after_signing(issuer: Any) -> str:
    header, _, signature = issuer.token().split(".")
    return f"{header}.{encoded(issuer.claims(lei=OTHER_LEI))}.{signature}"


def own_key(issuer: Any, **header: Any) -> str:
    """Sign with a key of the forger's, under a name that the issuer publishes."""
    return issuer.token(key=issuer.encryption, header=header)


def forger_jwk(issuer: Any) -> dict[str, Any]:
    return RSAAlgorithm.to_jwk(issuer.encryption.public_key(), as_dict=True)


def past(seconds: int) -> int:
    return int(time.time()) - seconds


def without(token: str, part: int) -> str:
    return ".".join(each for index, each in enumerate(token.split(".")) if index != part)


FORGED: dict[str, Callable[[Any], str]] = {
    # who issued it, and for whom
    "another issuer": lambda i: i.token(iss="https://evil.example/realms/hmda2"),
    "issuer with a slash": lambda i: i.token(iss=i.url + "/"),
    "no issuer": lambda i: i.token(iss=...),
    "a list of issuers": lambda i: with_claims(i, iss=[i.url]),
    "another audience": lambda i: i.token(aud="account"),
    "audience only in azp": lambda i: i.token(aud=["account"], azp="hmda2-api"),
    "issuer that begins alike": lambda i: i.token(iss=i.url + "-test"),
    "audience that is an object": lambda i: i.token(aud={"hmda2-api": True}),
    "no audience": lambda i: i.token(aud=...),
    # when
    "expired": lambda i: i.token(exp=past(31)),
    "no expiry": lambda i: i.token(exp=...),
    "expiry in words": lambda i: i.token(exp="tomorrow"),
    "endless": lambda i: with_expiry(i, "1e999"),
    "longer than a day": lambda i: i.token(exp=past(-24 * 3600 - 5)),
    "longer than a day, issued long ago": lambda i: i.token(iat=past(24 * 3600), exp=past(-60)),
    "until the end of time": lambda i: i.token(exp=10**30),
    "expiry of 5,000 digits": lambda i: with_expiry(i, "9" * 5000),
    "issued before time began": lambda i: i.token(iat=-(10**30)),
    "issued at no number": lambda i: with_claims(i, iat=float("nan")),
    "expired before time began": lambda i: i.token(exp=-1),
    "not valid yet": lambda i: i.token(nbf=past(-60)),
    "issued in the future": lambda i: i.token(iat=past(-60), exp=past(-600)),
    "no time of issue": lambda i: i.token(iat=...),
    # algorithm
    "unsigned": lambda i: unsigned(i, "none"),
    "unsigned, called RS256": lambda i: unsigned(i, "RS256"),
    "no algorithm": lambda i: with_header(i, alg=...),
    "public key as secret": lambda i: with_shared_secret(i, public_pem(i)),
    "published secret": lambda i: with_shared_secret(i, b"secret", "oct-1"),
    "blank secret": lambda i: with_shared_secret(i, b""),
    "algorithm named twice": lambda i: signed(
        i, b'{"alg":"RS256","alg":"none","kid":"rsa-1"}', i.claims()
    ),
    "PS256 header, RS256 signature": lambda i: with_header(i, alg="PS256"),
    "elliptic signature of zeros": with_blank_elliptic_signature,
    "RS384": lambda i: i.token(algorithm="RS384"),
    "ES384": lambda i: i.token(
        key=ec.generate_private_key(ec.SECP384R1()), algorithm="ES384", header={"kid": "ec-1"}
    ),
    "RSA header, EC key": lambda i: i.token(header={"kid": "ec-1"}),
    "EC header, RSA key": lambda i: i.token(key=i.ec, algorithm="ES256"),
    # key
    "unknown key": lambda i: i.token(header={"kid": "rsa-99"}),
    "no key name": lambda i: with_header(i, kid=...),
    "blank key name": lambda i: i.token(header={"kid": ""}),
    "key name that is no text": lambda i: with_header(i, kid=["rsa-1"]),
    "key name with a zero byte": lambda i: i.token(header={"kid": "rsa-1\0"}),
    "key name of 4 kB": lambda i: i.token(header={"kid": "k" * 4096}),
    "thumbprint in place of a key name": lambda i: with_header(i, x5t="rsa-1", kid=...),
    "key name that is a path": lambda i: i.token(header={"kid": "../../../../dev/null"}),
    "forger's key": lambda i: own_key(i),
    "forger's key in the header": lambda i: own_key(i, jwk=forger_jwk(i)),
    "forger's key at an address": lambda i: own_key(i, jku="https://evil.example/certs"),
    "forger's certificate at an address": lambda i: own_key(i, x5u="https://evil.example/cert"),
    "encryption key of the issuer": lambda i: own_key(i, kid="enc-1"),
    "key of 1024 bits": lambda i: _quiet(lambda: i.token(key=i.short, header={"kid": "short-1"})),
    # kind of token
    "ID token": lambda i: i.token(typ="ID", nonce="n-1", scope=...),
    "ID token with a scope": lambda i: i.token(typ="ID"),
    "ID token of other make": lambda i: i.token(typ=..., scope=..., nonce="n-1", at_hash="x"),
    "refresh token": lambda i: i.token(typ="Refresh"),
    "proof-bound token": lambda i: i.token(typ="DPoP"),
    "logout token": lambda i: i.token(header={"typ": "logout+jwt"}),
    "critical extension": lambda i: with_header(i, crit=["exp"], exp=1),
    "detached payload": lambda i: signed(i, HEADER | {"b64": False, "crit": ["b64"]}, b""),
    "token within a token": lambda i: signed(i, HEADER | {"cty": "JWT"}, i.token().encode()),
    "type that is a list": lambda i: i.token(typ=["Bearer"]),
    # who it speaks of
    "NUL in the subject": lambda i: i.token(sub="user\0"),
    "NUL in an institution": lambda i: i.token(lei=[LEI, "\0"]),
    "half a surrogate pair in a name": lambda i: i.token(given_name="\ud800"),
    "NUL in a claim that nobody reads": lambda i: i.token(more={"\0": [1]}),
    "no subject": lambda i: i.token(sub=...),
    "subject that is null": lambda i: with_claims(i, sub=None),
    "blank subject": lambda i: i.token(sub=" "),
    "subject of 256 characters": lambda i: i.token(sub="s" * 256),
    "LEIs that are an object": lambda i: i.token(lei={LEI: True}),
    "LEIs that are numbers": lambda i: i.token(lei=[5299, LEI]),
    # form
    "larger than 8 kB": lambda i: i.token(more="x" * 8192),
    "garbage": lambda i: "garbage",
    "blank": lambda i: "",
    "no signature": lambda i: without(i.token(), 2),
    "blank signature": lambda i: i.token().rsplit(".", 1)[0] + ".",
    "cut signature": lambda i: i.token()[:-8],
    "signature of another token": with_signature_of_another,
    "signature of zeros": lambda i: f"{without(i.token(), 2)}.{encoded(bytes(256))}",
    "a personal token that nobody made": lambda i: "hmda_pat_" + "x" * 43,
    "a part too many": lambda i: i.token() + ".AAAA",
    "payload changed": changed_after_signing,
    "payload that is a list": lambda i: signed(i, HEADER, [i.claims()]),
    "payload that is no JSON": lambda i: signed(i, HEADER, b"claims"),
    "header that is a list": lambda i: signed(i, ["RS256"], i.claims()),
    "header that is deep": lambda i: signed(i, b"[" * 5000, {}),
    "not ASCII": lambda i: "é" + i.token(),
}


def _quiet(make: Callable[[], str]) -> str:
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        return make()
