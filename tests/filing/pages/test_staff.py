"""Staff see the pages of an institution as its filers do; they change nothing, and it is logged."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from filing.models import Submission, TrailEntry
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, signed_in, text, upload, work
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
READ_ONLY = "You cannot change anything here"
VIEWED = "submission viewed as the filer sees it"


@pytest.fixture
def submission(browser, census) -> Submission:
    upload(browser, begin(browser), register(Q611=2))
    work()
    return Submission.objects.get()


PAGES = ("", "edits/", "edits/Q611/", "formatting-errors/")


def test_staff_see_what_the_filer_sees_without_a_form(helper, submission):
    staff = signed_in(helper)
    reason = {"reason": "The filer asks about Q611."}
    assert staff.post(f"/filing/reason/{submission.pk}/", reason).status_code == 303
    for address in (f"/filing/{LEI}/", FILING, *(f"{FILING}1/{page}" for page in PAGES)):
        page = staff.get(address)
        assert READ_ONLY in text(page), address
        main = page.content.decode().partition("<main")[2].partition("</main>")[0]
        assert 'method="post"' not in main, address
    viewed = TrailEntry.objects.filter(event=VIEWED, actor_username="hal", lei=LEI)
    assert [each.reason for each in viewed.order_by("id")] == [f"{FILING}1/{p}" for p in PAGES]
    assert {each.about for each in viewed} == {str(submission)}


def test_staff_change_nothing(helper, submission):
    staff = signed_in(helper)
    for address, form in (
        (FILING, {}),
        (f"{FILING}1/upload/", {}),
        (f"{FILING}1/verify/quality/", {"verified": "true"}),
        (f"{FILING}1/edits/", {}),
        (f"{FILING}1/edits/Q611/", {"reviewed": "true"}),
        (f"{FILING}1/sign/", {"certified": "on"}),
        (f"{FILING}1/receipt/", {}),
    ):
        assert "Only users of the institution can change" in text(staff.post(address, form), 403)
    assert Submission.objects.get().changed_at == submission.changed_at
    answer = staff.get(f"{FILING}1/file/")
    assert "in the admin, which asks for a reason" in text(answer, 403)
    assert not TrailEntry.objects.filter(event="file downloaded").exists()


def test_staff_without_the_permission_see_nothing(submission):
    user = User.objects.create_user("sam", is_staff=True)
    assert "You do not act for this institution" in text(signed_in(user).get(FILING), 403)


def test_a_part_of_a_page_sends_whoever_is_signed_out_to_sign_in(client):
    answer = client.get(f"{FILING}1/", headers={"hx-request": "true"})
    assert answer.status_code == 204
    assert answer["HX-Redirect"] == f"/sign-in/?next=%2Ffiling%2F{LEI}%2F2024%2F1%2F"
