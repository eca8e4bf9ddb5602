"""A service on several nodes, and callers who take its web nodes in turn."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from config.running.supervisor import free_port
from tests.flow.conftest import Service, panel
from tests.flow.processes import wait_until
from tests.resilience import networks, servers
from tests.resilience.machines import BEAT, LARGE, OTHER, SITE, SMALL, WEB, Machines, Node

FILERS = 30


class InTurn(httpx.BaseTransport):
    """Sends each request to the next node that takes connections, as a load balancer does.

    The request keeps its host name. calls: answered by each node.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes, self._turns = nodes, itertools.count()
        self._inner = httpx.HTTPTransport()
        self.calls: Counter[str] = Counter()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for _ in self._nodes:
            node = self._nodes[next(self._turns) % len(self._nodes)]
            try:
                response = self._inner.handle_request(_to(node.url, request))
            except httpx.ConnectError:
                continue
            self.calls[node.name] += 1
            return response
        raise httpx.ConnectError("No web node takes connections.", request=request)

    def close(self) -> None:
        self._inner.close()


def to_node(node: Node, **options: Any) -> httpx.Client:
    """Return a client whose every call for the site goes to one node."""
    return httpx.Client(base_url=SITE, transport=InTurn([node]), timeout=60, **options)


def _to(url: str, request: httpx.Request) -> httpx.Request:
    address = httpx.URL(url)
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address.host, port=address.port),
        headers=request.headers,
        stream=request.stream,
        extensions=request.extensions,
    )


@dataclass
class Site(Service):
    """The service on its nodes. Calls of a client go to its web nodes in turn."""

    machines: Machines = field(kw_only=True)
    provider: str = field(kw_only=True)  # address of the identity provider
    web: list[Node] = field(default_factory=list, kw_only=True)
    workers: list[Node] = field(default_factory=list, kw_only=True)

    @property
    def url(self) -> str:
        return SITE

    def client(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        base = f"{SITE}/v2/filing"
        return httpx.Client(base_url=base, headers=headers, timeout=60, transport=InTurn(self.web))

    def add_worker(self, name: str) -> Node:
        """Start a worker node, which takes files of all sizes."""
        node = self.machines.add(name, LARGE)
        self.workers.append(node)
        return node


@contextmanager
def running(filers: int = FILERS, **settings: str) -> Iterator[Site]:
    """Yield a service with two web nodes and three worker nodes, and servers of its own.

    Beat runs on two of the worker nodes.
    """
    with ExitStack() as stack:
        # Not a folder of pytest, which PostgreSQL, as another user, could not look into.
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="hmda-nodes-")))
        network = stack.enter_context(networks.network())
        shared = stack.enter_context(servers.running(folder, network))
        issuer = stack.enter_context(provider(network.host))
        (folder / "nodes").mkdir()
        machines = Machines(
            folder / "nodes",
            network,
            shared.settings,
            OIDC_ISSUER=issuer,
            OIDC_CLIENT_SECRET="secret",
            TEST_LEIS="true",
            **settings,
        )
        stack.callback(machines.end)
        web = [machines.add(name, WEB) for name in ("web-1", "web-2")]
        made = Site(
            web[0], machines.desk, machines.environment, machines=machines, provider=issuer, web=web
        )
        stack.callback(made.end_console)
        _fill(made, filers)
        made.workers = [
            machines.add("worker-1", LARGE, OTHER, BEAT),
            machines.add("worker-2", LARGE, OTHER, BEAT),
            machines.add("worker-3", SMALL),
        ]
        for node in machines.nodes:
            node.wait_until_ready()
        yield made


def _fill(made: Site, filers: int) -> None:
    """Migrate, and load institutions, people and seasons. The web nodes start meanwhile.

    Ann files with programs; Ben, who signs in with a browser, files for the same institutions.
    """
    made.unused = [f"FLOWTEST{index:012d}" for index in range(filers)]
    institutions = panel(made.data_dir / "p.csv", made.unused, range(2023, 2026))
    made.manage_all(["prepare"], ["load_institutions", str(institutions)])
    made.open_seasons("2024", "2025")
    made.make_tokens(made.unused)


@contextmanager
def provider(host: str) -> Iterator[str]:
    """Yield the address of an identity provider that others have written, which knows Ben."""
    port = free_port()
    words = ("-W", "ignore", "-m", "oidc_provider_mock", "--host", host, "--port", str(port))
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://{host}:{port}"
    claims = {"email": "ben@bank1.example", "email_verified": True, "preferred_username": "ben"}

    def knows_ben() -> bool:
        try:
            return httpx.put(f"{address}/users/ben", json=claims, trust_env=False).is_success
        except httpx.TransportError:
            return False

    try:
        wait_until(knows_ben, "the identity provider answers")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def sign_in(browser: httpx.Client, service: Site) -> httpx.Response:
    """Sign Ben in, as a browser does that goes where it is sent; return the last page."""
    away = browser.get("/sign-in/")
    assert away.headers["Location"].startswith(service.provider), away.text
    back = httpx.post(away.headers["Location"], data={"sub": "ben"}, trust_env=False)
    return browser.get(back.headers["Location"], follow_redirects=True)


def csrf(page: str) -> dict[str, str]:
    """Return the hidden fields of the forms of a page."""
    return dict(re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', page))
