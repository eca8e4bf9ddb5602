"""Every link of the site, followed by everybody: none leads to an error."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.flow.conftest import Service
from tests.flow.crawl import Step, Visitor
from tests.flow.filer import Filer

pytestmark = pytest.mark.slow

STAFF = ("helpdesk", "operator", "administrator")
CALLERS = ("anonymous", "filer", *STAFF)
# The paths that redirects lead from and to, as patterns.
INTENDED = (
    (r"/data/", r"/data/browser/"),
    (r"/guides/filing-instructions/", r"/guides/filing-instructions/\d{4}/"),  # the newest
    (r"/filing/.*", r"/sign-in/"),
    (r"/filing/", r"/filing/institutions/"),  # where users choose theirs
    (r"/filing/.*/upload/", r"/filing/.*"),  # to what waits for a file, or where none is accepted
    (r"/sign-in/", r"/realms/.*/auth"),
    (r"/realms/.*/auth", r"/realms/.*/login|/sign-in/done"),
    (r"/sign-in/done", r"/filing/.*|/admin/|/|/sign-in/session/"),  # the last: in a new tab
    (r"/admin/filing/submission/find/", r"/admin/filing/submission/"),
    (r"/admin/filing/filing/\d+/delete/", r"/admin/filing/filing/remove/"),  # with a reason
)


@pytest.fixture(scope="module")
def site(run_service: Callable[..., Service]) -> Service:
    """The service as `make run` begins, with filings that got to each step.

    It is of its own: each page that other tests leave behind would be walked through, too.
    """
    site = run_service(filers=0)
    site.manage("make_submissions", "--institutions", "20", "--submissions", "200", "--force")
    lei, year = site.manage(
        "shell", "-v", "0", "-c",
        "from config.demo import demo_institution;"
        "from config.management.commands.prepare import data_year;"
        "print(demo_institution(data_year()).lei, data_year())",
    ).split()  # fmt: skip
    site.tokens[lei] = site.token(lei)

    def register(*fails: str) -> bytes:
        options = [word for code in fails for word in ("--fail", code)]
        path = site.data_dir / "lar.txt"
        site.manage("make_lar", str(path), "--year", year, "--rows", "100", "--lei", lei, *options)
        return path.read_bytes()

    with Filer.of(site, year, lei) as filer:
        filer.file(register(), number=1)
        assert filer.sign(1).status_code == 200
        filer.file(register("Q611", "V610-1"), number=2)
        filer.file(register("Q611", "Q637"), number=3)
        filer.file(register().replace(b"|", b"||", 1), number=4)
    return site


@pytest.fixture(scope="module")
def passwords(site: Service) -> dict[str, str]:
    lines = (site.data_dir / "demo-logins").read_text().splitlines()
    return dict(line.split()[:2] for line in lines)


@pytest.mark.parametrize("caller", CALLERS)
def test_no_link_leads_to_an_error(site: Service, passwords: dict[str, str], caller: str):
    with Visitor(site.url) as visitor:
        if caller in passwords:
            visitor.sign_in(caller, passwords[caller])
        visitor.walk("/", "/admin/" if caller in STAFF else "/help/")
    redirects = [step for step in visitor.steps if step.location]
    errors = [step for step in visitor.steps if step.status != 200 and not step.location]
    assert not list(map(str, errors))
    assert not [str(step) for step in redirects if not is_intended(step)]
    assert not visitor.dangling
    assert len(visitor.steps) > 300


def is_intended(step: Step) -> bool:
    """Tell whether a redirect is one of those that the site means."""
    return any(all(map(re.fullmatch, pair, step.onward)) for pair in INTENDED)
