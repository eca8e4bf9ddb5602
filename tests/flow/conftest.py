"""A whole service as a user has it: web, workers and beat in processes of their own.

The tests in this folder know it by its addresses alone. It runs on what the environment names: with
nothing set on SQLite and folders, else on the PostgreSQL and Redis given there.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from config.running.supervisor import ROOT, Supervisor, free_port
from tests.buckets import a_bucket
from tests.empty_database import SQLITE, EmptyDatabase, execute, server_of
from tests.filing.mail_server import MailServer, serving
from tests.filing.webhooks.receiver import write_certificate
from tests.flow.other_provider import OtherProvider
from tests.redis_databases import find_redis_urls, list_free_databases, name_database
from tests.resilience.between import Between

MANY_FILERS, FEW_FILERS = 200, 60
LEIS_PER_TOKEN = 200  # more would make the header longer than is taken
LIMITS = (
    *("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED", "LIMIT_SIGN_IN", "LIMIT_PUBLIC_UPLOAD"),
    "LIMIT_RECEIPT_CHECK",
    "LIMIT_PUBLISHED",
)
OF_ANN = ("--email", "ann@bank.example")
# Ann as another provider knows her: her programs have personal tokens.
_PERSONAL_TOKEN = """
from django.contrib.auth.models import User
from filing.access import SERVICE
from filing.models import Membership
from filing.people import personal_tokens
leis = {leis!r}
user, _ = User.objects.get_or_create(username="ann", email="ann@bank.example")
Membership.objects.bulk_create([Membership(user=user, lei=lei) for lei in leis])
print(personal_tokens.create_token(user, name="tests", leis=leis, days=1, by=SERVICE)[0])
"""
LEASE_SECONDS = 5  # of jobs of a service whose processes are killed
Replacement = Callable[[str, Path], str]
ALWAYS = ("--opens", "2017-01-01", "--timely-until", "2030-01-01", "--closes", "2040-12-31")
# Of the profile `limits`. Units: bytes, requests, rows.
FILE_BYTES, PUBLIC_REQUESTS, SPREADSHEET_ROWS = 200_000, 120, 20


@dataclass
class Service:
    """A running service, with institutions that nobody has filed for yet."""

    stack: Supervisor
    data_dir: Path
    environment: dict[str, str]
    unused: list[str] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    always: tuple[str, ...] = ALWAYS
    console: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return self.stack.url

    def manage(self, *words: str) -> str:
        """Run a management command and return what it says."""
        if self.console is None:
            self.console = subprocess.Popen(
                [sys.executable, "-m", "tests.flow.console"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self.console.stdin is not None
        assert self.console.stdout is not None
        print(json.dumps(words), file=self.console.stdin, flush=True)
        answer = json.loads(self.console.stdout.readline())
        assert not answer["failure"], f"{words}: {answer}"
        return str(answer["said"])

    def manage_all(self, *commands: Sequence[str]) -> list[str]:
        """Return what each of some commands says."""
        return [self.manage(*words) for words in commands]

    def processes(self, word: str = "") -> list[int]:
        """Return the processes of this service whose command line has the word."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal() or int(folder.name) == os.getpid():
                continue
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if word in command and str(self.data_dir).encode() in environment:
                found.append(int(folder.name))
        return found

    def end_console(self) -> None:
        """End the process that runs management commands; the next one has a fresh one."""
        if self.console is not None:
            self.console.kill()
            self.console.communicate()
            self.console = None

    def end(self) -> None:
        """End it at once. It keeps nothing, so nobody has to wait for an orderly end."""
        self.end_console()
        if self.stack.process is None:
            return
        self.stack.process.kill()  # first, or it would start the others again
        self.stack.process.wait()
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def lei(self) -> str:
        """Return an institution that no other test uses."""
        return self.unused.pop()

    def open_seasons(self, *years: str) -> None:
        """Load a census of each year, and open its periods for good."""
        self.manage_all(
            *(["load_census", year, "--demo"] for year in years),
            *(["open_season", year, *ALWAYS] for year in years),
        )

    def shell(self, code: str) -> str:
        """Return what some lines of Python print."""
        return self.manage("shell", "-v", "0", "-c", code).strip()

    def logged(self, process: str = "web") -> list[dict[str, Any]]:
        """Return the lines that a process has logged as JSON; not one that it is writing just now.

        What libraries print otherwise is left out.
        """
        text = (self.stack.logs / f"{process}.log").read_text()
        lines = text.rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def history(self, lei: str) -> list[int]:
        """Return the codes the institution's submissions went through, as the trail has them."""
        question = (
            "from filing.models import StatusChange as C;"
            f"print(*C.objects.filter(submission__filing__institution__lei='{lei}')"
            ".values_list('after', flat=True))"
        )
        return [int(code) for code in self.shell(question).split()]

    def token(self, leis: str, *more: str) -> str:
        """Return a new token for these institutions."""
        return self.manage("token", *OF_ANN, "--lei", leis, *more).strip()

    def make_tokens(self, leis: Sequence[str]) -> None:
        """Give callers a token for each of these institutions, by the provider of the service."""
        for start in range(0, len(leis), LEIS_PER_TOKEN):
            some = leis[start : start + LEIS_PER_TOKEN]
            if self.environment.get("OIDC_ISSUER"):
                token = self.shell(_PERSONAL_TOKEN.format(leis=some))
            else:
                token = self.token(",".join(some), "--minutes", "120")
            self.tokens |= dict.fromkeys(some, token)

    def token_of_a_stranger(self, lei: str) -> str:
        """Return a token for an institution that no panel has, as another provider may issue."""
        question = (
            "from config.identity import tokens as t;"
            f"claims = t.identity_claims(t.make_subject('s'), username='s', leis=['{lei}']);"
            "print(t.issue_token(claims, seconds=7200))"
        )
        return self.shell(question)

    def client(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=f"{self.url}/v2/filing", headers=headers, timeout=60)


def environment_of(
    data_dir: Path, port: int, name: str, empty_database: EmptyDatabase, **more: str
) -> dict[str, str]:
    """Return the environment of one service: its own database, queue and folder."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(data_dir),
        "PORT": str(port),
        "HOST": "127.0.0.1",
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "TEST_LEIS": "true",
        **dict.fromkeys(LIMITS, "off"),
        # A first file waits until its worker has read all code, on a busy machine for minutes.
        "JOB_STILL_SECONDS": "1200",
        **more,
    }
    if server := server_of(os.environ.get("DATABASE_URL", "")):
        empty_database.copy_as(server, name)
        environment["DATABASE_URL"] = f"{server}/{name}"
        # Several services are there at once, and PostgreSQL has a hundred connections for all.
        environment["WEB_THREADS"] = more.get("WEB_THREADS", "6")
    if find_redis_urls(environment):
        environment |= name_database(environment, _redis_databases.pop())
    return environment


_redis_databases = list_free_databases()  # that no service of this process uses now


def drop(environment: dict[str, str], name: str) -> None:
    if server := server_of(environment.get("DATABASE_URL", "")):
        execute(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    urls = find_redis_urls(environment)
    for url in urls.values():
        redis.Redis.from_url(url).flushdb()
    if urls:
        _redis_databases.append(int(min(urls.values()).rpartition("/")[2]))


def panel(path: Path, leis: list[str], years: range) -> Path:
    """Write a panel in which every institution files annually and quarterly."""
    lines = ["activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"]
    lines += [
        f"{year},{lei},Bank {index},12-3456789,9,bank{index}.example,true"
        for year in years
        for index, lei in enumerate(leis)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@contextmanager
def services(
    tmp_path_factory: pytest.TempPathFactory, empty_database: EmptyDatabase
) -> Iterator[Callable[..., Service]]:
    """Start services; all of them end together.

    started_with: what variables of the processes are, made of what they are for commands, and of
    the folder of the service.
    """
    running: list[tuple[Service, str]] = []

    def run(
        filers: int = FEW_FILERS,
        *,
        seasons: Sequence[str] = (),
        started_with: Mapping[str, Replacement] = {},
        **more: str,
    ) -> Service:
        name = f"hmda_flow_{uuid.uuid4().hex[:10]}"
        data_dir = tmp_path_factory.mktemp("service")
        empty_database.copy_to(data_dir / SQLITE)
        port = free_port()
        environment = environment_of(data_dir, port, name, empty_database, **more)
        stack = Supervisor(data_dir=data_dir, port=port)
        stack.environment = {**stack.environment, **environment}
        for variable, replaced in started_with.items():
            stack.environment[variable] = replaced(environment.get(variable, ""), data_dir)
        service = Service(stack, data_dir, environment)
        running.append((service, name))
        service.unused = [f"FLOWTEST{index:012d}" for index in range(filers)]
        institutions = panel(data_dir / "p.csv", service.unused, range(2023, 2026))
        service.manage_all(
            ["prepare"] if filers else ["prepare", "--demo"],
            ["load_institutions", str(institutions)],
        )
        service.open_seasons(*seasons)
        service.make_tokens(service.unused)
        stack.start()
        return service

    yield run
    for service, name in running:
        service.end()
        drop(service.environment, name)


@pytest.fixture(scope="session")
def run_for_all(
    tmp_path_factory: pytest.TempPathFactory, empty_database: EmptyDatabase
) -> Iterator[Callable[..., Service]]:
    """Start services that end with the last test."""
    with services(tmp_path_factory, empty_database) as run:
        yield run


@pytest.fixture(scope="module")
def run_service(
    tmp_path_factory: pytest.TempPathFactory, empty_database: EmptyDatabase
) -> Iterator[Callable[..., Service]]:
    """Start services that end with the module: even one that nobody asks takes its time."""
    with services(tmp_path_factory, empty_database) as run:
        yield run


# --- profiles: each is started once, in the process that tests/scheduling.py gives its files to ---


@pytest.fixture(scope="session")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the profile `service` puts its emails."""
    return tmp_path_factory.mktemp("mails")


@pytest.fixture(scope="session")
def service(
    request: pytest.FixtureRequest, run_for_all: Callable[..., Service], mails: Path
) -> Iterator[Service]:
    """The service most tests talk to, with the seasons of 2024 and 2025 open for good."""
    if request.config.getoption("--nodes"):
        from tests.flow import nodes  # which imports this module

        with nodes.running(MANY_FILERS) as site:
            yield site
        return
    yield run_for_all(
        MANY_FILERS,
        seasons=["2024", "2025"],
        JOB_SWEEP_SECONDS="1",
        EMAIL_URL=f"filemail://{mails}",
    )


@pytest.fixture(scope="session")
def limits(
    run_for_all: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory
) -> Service:
    """A test environment with small limits, behind a proxy on this machine.

    It has a folder of its own for temporary files, and its log is for machines. A caller is who
    `make_caller` says, so that no test uses up what another one may ask.
    """
    return run_for_all(
        seasons=["2024"],
        WEB_THREADS="12",
        SIGNING_ENABLED="false",
        UPLOAD_LIMIT=str(FILE_BYTES),
        PUBLIC_UPLOAD_LIMIT=str(FILE_BYTES),
        SPREADSHEET_ROWS=str(SPREADSHEET_ROWS),
        LIMIT_PUBLIC=f"1/h:{PUBLIC_REQUESTS}",
        LIMIT_AUTHENTICATED="40/s:10",
        LIMIT_PUBLIC_UPLOAD="1/h:1",
        TRUSTED_PROXIES="127.0.0.0/8",
        LOG_FORMAT="json",
        LOG_LEVEL="debug",
        TMPDIR=str(tmp_path_factory.mktemp("temporary")),
    )


def make_caller() -> dict[str, str]:
    """Return the header by which a proxy tells of a caller that nobody else is."""
    return {"X-Forwarded-For": str(IPv6Address((0x2001_0DB8 << 96) + secrets.randbits(96)))}


@pytest.fixture(scope="session")
def other_provider() -> Iterator[OtherProvider]:
    """The identity provider of the profile `bucket`."""
    provider = OtherProvider()
    yield provider
    provider.close()


@pytest.fixture(scope="session")
def bucket(run_for_all: Callable[..., Service], other_provider: OtherProvider) -> Iterator[Service]:
    """A service whose files are in a bucket, which knows people by the provider of others.

    It has the limits that a site has by default for the public.
    """
    with a_bucket("filings") as address:
        yield run_for_all(
            seasons=["2024"],
            STORAGE_URL=address,
            OIDC_ISSUER=other_provider.issuer,
            LIMIT_PUBLIC="10/s:50",
            LIMIT_PUBLISHED="20000/h:20000",
        )


@pytest.fixture(scope="session")
def database_line() -> Iterator[Between]:
    """What stands between the profile `breakable` and its PostgreSQL."""
    line = Between()
    yield line
    line.close()


@pytest.fixture(scope="session")
def mail_line() -> Iterator[Between]:
    """What stands between the profile `breakable` and its mail server."""
    line = Between()
    yield line
    line.close()


@pytest.fixture(scope="session")
def mail_server() -> Iterator[MailServer]:
    """The mail server of the profile `breakable`."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for receivers of webhooks, and its authority, which `breakable` trusts."""
    return write_certificate(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def breakable(
    run_for_all: Callable[..., Service],
    database_line: Between,
    mail_line: Between,
    mail_server: MailServer,
    certificates: tuple[Path, Path],
) -> Service:
    """A service for tests that kill its processes, hold up its workers, or take things away.

    Others would meet the damage, so it is for these alone; each leaves it as it comes back by
    itself, which is what they assert.
    """
    lines: dict[str, Replacement] = {"EMAIL_URL": mail_line}
    if server_of(os.environ.get("DATABASE_URL", "")):
        lines["DATABASE_URL"] = database_line
    return run_for_all(
        90,
        seasons=["2024"],
        started_with=lines,
        JOB_LEASE_SECONDS=str(LEASE_SECONDS),
        JOB_SWEEP_SECONDS="1",
        LOG_FORMAT="json",
        EMAIL_URL=f"smtp://127.0.0.1:{mail_server.port}",
        SSL_CERT_FILE=str(certificates[1]),
        WEBHOOK_NETWORKS="127.0.0.0/8,::1/128",
    )


@pytest.fixture(scope="session")
def bucket_line() -> Iterator[Between]:
    """What stands between `breakable_bucket` and its storage."""
    line = Between()
    yield line
    line.close()


@pytest.fixture(scope="session")
def breakable_bucket(
    run_for_all: Callable[..., Service], bucket_line: Between
) -> Iterator[Service]:
    """The same with its files in a bucket, which can be taken away."""
    with a_bucket("breakable") as address:
        yield run_for_all(
            10,
            seasons=["2024"],
            started_with={"STORAGE_URL": bucket_line},
            STORAGE_URL=address,
            JOB_LEASE_SECONDS=str(LEASE_SECONDS),
            JOB_SWEEP_SECONDS="1",
            LOG_FORMAT="json",
        )
