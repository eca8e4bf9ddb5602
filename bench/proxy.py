"""nginx with the shipped configuration, in front of a service of this machine."""

from __future__ import annotations

import re
import shutil
import signal
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from bench.stages import ROOT
from config.running.supervisor import free_port

SHIPPED = ROOT / "deploy" / "nginx.conf"
HOST = "127.0.0.1"
START_SECONDS = 20
_YOURS = re.compile(r"^(?P<indent> *)(?P<directive>[^;#\n]+);  # yours\b.*$", re.MULTILINE)


class NoNginx(Exception):
    """There is no nginx on this machine."""


class Proxy:
    """A running nginx. Of the shipped file only the lines marked `yours` are changed."""

    def __init__(
        self, folder: Path, service_port: int, *, port: int = 0, files: Path | None = None
    ) -> None:
        """Return the proxy of a service, not yet started.

        folder: its own, for logs, temporary files and its certificate. port: of the proxy; by
        default a free one. files: the stored files of the service.
        """
        self.folder, self._service_port = folder, service_port
        self._files = files or folder / "no-files"
        self.port, self.plain_port = port or free_port(), free_port()
        self.url = f"https://{HOST}:{self.port}"
        self.certificate = folder / "certificate.pem"
        self.access_log, self.error_log = folder / "access.log", folder / "error.log"
        self._program = program()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Proxy:
        self.prepare()
        self._process = subprocess.Popen([*self.command, "-g", "daemon off;"])
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            with suppress(httpx.TransportError):
                self.get("/healthz", timeout=2)
                return self
            time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"nginx did not start: {self.error_log.read_text()[-2000:]}")

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def command(self) -> list[str]:
        """The words that run nginx on this configuration."""
        return [self._program, "-e", str(self.error_log), "-c", str(self.folder / "nginx.conf")]

    @property
    def context(self) -> ssl.SSLContext:
        """What trusts the certificate of this proxy alone."""
        return ssl.create_default_context(cafile=str(self.certificate))

    def client(self, **options: object) -> httpx.Client:
        """Return a client of the service behind this proxy."""
        settings: dict[str, object] = {"timeout": 60, **options}
        return httpx.Client(base_url=self.url, verify=self.context, trust_env=False, **settings)  # type: ignore[arg-type]

    def get(self, path: str, *, timeout: float = 60) -> httpx.Response:
        """Return the answer to one request."""
        with self.client(timeout=timeout) as client:
            return client.get(path)

    def prepare(self) -> None:
        """Write the configuration and the certificate."""
        for name in ("body", "proxy"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        _make_certificate(self.certificate, self.folder / "key.pem")
        (self.folder / "nginx.conf").write_text(self.configuration())

    def configuration(self) -> str:
        """Return the shipped configuration with the addresses and folders of this proxy.

        Raises: ValueError if a marked line is one that nothing is known of.
        """
        folder = self.folder
        # Packages of nginx have folders for these too, which this machine may lack.
        others = (f"{kind}_temp_path {folder / kind};" for kind in ("fastcgi", "uwsgi", "scgi"))
        own = {
            "user": "user root;",  # who runs the tests reads the files of the service
            "pid": f"pid {folder / 'nginx.pid'};",
            "error_log": f"error_log {self.error_log} warn;",
            "server 127.0.0.1:8000": f"server {HOST}:{self._service_port};",
            "client_body_temp_path": f"client_body_temp_path {folder / 'body'};",
            "proxy_temp_path": f"proxy_temp_path {folder / 'proxy'}; {' '.join(others)}",
            "access_log": f"access_log {self.access_log} requests;",
            "listen 80": f"listen {HOST}:{self.plain_port};",
            "listen 443 ssl http2": f"listen {HOST}:{self.port} ssl http2;",
            "server_name": "server_name localhost;",
            "ssl_certificate": f"ssl_certificate {self.certificate};",
            "ssl_certificate_key": f"ssl_certificate_key {folder / 'key.pem'};",
            "alias": f"alias {self._files}/;",
        }
        used: set[str] = set()

        def replaced(line: re.Match[str]) -> str:
            words = line["directive"]
            name = words if words in own else words.split()[0]
            if name not in own:
                raise ValueError(f"{SHIPPED} marks a line that is not known: {words}")
            used.add(name)
            return line["indent"] + own[name]

        text = _YOURS.sub(replaced, SHIPPED.read_text())
        if missing := own.keys() - used:
            raise ValueError(f"{SHIPPED} does not mark: {', '.join(sorted(missing))}")
        return text

    def stop(self) -> None:
        """End nginx with its workers."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)
        self._process = None


def program() -> str:
    """Return the path of nginx, from the machine or from `make nginx`.

    Raises: NoNginx.
    """
    beside = Path(sys.executable).parent / "nginx"
    found = shutil.which("nginx") or (str(beside) if beside.exists() else "")
    if not found:
        raise NoNginx("nginx is missing: run `make nginx`, or install it.")
    return found


def _make_certificate(certificate: Path, key: Path) -> None:
    """Write a certificate for this machine that is its own authority, valid for a day."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName(
        [x509.DNSName("localhost"), x509.IPAddress(ip_address(HOST))]
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
