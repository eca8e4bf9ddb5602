"""`manage.py serve`, which `make run` calls: it ends with all its children when told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import httpx
import pytest

from config.stack import ROOT, free_port


@pytest.mark.parametrize("told_by", [signal.SIGTERM, signal.SIGINT])
def test_the_service_ends_when_it_is_told_to(tmp_path, told_by):
    port = free_port()
    settings = {"DATA_DIR": str(tmp_path), "PORT": str(port), "HOST": "127.0.0.1"}
    apart = {"DATABASE_URL": "", "CELERY_BROKER_URL": "", "CACHE_URL": ""}
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "serve", "--no-demo"],
        env={**os.environ, **settings, **apart, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "Ctrl-C ends it" in line:
                break
        assert httpx.get(f"http://127.0.0.1:{port}/v2/filing/").status_code == 200
        process.send_signal(told_by)
        process.wait(timeout=30)
    finally:
        process.kill()
        process.stdout.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/v2/filing/")
