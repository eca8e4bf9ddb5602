"""What many tests begin with: an institution, an open period, a filing, a submission."""

import gc
import os
import shutil
import uuid
from collections.abc import Iterator
from ipaddress import IPv6Address
from pathlib import Path
from socketserver import TCPServer
from threading import enumerate as list_threads
from typing import Any

import hypothesis
import psycopg
import pytest
import redis
from django.conf import settings

import config.urls  # noqa: F401 -- with which the tables of the admin register
from config.requests import tool_uses
from filing.access import Caller
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    Submission,
    column_headings,
    extensions,
    filing_years,
)
from filing.pages import announcements
from tests import make
from tests.empty_database import django_db_setup, empty_database, execute, server_of

__all__ = ["django_db_setup", "empty_database"]  # fixtures

LEI = make.LEI

# The published rule lists and real filing files may lie beside the project. What compares us with
# them is left out where they do not: all behaviour is tested on data of our own, too.
TESTS = Path(__file__).resolve().parent
PUBLISHED = TESTS.parent.parent / "shared"
SUBMISSION_FILES = settings.DATA_DIR / "files" / "submissions"
KINDS_OF_FOLDERS = {"browser": "browser", "flow": "flow"}

# On a busy machine any example may take long: how fast something is, bench tells.
# The gate tries the same examples each time; `make test-slow` four times as many, new ones.
hypothesis.settings.register_profile("quick", derandomize=True, deadline=None, max_examples=25)
hypothesis.settings.register_profile("thorough", deadline=None)
hypothesis.settings.load_profile("quick")


# The years of a new service. They are read again where a test changes them, not after a while.
YEARS = {row.year: row.rules() for row in filing_years.released_years()}
filing_years.REFRESH_SECONDS = float("inf")
filing_years.remember_years(YEARS)
column_headings.REFRESH_SECONDS = float("inf")
extensions.REFRESH_SECONDS = float("inf")
tool_uses.STORE_SECONDS = float("inf")  # tests of it store at once
column_headings.remember_headings(())
extensions.remember_extensions({})


@pytest.fixture(autouse=True)
def released_years() -> Iterator[None]:
    """Begin each test with the years of a new service."""
    yield
    filing_years.remember_years(YEARS)
    column_headings.remember_headings(())
    extensions.remember_extensions({})


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mixed-rows",
        type=int,
        default=1_000,
        help="the records of each period that the engine and the published rules both judge",
    )
    parser.addoption(
        "--fuzz-rows",
        type=int,
        default=100_000,
        help="how many rows of garbage the edits are given (default: 100000)",
    )
    parser.addoption(
        "--fuzz-inputs",
        type=int,
        default=1_000,
        help="how many broken files each reader of files is given (default: 1000)",
    )
    parser.addoption(
        "--fuzz-first",
        type=int,
        default=0,
        metavar="N",
        help="the number of the first of these files: so a run goes on where another one ended",
    )
    parser.addoption(
        "--every-request",
        type=int,
        default=8,
        metavar="N",
        help="of the requests with text that cannot be stored, send each Nth (default: 8; 1: all)",
    )
    parser.addoption(
        "--requests",
        type=int,
        default=2_000,
        help="how many made-up requests tests/test_made_up_requests.py sends (default: 2000)",
    )
    parser.addoption(
        "--interleavings",
        type=int,
        default=50,
        help="how many random interleavings of repeated requests are tried (default: 50)",
    )
    parser.addoption(
        "--answer-walks",
        type=int,
        default=2,
        help="how many random walks tests/test_one_answer.py takes (default: 2)",
    )
    parser.addoption(
        "--nodes",
        action="store_true",
        help="run tests of the flow on two web nodes and three worker nodes (test_filing.py)",
    )
    parser.addoption(
        "--places",
        action="store_true",
        help="fail where databases differ and no test with the marker servers goes",
    )
    parser.addoption(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="where tests of pages put the pictures that the documents show",
    )
    parser.addoption(
        "--record-examples",
        type=Path,
        metavar="FOLDER",
        help="where tests/flow/test_recorded_examples.py writes the examples of the API document",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--places"):
        from tests.database_places import Places

        config.pluginmanager.register(Places(), "places")


def pytest_sessionstart(session: pytest.Session) -> None:
    """End at once where a server that the environment names does not answer."""
    try:
        if server := server_of(os.environ.get("DATABASE_URL", "")):
            execute(server, "SELECT 1")
        if (broker := os.environ.get("CELERY_BROKER_URL", "")).startswith("redis"):
            redis.Redis.from_url(broker).ping()
    except (psycopg.OperationalError, redis.ConnectionError) as error:
        pytest.exit(f"A server of these tests does not answer: {error}", returncode=3)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.scheduling import Scheduling

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect the tests without the garbage collector: of what it looks through all stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the garbage collector leave out what is imported by now: it stays to the end."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let it collect them at the end: libraries tell of what is never freed."""
    gc.unfreeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the file that needs this plugin where it is off: it takes seconds to import."""
    needs_it = collection_path.name == "test_schemathesis.py"
    return True if needs_it and not config.pluginmanager.hasplugin("schemathesis") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(kind_of(item))
    items.sort(key=lambda item: item.get_closest_marker("flow") is None)  # the longest first
    if PUBLISHED.is_dir():
        return
    left_out = [item for item in items if item.get_closest_marker("published")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def kind_of(item: pytest.Item) -> str:
    """Return the marker of a test: what it needs tells it, so that no list has to be kept."""
    if item.get_closest_marker("resilience"):
        return "resilience"
    folder = item.path.relative_to(TESTS).parts[0]
    if folder in KINDS_OF_FOLDERS:
        return KINDS_OF_FOLDERS[folder]
    fixtures = set(getattr(item, "fixturenames", ()))
    if item.get_closest_marker("django_db") or fixtures & {"db", "transactional_db"}:
        return "http"
    return "unit"


@pytest.fixture(scope="session")
def fuzz_rows(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--fuzz-rows"))


@pytest.fixture(scope="session")
def fuzz_inputs(request: pytest.FixtureRequest) -> range:
    first = int(request.config.getoption("--fuzz-first"))
    return range(first, first + int(request.config.getoption("--fuzz-inputs")))


@pytest.fixture(scope="session")
def interleavings(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--interleavings"))


@pytest.fixture(scope="session")
def answer_walks(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--answer-walks"))


@pytest.fixture(scope="session")
def every_request(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--every-request"))


@pytest.fixture(scope="session")
def made_up_requests(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--requests"))


@pytest.fixture(autouse=True, scope="module")
def ended_servers() -> Iterator[None]:
    """Fail where a server of a test goes on after its socket was closed.

    It would ask the socket without a pause, so that each later test takes several times as long.
    """
    yield
    targets = [getattr(thread, "_target", None) for thread in list_threads()]
    servers = [
        getattr(each, "__self__", None)
        for each in targets
        if getattr(each, "__name__", "") == "serve_forever"
    ]
    closed = [each for each in servers if isinstance(each, TCPServer) and each.fileno() == -1]
    assert not closed, "Call shutdown() of a server before server_close(), also when a test fails."


@pytest.fixture(autouse=True)
def files_of_submissions_gone() -> Iterator[None]:
    """Remove files when their rows go, or a submission would find those of all tests before it."""
    yield
    shutil.rmtree(SUBMISSION_FILES, ignore_errors=True)


@pytest.fixture(autouse=True)
def nothing_announced() -> None:
    """Nothing was announced a moment ago, so that no request has to ask."""
    announcements.preset_announcements([], seconds=3600)


@pytest.fixture
def here() -> str:
    """Return an address in a network that nobody else has: Redis keeps buckets beyond a run.

    It is written as the log writes it.
    """
    network = uuid.uuid4().hex
    return str(IPv6Address(f"2001:db8:{network[:4]}:{network[4:8]}::1"))


@pytest.fixture
def filer() -> Caller:
    return make.caller(id="user-1")


@pytest.fixture
def institution(db: None) -> Institution:
    return make.institution()


@pytest.fixture
def open_period(db: None) -> FilingPeriod:
    return make.period()


@pytest.fixture
def filing(institution: Institution, open_period: FilingPeriod) -> Filing:
    return make.filing()


@pytest.fixture
def submission(filing: Filing, filer: Caller) -> Submission:
    return make.begun(filing, by=filer)
