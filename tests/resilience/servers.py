"""Servers of a run with faults: PostgreSQL, Redis and S3 of its own, which can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import boto3
import httpx
import psycopg
import redis

from config.running.supervisor import free_port
from tests.resilience.between import Between
from tests.resilience.networks import Network

_START_SECONDS = 60
_HERE = "127.0.0.1"
# In a folder that every user may look into, or PostgreSQL ends.
_QUIET = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.DEVNULL,
    "stderr": subprocess.DEVNULL,
    "cwd": "/",
}


class Server:
    """A server process, started again after it was killed."""

    def __init__(self, command: list[str], *, user: str | None = None) -> None:
        self._command, self._user = command, user
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and return once it answers."""
        until = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(self._command, user=self._user, **_QUIET)  # type: ignore[call-overload]
            if time.monotonic() > until:
                raise TimeoutError(f"{self._command[0]} does not answer.")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it, as a machine that loses power."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def _answers(self) -> bool:
        raise NotImplementedError


class PostgreSQL(Server):
    """A PostgreSQL server with an empty database. network: from which callers come, if any."""

    def __init__(self, folder: Path, host: str = _HERE, *, network: str = "") -> None:
        # It refuses to run as root.
        user = "postgres" if os.getuid() == 0 else None
        folder.mkdir()
        if user:
            os.chmod(folder.parent, 0o755)
            subprocess.run(["chown", user, str(folder)], check=True)
        words = ["initdb", "--pgdata", str(folder), "--auth", "trust", "--username", "postgres"]
        subprocess.run(words, check=True, user=user, **_QUIET)  # type: ignore[call-overload]
        if network:
            with (folder / "pg_hba.conf").open("a") as rules:
                rules.write(f"host all all {network} trust\n")
        port = free_port()
        self.url = f"postgresql://postgres@{host}:{port}/postgres"
        options = {"port": port, "listen_addresses": host, "unix_socket_directories": ""}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        super().__init__(["postgres", "-D", str(folder), *words], user=user)

    def cut_connections(self) -> None:
        """End every connection, as an operator or a failover does."""
        with psycopg.connect(self.url) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True


class Redis(Server):
    """A Redis server that forgets everything when it is killed."""

    def __init__(self, host: str = _HERE) -> None:
        port = free_port()
        self.url = f"redis://{host}:{port}"
        options = {"port": str(port), "bind": host, "save": "", "protected-mode": "no"}
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        super().__init__(["redis-server", *words])

    def _answers(self) -> bool:
        try:
            return bool(redis.Redis.from_url(self.url).ping())
        except redis.RedisError:
            return False


class Bucket(Server):
    """A server that speaks the protocol of S3. It forgets its objects when it is killed."""

    def __init__(self, host: str = _HERE) -> None:
        port = free_port()
        self._place = f"{host}:{port}"
        program = str(Path(sys.executable).parent / "moto_server")
        super().__init__([program, "--host", host, "--port", str(port)])

    def make(self, name: str) -> str:
        """Make a bucket; return its address as the settings take it."""
        boto3.client(
            "s3",
            endpoint_url=f"http://{self._place}",
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        ).create_bucket(Bucket=name)
        return f"s3://key:secret@{self._place}/{name}?secure=false&region=us-east-1"

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://{self._place}/", trust_env=False).status_code < 500
        except httpx.TransportError:
            return False


class Servers:
    """The servers of one run, and the settings that name them."""

    def __init__(self, folder: Path, network: Network) -> None:
        host = network.host
        self.database = PostgreSQL(folder / "pg", host, network=network.subnet)
        self.broker, self._bucket = Redis(host), Bucket(host)
        self.storage_line = Between(host)
        for server in (self.database, self.broker, self._bucket):
            server.start()
        self.settings = {
            "DATABASE_URL": self.database.url,
            "CELERY_BROKER_URL": f"{self.broker.url}/0",
            "CACHE_URL": f"{self.broker.url}/1",
            "STORAGE_URL": self.storage_line(self._bucket.make("hmda"), folder),
        }

    def end(self) -> None:
        """End all of them."""
        self.storage_line.close()
        for server in (self.database, self.broker, self._bucket):
            server.kill()


@contextmanager
def running(folder: Path, network: Network | None = None) -> Iterator[Servers]:
    """Run the servers in an empty folder. network: of the nodes that use them."""
    with ExitStack() as stack:
        servers = Servers(folder, network or Network())
        stack.callback(servers.end)
        yield servers
