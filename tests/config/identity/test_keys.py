"""Where the keys that verify tokens come from, and how long they are kept."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from jwt.algorithms import RSAAlgorithm

from config.identity import keyfiles, keys
from config.identity.keys import FRESH, STALE, UNKNOWN_PAUSE, NoKeysError
from tests.at_once import call_at_once

DISCOVERY = "/.well-known/openid-configuration"


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def remote(site: Any, clock: Clock) -> keys.RemoteKeys:
    return keys.RemoteKeys("https://id.example", f"{site.url}/certs", clock)


@pytest.mark.parametrize("kid", ["", "enc-1", "oct-1", "okp-1", "nobody", "../certs", "RSA-1"])
def test_what_is_no_signing_key_is_not_found(remote: keys.RemoteKeys, kid: str) -> None:
    assert remote.find(kid) is None


def test_a_new_key_is_noticed_on_its_first_token(
    remote: keys.RemoteKeys, site: Any, issuer: Any
) -> None:
    assert remote.find("rsa-1")
    site.documents["/certs"] = {"keys": [{**issuer.jwks["keys"][1], "kid": "rsa-2"}]}
    assert remote.find("rsa-2") == issuer.rsa.public_key()
    assert remote.find("rsa-1") is None, "a key that is no longer published is no longer trusted"
    assert site.calls == ["/certs"] * 2


def test_a_flood_of_unknown_keys_costs_one_fetch_in_five_minutes(
    remote: keys.RemoteKeys, site: Any, clock: Clock
) -> None:
    assert remote.find("rsa-1")
    for number in range(500):
        assert remote.find(f"forged-{number}") is None
    assert site.calls == ["/certs"] * 2
    clock.now += UNKNOWN_PAUSE
    for number in range(500):
        assert remote.find(f"forged-{number}") is None
    assert site.calls == ["/certs"] * 3


def test_keys_serve_for_a_day_while_the_provider_is_down(
    remote: keys.RemoteKeys, site: Any, clock: Clock
) -> None:
    assert remote.find("rsa-1")
    site.status = 500
    clock.now += STALE - 1
    assert remote.find("rsa-1")
    clock.now += 1
    with pytest.raises(NoKeysError):
        remote.find("rsa-1")
    site.status = 200
    assert remote.find("rsa-1"), "a provider that is back is asked at once"


BROKEN: list[tuple[str, Any]] = [
    ("nothing", None),
    ("no JSON", b"<html>down for maintenance</html>"),
    ("no object", ["keys"]),
    ("no keys", {"error": "unavailable"}),
    ("an empty list", {"keys": []}),
    ("no list", {"keys": {"kid": "rsa-1"}}),
    ("no usable key", {"keys": [{"kty": "oct", "kid": "rsa-1", "k": "c2VjcmV0"}, "rsa-1", {}]}),
    ("a broken key", {"keys": [{"kty": "RSA", "kid": "rsa-1", "n": "!", "e": "AQAB"}]}),
]


@pytest.mark.parametrize("document", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_answer_is_never_kept(
    remote: keys.RemoteKeys, site: Any, issuer: Any, clock: Clock, document: Any
) -> None:
    site.documents["/certs"] = document
    with pytest.raises(NoKeysError):
        remote.find("rsa-1")
    site.documents["/certs"] = issuer.jwks
    assert remote.find("rsa-1")
    site.documents["/certs"] = document
    clock.now += FRESH
    assert remote.find("rsa-1"), "good keys are not replaced by a broken answer"


def test_private_keys_that_are_published_by_mistake_are_not_used(
    remote: keys.RemoteKeys, site: Any, issuer: Any
) -> None:
    leaked = {**RSAAlgorithm.to_jwk(issuer.rsa, as_dict=True), "kid": "leaked", "use": "sig"}
    site.documents["/certs"]["keys"].append(leaked)
    assert remote.find("leaked") is None


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://evil.example", "jwks_uri": "SITE/certs"},
        {"jwks_uri": "SITE/certs"},
        {"issuer": "SITE"},
        {"issuer": "SITE", "jwks_uri": ["SITE/certs"]},
        {"issuer": "SITE", "jwks_uri": "no address"},
    ],
)
def test_discovery_that_does_not_fit_the_issuer_is_refused(
    site: Any, document: dict[str, Any]
) -> None:
    site.documents[DISCOVERY] = {
        name: value.replace("SITE", site.url) if isinstance(value, str) else value
        for name, value in document.items()
    }
    with pytest.raises(NoKeysError):
        keys.RemoteKeys(site.url, "").find("rsa-1")


def _find_in_threads(remote: keys.RemoteKeys, kid: str, count: int) -> list[Any]:
    def find() -> Any:
        try:
            return remote.find(kid)
        except NoKeysError as error:
            return error

    return call_at_once(find, count)


@pytest.mark.parametrize("kid", ["rsa-1", "rsa-2"])
def test_threads_that_need_keys_wait_for_one_fetch(
    remote: keys.RemoteKeys, site: Any, issuer: Any, kid: str
) -> None:
    if kid == "rsa-2":  # rotated after the first fetch
        assert remote.find("rsa-1")
        site.documents["/certs"] = {"keys": [{**issuer.jwks["keys"][1], "kid": "rsa-2"}]}
        site.calls.clear()
    site.delay = 0.3
    assert _find_in_threads(remote, kid, 12) == [issuer.rsa.public_key()] * 12
    assert site.calls == ["/certs"]


def test_threads_share_a_failed_fetch_too(remote: keys.RemoteKeys, site: Any) -> None:
    site.status, site.delay = 500, 0.3
    found = _find_in_threads(remote, "rsa-1", 12)
    assert all(isinstance(each, NoKeysError) for each in found)
    assert site.calls == ["/certs"]


def test_threads_with_usable_keys_do_not_wait(
    remote: keys.RemoteKeys, site: Any, issuer: Any, clock: Clock
) -> None:
    assert remote.find("rsa-1")
    clock.now += FRESH
    site.delay = 1.0
    fetching = threading.Thread(target=remote.find, args=("rsa-1",))
    fetching.start()
    while len(site.calls) < 2:
        pass
    assert remote.find("rsa-1") == issuer.rsa.public_key()
    assert fetching.is_alive(), "the other thread is still fetching"
    fetching.join()


def test_local_keys_are_those_of_the_key_files(settings: Any, tmp_path: Path) -> None:
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    local = keys.LocalKeys()
    assert local.find("nobody") is None
    first = keyfiles.signing_key()
    assert local.find(first.kid) == first.public
    keyfiles.add_key()
    assert local.find(keyfiles.signing_key().kid) == keyfiles.signing_key().public
    assert local.find(first.kid) == first.public
    (tmp_path / "identity" / "0001.pem").unlink()
    assert local.find(first.kid) is None, "a key that is deleted is no longer trusted"


def test_a_token_need_not_name_the_only_key(issuer: Any, site: Any, settings: Any) -> None:
    (own,) = [key for key in issuer.jwks["keys"] if key["kid"] == "rsa-1"]
    site.documents["/certs"] = {"keys": [own]}
    source = keys.RemoteKeys("https://id.example", f"{site.url}/certs")
    sole = source.sole()
    assert sole is not None
    assert sole.public_numbers() == issuer.rsa.public_key().public_numbers()
    assert len(site.calls) == 1
    site.documents["/certs"] = issuer.jwks
    several = keys.RemoteKeys("https://id.example", f"{site.url}/certs")
    assert several.sole() is None


def test_no_key_is_the_only_one_of_an_issuer_that_does_not_answer() -> None:
    source = keys.RemoteKeys("https://id.example", "http://127.0.0.1:9/certs")
    with pytest.raises(keys.NoKeysError):
        source.sole()
