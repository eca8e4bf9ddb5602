"""The filer's pages: sessions that end, forms sent twice, forged forms, other institutions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.flow.conftest import Service
from tests.flow.person import FORMS, Person, text
from tests.flow.processes import wait_until

READ = (
    "", "1/", "1/upload/", "1/notify/", "1/file/", "1/formatting-errors/",
    "1/formatting-errors/?format=csv", "1/formatting-errors/?group=1", "1/edits/",
    "1/edits/?format=csv", "1/edits/?format=xlsx", "1/edits/?q=income", "1/edits/report/",
    "1/edits/Q611/", "1/edits/Q611/?format=csv", "1/edits/Q611/?format=xlsx", "compare/1/2/",
    "compare/2/1/", "compare/1/2/?format=csv", "1/verify/quality/", "1/verify/macro/", "1/sign/",
    "1/receipt/", "1/receipt/?format=json", "1/receipt/?format=pdf", "Q1/", "Q1/1/",
    "Q1/1/edits/?format=csv", "Q1/1/receipt/?format=json", "2147483648/",
)  # fmt: skip


@pytest.fixture(scope="module")
def ready(service: Service) -> Iterator[dict[str, Person]]:
    """A person with an institution in each state: nothing sent, a form awaited, and so on."""
    states = ("new", "created", "to verify", "to sign", "signed")
    leis = [service.lei() for _ in states]
    with Person.of(service, *leis, name="pages-ann") as ann:
        yield in_states(ann, dict(zip(states, leis, strict=True)))


def in_states(ann: Person, leis: dict[str, str]) -> dict[str, Person]:
    """Bring each institution into its state; return the person at each."""
    made = {state: ann.at(lei) for state, lei in leis.items()}
    made["created"].begin()
    made["to verify"].file(fail=("Q611:3",))
    made["to sign"].file()
    made["signed"].file()
    assert made["signed"].post("1/sign/").status_code == 303
    wait_until(lambda: made["signed"].facts()["unsent"] == 0, "the receipt was sent")
    return made


# At which state each form does something, the page that its sender is to come back to, and what.
STEPS = [
    ("new", "", ""),
    ("created", "1/upload/", "1/upload/"),
    ("to verify", "1/notify/", "1/"),
    ("to verify", "1/edits/Q611/", "1/edits/Q611/"),
    ("to verify", "1/verify/quality/", "1/edits/"),
    ("to verify", "1/verify/macro/", "1/edits/"),
    ("to sign", "1/sign/", "1/sign/"),
    ("signed", "1/receipt/", "1/receipt/"),
]


def sent(person: Person, page: str) -> httpx.Response:
    """Send the form of a page, with a file where it has one."""
    return person.upload(person.content()) if page == "1/upload/" else person.post(page)


END = """
from config.backends.sessions import SessionStore
assert SessionStore().exists({key!r})
SessionStore({key!r}).delete()
"""


def end_session(person: Person) -> None:
    person.service.shell(END.format(key=person.client.cookies["sessionid"]))


def test_a_form_of_an_ended_session_leads_to_sign_in_and_back_and_keeps_nothing(ready):
    for state, page, back in STEPS:
        person = ready[state]
        before = person.facts()
        end_session(person)
        answer = sent(person, page)
        assert answer.status_code in {302, 303}, (page, answer.text)
        assert urlsplit(answer.headers["Location"]).path == "/sign-in/"
        again = person.sign_in(answer.headers["Location"])
        assert (again.status_code, again.url.path) == (200, person.path(back)), page
        assert person.facts() == before, page


def test_a_page_of_an_ended_session_leads_to_sign_in_and_back(ready):
    for state, page in [("to verify", "1/edits/Q611/?page=1"), ("to sign", "1/sign/")]:
        person = ready[state]
        end_session(person)
        answer = person.get(page)
        onward = parse_qs(urlsplit(answer.headers["Location"]).query)["next"]
        assert (answer.status_code, onward) == (302, [person.path(page)])
        again = person.sign_in(person.path(page))
        assert (again.status_code, again.url.raw_path.decode()) == (200, person.path(page))


def test_a_page_that_refreshes_itself_leads_to_sign_in_when_the_session_has_ended(ready):
    person = ready["to verify"]
    end_session(person)
    answer = person.poll()
    assert (answer.status_code, answer.content) == (204, b"")
    onward = answer.headers["HX-Redirect"]
    assert person.sign_in(onward).url.path == person.path("1/")


def at_once(call: Callable[[], httpx.Response], times: int = 6) -> list[httpx.Response]:
    with ThreadPoolExecutor(times) as pool:
        return [each.result() for each in [pool.submit(call) for _ in range(times)]]


@pytest.fixture
def bob(service: Service) -> Iterator[Person]:
    with Person.of(service, name="pages-bob") as bob:
        yield bob


@pytest.mark.slow
def test_each_form_that_is_sent_many_times_at_once_has_one_effect(bob):
    person = bob
    answers = at_once(lambda: person.post(""))
    assert {each.status_code for each in answers} == {303}, [text(each) for each in answers]
    assert {each.headers["Location"] for each in answers} == {person.path("1/upload/")}
    assert person.facts()["statuses"] == [1]

    content = person.content(rows=500, fail=("Q611:3",))
    answers = at_once(lambda: person.upload(content))
    assert sorted({each.status_code for each in answers}) == [303, 400]
    assert [each.status_code for each in answers].count(303) == 1
    person.wait()
    assert person.facts()["events"].count("UPLOAD_FINISHED") == 1

    answers = at_once(lambda: person.post("1/verify/quality/"))
    assert {each.status_code for each in answers} == {303}
    facts = person.facts()
    assert (facts["statuses"], facts["events"].count("QUALITY_VERIFIED")) == ([14], 1)

    answers = at_once(lambda: person.post("1/sign/"))
    assert {each.status_code for each in answers} == {303}, [text(each) for each in answers]
    assert {each.headers["Location"] for each in answers} == {person.path("1/receipt/")}
    facts = person.facts()
    assert (facts["statuses"], facts["signatures"], facts["completed"]) == ([15], 1, 1)
    assert set(facts["receipts"].values()) == {1}
    make_receipts_old(person)

    answers = at_once(lambda: person.post("1/receipt/"))
    assert {each.status_code for each in answers} == {303}  # the page says who came too late
    facts = person.facts()
    assert set(facts["receipts"].values()) == {2}
    assert facts["sent again"] == 1


def make_receipts_old(person: Person) -> None:
    """Let the emails of a receipt have been sent two minutes ago."""
    question = (
        "import time\n"
        "from datetime import timedelta\n"
        "from filing.models import Mail\n"
        f"mails = Mail.objects.filter(submission__filing__institution__lei='{person.lei}')\n"
        "while any(mail.job.is_unfinished for mail in mails.select_related('job').all()):\n"
        "    time.sleep(0.1)\n"
        "for mail in mails:\n"
        "    mails.filter(pk=mail.pk).update(made_at=mail.made_at - timedelta(minutes=2))\n"
    )
    person.service.shell(question)


@pytest.mark.parametrize("forgery", ["no token", "wrong token", "other origin", "no cookie"])
def test_a_forged_form_is_refused_with_a_page_that_says_so_and_keeps_nothing(ready, forgery):
    for state, page, _ in STEPS:
        person = ready[state]
        before = person.facts()
        data = {"csrfmiddlewaretoken": person.token, **FORMS[page]}
        headers, cookies = {}, dict(person.client.cookies)
        if forgery == "no token":
            del data["csrfmiddlewaretoken"]
        elif forgery == "wrong token":
            data["csrfmiddlewaretoken"] = "x" * 64
        elif forgery == "other origin":
            headers["Origin"] = "https://evil.example"
        else:
            del cookies["csrftoken"]
        files = {"file": ("lar.txt", person.content())} if page == "1/upload/" else None
        with httpx.Client(base_url=person.service.url, cookies=cookies, timeout=60) as browser:
            answer = browser.post(person.path(page), data=data, headers=headers, files=files)
        assert answer.status_code == 403, (page, answer.text)
        assert answer.headers["Content-Type"].startswith("text/html")
        assert "Go back" in text(answer) or "Load" in text(answer), text(answer)
        assert person.facts() == before, page
        # A worker may be building what is published meanwhile, in a folder of its own.
        incoming = (person.service.data_dir / "incoming").iterdir()
        assert [path for path in incoming if not path.name.startswith("work-")] == []


def test_another_institution_and_one_that_does_not_exist_are_refused_with_the_same_bytes(
    ready, bob
):
    ann = ready["signed"]
    nowhere = "FLOWTESTNOSUCHLEI001"
    assert bob.get().status_code == 200
    for page in READ:
        kinds = [({}, "GET")] if page == "" or "?" in page else [({}, "GET"), (HX, "GET")]
        for headers, method in kinds:
            check_same(bob, method, page, ann.lei, nowhere, headers=headers)
        check_same(bob, "HEAD", page, ann.lei, nowhere)
    for page in FORMS:
        check_same(bob, "POST", page, ann.lei, nowhere, data=FORMS[page])
    check_same(bob, "POST", "Q1/", ann.lei, nowhere, data={})
    check_same(bob, "POST", "1/upload/", ann.lei, nowhere, files={"file": ("lar.txt", b"1|x\n")})
    for lei in (ann.lei, nowhere):
        assert bob.client.get(f"/filing/{lei}/").status_code == 403
    for method in ("PUT", "PATCH", "DELETE"):
        check_same(bob, method, "1/", ann.lei, nowhere)


HX = {"HX-Request": "true"}
_CHANGING = re.compile(
    r'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|[0-9a-f]{32}|nonce-[^\']*'
    r'|data-seconds="[0-9]+"'
)


def check_same(
    person: Person, method: str, page: str, real: str, nowhere: str, **options: Any
) -> None:
    """Ask for a page of both institutions; both are refused, and differ in the LEI alone."""
    shown = []
    for lei in (real, nowhere):
        given = {**options, "headers": {"X-CSRFToken": person.token, **options.get("headers", {})}}
        answer = person.client.request(method, person.at(lei).path(page), **given)
        assert answer.status_code == 403, (method, page, answer.text)
        headers = {name: answer.headers[name] for name in answer.headers if name not in IN_TIME}
        both = f"{headers}\n{answer.text}".replace(lei, "LEI")
        shown.append(_CHANGING.sub("", both))
    assert shown[0] == shown[1], (method, page)


IN_TIME = {"date", "expires", "x-request-id", "set-cookie", "content-length", "etag"}
