"""The keys that sign receipts: made when needed, private, rotated, and public for good."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.management import CommandError, call_command

from filing.audit import keys
from filing.audit.keys import NoUsableKey
from filing.models import ReceiptKey, TrailEntry

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys" / "receipts"
    return settings.RECEIPT_KEY_DIR


def rsa_pem() -> bytes:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def put(folder: Path, content: bytes, name: str = "0001.pem", mode: int = 0o600) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_the_first_key_is_made_when_it_is_needed(folder: Path) -> None:
    assert not folder.exists()
    key = keys.require_signing_key()
    assert keys.require_signing_key().kid == key.kid
    assert [path.name for path in folder.iterdir()] == ["0001.pem"]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "0001.pem").stat().st_mode & 0o777 == 0o600


@pytest.mark.servers
def test_processes_that_start_together_agree_on_one_key(folder: Path) -> None:
    program = (
        "import sys, django; from django.conf import settings;"
        "settings.RECEIPT_KEY_DIR, settings.RECEIPT_SIGNING_KEY = sys.argv[1], '';"
        "settings.IDENTITY_KEY_DIR = '/nowhere'; django.setup();"
        "from filing.audit import keys; print(keys.require_signing_key().kid)"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(keys.__file__).parents[2],
        )
        for _ in range(2)
    ]
    kids = {process.communicate(timeout=60)[0].strip() for process in started}
    assert kids == {keys.require_signing_key().kid}


def test_the_key_id_is_the_thumbprint(folder: Path, settings: Any) -> None:
    """Source: RFC 8037, appendix A.1 and A.3."""
    settings.RECEIPT_SIGNING_KEY = (
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
        "-----END PRIVATE KEY-----"
    )
    key = keys.require_signing_key()
    assert key.x == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    assert key.kid == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    assert not folder.exists()


def test_a_new_key_signs_and_the_old_one_is_still_known(folder: Path) -> None:
    old = keys.require_signing_key()
    keys.record_key(old)
    out = StringIO()
    call_command("rotate_receipt_key", stdout=out)
    new = keys.require_signing_key()
    assert out.getvalue() == f"New receipt key: {new.kid}\n"
    assert new.kid != old.kid
    assert [key.kid for key in keys.list_public_keys()] == [old.kid, new.kid]
    (folder / "0001.pem").unlink()
    assert keys.find_public_key(old.kid) == old.private.public_key()
    assert keys.find_public_key("x" * 43) is None
    reason = TrailEntry.objects.filter(about=new.kid).values_list("reason", flat=True).get()
    assert reason == f"Rotated; from {folder / '0002.pem'}."


def test_rotating_is_refused_if_a_setting_gives_the_key(settings: Any) -> None:
    settings.RECEIPT_SIGNING_KEY = keys.generate_private_key().decode()
    with pytest.raises(CommandError, match="RECEIPT_SIGNING_KEY gives the key"):
        call_command("rotate_receipt_key")
    assert not ReceiptKey.objects.exists()


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (b"-----BEGIN NOTHING-----", 0o600, "0001.pem is not an Ed25519 private key in PEM form"),
        (rsa_pem(), 0o600, "0001.pem is not an Ed25519 private key in PEM form"),
        (keys.generate_private_key(), 0o640,
         r"Other users may open .*0001.pem \(their rights: 040\)"),
        (keys.generate_private_key(), 0o604,
         r"Other users may open .*0001.pem \(their rights: 004\)"),
        (b"\xff", 0o600, "0001.pem cannot be read"),
    ],
)  # fmt: skip
def test_unsuitable_files_are_refused(
    folder: Path, content: bytes, mode: int, message: str
) -> None:
    put(folder, content, mode=mode)
    for use in (keys.require_signing_key, keys.examine_signing_key):
        with pytest.raises(NoUsableKey, match=message):
            use()


def test_a_folder_that_others_can_open_is_refused(folder: Path) -> None:
    put(folder, keys.generate_private_key())
    folder.chmod(0o755)
    with pytest.raises(NoUsableKey, match=r"Other users may open .*receipts \(their rights: 055\)"):
        keys.require_signing_key()
    with pytest.raises(CommandError, match="Other users may open"):
        call_command("rotate_receipt_key")
    assert len(list(folder.iterdir())) == 1


def test_the_folder_of_the_token_keys_is_refused(settings: Any) -> None:
    settings.RECEIPT_KEY_DIR = settings.IDENTITY_KEY_DIR
    with pytest.raises(NoUsableKey, match="the folder of the token keys, which a restore replaces"):
        keys.require_signing_key()


def test_a_file_in_the_place_of_the_folder_is_refused(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700)
    folder.touch(mode=0o600)
    with pytest.raises(NoUsableKey, match="cannot be read: Not a directory"):
        keys.require_signing_key()


@pytest.mark.parametrize("text", ["secret words", rsa_pem().decode()])
def test_an_unsuitable_setting_is_refused_without_showing_it(settings: Any, text: str) -> None:
    settings.RECEIPT_SIGNING_KEY = text
    with pytest.raises(NoUsableKey) as refusal:
        keys.require_signing_key()
    assert str(refusal.value).startswith("RECEIPT_SIGNING_KEY is not an Ed25519 private key")
    assert text not in str(refusal.value)
