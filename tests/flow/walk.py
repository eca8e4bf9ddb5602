"""A walk: what the callers of a service do, and what has to come of it."""

from __future__ import annotations

import re
from typing import Any

from filing.statuses import EDITED, Status
from tests.flow.callers import Lost, refusal
from tests.flow.confirmed import Filed
from tests.flow.walk_uploads import Uploads
from tests.flow.walk_world import CLOSED, KEY_OF, REASON, VERIFIABLE, Place, content

ACTIONS = "/admin/filing/submission/act"
STOP, RUN_AGAIN = "stop", "run-edits-again"
FOREIGN_FILE = {"file": ("lar.txt", b"1|A stranger's file\n")}
DONE = Status.SIGNED, Status.FAILED


class Walk(Uploads):
    """One walk."""

    def verify(self, filed: Filed, kind: str, *, verified: bool, is_repeated: bool = False) -> None:
        """Verify the edits of a kind, or take that back."""
        path, before = self.address(filed, f"/edits/{kind}"), self.code(filed)
        body = {"verified": verified}
        if is_repeated:
            answer = self.filer.post(path, is_repeated=True, json=body)
        else:  # which may be sent as often as it takes, too
            answer = self.filer.until_answered("POST", path, json=body)
        if answer.status_code == 200:
            assert before in VERIFIABLE or not Status(before).is_settled
            (filed.verified.add if verified else filed.verified.discard)(kind)
            given = answer.json()
            assert given["verified"] is verified
            if Status(before).is_settled:
                assert given["status"]["code"] == filed.code_by_verification
                assert self.code(filed) == filed.code_by_verification
        else:
            assert before not in VERIFIABLE, answer.text
            self.refused(answer, path, "not ready to be verified")

    def sign(
        self, filed: Filed, *, signed: bool, reason: str = REASON, is_repeated: bool = False
    ) -> None:
        """Sign a submission; a file that counts already is not signed again without a reason."""
        path, before = self.address(filed, "/sign"), self.code(filed)
        body = {"signed": signed, "reason": reason}
        try:
            answer = self.filer.post(path, is_repeated=is_repeated, json=body)
        except Lost:
            answer = self.filer.get(path)
            filed.receipt = answer.json()["receipt"]
            assert bool(filed.receipt) == (self.code(filed) == Status.SIGNED)
            return
        if answer.status_code == 200:
            assert signed
            assert before == Status.VERIFIED or not Status(before).is_settled
            assert self.world.is_open[filed.period]
            assert not self.is_replaced(filed)
            assert reason or not self.is_unchanged(filed)
            filed.receipt = answer.json()["receipt"]
            assert filed.receipt.startswith(f"{filed.name}-")
            assert self.code(filed) == Status.SIGNED
            return
        is_ready = before == Status.VERIFIED and self.world.is_open[filed.period]
        if is_ready and signed:
            assert self.is_replaced(filed) or (self.is_unchanged(filed) and not reason)
            self.refused(answer, path, status=409)
        else:
            self.refused(answer, path, "not ready to be signed", CLOSED, "signed = false")

    def signed_at(self, filed: Filed) -> list[Filed]:
        """Return the signed submissions of the same filing, in their order."""
        return [
            each for each in self.filed if self.place(each) == self.place(filed) and each.receipt
        ]

    def is_replaced(self, filed: Filed) -> bool:
        """Whether a later submission of the filing is signed."""
        return any(each.number > filed.number for each in self.signed_at(filed))

    def is_unchanged(self, filed: Filed) -> bool:
        """Whether its file is the one that counts."""
        signed = self.signed_at(filed)
        return bool(signed) and signed[-1].sha256 == filed.sha256

    def read(self, filed: Filed) -> None:
        """Read all that can be read of a submission."""
        self.code(filed)
        answers = {
            rest: self.filer.get(self.address(filed, rest))
            for rest in ("/edits", "/edits/csv", "/edits/Q611", "/parseErrors", "/parseErrors/csv",
                         "/summary", "/receipt", "/sign")
        }  # fmt: skip
        assert {each.status_code for each in answers.values()} <= {200, 400, 404}
        assert answers["/sign"].json()["receipt"] == filed.receipt
        assert (answers["/receipt"].status_code == 200) == bool(filed.receipt)
        if filed.code in EDITED and filed.kind:
            edits = answers["/edits"].json()
            assert {kind for kind in ("quality", "macro") if edits[kind]["edits"]} == filed.edits
            shown = {kind for kind in ("quality", "macro") if edits[kind]["verified"]}
            assert shown == filed.verified
        if filed.code == Status.PARSED_WITH_ERRORS:
            assert answers["/parseErrors"].json()["total"] == 1
        latest = self.filer.get(self.path(filed.lei, filed.period, "/submissions/latest"))
        newest = max(each.number for each in self.filed if self.place(each) == self.place(filed))
        assert latest.json()["id"]["sequenceNumber"] == newest

    def place(self, filed: Filed) -> tuple[str, str]:
        return filed.lei, filed.period

    # --- others -----------------------------------------------------------------------------------

    def try_as_stranger(self, filed: Filed, method: str, rest: str) -> None:
        """Someone without rights for the institution calls its addresses: all are forbidden."""
        path = self.path(filed.lei, filed.period, rest.format(n=filed.number))
        body: dict[str, Any] = {"json": {"signed": True, "verified": True}}
        if method == "GET" or rest.endswith("/submissions"):
            body = {}
        elif rest.endswith("{n}"):
            body = {"files": FOREIGN_FILE}
        answer = self.stranger.until_answered(method, path, **body)
        status, message = refusal(answer, "")
        assert status == 403
        assert filed.lei not in message
        assert filed.sha256 not in answer.text or not filed.sha256

    def act(self, filed: Filed, action: str) -> None:
        """Operators stop a submission, or let its edits run again."""
        before, was_stopped = self.code(filed), filed.is_stopped
        possible = {STOP: before not in DONE, RUN_AGAIN: before in EDITED}[action]
        page = f"{ACTIONS}/{action}/?pk={self.key(filed)}"
        if 'name="reason"' not in self.world.operator.get(page).text:
            assert not possible or not Status(before).is_settled
            return
        answer = self.world.operator.submit(page, {"reason": REASON})
        words = re.sub(r"<[^>]+>", "", answer.text)  # an LEI in it is marked up
        assert (answer.status_code, filed.name in words) == (200, True)
        self.check()
        if Status(before).is_settled:
            assert possible
            assert filed.is_stopped == (was_stopped or action == STOP)
            filed.verified.clear()
            self.settle(filed)

    def key(self, filed: Filed) -> int:
        """Return the number by which the admin knows a submission."""
        _, _, quarter = filed.period.partition("-")
        question = KEY_OF.format(lei=filed.lei, quarter=quarter, number=filed.number)
        return int(self.world.ask(question))

    def look_as_help_desk(self, filed: Filed) -> None:
        """The help desk finds a submission and looks at it; it may not stop it."""
        desk, key = self.world.desk, self.key(filed)
        found = desk.get("/admin/filing/submission/", params={"q": filed.lei})
        assert f"/admin/filing/submission/{key}/change/" in found.text
        page = desk.get(f"/admin/filing/submission/{key}/change/")
        assert (page.status_code, filed.name in page.text) == (200, True)
        log = desk.get("/admin/filing/trailentry/", params={"q": filed.lei})
        assert log.status_code == 200
        answer = desk.get(f"{ACTIONS}/{STOP}/", params={"pk": str(key)})
        assert answer.status_code == 403

    def check_receipt(self, filed: Filed) -> None:
        """Anyone checks a receipt number and the file that was filed."""
        number = filed.receipt or f"{filed.name}-1700000000000"
        answer = self.world.public.get(f"/v2/public/receipts/{number}")
        if not filed.receipt:
            assert answer.status_code == 404
            return
        given = answer.json()
        assert (given["genuine"], given["sha256"]) == (True, filed.sha256)
        address, body = "/v2/public/receipts/check", {"sha256": filed.sha256}
        by_file = self.world.public.until_answered("POST", address, json=body).json()
        assert (by_file["genuine"], by_file["sha256"]) == (True, filed.sha256)

    def check_file(self, index: int, period: str, kind: str) -> None:
        """Anyone checks a file before it is filed."""
        year, _, quarter = period.partition("-")
        address = f"/v2/public/disclosure/validate/{year}" + (
            f"/quarter/{quarter}" if quarter else ""
        )
        file = {"file": ("lar.txt", content(Place(self.leis[index], period), kind))}
        answer = self.world.public.until_answered("POST", address, files=file)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert bool(found["parserErrors"]) == (kind == "formatting")

    # --- faults -----------------------------------------------------------------------------------

    def cause(self, kind: str, *, after: float = 0) -> None:
        """Cause a fault now, or while something else happens."""
        self.calls.append(f"{kind}, in {after} s")
        self.world.figures[kind] += 1
        if after:
            self.world.faults.later(after, kind)
        else:
            self.world.faults.cause(kind)
