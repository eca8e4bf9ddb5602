"""Settings, software, folders, static files and the web process, each with a real fault."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse

from config.doctor import site
from config.health import probes
from config.running import data_folder
from config.running.supervisor import free_port
from tests.config.answering import answering
from tests.config.doctor.messages import problems, texts


def test_a_misspelled_variable_is_named_with_the_setting_that_was_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TRUSTED_PROXIES", raising=False)
    monkeypatch.setenv("TRUSTED_PROXYS", "10.0.0.0/8")
    monkeypatch.setenv("OIDC_CLIENT_PASSPHRASE", "very-secret")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "someone")
    found = [each for each in site.check_settings() if each.id == "settings.unknown"]
    assert [each.obj for each in found] == ["OIDC_CLIENT_PASSPHRASE", "TRUSTED_PROXYS"]
    assert "TRUSTED_PROXIES" in str(found[1].hint)
    assert "very-secret" not in texts(site.check_settings)


def test_settings_of_a_production_site_are_checked_and_silenced_ones_listed(settings: Any) -> None:
    settings.SECURE, settings.PUBLIC_URL = True, "https://hmda.example"
    settings.ALLOWED_HOSTS = ["hmda.example"]
    assert "error service.E002" in problems(site.check_settings)
    settings.SILENCED_CHECKS = {"service.E002": "a pilot without a provider"}
    settings.SILENCED_SYSTEM_CHECKS = [*settings.SILENCED_CHECKS]
    assert "error service.E002" not in problems(site.check_settings)
    assert "a pilot without a provider" in texts(site.check_settings)


def test_a_site_without_https_on_another_machine_is_warned_of(settings: Any) -> None:
    settings.PUBLIC_URL = "http://hmda.example"
    assert "warning settings.http" in problems(site.check_settings)


def test_libraries_are_compared_with_the_lock_file(settings: Any, tmp_path: Path) -> None:
    assert problems(site.check_software) == []
    settings.BASE_DIR = tmp_path
    assert problems(site.check_software) == ["warning software.no_lock"]
    lock = tmp_path / "deploy" / "requirements.lock"
    lock.parent.mkdir()
    lock.write_text(
        "django==1.0 \\\n    --hash=sha256:00\n"
        "no-such-library==2.0 \\\n    --hash=sha256:00\n"
        "pywin32==311 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n"
    )
    assert problems(site.check_software) == ["error software.differs"]
    text = texts(site.check_software)
    assert "django is 5." in text
    assert "not 1.0, no-such-library is missing, not 2.0." in text
    assert "pywin32" not in text


def test_folders_that_others_can_read_are_named(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.IDENTITY_KEY_DIR = tmp_path, tmp_path / "identity"
    tmp_path.chmod(0o700)
    assert problems(site.check_folders) == []
    (tmp_path / "secret-key").write_text("x")
    (tmp_path / "secret-key").chmod(0o644)
    tmp_path.chmod(0o755)
    assert problems(site.check_folders) == ["warning folders.open", "error folders.open_secrets"]
    assert "secrets: secret-key." in texts(site.check_folders)


def test_static_files_are_those_of_this_release(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = ""
    assert problems(site.check_static_files) == []
    settings.STATIC_ROOT = str(tmp_path)
    assert problems(site.check_static_files) == ["error static.missing"]
    assert "lacks site.css, site.css.gz" in texts(site.check_static_files)
    source = settings.BASE_DIR / "config" / "static" / "site.css"
    shutil.copy(source, tmp_path)
    (tmp_path / "site.css.gz").touch()
    assert problems(site.check_static_files) == []
    (tmp_path / "site.css").write_text("/* older */")
    assert problems(site.check_static_files) == ["error static.old"]


def test_a_web_process_that_does_not_run_is_a_warning(settings: Any, tmp_path: Path) -> None:
    settings.PORT, settings.DATA_DIR = free_port(), tmp_path
    assert problems(site.check_web_process) == ["warning web.away"]


def test_a_web_process_of_another_data_folder_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    with answering(probes.healthz) as port:
        settings.PORT = port
        assert problems(site.check_web_process) == []
    other = HttpResponse(headers={data_folder.FOLDER_HEADER: "another"})
    with answering(lambda _: other) as port:
        settings.PORT = port
        assert problems(site.check_web_process) == ["error web.other_service"]
