"""Files that end or hang their worker: given up with a reason, and others are filed meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import pytest

from bench.service import lei_of
from tests.flow.conftest import Service, panel
from tests.flow.filer import Filer, lar
from tests.resilience import poison

pytestmark = pytest.mark.resilience

LEASE_SECONDS = 3
GIVEN_UP_SECONDS = 400
OTHERS_SECONDS = 120
FILES_BEFORE = 10
KINDS = list(poison.KINDS)


@pytest.fixture(scope="module")
def poisoned(run_service: Callable[..., Service]) -> Service:
    """A service of its own: files that are poison to its workers end and hang them."""
    service = run_service(
        seasons=["2024"],
        DJANGO_SETTINGS_MODULE="tests.resilience.poison_settings",
        JOB_LEASE_SECONDS=str(LEASE_SECONDS),
        JOB_STILL_SECONDS="8",  # of small files a quarter
        JOB_SWEEP_SECONDS="1",
    )
    leis = [lei_of(poison.FIRST + number) for number in range(len(KINDS))]
    institutions = panel(service.data_dir / "poison.csv", leis, range(2024, 2025))
    service.manage("load_institutions", str(institutions))
    service.make_tokens(leis)
    return service


def test_each_kind_of_poison_is_given_up_and_other_files_are_filed_meanwhile(poisoned):
    before = [file_another(poisoned) for _ in range(FILES_BEFORE)]
    waiting, meanwhile = {}, []
    for number, kind in enumerate(KINDS):
        waiting[number] = kind
        with Filer.of(poisoned, "2024", lei_of(poison.FIRST + number)) as filer:
            send(filer)
        meanwhile.append(file_another(poisoned))
    until = time.monotonic() + GIVEN_UP_SECONDS
    while waiting:
        assert time.monotonic() < until, f"not given up: {list(waiting.values())}"
        for number, kind in list(waiting.items()):
            with Filer.of(poisoned, "2024", lei_of(poison.FIRST + number)) as filer:
                state = filer.state()
                if state["status"]["code"] == -1:
                    assert "This is our fault" in str(state), kind
                    del waiting[number]
        time.sleep(1)
    file_another(poisoned)
    print(f"\nseconds of other files: {median(before):.2f}, with poison {median(meanwhile):.2f}")


def file_another(service: Service) -> float:
    """File for an institution whose files do no harm; return the seconds until it is checked."""
    began = time.monotonic()
    with Filer.of(service, "2024") as filer:
        send(filer)
        assert filer.rest(seconds=OTHERS_SECONDS)["status"]["code"] == 14
    return time.monotonic() - began


def send(filer: Filer) -> None:
    """Begin and upload, again while poison holds the lock of SQLite."""
    content = lar(filer, rows=20)
    until = time.monotonic() + OTHERS_SECONDS
    for rest in ("", "/submissions"):
        while filer.call("POST", rest).status_code == 503:
            assert time.monotonic() < until
    while (answer := filer.upload(content)).status_code == 503:
        assert time.monotonic() < until
    assert answer.status_code == 202, answer.text
