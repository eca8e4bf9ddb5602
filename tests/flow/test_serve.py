"""`manage.py serve`, which `make run` calls: one to a data folder, which ends with its children."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml

from config.running.supervisor import ROOT, free_port
from tests.flow.serving import environment, kill_all, served

pytestmark = pytest.mark.slow


# What a service without an environment has, and a production site must not have.
UNSAFE = ("001", "002", "017")
COUNT = "from filing.models import Institution; print(Institution.objects.count())"


def manage(data_dir: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *words],
        env=environment(data_dir, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("told_by", [signal.SIGTERM, signal.SIGINT])
def test_the_service_ends_when_it_is_told_to(tmp_path, told_by):
    port = free_port()
    with served(tmp_path, port) as process:
        assert httpx.get(f"http://127.0.0.1:{port}/v2/filing/").status_code == 200
        process.send_signal(told_by)
        process.wait(timeout=30)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/v2/filing/")


def test_a_second_service_on_the_folder_is_refused_as_long_as_one_runs(tmp_path):
    port, other = free_port(), free_port()
    with served(tmp_path, port) as first:
        second = manage(tmp_path, "serve", PORT=str(other))
        assert (second.returncode, second.stdout) == (1, "")
        assert f"the service on port {port} (process {first.pid})" in second.stderr

        first.kill()  # alone: its process manager and all others go on
        first.wait()
        manager = Path(tmp_path, "supervisor.pid").read_text().strip()
        second = manage(tmp_path, "serve", PORT=str(other))
        assert f"the service on port {port} (process {manager})" in second.stderr

        kill_all(tmp_path)
        assert Path(tmp_path, "running.json").exists()
        with served(tmp_path, other):
            answer = httpx.get(f"http://127.0.0.1:{other}/v2/filing/")
            assert answer.status_code == 200


def test_a_port_that_is_in_use_is_named_before_anything_is_prepared(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        refusal = manage(tmp_path, "serve", PORT=str(other.getsockname()[1]))
    assert refusal.returncode == 1
    assert "in use" in refusal.stderr
    assert not list(tmp_path.glob("service.sqlite3"))
    assert not Path(tmp_path, "running.json").exists()


@pytest.mark.parametrize(
    ("more", "has_demo"),
    [
        ({"PUBLIC_URL": "https://filing.example", "ALLOWED_HOSTS": "filing.example"}, False),
        ({"DATABASE_URL": "sqlite:///{}/service.sqlite3"}, False),
        ({}, True),
    ],
)
def test_made_up_data_come_only_to_a_site_for_trying_out(tmp_path, more, has_demo):
    """Without https, and with the embedded database; and the second start is not refused."""
    values = {name: value.format(tmp_path) for name, value in more.items()}
    values["SILENCED_CHECKS"] = "; ".join(f"service.E{number}: a test" for number in UNSAFE)
    data_dir = tmp_path / "var"
    data_dir.mkdir()
    for _ in range(2):
        with served(data_dir, free_port(), words=(), BROWSER_YEARS="2022", **values) as process:
            assert process.poll() is None
    assert (data_dir / "demo-logins").exists() == has_demo
    number = manage(data_dir, "shell", "-v", "0", "-c", COUNT, **values).stdout
    assert (int(number) > 0) == has_demo


def test_static_files_come_compressed_also_where_collecting_them_was_cut_short(tmp_path):
    folder = tmp_path / "static"
    for _ in range(2):
        port = free_port()
        with served(tmp_path, port):
            answer = httpx.get(f"http://127.0.0.1:{port}/static/site.css")
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.text == (ROOT / "config" / "static" / "site.css").read_text()
        (folder / "site.css.gz").unlink()
        (folder / ".collected").unlink()


def test_a_token_made_without_the_port_is_taken_by_the_service_on_another_port(tmp_path):
    port = free_port()
    with served(tmp_path, port):
        token = manage(tmp_path, "token", "--role", "hmda-admin")
        assert (token.returncode, token.stderr) == (0, "")
        where = f"http://127.0.0.1:{port}/v2/filing/institutions/A/filings/2024/submissions/latest"
        headers = {"Authorization": f"Bearer {token.stdout.strip()}"}
        assert httpx.get(where, headers=headers).status_code not in {401, 403}

        refusal = manage(tmp_path, "token", "--role", "hmda-admin", PORT="8000")
        assert (refusal.returncode, refusal.stdout) == (1, "")
        assert (
            f"Set the values of the service: PUBLIC_URL=http://localhost:{port}" in refusal.stderr
        )


def test_a_service_for_one_host_name_starts_and_answers_its_probes_by_address(tmp_path):
    """With an https address, checks silenced with a reason, and a proxy not meant for us."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    public = {
        "ALLOWED_HOSTS": "filing.example",
        "PUBLIC_URL": "https://filing.example",
        "SILENCED_CHECKS": "; ".join(f"service.E{number}: a test" for number in UNSAFE),
        "HTTP_PROXY": f"http://127.0.0.1:{free_port()}",
        "NO_PROXY": "",
    }
    with served(tmp_path, port, **public) as process:
        assert process.poll() is None
        with httpx.Client(base_url=url, trust_env=False) as client:
            assert client.get("/v2/filing/").status_code == 400  # by a name that is not its own
            for path, content in (("/healthz", {"alive": True}), ("/readyz", {"ready": True})):
                answer = client.get(path)
                assert (answer.status_code, answer.json()) == (200, content)
                answer = client.head(path)
                assert (answer.status_code, answer.content) == (200, b"")
                assert client.get(path).json() == content  # on the same connection
                assert client.post(path).status_code == 405
        for command in health_checks():
            command = [sys.executable, *command[1:-1], command[-1].replace("8000", str(port))]
            asked = {**environment(tmp_path), **public}
            assert subprocess.run(command, env=asked, timeout=30).returncode == 0
    for command in health_checks():
        command = [sys.executable, *command[1:-1], command[-1].replace("8000", str(port))]
        assert subprocess.run(command, stderr=subprocess.DEVNULL, timeout=30).returncode != 0


def health_checks() -> list[list[str]]:
    """Return the commands by which the image and the example in `deploy` are checked."""
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
    kind, *in_compose = compose["services"]["web"]["healthcheck"]["test"]
    assert kind == "CMD"
    (line,) = re.findall(
        r"^HEALTHCHECK .*\\\n +CMD (\[.*\])$", (ROOT / "deploy" / "Dockerfile").read_text(), re.M
    )
    return [in_compose, json.loads(line)]
