"""Settings, software, folders, static files and the web process, each with a real fault."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from config.doctor.parts import site
from config.running.supervisor import free_port
from tests.config.doctor.parts.looking import bad, texts


def test_a_misspelled_variable_is_named_with_the_setting_that_was_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TRUSTED_PROXIES", raising=False)
    monkeypatch.setenv("TRUSTED_PROXYS", "10.0.0.0/8")
    monkeypatch.setenv("OIDC_CLIENT_PASSPHRASE", "very-secret")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "someone")
    found = bad(site.settings_of_site)
    assert found == [
        "warning: OIDC_CLIENT_PASSPHRASE is set, and no such setting exists. "
        "Correct or remove it; .env.example lists all settings.",
        "warning: TRUSTED_PROXYS is set, and no such setting exists. Did you mean TRUSTED_PROXIES?",
    ]
    assert "very-secret" not in texts(site.settings_of_site)


def test_settings_of_a_production_site_are_checked_and_silenced_ones_listed(settings: Any) -> None:
    settings.SECURE, settings.PUBLIC_URL = True, "https://hmda.example"
    settings.ALLOWED_HOSTS = ["hmda.example"]
    ids = [line for line in bad(site.settings_of_site) if "(service.E002)" in line]
    assert ids == [
        "error: The embedded identity provider is on. (service.E002) "
        "Set OIDC_ISSUER to the address of your OpenID provider."
    ]
    settings.SILENCED_CHECKS = {"service.E002": "a pilot without a provider"}
    settings.SILENCED_SYSTEM_CHECKS = [*settings.SILENCED_CHECKS]
    assert not [line for line in bad(site.settings_of_site) if "(service.E002)" in line]
    assert "a pilot without a provider" in texts(site.settings_of_site)


def test_a_site_without_https_on_another_machine_is_warned_of(settings: Any) -> None:
    settings.PUBLIC_URL = "http://hmda.example"
    assert "not encrypted" in "".join(bad(site.settings_of_site))


def test_libraries_are_compared_with_the_lock_file(settings: Any, tmp_path: Path) -> None:
    assert bad(site.software) == []
    settings.BASE_DIR = tmp_path
    assert "is missing" in "".join(bad(site.software))
    lock = tmp_path / "deploy" / "requirements.lock"
    lock.parent.mkdir()
    lock.write_text(
        "django==1.0 \\\n    --hash=sha256:00\n"
        "no-such-library==2.0 \\\n    --hash=sha256:00\n"
        "pywin32==311 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n"
    )
    (line,) = bad(site.software)
    assert "django is 5." in line
    assert "not 1.0, no-such-library is missing, not 2.0." in line
    assert "pywin32" not in line


def test_folders_that_others_can_read_are_named(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.IDENTITY_KEY_DIR = tmp_path, tmp_path / "identity"
    tmp_path.chmod(0o700)
    assert bad(site.folders) == []
    (tmp_path / "secret-key").write_text("x")
    (tmp_path / "secret-key").chmod(0o644)
    tmp_path.chmod(0o755)
    open_folder, open_secret = bad(site.folders)
    assert "is open to other users of this machine. Run `manage.py prepare`" in open_folder
    assert "Other users can read these secrets: secret-key." in open_secret


def test_static_files_are_those_of_this_release(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = ""
    assert bad(site.static_files) == []
    settings.STATIC_ROOT = str(tmp_path)
    assert "lacks site.css, site.css.gz" in "".join(bad(site.static_files))
    source = settings.BASE_DIR / "config" / "static" / "site.css"
    shutil.copy(source, tmp_path)
    (tmp_path / "site.css.gz").touch()
    assert bad(site.static_files) == []
    (tmp_path / "site.css").write_text("/* older */")
    assert "of another release" in "".join(bad(site.static_files))


def test_a_web_process_that_does_not_run_is_a_warning(settings: Any, tmp_path: Path) -> None:
    settings.PORT, settings.DATA_DIR = free_port(), tmp_path
    (line,) = bad(site.web)
    assert line.startswith(f"warning: No web process answers on port {settings.PORT}")


def test_a_site_that_is_not_reached_through_its_proxy_is_an_error(settings: Any) -> None:
    settings.SECURE, settings.PUBLIC_URL = True, f"https://localhost:{free_port()}"
    (line,) = bad(site.proxy)
    assert "cannot be reached from here" in line
