"""The main job: from an empty filing to a receipt, and every status on the way."""

from __future__ import annotations

import csv
import io
import re
import time

import pytest

from filing.statuses import Status
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

QUALITY, MACRO = ("Q611",), ("Q637",)


@pytest.mark.parametrize("period", ["2024", pytest.param("2025-Q3", marks=pytest.mark.servers)])
def test_a_clean_file_goes_straight_to_ready_and_is_signed(service, period):
    with Filer.of(service, period) as filer:
        state = filer.file(lar(filer, rows=60))
        assert state["status"]["code"] == 14
        assert [state[key] for key in ("qualityExists", "macroExists")] == [False, False]
        before = int(time.time() * 1000)
        answer = filer.sign()
        assert answer.status_code == 200
        receipt = answer.json()
        assert before - 1 <= receipt["timestamp"] <= time.time() * 1000 + 1
        assert receipt["receipt"] == f"{filer.lei}-{period}-1-{receipt['timestamp']}"
        assert receipt["status"]["code"] == 15
        assert receipt["email"] == "ann@bank.example"
        assert filer.call("GET", "/submissions/1/sign").json() == receipt
        signed = filer.state()
        assert (signed["receipt"], signed["end"]) == (receipt["receipt"], receipt["timestamp"])
        filing = filer.call("GET", "").json()["filing"]
        assert filing["status"] == {"code": 3, "message": "completed"}
        assert filing["end"] == receipt["timestamp"]
        summary = filer.call("GET", "/submissions/1/summary").json()
        assert summary["submission"]["id"]["period"] == {
            "year": period[:4],
            "quarter": period[5:] or None,
        }
        assert summary["ts"]["totalLines"] == 60
        assert (summary["ts"]["year"], summary["ts"]["LEI"]) == (period[:4], filer.lei)
        assert summary["ts"]["contact"]["address"]["zipCode"]


@pytest.mark.parametrize("period", ["2024", "2024-Q2"])
def test_the_period_of_a_submission_is_written_as_the_specification_has_it(service, period):
    with Filer.of(service, period) as filer:
        made = filer.begin()
        expected = {"2024": "2024", "2024-Q2": {"year": "2024", "quarter": "Q2"}}[period]
        assert made["id"] == {"lei": filer.lei, "period": expected, "sequenceNumber": 1}
        assert filer.call("GET", "").json()["filing"]["period"] == period
        assert (made["end"], made["fileName"], made["receipt"]) == (0, "", "")
        assert made["start"] > 1_700_000_000_000


# Each row: what the file fails, the codes in its history, and where it rests.
WAYS = [
    ((), [1, 2, 3, 4, 6, 7, 8, 10, 12, 14], 14),
    (QUALITY, [1, 2, 3, 4, 6, 7, 8, 11], 11),
    (MACRO, [1, 2, 3, 4, 6, 7, 8, 10, 13], 13),
    pytest.param(QUALITY + MACRO, [1, 2, 3, 4, 6, 7, 8, 11, 13], 13, marks=pytest.mark.servers),
    (("V611",), [1, 2, 3, 4, 6, 7, 9], 9),
    (("S304",), [1, 2, 3, 4, 6, 7, 9], 9),
    (("V611", *QUALITY, *MACRO), [1, 2, 3, 4, 6, 7, 9], 9),
]


@pytest.mark.parametrize(("failing", "history", "rests"), WAYS)
def test_a_file_rests_where_its_edits_leave_it(service, failing, history, rests):
    with Filer.of(service, "2024") as filer:
        state = filer.file(lar(filer, rows=60, fail=failing))
        assert state["status"]["code"] == rests
        assert service.history(filer.lei) == history
        # What was seen from outside is part of that history, in its order.
        assert [code for code in history if code in filer.codes] == filer.codes
        edits = filer.call("GET", "/submissions/1/edits").json()
        shown = {
            item["edit"]
            for kind in ("syntactical", "validity", "quality", "macro")
            for item in edits[kind]["edits"]
        }
        expected = set(failing) - set(QUALITY + MACRO) if rests == 9 else set(failing)
        assert expected <= shown
        if rests == 9:
            assert (edits["quality"]["edits"], edits["macro"]["edits"]) == ([], [])


def test_every_status_of_the_specification_is_seen_in_some_history(service):
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=60, fail=(*QUALITY, *MACRO)))
        filer.verify("quality")
        filer.verify("macro")
        filer.sign()
        seen = set(service.history(filer.lei))
    for content in (b"1|nothing\n", "1|Bank\n2|caf\xe9\n".encode("latin-1"), None):
        with Filer.of(service, "2024") as filer:
            whole = lar(filer, rows=60) if content is None else content
            filer.file(whole)
            seen |= set(service.history(filer.lei))
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=60, fail=("V611",)))
        seen |= set(service.history(filer.lei))
    assert seen == {status.value for status in Status}


def test_a_file_that_is_no_utf8_fails_with_the_line_and_the_way_out(service):
    with Filer.of(service, "2024") as filer:
        whole = lar(filer, rows=30)
        lines = whole.split(b"\n")
        lines[16] += b"\xe9"
        state = filer.file(b"\n".join(lines))
        assert state["status"]["code"] == -1
        assert "17" in state["status"]["description"]
        assert "UTF-8" in state["status"]["description"]
        assert filer.upload(whole).status_code == 400
        filer.begin()
        filer.upload(whole, number=2)
        assert filer.rest(2)["status"]["code"] == 14


# --- verification ------------------------------------------------------------------------------


def codes(answer):
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"verified", "status"}
    return body["verified"], body["status"]["code"]


@pytest.mark.parametrize("period", ["2024", "2024-Q1"])
def test_verifying_follows_the_contracts_table(service, period):
    with Filer.of(service, period) as filer:
        assert filer.file(lar(filer, rows=60, fail=QUALITY + MACRO))["status"]["code"] == 13
        steps = [
            ("quality", True, 13), ("quality", True, 13), ("macro", True, 14), ("macro", True, 14),
            ("quality", False, 13), ("macro", False, 13), ("macro", True, 13),
            ("quality", True, 14),
        ]  # fmt: skip
        for kind, verified, code in steps:
            assert codes(filer.verify(kind, verified)) == (verified, code)
        state = filer.state()
        assert (state["qualityVerified"], state["macroVerified"]) == (True, True)
        assert filer.sign().status_code == 200
        for kind in ("quality", "macro"):
            for verified in (True, False):
                answer = filer.verify(kind, verified)
                assert answer.json()["message"].endswith("is not ready to be verified")
        second = filer.sign()
        assert (second.status_code, filer.state()["status"]["code"]) == (400, 15)


def test_quality_alone_goes_between_eleven_and_fourteen(service):
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=60, fail=QUALITY))
        assert filer.sign().status_code == 400
        assert codes(filer.verify("macro")) == (True, 11)
        assert codes(filer.verify("quality")) == (True, 14)
        assert codes(filer.verify("macro", False)) == (False, 14)
        assert codes(filer.verify("quality", False)) == (False, 11)


def test_macro_alone_goes_between_thirteen_and_fourteen(service):
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=60, fail=MACRO))
        assert codes(filer.verify("quality")) == (True, 13)
        assert codes(filer.verify("macro")) == (True, 14)
        assert codes(filer.verify("macro", False)) == (False, 13)


@pytest.mark.parametrize("content", [b"1|broken\n", None])
def test_a_file_that_must_be_corrected_cannot_be_verified(service, content):
    with Filer.of(service, "2024") as filer:
        filer.file(content or lar(filer, rows=60, fail=("V611",)))
        for kind in ("quality", "macro"):
            for verified in (True, False):
                assert filer.verify(kind, verified).status_code == 400
        assert filer.sign().status_code == 400


@pytest.mark.servers
def test_several_submissions_of_a_filing_may_be_signed(service):
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=60))
        filer.begin()
        filer.upload(lar(filer, rows=61), number=2)
        assert filer.rest(2)["status"]["code"] == 14
        first, second = filer.sign(1).json(), filer.sign(2).json()
        assert first["receipt"] != second["receipt"]
        filing = filer.call("GET", "").json()
        assert filing["filing"]["end"] == second["timestamp"]
        assert [each["id"]["sequenceNumber"] for each in filing["submissions"]] == [2, 1]
        filer.begin()
        assert filer.call("GET", "").json()["filing"]["status"]["code"] == 3


# --- findings ----------------------------------------------------------------------------------


def test_format_errors_are_paged_in_file_order_and_all_are_in_the_csv(service):
    with Filer.of(service, "2024") as filer:
        lines = lar(filer, rows=60).decode().splitlines()
        lines[0] = lines[0].replace("|2024|", "|20x4|")
        for row in range(5, 50):
            cells = lines[row].split("|")
            cells[4], cells[3] = "abc", "2024-01-02"
            lines[row] = "|".join(cells)
        lines[55] = "2|short"
        assert filer.file("\n".join(lines).encode())["status"]["code"] == 5
        pages = [
            filer.call("GET", f"/submissions/1/parseErrors?page={page}").json()
            for page in (1, 2, 3, 4)
        ]
        assert [page["count"] for page in pages] == [20, 20, 7, 0]
        assert {page["total"] for page in pages} == {47}
        assert pages[0]["transmittalSheetErrors"] == [
            {
                "rowNumber": 1,
                "estimatedULI": "Transmittal Sheet",
                "errorMessages": [
                    {
                        "fieldName": "Calendar Year",
                        "inputValue": "20x4",
                        "validValues": "Integer",
                    }
                ],
            }
        ]
        assert all(page["transmittalSheetErrors"] == [] for page in pages[1:])
        rows = [error["rowNumber"] for page in pages for error in page["larErrors"]]
        assert rows == [*range(6, 51), 56]
        first = pages[0]["larErrors"][0]
        assert first["estimatedULI"] == lines[5].split("|")[2]
        assert first["errorMessages"] == [
            {
                "fieldName": "Application Date",
                "inputValue": "2024-01-02",
                "validValues": "Date as YYYYMMDD, or NA",
            },
            {"fieldName": "Loan Type", "inputValue": "abc", "validValues": "Integer: 1, 2, 3, 4"},
        ]
        assert pages[2]["larErrors"][-1] == {
            "rowNumber": 56,
            "estimatedULI": "The ULI could not be identified.",
            "errorMessages": [
                {
                    "fieldName": "Incorrect Number of LAR Fields",
                    "inputValue": "2",
                    "validValues": "110 Fields",
                }
            ],
        }
        answer = filer.call("GET", "/submissions/1/parseErrors/csv")
        table = list(csv.reader(io.StringIO(answer.text), delimiter="|"))
        assert table[0] == [
            "Row Number", "Estimated ULI", "Field Name", "Input Value", "Valid Values",
        ]  # fmt: skip
        assert len(table) == 1 + 1 + 45 * 2 + 1


def test_edits_are_paged_with_the_values_as_filed(service):
    with Filer.of(service, "2024") as filer:
        content = lar(filer, rows=100, fail=("Q611:27",))
        filer.file(content)
        lines = content.decode().splitlines()
        by_uli = {line.split("|")[2]: line.split("|") for line in lines[1:]}
        found = []
        for page, count in ((1, 20), (2, 7), (3, 0)):
            body = filer.call("GET", f"/submissions/1/edits/Q611?page={page}").json()
            assert (body["edit"], body["count"], body["total"]) == ("Q611", count, 27)
            found += body["rows"]
        order = [line.split("|")[2] for line in lines[1:]]
        ids = [row["id"] for row in found]
        assert ids == sorted(ids, key=order.index)
        for row in found:
            filed = by_uli[row["id"]]
            names = [field["name"] for field in row["fields"]]
            assert names == ["Action Taken", "Lien Status", "Rate Spread", "HOEPA Status"]
            values = [field["value"] for field in row["fields"]]
            assert values == [filed[10], filed[60], filed[58], filed[59]]
        nothing = filer.call("GET", "/submissions/1/edits/Q612").json()
        assert (nothing["rows"], nothing["count"], nothing["total"]) == ([], 0, 0)


def test_the_edits_csv_has_every_finding_and_ends_with_the_macro_edits(service):
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=100, fail=("Q611:27", "Q637")))
        answer = filer.call("GET", "/submissions/1/edits/csv")
        assert answer.headers["Content-Type"] == "text/csv; charset=UTF-8"
        name = f"edits-summary-{filer.lei}-2024-1.csv"
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        table = list(csv.reader(io.StringIO(answer.text)))
        assert table[0] == ["editType", "editId", "ULI", "editDescription"]
        assert sum(row[1] == "Q611" for row in table) == 27
        assert table[-1][:3] == ["Macro", "Q637", ""]
        detailed = filer.call("GET", "/submissions/1/edits/csv?detail=true").text
        table = list(csv.reader(io.StringIO(detailed)))
        assert table[0][4:] == ["rowNumber", "fields"]
        q611 = next(row for row in table if row[1] == "Q611")
        assert q611[4].isdecimal()
        assert re.search(r"Rate Spread: \d", q611[5])


@pytest.mark.parametrize("period", ["2024", "2024-Q1"])
def test_whole_file_edits_say_what_they_counted(service, period):
    with Filer.of(service, period) as filer:
        lines = lar(filer, rows=60).decode().splitlines()
        lines[10] = lines[20] = lines[5]  # lines 6, 11 and 21 of the file are the same loan
        lines.pop()
        filer.file("\n".join(lines).encode())
        edits = filer.call("GET", "/submissions/1/edits").json()["syntactical"]["edits"]
        assert {"S304", "S305"} <= {edit["edit"] for edit in edits}
        count = filer.call("GET", "/submissions/1/edits/S304").json()
        assert count["rows"] == [
            {
                "id": filer.lei,
                "fields": [
                    {"name": "Entries Reported in Transmittal Sheet", "value": "60"},
                    {"name": "Total Number of LARs Found in File", "value": "59"},
                ],
            }
        ]
        copies = filer.call("GET", "/submissions/1/edits/S305").json()
        assert (copies["count"], copies["total"], copies["rows"][0]["id"]) == (1, 1, filer.lei)
        uli = lines[5].split("|")[2]
        assert any(
            uli in field["value"] and "11, 21" in field["value"]
            for field in copies["rows"][0]["fields"]
        )


def test_the_panel_is_shown_beside_what_the_transmittal_sheet_says(service):
    with Filer.of(service, "2024") as filer:
        content = lar(filer, rows=30).replace(b"|12-3456789|", b"|98-7654321|", 1)
        assert filer.file(content)["status"]["code"] == 9
        rows = filer.call("GET", "/submissions/1/edits/S303").json()["rows"]
        assert rows[0]["id"] == filer.lei
        values = {field["name"]: field["value"] for field in rows[0]["fields"]}
        assert values["Federal Taxpayer Identification Number"] == (
            "Provided: 98-7654321, Expected: 12-3456789"
        )
        edits = filer.call("GET", "/submissions/1/edits").json()["syntactical"]["edits"]
        assert [(e["edit"], e["transmittalSheet"]) for e in edits] == [("S303", True)]


# --- status reads ------------------------------------------------------------------------------


def test_an_unchanged_status_is_304_and_a_busy_one_says_when_to_ask_again(service):
    with Filer.of(service, "2024") as filer:
        filer.begin()
        first = filer.call("GET", "/submissions/latest")
        assert "Retry-After" not in first.headers
        assert first.headers["Content-Encoding"] == "gzip"  # as the client takes that
        again = filer.call(
            "GET", "/submissions/latest", headers={"If-None-Match": first.headers["ETag"]}
        )
        assert (again.status_code, again.content) == (304, b"")
        filer.upload(lar(filer, rows=3000))
        busy = filer.call(
            "GET", "/submissions/latest", headers={"If-None-Match": first.headers["ETag"]}
        )
        assert busy.status_code == 200
        if not Status(busy.json()["status"]["code"]).is_settled:
            assert busy.headers["Retry-After"] == "1"
        assert filer.rest()["status"]["code"] == 14


def test_an_institution_shows_its_filings_annual_first(service):
    lei = service.lei()
    for period in ("2024-Q2", "2024"):
        with Filer.of(service, period, lei) as filer:
            filer.begin()
    with service.client(service.tokens[lei]) as client:
        body = client.get(f"/institutions/{lei}/year/2024").json()
        periods = [each["filing"]["period"] for each in body["filings"]]
        assert periods == ["2024", "2024-Q1", "2024-Q2", "2024-Q3"]
        assert body["institution"]["lei"] == lei
        assert body["institution"]["respondent"]["name"].startswith("Bank")
        assert len(body["filings"][2]["submissions"]) == 1
        quarter = client.get(f"/institutions/{lei}/year/2024/quarter/Q2").json()
        assert [each["filing"]["period"] for each in quarter["filings"]] == ["2024-Q2"]
        assert client.get(f"/institutions/{lei}/year/2017").status_code == 404


def test_the_service_says_that_it_is_there_without_a_token(service: Service):
    with service.client("") as client:
        body = client.get("/").json()
    assert body["status"] == "OK"
