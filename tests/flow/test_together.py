"""Many callers at once: each effect happens once, whoever comes second is told."""

from __future__ import annotations

import html
import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.config.identity.client import BACK, CONNECT, VERIFIER, authorize
from tests.flow.filer import Filer, lar

pytestmark = [pytest.mark.slow, pytest.mark.servers]


def at_once(calls):
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_of_two_uploads_to_one_submission_one_wins(service):
    for _ in range(3):
        with Filer.of(service, "2024") as filer:
            filer.begin()
            files = [lar(filer, rows=4000, seed=seed) for seed in (1, 2)]
            answers = at_once([lambda file=file: filer.upload(file) for file in files])
            assert sorted(answer.status_code for answer in answers) == [202, 400]
            loser = next(answer for answer in answers if answer.status_code == 400)
            name = f"{filer.lei}-2024-1"
            assert loser.json()["message"] == f"Submission {name} not available for upload"
            assert filer.rest()["status"]["code"] == 14


def test_fifty_signs_at_once_give_one_receipt(service):
    with Filer.of(service, "2024") as filer:
        assert filer.file(lar(filer, rows=40))["status"]["code"] == 14
        answers = at_once([filer.sign] * 50)
        signed = [answer.json() for answer in answers if answer.status_code == 200]
        assert len(signed) == 1
        assert {answer.status_code for answer in answers} == {200, 400}
        assert filer.call("GET", "/submissions/1/sign").json()["receipt"] == signed[0]["receipt"]
        assert service.history(filer.lei).count(15) == 1


def test_submissions_created_at_once_have_numbers_of_their_own(service):
    with Filer.of(service, "2024") as filer:
        filer.call("POST", "")
        create = [lambda: filer.call("POST", "/submissions")] * 20
        made = [answer.json()["id"]["sequenceNumber"] for answer in at_once(create)]
        assert sorted(made) == list(range(1, 21))


def test_a_filing_started_by_many_at_once_is_one(service):
    lei = "FLOWTESTMANYATONCE01"
    panel = service.data_dir / "many.csv"
    panel.write_text(
        "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer\n"
        f"2024,{lei},Many,12-3456789,9,many.example,false\n"
    )
    service.manage("load_institutions", str(panel))
    # It begins with the record in the panel; here nobody expected it.
    begun = f"Filing.objects.filter(institution__lei='{lei}')"
    service.shell(f"from filing.models import Filing; {begun}.delete()")
    with service.client(service.token(lei)) as client:
        address = f"/institutions/{lei}/filings/2024"
        answers = at_once([lambda: client.post(address)] * 10)
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 9


def test_many_files_of_one_institution_all_come_to_rest(service):
    with Filer.of(service, "2024") as filer:
        for number in range(1, 9):
            filer.begin()
            content = lar(filer, rows=50, seed=number)
            assert filer.upload(content, number=number).status_code == 202
        assert [filer.rest(number)["status"]["code"] for number in range(1, 9)] == [14] * 8


def code_of_a_new_user(service) -> str:
    """Sign a new user in as a browser does, and return the code that it is sent back with."""
    service.manage(
        *("shell", "-v", "0", "-c"),
        "from django.contrib.auth.models import User;"
        "User.objects.create_user('together', 'together@bank.example', 'a long pass phrase')",
    )
    with httpx.Client(base_url=service.url, follow_redirects=True) as browser:
        form = browser.get(authorize())
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form.text)
        filled_in = {name: html.unescape(value) for name, value in hidden}
        filled_in |= {"username": "together", "password": "a long pass phrase"}
        page = browser.post(form.url.copy_with(query=None), data=filled_in)
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text)
        allowed = {name: html.unescape(value) for name, value in hidden} | {"allow": "Authorize"}
        back = browser.post(page.url, data=allowed, follow_redirects=False)
    assert back.headers["location"].startswith(BACK)
    return httpx.QueryParams(back.headers["location"].partition("#")[2])["code"]


def test_a_code_that_many_exchange_at_once_leaves_no_refresh_token(service):
    code = code_of_a_new_user(service)
    address = f"{service.url}{CONNECT}/token"
    grant = {"grant_type": "authorization_code", "redirect_uri": BACK, "code_verifier": VERIFIER}
    asked = {**grant, "client_id": "hmda2-api", "code": code}
    answers = at_once([lambda: httpx.post(address, data=asked, timeout=60)] * 8)
    assert {answer.status_code for answer in answers} <= {200, 400}
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert given
    for each in given:
        again = {"grant_type": "refresh_token", "client_id": "hmda2-api"}
        again["refresh_token"] = each["refresh_token"]
        assert httpx.post(address, data=again).json()["error"] == "invalid_grant"
