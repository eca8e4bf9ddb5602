"""The keys in DATA_DIR: restored under their names only, and what was there is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.backups import data_files
from filing.receipts import keys


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    settings.IDENTITY_KEY_DIR.mkdir()
    (tmp_path / "secret-key").write_text("secret")
    (tmp_path / "identity" / "0001.pem").write_text("key")
    (tmp_path / "running.json").write_text("{}")
    return tmp_path


def test_they_are_the_secret_key_and_the_signing_keys(data: Path) -> None:
    assert [name for name, _ in data_files.present()] == ["secret-key", "identity/0001.pem"]


@pytest.mark.django_db
def test_keys_that_sign_receipts_are_in_no_backup(data: Path, settings: Any) -> None:
    settings.RECEIPT_KEY_DIR = data / "keys" / "receipts"
    keys.rotate()
    (path,) = settings.RECEIPT_KEY_DIR.iterdir()
    assert path not in [present for _, present in data_files.present()]
    for name in ("keys/receipts/0001.pem", "receipts/0001.pem"):
        with pytest.raises(ValueError, match="is not a file of a backup"):
            data_files.put(name, b"x", backup="1")
    # Nor is there a way around: receipts are not signed with keys from the folder of a backup.
    settings.RECEIPT_KEY_DIR = settings.IDENTITY_KEY_DIR
    with pytest.raises(keys.NoUsableKey, match="which backups contain"):
        keys.signing()


def test_what_is_replaced_is_kept_and_keys_that_only_this_place_has_are_set_aside(
    data: Path,
) -> None:
    (data / "identity" / "0002.pem").write_text("made here")
    assert data_files.put("secret-key", b"secret", backup="1") == ""
    assert data_files.put("identity/0001.pem", b"another", backup="1") == str(
        data / "identity" / "0001.pem.before-1"
    )
    aside = data_files.put_aside({"secret-key", "identity/0001.pem"}, backup="1")
    assert aside == [str(data / "identity" / "0002.pem.before-1")]
    assert (data / "identity" / "0001.pem").read_text() == "another"
    assert (data / "identity" / "0001.pem").stat().st_mode & 0o777 == 0o600
    assert [name for name, _ in data_files.present()] == ["secret-key", "identity/0001.pem"]


@pytest.mark.parametrize(
    "name",
    ["../secret-key", "identity/../../x.pem", "/etc/passwd", "service.sqlite3", "identity/a"],
)
def test_no_other_file_is_written(data: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not a file of a backup"):
        data_files.put(name, b"x", backup="1")
