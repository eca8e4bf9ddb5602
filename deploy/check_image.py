"""`make image-check`: runs the container image for real, and asks it.

The containers of compose.yaml run as there: on a read-only root, as an unprivileged user, without
capabilities, with limits, and with their secrets in files, on a new database of PostgreSQL and on
Redis (TEST_DATABASE_URL, TEST_REDIS_URL). A made-up LAR is filed up to its receipt. It needs
podman, and port 8000; build the image with `make image` first.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx
import psycopg
import yaml

from config.running.supervisor import ROOT
from filing.demo import panel
from filing.lar.years import year_filed_on

URL = "http://127.0.0.1:8000"
TIMEOUT_SECONDS = 60
MOST_MB = 1_500  # of the image
PAGES = ("/healthz", "/readyz", "/", "/accessibility/", "/v2/public/edits/V600")
# What a pod of Kubernetes runs first if it needs the tables.
WAIT = ("python", "manage.py", "migrate", "--check")
SECRETS_AT, SECRETS_OF_POD_AT = "/run/secrets", "/run/hmda"
OPEN_FILES = 16_384  # and processes, that a container may have
# What an image of ours has not: programs to build or download with, settings of the machine that
# built it, files that anyone may change, and programs with the rights of another user.
TRACES = {
    "programs to build or download with": "for name in pip pip3 gcc cc make curl wget git; do "
    "command -v $name; done; python -m pip --version 2>/dev/null",
    "settings of the machine that built it": "ls -A /etc/pip.conf /etc/apt/sources.list* "
    "/etc/resolv.conf.d /root/.cache /root/.config /opt/installer /build /run/secrets 2>/dev/null",
    "files that anyone may change": "find / -xdev -type f -perm -0002",
    "programs with the rights of another user": "find / -xdev -type f -perm /6000",
    "files of the service that are its own": "find /service /opt/service ! -user root",
}
_TROUBLE = re.compile(r"Read-only file system|Permission denied|Traceback|Errno")
# The state of process 1 as the kernel has it: four kinds of users and groups, and its rights.
STATUS = {
    "Uid": "10001 10001 10001 10001",
    "Gid": "10001 10001 10001 10001",
    "CapEff": "0000000000000000",
    "CapPrm": "0000000000000000",
    "CapBnd": "0000000000000000",
    "NoNewPrivs": "1",
    "Seccomp": "2",
}


@dataclass(slots=True)
class Report:
    """What was looked at, in order, each with what was seen and whether it is right."""

    lines: list[tuple[str, str, bool]] = field(default_factory=list)

    def add(self, what: str, seen: object, *, ok: bool = True) -> None:
        """Print a line, and keep it."""
        self.lines.append((what, str(seen), ok))
        print(f"{'ok ' if ok else 'BAD'}  {what}: {seen}", flush=True)

    @property
    def ok(self) -> bool:
        return all(ok for *_, ok in self.lines)


class Failed(Exception):
    """A program ended with an error; the message has its last lines."""


def run(*words: str, may_fail: bool = False, errors_too: bool = False) -> str:
    """Return what a program printed, with its errors on request.

    Raises: Failed.
    """
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        raise Failed(
            f"{' '.join(words[:4])} … ended with {done.returncode}:\n{done.stderr[-3000:]}"
        )
    return (done.stdout + done.stderr * errors_too).strip()


def web_of_kubernetes(web: dict[str, Any]) -> dict[str, Any]:
    """Return the web pod of the manifests, as if it were a service of compose.yaml."""
    folder = ROOT / "deploy" / "kubernetes"
    deployment = next(yaml.safe_load_all((folder / "web.yaml").read_text()))
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    rights, user = container["securityContext"], pod["securityContext"]
    environment = yaml.safe_load((folder / "settings.yaml").read_text())["data"]
    return {
        "read_only": rights["readOnlyRootFilesystem"],
        "cap_drop": rights["capabilities"]["drop"],
        "security_opt": [] if rights["allowPrivilegeEscalation"] else ["no-new-privileges"],
        "user": f"{user['runAsUser']}:{user['runAsGroup']}",
        "mem_limit": container["resources"]["limits"]["memory"].replace("Gi", "g"),
        "pids_limit": web["pids_limit"],
        "tmpfs": ["/tmp:size=64m"],
        "environment": environment,
        "secrets": [
            Path(path).name for name, path in environment.items() if name.endswith("_FILE")
        ],
        "secrets_at": SECRETS_OF_POD_AT,
        "volume": "-pod",
        "command": container.get("command"),
    }


class Site:
    """The containers of one site, with the rights that compose.yaml gives them."""

    def __init__(self, image: str, runtime: str, folder: Path, databases: str, redis: str) -> None:
        self.image, self.secrets = image, folder / "secrets"
        self.name = f"hmda-check-{os.getpid()}"
        self.podman = ["podman", *(["--runtime", runtime] if runtime else [])]
        self.services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
        self.services["pod"] = web_of_kubernetes(self.services["web"])
        self.server, self.database = databases.rpartition("/")[0], self.name.replace("-", "_")
        self.redis = redis
        self._write_secrets()

    def _write_secrets(self) -> None:
        """Write the secrets as an operator does, with the addresses of other servers."""
        run(str(ROOT / "deploy" / "secrets.sh"), str(self.secrets))
        for name, text in (
            ("database_url", f"{self.server}/{self.database}"),
            ("celery_broker_url", self.redis),
            ("cache_url", self.redis),
            ("backup_url", "file:///data/backups"),
        ):
            (self.secrets / name).chmod(0o644)
            (self.secrets / name).write_text(text)

    def __enter__(self) -> Site:
        with psycopg.connect(f"{self.server}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self.database}")
        return self

    def __exit__(self, *_: object) -> None:
        for name in self.services:
            run("podman", "rm", "--force", "--time", "5", self.of(name), may_fail=True)
        run("podman", "volume", "rm", "--force", self.name, f"{self.name}-pod", may_fail=True)
        with psycopg.connect(f"{self.server}/postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {self.database} WITH (FORCE)")

    def of(self, service: str) -> str:
        """Return the name of the container of a service."""
        return f"{self.name}-{service}"

    def start(self, name: str, *command: str, detach: bool = True) -> str:
        """Run a service of compose.yaml with its secrets and limits; return the output.

        command: in place of its own.
        """
        service = self.services[name]
        words = [*self.podman, "run", "--name", self.of(name), "--network", "host"]
        words += ["--detach"] if detach else ["--rm"]
        words += ["--read-only"] if service["read_only"] else []
        words += ["--read-only-tmpfs=false", *(f"--tmpfs={mount}" for mount in service["tmpfs"])]
        words += [f"--cap-drop={capability}" for capability in service["cap_drop"]]
        # Podman has another form of the same option.
        words += [f"--security-opt={each.split(':')[0]}" for each in service["security_opt"]]
        words += ["--user", service["user"], f"--memory={service['mem_limit']}"]
        words += [f"--pids-limit={service['pids_limit']}"]
        words += [f"--volume={self.name}{service.get('volume', '')}:/data"]
        words += _limits()
        words += [f"--env={name}={value}" for name, value in service["environment"].items()]
        words += [
            f"--volume={self.secrets / secret}:{service.get('secrets_at', SECRETS_AT)}/{secret}:ro"
            for secret in service["secrets"]
        ]
        if service.get("healthcheck", {}).get("disable"):
            words.append("--no-healthcheck")
        return run(*words, self.image, *(command or service.get("command") or ()))

    def look(self, command: str) -> str:
        """Return what a shell prints that may read everything, in a container of its own."""
        words = [*self.podman, "run", "--rm", "--network=none", "--user=0:0", "--no-healthcheck"]
        # What it looks for may be missing; that it looked is certain.
        printed = run(*words, *_limits(), "--entrypoint=sh", self.image, "-c", f"{command}; echo .")
        return printed.removesuffix(".").strip()

    def within(self, service: str, *words: str, **options: bool) -> str:
        """Run a command in the container of a service; return the output."""
        return run(*self.podman, "exec", self.of(service), *words, **options)

    def manage(self, *words: str) -> str:
        """Run a command of the service in the web container; return the output."""
        return self.within("web", "python", "manage.py", *words)


def _limits() -> list[str]:
    """Return the options for limits that are not beyond those of this process."""
    words = []
    for name in ("nofile", "nproc"):
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
        words += ["--ulimit", f"{name}={most}:{most}"]
    return words


@contextmanager
def timed(report: Report, what: str) -> Iterator[None]:
    """Report for how long the block ran."""
    started_at = time.monotonic()
    yield
    report.add(what, f"{time.monotonic() - started_at:.1f} s")


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Return once something is so.

    Raises: Failed.
    """
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        if condition():
            return
        time.sleep(0.05)
    raise Failed(f"{what} was not so within {TIMEOUT_SECONDS} seconds.")


def answers(path: str) -> bool:
    try:
        return httpx.get(f"{URL}{path}", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def look_at_image(site: Site, report: Report) -> None:
    """Report the size and labels of the image, and what it should not have."""
    described = json.loads(run("podman", "image", "inspect", site.image))[0]
    size = described["Size"] / 1e6
    report.add("size of the image", f"{size:,.0f} MB, at most {MOST_MB:,}", ok=size <= MOST_MB)
    version = described["Labels"]["org.opencontainers.image.version"]
    report.add("version", version, ok=version in (ROOT / "pyproject.toml").read_text())
    for what, command in TRACES.items():
        seen = site.look(command)
        report.add(what, seen or "none", ok=not seen)


def look_at_rights(site: Site, report: Report) -> None:
    """Report what the processes of the web container may do."""
    lines = site.within("web", "cat", "/proc/1/status").splitlines()
    status = {name: " ".join(value.split()) for name, _, value in (x.partition(":") for x in lines)}
    seen = {name: status[name] for name in STATUS}
    report.add("user, capabilities, new privileges, system calls", seen, ok=seen == STATUS)
    for folder in ("/", "/service", "/opt/service", "/usr", "/etc", "/run", "/var/tmp", "/home"):
        tried = site.within("web", "sh", "-c", f"touch {folder}/x && echo written", may_fail=True)
        report.add(f"writing to {folder}", tried or "refused", ok=not tried)
    given = site.within("web", "cat", "/proc/1/environ")
    secrets = {path.name: _secret(path) for path in site.secrets.iterdir()}
    leaked = [name for name, secret in secrets.items() if secret and secret in given]
    report.add("secrets in the environment", leaked or "none", ok=not leaked)


def _secret(path: Path) -> str:
    return path.read_text().strip()


def file(site: Site, report: Report) -> None:
    """File a made-up LAR up to its receipt, with the commands of the web container."""
    lei, year = panel.make_institutions()[0]["lei"], year_filed_on(datetime.now(UTC).date())
    path = "/data/incoming/check.txt"
    site.manage("make_lar", f"--year={year}", "--rows=2000", f"--lei={lei}", path)
    token = site.manage("token", "--lei", lei).strip()
    printed = run(
        *(*site.podman, "exec", "--env", f"HMDA_TOKEN={token}", site.of("web"), "python"),
        *("manage.py", "file_lar", path, "--lei", lei, "--year", str(year), "--url", URL),
        *("--verify", "--sign", "--json"),
    )
    outcome = json.loads(printed)
    report.add("receipt", outcome.get("receipt") or outcome, ok=bool(outcome.get("receipt")))


def look_at_pod(site: Site, report: Report) -> None:
    """Report what a web pod does with the settings of the manifests and an empty data folder."""
    email = site.secrets / "email_url"
    email.chmod(0o644)
    email.write_text("smtp+tls://hmda:ahGh7aiz@mail.example:587")
    with timed(report, "from the start of a web pod to its first answer"):
        site.start("pod")
        wait_until(lambda: answers("/healthz"), "/healthz")
    report.add("GET /readyz of the pod", "ready", ok=answers("/readyz"))
    behind_proxy = {"Host": "hmda.example", "X-Forwarded-Proto": "https"}
    page = httpx.get(f"{URL}/", headers=behind_proxy, timeout=10, trust_env=False)
    shown = f"{page.status_code}, {len(page.content):,} bytes"
    report.add("GET https://hmda.example/ of the pod", shown, ok=page.status_code == 200)
    complaints = site.within(
        "pod", "python", "manage.py", "check", "--deploy", may_fail=True, errors_too=True
    )
    # This database has no password, and these files are not in a bucket.
    errors = re.findall(r"service\.E\d+", complaints)
    checked = "System check identified" in complaints
    report.add("errors of its settings", errors or "none", ok=checked and not errors)
    run("podman", "stop", "--time", "30", site.of("pod"))


def check(site: Site, report: Report) -> None:
    """Run the containers of a site, and report what they do."""
    try:
        site.start("prepare", *WAIT, detach=False)
        report.add("pods that wait for the tables", "go on too early", ok=False)
    except Failed as error:
        report.add("pods that wait for the tables", "wait", ok="ended with 1" in str(error))
    with timed(report, "prepare, with made-up institutions"):
        site.start("prepare", *site.services["prepare"]["command"], "--demo", detach=False)
    site.start("prepare", *WAIT, detach=False)
    report.add("pods that wait for the tables", "go on")
    with timed(report, "from the start of the web container to its first answer"):
        site.start("web")
        wait_until(lambda: answers("/healthz"), "/healthz")
    for name in ("worker-small", "worker-large", "worker-other", "beat"):
        site.start(name)
    for path in PAGES:
        answer = httpx.get(f"{URL}{path}", timeout=10, trust_env=False)
        shown = f"{answer.status_code}, {len(answer.content):,} bytes, {answer.text[:40]!r}"
        report.add(f"GET {path}", shown, ok=answer.status_code == 200)
    token = _secret(site.secrets / "metrics_token")
    metrics = httpx.get(
        f"{URL}/metrics", headers={"Authorization": f"Bearer {token}"}, trust_env=False
    )
    age = [line for line in metrics.text.splitlines() if line.startswith("hmda_queue_oldest")]
    report.add("age of the queues at /metrics", age, ok=len(age) == 4)
    run(*site.podman, "healthcheck", "run", site.of("web"))
    report.add("the image's own health check", "healthy")
    look_at_image(site, report)
    look_at_rights(site, report)
    with timed(report, "filing 2,000 records up to the receipt"):
        file(site, report)
    saved = site.start("backup", detach=False)
    made = [line for line in saved.splitlines() if " complete " in line and " signed with " in line]
    report.add("backup", made or saved, ok=bool(made))
    for name in ("web", "worker-small", "worker-large", "worker-other", "beat"):
        logged = run("podman", "logs", site.of(name), errors_too=True)
        troubles = [line for line in logged.splitlines() if _TROUBLE.search(line)]
        report.add(f"troubles in the log of {name}", troubles or "none", ok=not troubles)
    for name in ("beat", "worker-small", "worker-large", "worker-other", "web"):
        with timed(report, f"stopping {name}"):
            run("podman", "stop", "--time", "30", site.of(name))
        code = run("podman", "inspect", "--format", "{{.State.ExitCode}}", site.of(name))
        report.add(f"exit code of {name}", code, ok=code == "0")
    look_at_pod(site, report)


def main() -> None:
    """Check and report; ends with 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", default="localhost/hmda-service:latest")
    # Podman's usual runtime does not work with the first version of control groups.
    parser.add_argument("--runtime", default="runc" if shutil.which("runc") else "")
    options = parser.parse_args()
    databases = os.environ.get("TEST_DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/hmda")
    redis = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379") + "/14"
    assert urlsplit(databases).hostname
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        site = Site(options.image, options.runtime, Path(folder), databases, redis)
        try:
            with site:
                check(site, report)
        except Failed as error:
            report.add("failed", error, ok=False)
    sys.exit(not report.ok)


if __name__ == "__main__":
    main()
