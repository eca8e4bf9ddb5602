"""What the tests of the filer's pages share: people with a browser, and the steps they take.

The worker is run in this process where the service would ring for one.
"""

from __future__ import annotations

import html
import re
import time

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from config.identity import tokens
from filing.jobs import loop
from filing.models import Job
from filing.people import sign_ins
from tests import make
from tests.conftest import LEI

OTHER_LEI = "529900OTHERBANK00017"
FILING = f"/filing/{LEI}/2024/"


def member(name: str, *leis: str) -> User:
    user = User.objects.create_user(name, f"{name}@bank.example")
    tokens.known_identity(user)
    for lei in leis:
        make.member(user, lei)
    return user


def signed_in(user: User, *, ago: float = 0) -> Client:
    """Return a browser whose user gave their password so many seconds ago."""
    browser = Client()
    browser.force_login(user)
    session = browser.session
    sign_ins.record_authentication(session, time.time() - ago)
    session.save()
    return browser


def text(answer: HttpResponse, status: int = 200) -> str:
    assert answer.status_code == status, answer.content[:500]
    page = html.unescape(answer.content.decode())
    return " ".join(re.sub(r"<[^>]*>", " ", page[page.index("<main") :]).split())


def begin(browser: Client) -> str:
    """Start a submission; return the address of its upload."""
    answer = browser.post(FILING)
    assert answer.status_code == 303
    return answer["Location"]


def upload(browser: Client, address: str, content: bytes, name: str = "lar.txt") -> HttpResponse:
    return browser.post(address, {"file": SimpleUploadedFile(name, content)})


def prepare(browser: Client, content: bytes) -> str:
    """Upload a file and let the workers read it; return the address of the submission."""
    form = begin(browser)
    assert upload(browser, form, content).status_code == 303
    work()
    return form.removesuffix("upload/")


def sign(browser: Client, page: str, **form: str) -> HttpResponse:
    return browser.post(f"{page}sign/", {"certified": "on", **form})


def work() -> None:
    """Do what waits for a worker."""
    for job in Job.objects.filter(state=Job.State.QUEUED):
        loop.run_job(job.pk)
