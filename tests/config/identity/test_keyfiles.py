"""The key files of the embedded provider."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.exceptions import ImproperlyConfigured
from oauth2_provider.utils import jwk_from_pem

from config.identity import keyfiles


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.IDENTITY_KEY_DIR = tmp_path / "data" / "identity"
    return settings.IDENTITY_KEY_DIR


def test_only_the_owner_may_read_keys(folder: Path) -> None:
    path = keyfiles.add_key()
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_processes_that_start_together_agree_on_one_key(folder: Path) -> None:
    program = (
        "from django.conf import settings; import sys;"
        "settings.configure(IDENTITY_KEY_DIR=sys.argv[1]);"
        "from config.identity import keyfiles; print(keyfiles.signing_key().kid)"
    )
    root = Path(keyfiles.__file__).parents[2]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
        )
        for _ in range(3)
    ]
    kids = {process.communicate(timeout=60)[0].strip() for process in started}
    assert kids == {keyfiles.signing_key().kid}
    assert [path.name for path in folder.iterdir()] == ["0001.pem"]


def test_the_published_key_has_no_private_part_and_is_named_by_its_thumbprint(folder: Path) -> None:
    key = keyfiles.signing_key()
    assert set(key.jwk) == {"kid", "kty", "alg", "use", "n", "e"}
    assert jwt.PyJWK(key.jwk).key == key.public
    assert key.kid == jwk_from_pem(key.pem).thumbprint()


def _ec_pem() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.mark.parametrize(
    ("pem", "words"), [("rubbish", "contains no private key"), (_ec_pem(), "contains no RSA key")]
)
def test_a_file_that_is_no_rsa_key_is_named(folder: Path, pem: str, words: str) -> None:
    folder.mkdir(parents=True)
    (folder / "0001.pem").write_text(pem)
    with pytest.raises(ImproperlyConfigured, match=rf"0001\.pem {words}"):
        keyfiles.signing_key()
