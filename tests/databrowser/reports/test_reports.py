"""The yearly reports: who is answered what, and from which data set."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from databrowser import tasks
from databrowser.models import Version, VersionReports
from databrowser.publication.versions import live_versions
from databrowser.reports import catalogue, report_jobs
from filing.models import Institution, Job
from filing.reference.kinds import MSA_MD_NAMES
from filing.reference_data import registry
from tests.databrowser.builds import OLGA, WHY
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import sign
from tests.databrowser.reports.years import (
    E1,
    E2,
    INPUT_B,
    LATE,
    T1,
    TIMELY,
    YEAR,
    count_reports,
    name_institution,
    publish_input_a,
    publish_vintage,
    read_loans,
    sign_input_a,
)
from tests.errors import error_of

pytestmark = pytest.mark.django_db
REPORTS = f"/v2/public/reports/{YEAR}"
AGGREGATE = f"{REPORTS}/aggregate/19124"
DALLAS = "Dallas-Plano-Irving, TX"
ZERO = "0"
RECEIVED, ORIGINATED = "Applications Received", "Loans Originated"
SHORT = {
    "Originated": ORIGINATED,
    "Approved": "Applications Approved but not Accepted",
    "Denied": "Applications Denied by Financial Institution",
    "Withdrawn": "Applications Withdrawn by Applicant",
    "Closed": "File Closed for Incompleteness",
    "Received": RECEIVED,
}


def publish_once() -> None:
    make_once(publish_named_input_a)


def publish_named_input_a() -> None:
    name_msa_mds()
    publish_input_a()


def name_msa_mds() -> None:
    names = f"19124|{DALLAS}\n".encode()
    header = b"msa_md|msa_md_name\n"
    registry.load_file(MSA_MD_NAMES, YEAR, header + names, source="names", by="test")


def read(client: Client, address: str) -> dict[str, Any]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def cell(value: dict[str, Any]) -> str:
    return f"{value['count']} / {value['value']}" if value["count"] else ZERO


def read_table(text: str) -> dict[tuple[str, str], str]:
    """Return the last cells of the rows of a table in a text, by the first two."""
    rows = [line.strip().strip("|").split("|") for line in text.strip().splitlines()]
    return {
        (row[0].strip(), row[1].strip()): " ".join(each.strip() for each in row[2:]) for row in rows
    }


def filled_rows(body: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Return the rows of report 1 that have anything, as tables write them."""
    rows = {
        (tract["tract"], row["title"]): " ".join(map(cell, row["values"]))
        for tract in body["tracts"]
        for row in tract["dispositions"]
    }
    return {key: cells for key, cells in rows.items() if set(cells) - {ZERO, " "}}


def expected_rows(text: str) -> dict[tuple[str, str], str]:
    return {(tract, SHORT[row]): cells for (tract, row), cells in read_table(text).items()}


def test_example_1_applications_by_tract_of_an_institution(client: Client) -> None:
    publish_once()
    body = read(client, f"{REPORTS}/disclosure/{E1}/19124/1")
    assert [tract["tract"] for tract in body["tracts"]] == [
        "Collin County/Texas/031101",
        "Dallas County/Texas/000100",
        "Dallas County/Texas/019800",
    ]
    assert filled_rows(body) == expected_rows(
        """
| Collin County/Texas/031101 | Originated | 1 / 245000 | 1 / 325000 | 0 | 0 | 0 | 0 | 0 |
| Collin County/Texas/031101 | Approved | 0 | 0 | 1 / 185000 | 0 | 0 | 0 | 0 |
| Collin County/Texas/031101 | Denied | 1 / 105000 | 1 / 95000 | 0 | 0 | 0 | 1 / 105000 | 2 / 200000 |
| Collin County/Texas/031101 | Closed | 0 | 0 | 0 | 1 / 45000 | 0 | 0 | 0 |
| Collin County/Texas/031101 | Received | 2 / 350000 | 2 / 420000 | 1 / 185000 | 1 / 45000 | 0 | 1 / 105000 | 2 / 200000 |
| Dallas County/Texas/019800 | Originated | 0 | 0 | 1 / 535000 | 0 | 1 / 1255000 | 1 / 535000 | 0 |
| Dallas County/Texas/019800 | Denied | 0 | 0 | 0 | 0 | 1 / 9005000 | 0 | 0 |
| Dallas County/Texas/019800 | Withdrawn | 0 | 1 / 265000 | 0 | 0 | 0 | 1 / 265000 | 0 |
| Dallas County/Texas/019800 | Received | 0 | 1 / 265000 | 1 / 535000 | 0 | 2 / 10260000 | 2 / 800000 | 0 |
        """  # noqa: E501
    )
    titles = [row["title"] for row in body["tracts"][1]["dispositions"]]
    assert titles == [*list(SHORT.values())[:5], RECEIVED]
    outside = read(client, f"{REPORTS}/disclosure/{E1}/99999/1")
    assert outside["msa"]["name"] == "NA"
    assert filled_rows(outside) == expected_rows(
        """
| Rains County/Texas/950100 | Originated | 0 | 0 | 0 | 1 / 35000 | 0 | 0 | 1 / 35000 |
| Rains County/Texas/950100 | Received | 0 | 0 | 0 | 1 / 35000 | 0 | 0 | 1 / 35000 |
        """
    )


def purchases(body: dict[str, Any]) -> dict[str, str]:
    return {tract["tract"]: " ".join(map(cell, tract["values"])) for tract in body["tracts"]}


def test_example_3_aggregate_reports_by_tract_and_institutions(client: Client) -> None:
    publish_once()
    rows = filled_rows(read(client, f"{AGGREGATE}/1"))
    own = filled_rows(read(client, f"{REPORTS}/disclosure/{E1}/19124/1"))
    assert rows == own | expected_rows(
        """
| Collin County/Texas/031101 | Originated | 2 / 600000 | 1 / 325000 | 0 | 0 | 0 | 0 | 0 |
| Collin County/Texas/031101 | Received | 3 / 705000 | 2 / 420000 | 1 / 185000 | 1 / 45000 | 0 | 1 / 105000 | 2 / 200000 |
| Dallas County/Texas/000100 | Originated | 0 | 0 | 0 | 1 / 65000 | 0 | 1 / 65000 | 1 / 65000 |
| Dallas County/Texas/000100 | Received | 0 | 0 | 0 | 1 / 65000 | 0 | 1 / 65000 | 1 / 65000 |
        """  # noqa: E501
    )
    assert purchases(read(client, f"{AGGREGATE}/2")) == {
        "Collin County/Texas/031101": "1 / 285000 0 1 / 415000 0 0 1 / 415000 0",
        "Dallas County/Texas/000100": "0 0 1 / 135000 0 1 / 3105000 0 0",
        "Dallas County/Texas/019800": " ".join([ZERO] * 7),
    }
    institutions = ["EXAMPLE BANK", "SECOND EXAMPLE CREDIT UNION"]
    assert read(client, f"{AGGREGATE}/i")["institutions"] == institutions
    outside = read(client, f"{REPORTS}/aggregate/99999/I")
    assert outside["institutions"] == ["EXAMPLE BANK"]


def test_msa_mds_agree_with_those_of_the_filers(client: Client) -> None:
    publish_once()
    for lei, codes in ((E1, ["19124", "99999"]), (E2, ["19124"])):
        of_filer = read(client, f"/v2/reporting/filers/{YEAR}/{lei}/msaMds")["msaMds"]
        reported = read(client, f"{REPORTS}/disclosure/{lei.lower()}")
        assert [each["id"] for each in of_filer] == codes
        assert [each["id"] for each in reported["msaMds"]] == codes
        names = [each["name"] for each in of_filer]
        assert names == [each["name"] for each in reported["msaMds"]]
        assert reported["institution"]["lei"] == lei


def publish_input_b() -> None:
    name_institution(E1)
    place = {"derived_msa_md": "19124", "census_tract": "48085031101", "tract_population": "5000"}
    sign(E1, *[place | loan for loan in read_loans(INPUT_B)], year=YEAR, signed_at=TIMELY)
    publish_vintage()


def by_sex(body: dict[str, Any], table: str, groups: str, key: str) -> dict[tuple[str, str], str]:
    rows = {
        (f"{table}: {group[key]}", each["gender"]): " ".join(map(cell, each["dispositions"]))
        for group in body[groups]
        for each in [*group["gender"], {"gender": "Total", "dispositions": group["dispositions"]}]
    }
    return {key: cells for key, cells in rows.items() if set(cells) - {ZERO, " "}}


EXAMPLE_4 = """
| 3: Asian | Male | 1 / 405000 | 0 | 0 | 0 | 0 | 0 |
| 3: Asian | Female | 0 | 1 / 295000 | 0 | 0 | 0 | 0 |
| 3: Asian | Joint | 1 / 355000 | 0 | 0 | 0 | 0 | 0 |
| 3: Asian | Total | 2 / 760000 | 1 / 295000 | 0 | 0 | 0 | 0 |
| 3: Black or African American | Female | 1 / 85000 | 0 | 1 / 75000 | 0 | 0 | 0 |
| 3: Native Hawaiian or Other Pacific Islander | Joint | 0 | 0 | 1 / 135000 | 0 | 0 | 0 |
| 3: White | Male | 0 | 0 | 1 / 215000 | 0 | 1 / 175000 | 1 / 265000 |
| 3: White | Female | 1 / 235000 | 0 | 0 | 0 | 0 | 0 |
| 3: White | Joint | 0 | 0 | 0 | 1 / 55000 | 0 | 0 |
| 3: White | Total | 1 / 235000 | 0 | 1 / 215000 | 1 / 55000 | 1 / 175000 | 1 / 265000 |
| 3: 2 or more minority races | Male | 1 / 195000 | 0 | 0 | 0 | 0 | 0 |
| 3: Joint | Joint | 1 / 325000 | 0 | 0 | 0 | 1 / 165000 | 0 |
| 3: Free Form Text Only | Male | 0 | 0 | 0 | 1 / 115000 | 0 | 0 |
| 3: Race Not Available | Sex Not Available | 1 / 4505000 | 0 | 0 | 0 | 0 | 1 / 145000 |
| 4: Hispanic or Latino | Male | 0 | 0 | 1 / 215000 | 0 | 0 | 0 |
| 4: Hispanic or Latino | Female | 1 / 235000 | 0 | 0 | 0 | 0 | 0 |
| 4: Hispanic or Latino | Total | 1 / 235000 | 0 | 1 / 215000 | 0 | 0 | 0 |
| 4: Not Hispanic or Latino | Male | 1 / 405000 | 0 | 0 | 0 | 1 / 175000 | 1 / 265000 |
| 4: Not Hispanic or Latino | Female | 1 / 85000 | 1 / 295000 | 1 / 75000 | 0 | 0 | 0 |
| 4: Not Hispanic or Latino | Joint | 2 / 680000 | 0 | 1 / 135000 | 0 | 0 | 0 |
| 4: Not Hispanic or Latino | Total | 4 / 1170000 | 1 / 295000 | 2 / 210000 | 0 | 1 / 175000 | 1 / 265000 |
| 4: Joint | Joint | 0 | 0 | 0 | 1 / 55000 | 1 / 165000 | 0 |
| 4: Free Form Text Only | Male | 1 / 195000 | 0 | 0 | 0 | 0 | 0 |
| 4: Ethnicity Not Available | Male | 0 | 0 | 0 | 1 / 115000 | 0 | 0 |
| 4: Ethnicity Not Available | Sex Not Available | 1 / 4505000 | 0 | 0 | 0 | 0 | 1 / 145000 |
| 4: Ethnicity Not Available | Total | 1 / 4505000 | 0 | 0 | 1 / 115000 | 0 | 1 / 145000 |
"""  # noqa: E501


def test_example_4_applications_by_race_ethnicity_and_sex(client: Client) -> None:
    make_once(publish_input_b)
    found = by_sex(read(client, f"{AGGREGATE}/3"), "3", "races", "race")
    found |= by_sex(read(client, f"{AGGREGATE}/4"), "4", "ethnicities", "ethnicityName")
    expected = read_table(EXAMPLE_4)
    of_one_sex = {(group, "Total"): cells for (group, _), cells in expected.items()} | expected
    assert found == of_one_sex


EXAMPLE_5 = """
| LESS THAN 50% | race: Black or African American | 2 / 160000 | 1 / 85000 | 0 | 1 / 75000 | 0 | 0 | 0 |
| LESS THAN 50% | race: White | 0 | 0 | 0 | 0 | 0 | 0 | 1 / 265000 |
| LESS THAN 50% | ethnicity: Not Hispanic or Latino | 2 / 160000 | 1 / 85000 | 0 | 1 / 75000 | 0 | 0 | 1 / 265000 |
| 50-79% | race: White | 2 / 230000 | 0 | 0 | 0 | 1 / 55000 | 1 / 175000 | 0 |
| 50-79% | race: 2 or more minority races | 1 / 195000 | 1 / 195000 | 0 | 0 | 0 | 0 | 0 |
| 50-79% | race: Joint | 1 / 165000 | 0 | 0 | 0 | 0 | 1 / 165000 | 0 |
| 50-79% | ethnicity: Not Hispanic or Latino | 1 / 175000 | 0 | 0 | 0 | 0 | 1 / 175000 | 0 |
| 50-79% | ethnicity: Joint | 2 / 220000 | 0 | 0 | 0 | 1 / 55000 | 1 / 165000 | 0 |
| 50-79% | ethnicity: Free Form Text Only | 1 / 195000 | 1 / 195000 | 0 | 0 | 0 | 0 | 0 |
| 80-99% | race: White | 2 / 450000 | 1 / 235000 | 0 | 1 / 215000 | 0 | 0 | 0 |
| 80-99% | ethnicity: Hispanic or Latino | 2 / 450000 | 1 / 235000 | 0 | 1 / 215000 | 0 | 0 | 0 |
| 100-119% | race: Asian | 2 / 650000 | 1 / 355000 | 1 / 295000 | 0 | 0 | 0 | 0 |
| 100-119% | ethnicity: Not Hispanic or Latino | 2 / 650000 | 1 / 355000 | 1 / 295000 | 0 | 0 | 0 | 0 |
| 120% OR MORE | race: Asian | 1 / 405000 | 1 / 405000 | 0 | 0 | 0 | 0 | 0 |
| 120% OR MORE | race: Free Form Text Only | 1 / 115000 | 0 | 0 | 0 | 1 / 115000 | 0 | 0 |
| 120% OR MORE | ethnicity: Not Hispanic or Latino | 1 / 405000 | 1 / 405000 | 0 | 0 | 0 | 0 | 0 |
| 120% OR MORE | ethnicity: Ethnicity Not Available | 1 / 115000 | 0 | 0 | 0 | 1 / 115000 | 0 | 0 |
"""  # noqa: E501


def test_example_5_applications_by_income(client: Client) -> None:
    make_once(publish_input_b)
    found = {}
    for income in read(client, f"{AGGREGATE}/5")["applicantIncomes"]:
        borrowers = income["borrowerCharacteristics"]
        assert list(borrowers) == ["race", "ethnicity"]
        groups = [("race", each["race"], each) for each in borrowers["race"]["races"]]
        groups += [
            ("ethnicity", each["ethnicityName"], each)
            for each in borrowers["ethnicity"]["ethnicities"]
        ]
        for kind, name, group in groups:
            cells = " ".join(map(cell, group["dispositions"]))
            if set(cells) - {ZERO, " "}:
                short = income["applicantIncome"].removesuffix(" OF MSA/MD MEDIAN")
                found[short, f"{kind}: {name}"] = cells
    assert found == read_table(EXAMPLE_5)


EXAMPLE_6 = """
| 2011 - Present | Originated | 1 / 195000 | 1 / 405000 | 0 | 0 | 1 / 4505000 | 0 | 0 |
| 2000 - 2010 | Originated | 0 | 0 | 1 / 355000 | 0 | 0 | 0 | 0 |
| 2000 - 2010 | Approved | 1 / 295000 | 0 | 0 | 0 | 0 | 0 | 0 |
| 2000 - 2010 | Denied | 0 | 0 | 1 / 135000 | 0 | 0 | 1 / 135000 | 0 |
| 2000 - 2010 | Received | 1 / 295000 | 0 | 2 / 490000 | 0 | 0 | 1 / 135000 | 0 |
| 1990 - 1999 | Originated | 1 / 235000 | 0 | 0 | 0 | 0 | 0 | 0 |
| 1990 - 1999 | Denied | 0 | 1 / 215000 | 0 | 0 | 0 | 1 / 215000 | 0 |
| 1990 - 1999 | Received | 1 / 235000 | 1 / 215000 | 0 | 0 | 0 | 1 / 215000 | 0 |
| 1980 - 1989 | Withdrawn | 0 | 0 | 0 | 1 / 55000 | 0 | 0 | 0 |
| 1980 - 1989 | Closed | 0 | 0 | 1 / 175000 | 0 | 0 | 0 | 0 |
| 1980 - 1989 | Received | 0 | 0 | 1 / 175000 | 1 / 55000 | 0 | 0 | 0 |
| 1970 - 1979 | Originated | 1 / 85000 | 0 | 0 | 0 | 0 | 0 | 1 / 85000 |
| 1969 or Earlier | Originated | 0 | 1 / 325000 | 0 | 0 | 0 | 0 | 0 |
| 1969 or Earlier | Denied | 0 | 1 / 75000 | 0 | 0 | 0 | 0 | 1 / 75000 |
| 1969 or Earlier | Received | 0 | 2 / 400000 | 0 | 0 | 0 | 0 | 1 / 75000 |
| Age Unknown | Closed | 0 | 0 | 1 / 165000 | 0 | 0 | 0 | 1 / 165000 |
"""


def test_example_6_applications_by_median_age_of_homes(client: Client) -> None:
    make_once(publish_input_b)
    found: dict[tuple[str, str], list[str]] = {}
    for age in read(client, f"{AGGREGATE}/9")["medianAges"]:
        for category in age["loanCategories"]:
            for row in category["dispositions"]:
                found.setdefault((age["medianAge"], row["disposition"]), []).append(cell(row))
    filled = {key: " ".join(cells) for key, cells in found.items() if {*cells} - {ZERO}}
    expected = expected_rows(EXAMPLE_6)
    received = {
        (age, RECEIVED): cells for (age, _), cells in expected.items() if cells
    }  # repeated where it is the only other row of its group
    assert filled == received | expected


def test_the_heads_of_reports_have_their_keys_in_order(client: Client) -> None:
    publish_once()
    version = Version.objects.get()
    made_at = VersionReports.objects.get(version=version).made_at
    assert made_at is not None
    body = read(client, f"{REPORTS}/disclosure/{E1}/19124/1")
    tracts = body.pop("tracts")
    assert list(tracts[0]["dispositions"][0]) == ["title", "values", "titleForSorting"]
    assert list(tracts[0]["dispositions"][0]["values"][0]) == ["dispositionName", "count", "value"]
    assert list(body.items()) == [
        ("lei", E1),
        ("institutionName", "Example Bank"),
        ("table", "1"),
        ("type", "Disclosure"),
        (
            "description",
            "Disposition of loan applications, by location of property and type of loan",
        ),
        ("year", YEAR),
        ("reportDate", body["reportDate"]),
        ("msa", {"id": "19124", "name": DALLAS, "state": "TX", "stateName": "Texas"}),
        ("dataset", "2024 snapshot"),
        ("version", "2024-1"),
    ]
    assert re.fullmatch(r"\d\d/\d\d/\d{4} \d\d:\d\d [AP]M", body["reportDate"])
    institutions = read(client, f"{AGGREGATE}/i")
    assert (institutions["table"], institutions["year"]) == ("I", "2024")
    assert institutions["description"].endswith("make up the 2024 MSA/MD aggregate report")
    years = read(client, "/v2/public/reports")["years"]
    assert years == [
        {
            "year": YEAR,
            "dataset": "2024 snapshot",
            "version": "2024-1",
            "frozenAt": "2025-05-01",
            "reportDate": body["reportDate"],
        }
    ]


def test_lists_lead_to_every_report(client: Client) -> None:
    publish_once()
    listed = read(client, f"{REPORTS}/aggregate")["msaMds"]
    assert listed == [
        {"id": "19124", "name": DALLAS, "states": ["TX"]},
        {"id": "99999", "name": "NA", "states": ["TX"]},
    ]
    of_msa_md = read(client, AGGREGATE)
    assert [each["id"] for each in of_msa_md["reports"]] == ["1", "2", "3", "4", "5", "9", "i"]
    for each in of_msa_md["reports"]:
        assert read(client, each["href"])["description"] == each["description"]
        assert client.get(each["csv"])["Content-Type"] == "text/csv; charset=UTF-8"


def test_what_there_is_no_report_of_is_not_found(client: Client) -> None:
    publish_once()
    for address in (
        f"{REPORTS}/aggregate/19125/1",
        f"{REPORTS}/aggregate/19125",
        f"{REPORTS}/aggregate/1912/1",
        f"{REPORTS}/aggregate/00000/1",
        f"{AGGREGATE}/8",
        f"{AGGREGATE}/A",
        f"{AGGREGATE}/8/csv",
        "/v2/public/reports/20x4/aggregate",
        f"{REPORTS}/disclosure/{E2}/99999/1",
        f"{REPORTS}/disclosure/{E1}/19124/3",
        f"{REPORTS}/disclosure/{T1}",
        f"{REPORTS}/disclosure/{T1}/19124/1",
        f"{REPORTS}/disclosure/{E1[:19]}/19124/1",
        f"/reports/aggregate/{YEAR}/19125/1.json",
    ):
        answer = client.get(address)
        assert (answer.status_code, error_of(answer)["httpStatus"]) == (404, 404), address
    answer = client.get("/v2/public/reports/2017/aggregate/19124/1")
    assert error_of(answer)["message"] == "No reports of 2017 are public."


def test_answers_have_an_etag_that_stays(client: Client) -> None:
    publish_once()
    addresses = [f"{AGGREGATE}/{code}" for code in "123459i"]
    addresses += [f"{address}/csv" for address in addresses]
    addresses += [f"{AGGREGATE}/1/csv?head=true", f"{REPORTS}/all.zip", f"{REPORTS}/aggregate"]
    etags = set()
    for address in addresses:
        first, again = client.get(address), client.get(address)
        assert first["ETag"] == again["ETag"]
        same = client.get(address, headers={"if-none-match": first["ETag"]})
        assert (same.status_code, same.content) == (304, b"")
        assert client.head(address)["ETag"] == first["ETag"]
        assert client.options(address).status_code == 200
        etags.add(first["ETag"])
    assert len(etags) == len(addresses)
    answer = client.get(addresses[0], headers={"origin": "https://elsewhere.example"})
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_older_addresses_and_small_letters_give_the_same_bytes(client: Client) -> None:
    publish_once()
    whole = client.get(f"{AGGREGATE}/1").content
    assert client.get(f"/reports/aggregate/{YEAR}/19124/1.json").content == whole
    own = client.get(f"{REPORTS}/disclosure/{E1}/19124/2")
    assert own.json()["lei"] == E1
    assert (
        client.get(f"/reports/disclosure/{YEAR}/{E1.lower()}/19124/2.json").content == own.content
    )
    small = client.get(f"{REPORTS}/disclosure/{E1.lower()}/19124/2")
    assert (small.content, small["ETag"]) == (own.content, own["ETag"])
    assert client.get(f"{AGGREGATE}/i").content == client.get(f"{AGGREGATE}/I").content
    elsewhere = client.get(
        f"/reports/aggregate/{YEAR}/19124/1.json", headers={"origin": "https://e.x"}
    )
    assert elsewhere["Access-Control-Allow-Origin"] == "*"


def test_csv_files_have_one_header_line_and_a_name(client: Client) -> None:
    publish_once()
    answer = client.get(f"{AGGREGATE}/1/csv")
    assert 'filename="report-1-19124-Dallas-Plano-IrvingTX.csv"' in answer["Content-Disposition"]
    assert "\r" not in answer.text
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {name: rows[0][name] for name in list(rows[0])[:7]} == {
        "tract": "Collin County/Texas/031101",
        "county": "Collin County",
        "state": "Texas",
        "census_tract": "48085031101",
        "disposition": ORIGINATED,
        "a_count": "2",
        "a_amount": "600000",
    }
    headed = client.get(f"{AGGREGATE}/1/csv?head=true").text
    head = headed.removesuffix(answer.text).splitlines()
    assert head[-1] == f'"MSA/MD: 19124 - {DALLAS}"'
    own = client.get(f"{REPORTS}/disclosure/{E1}/99999/1/csv")
    assert f'filename="report-1-{E1}-99999-NA.csv"' in own["Content-Disposition"]


def test_the_archive_has_each_aggregate_report_in_both_forms(client: Client) -> None:
    publish_once()
    answer = client.get(f"{REPORTS}/all.zip")
    content = b"".join(answer.streaming_content)
    assert content == b"".join(client.get(f"{REPORTS}/all.zip").streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 2 * 7 * 2
        name = "19124/report-1-19124-Dallas-Plano-IrvingTX"
        assert archive.read(f"{name}.json") == client.get(f"{AGGREGATE}/1").content
        assert archive.read(f"{name}.csv") == client.get(f"{AGGREGATE}/1/csv").content


def test_a_slash_in_a_name_makes_no_folder(client: Client) -> None:
    names = b"msa_md|msa_md_name\n19124|Louisville/Jefferson County, KY-IN\n"
    registry.load_file(MSA_MD_NAMES, YEAR, names, source="names", by="test")
    sign_input_a()
    publish_vintage()
    content = b"".join(client.get(f"{REPORTS}/all.zip").streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {name.count("/") for name in archive.namelist()} == {1}
    saved = client.get(f"{AGGREGATE}/1/csv")["Content-Disposition"]
    assert "report-1-19124-Louisville-JeffersonCounty KY-IN.csv" in saved


def test_reports_that_are_being_counted_are_answered_later(client: Client) -> None:
    sign_input_a()
    for address in (f"{AGGREGATE}/1", f"{REPORTS}/all.zip"):
        assert client.get(address).status_code == 404
    publish_vintage(counted=False)
    for address in (f"{AGGREGATE}/1", f"{REPORTS}/aggregate", f"{REPORTS}/disclosure/{E1}"):
        answer = client.get(address)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert error_of(answer)["httpStatus"] == 503
    assert read(client, "/v2/public/reports") == {"years": []}
    count_reports()
    read(client, f"{AGGREGATE}/1")
    assert Job.objects.filter(stage=report_jobs.KIND).count() == 1


def forget_reports() -> None:
    VersionReports.objects.all().delete()
    Job.objects.filter(stage=report_jobs.KIND, state=Job.State.QUEUED).delete()


def test_reports_of_vintages_that_were_published_before_are_requested(client: Client) -> None:
    sign_input_a()
    publish_vintage(counted=False)
    forget_reports()  # as an earlier release left it
    assert client.get(f"{AGGREGATE}/1").status_code == 503
    count_reports()
    read(client, f"{AGGREGATE}/1")
    forget_reports()
    tasks.sweep()
    assert VersionReports.objects.count() == 1


def test_a_job_that_failed_is_tried_again_after_an_hour() -> None:
    sign_input_a()
    publish_vintage(counted=False)
    job = VersionReports.objects.get().job
    failed = timezone.now() - timedelta(minutes=10)
    Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, finished_at=failed)
    assert report_jobs.request_missing_reports() == 0
    Job.objects.filter(pk=job.pk).update(finished_at=failed - timedelta(hours=1))
    assert report_jobs.request_missing_reports() == 1
    count_reports()
    assert VersionReports.objects.get().made_at is not None


def test_late_signers_have_reports_of_the_vintage_that_holds_them_first(client: Client) -> None:
    sign_input_a(E2=LATE)
    publish_vintage()
    before = client.get(f"{AGGREGATE}/1").content
    address = f"{REPORTS}/disclosure/{E2}/19124/2"
    assert client.get(address).status_code == 404
    publish_vintage("one-year", counted=False)
    assert client.get(address).status_code == 503  # it may be in the vintage that is new
    assert [each.lei for each in catalogue.list_institutions(YEAR)] == [E1]
    read(client, f"{REPORTS}/disclosure/{E1}/19124/2")
    count_reports()
    assert [each.lei for each in catalogue.list_institutions(YEAR)] == [E1, E2]
    late, timely = read(client, address), read(client, f"{REPORTS}/disclosure/{E1}/19124/2")
    assert (late["dataset"], late["version"]) == ("2024 one-year data set", "2024-2")
    assert (timely["dataset"], timely["version"]) == ("2024 snapshot", "2024-1")
    assert client.get(f"{AGGREGATE}/1").content == before
    assert read(client, f"{AGGREGATE}/i")["institutions"] == ["EXAMPLE BANK"]


def test_a_snapshot_that_is_built_again_has_reports_of_its_own(client: Client) -> None:
    sign_input_a()
    publish_vintage()
    before = client.get(f"{AGGREGATE}/1")
    Institution.objects.filter(lei=E2).update(is_test=True)
    publish_vintage(counted=False)
    assert client.get(f"{AGGREGATE}/1").content == before.content  # until others are counted
    count_reports()
    after = client.get(f"{AGGREGATE}/1", headers={"if-none-match": before["ETag"]})
    assert (after.status_code, after.json()["version"]) == (200, "2024-2")
    assert read(client, f"{AGGREGATE}/i")["institutions"] == ["EXAMPLE BANK"]
    correction = read(client, "/v2/public/changes?type=correction")["changes"][0]
    assert correction["corrects"]["version"] == "2024-1"
    first = Version.objects.get(number=1)
    Institution.objects.filter(lei=E2).update(is_test=False)  # else it may not become public again
    live_versions.publish_version(first, by=OLGA, reason=WHY)  # rolls back
    assert client.get(f"{AGGREGATE}/1").content == before.content


def test_reports_of_a_withdrawn_snapshot_are_not_public(client: Client) -> None:
    sign_input_a()
    version = publish_vintage()
    live_versions.withdraw_version(version, by=OLGA, reason=WHY)
    assert client.get(f"{AGGREGATE}/1").status_code == 404
    assert read(client, "/v2/public/reports") == {"years": []}
    assert report_jobs.request_missing_reports() == 0


def test_an_msa_md_in_several_states_names_all_of_them(client: Client) -> None:
    sign_input_a()
    elsewhere = {"derived_msa_md": "19124", "census_tract": "40013796100"}
    name_institution(E2)
    sign(E2, elsewhere, year=YEAR, signed_at=TIMELY)
    publish_vintage()
    dallas = read(client, f"{REPORTS}/aggregate")["msaMds"][0]
    assert dallas["states"] == ["OK", "TX"]
    body = read(client, f"{AGGREGATE}/1")
    assert (body["msa"]["state"], body["msa"]["stateName"]) == ("", "")
    assert body["tracts"][0]["tract"] == "Bryan County/Oklahoma/796100"
