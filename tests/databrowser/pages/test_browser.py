"""The page of the data browser: its figures are those of the API, and it leads on to it."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from databrowser.boundaries import loading
from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, STATE
from databrowser.models import BoundaryKind, LiveVersion, Version
from databrowser.query.measures import MEASURES
from filing.access import Caller
from filing.files import responses
from filing.reference_data import registry
from tests.databrowser.boundaries.files import counties
from tests.databrowser.conftest import csv_of
from tests.databrowser.pages.texts import DEMO_BANNER, NOTHING_PUBLISHED, words

PAGE = "/data/browser/"
VIEW = "/v2/data-browser-api/view"
ASKED = "years=2019,2021&states=TX&races=Asian,White&sexes=Male,Female"
PART = {"HX-Request": "true"}


def get(query: str = "", status: int = 200, **headers: str) -> str:
    answer = Client().get(f"{PAGE}?{query}", headers=headers)
    assert answer.status_code == status
    return answer.content.decode()


def table(page: str, caption: str) -> list[list[str]]:
    """Return the cells of the rows of a table."""
    found = re.search(rf'aria-label="{caption}">.*?<tbody>(.*?)</tbody>', page, re.S)
    assert found, caption
    return [
        [words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", found[1], re.S)
    ]


def report(query: str) -> list[dict]:
    return Client().get(f"{VIEW}/aggregations?{query}").json()["aggregations"]


def checked(page: str) -> set[tuple[str, str]]:
    """Return name and value of all boxes that are ticked."""
    boxes = re.findall(r'type="checkbox" name="(\w+)" id="[^"]*" value="([^"]*)" ?(\w*)', page)
    return {(name, html.unescape(value)) for name, value, is_checked in boxes if is_checked}


def test_the_page_of_a_site_without_data_says_so_and_leads_on(db) -> None:
    page = get()
    assert NOTHING_PUBLISHED in page
    assert "<form" not in page.split("<main")[1]


def test_nothing_is_said_to_be_made_up_that_is_not(frames) -> None:
    assert "made up" not in get()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", False),  # the newest year, which is real
        ("years=2021", False),
        ("years=2021&races=Asian", False),
        ("years=2019", True),
        ("years=2019,2021&races=Asian", True),
        ("years=2019&years=2021", True),
        ("years=2018", False),  # not published
    ],
)
def test_rows_are_called_made_up_only_where_a_chosen_year_has_such(frames, query, says) -> None:
    Version.objects.filter(year=2019).update(is_demo=True)
    for page in (get(query), get(query or "years=2021", **PART)):
        assert (DEMO_BANNER in page) == says
        assert ("Made up: 2019." in words(page)) == says
        assert ("Demo, made up: HMDA public loan data" in words(page)) == says


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("races=Asian", False),  # no year
        ("years=&races=Asian", False),
        ("years=1999&races=Asian", False),
        ("years=2021&races=Klingon", False),
        ("years=2019&races=Klingon", True),
    ],
)
def test_a_refused_question_is_called_made_up_by_its_years_alone(frames, query, says) -> None:
    Version.objects.filter(year=2019).update(is_demo=True)
    for page in (get(query, 400), get(query, **PART)):
        assert (DEMO_BANNER in page) == says


def test_the_script_puts_the_demo_mark_in_place_and_takes_it_away(frames) -> None:
    Version.objects.filter(year=2019).update(is_demo=True)
    for query in ("years=2019", "years=2021", "races=Asian"):
        page = get(query, **PART)
        assert page.count('<div id="demo" hx-swap-oob="true">') == 1
    whole = get("years=2021")
    assert whole.count('<div id="demo">') == 1
    assert "hx-swap-oob" not in whole


def test_without_a_question_the_newest_year_is_shown(frames) -> None:
    page = get()
    rows = frames[2021]
    assert f"{rows.height:,} records" in words(page)
    assert f"${rows['loan_amount'].sum():,.0f} in loan amounts" in words(page)
    assert checked(page) == {("years", "2021")}
    assert "Number of records nationwide, 2021" in words(page)
    assert f"{VIEW}/nationwide/csv" not in page  # the API wants a filter


def test_figures_are_those_of_the_api(frames) -> None:
    page = get(ASKED)
    groups = report(ASKED)
    count, amount = (sum(each[key] for each in groups) for key in ("count", "sum"))
    assert f"{count:,} records ${amount:,.0f} in loan amounts" in words(page)
    by_race = {
        race: sum(each["count"] for each in groups if each["races"] == race)
        for race in ("Asian", "White")
    }
    assert table(page, "Race") == [
        *([race, f"{n:,}", "", f"{100 * n / count:.1f}%"] for race, n in by_race.items()),
        ["All", f"{count:,}", "", "100.0%"],
    ]
    crosstab = table(get(f"{ASKED}&by=races,sexes"), "Race")
    figures = {(each["races"], each["sexes"]): f"{each['count']:,}" for each in groups}
    for race, line in zip(by_race, crosstab, strict=False):
        assert line == [race, figures[race, "Male"], figures[race, "Female"], f"{by_race[race]:,}"]
    assert crosstab[-1][-1] == f"{count:,}"


def test_rates_are_those_of_the_api_with_their_base_and_definition(frames) -> None:
    query = "years=2019,2021&measure=denial_rate&by=loan_types"
    page, answer = get(query), Client().get(f"{VIEW}/figures?{query}").json()
    assert [line[:2] + line[3:] for line in table(page, "Loan type")[:-1]] == [
        [
            *(BY_PARAMETER["loan_types"].meanings[each["loan_types"]], f"{each['value']:.1f}%"),
            f"{each['records']:,}",
        ]
        for each in answer["figures"]
    ]
    [total] = [each for each in answer["totals"] if "loan_types" not in each]
    assert f"{total['value']:.1f}% of {total['records']:,} applications decided" in words(page)
    assert MEASURES["denial_rate"].definition in words(page)


def test_medians_have_their_quartiles(frames) -> None:
    query = "years=2021&measure=loan_amount&by=none"
    [total] = Client().get(f"{VIEW}/figures?years=2021&measure=loan_amount").json()["totals"]
    median, lower, upper = (
        f"${total[name]:,.0f}" for name in ("value", "lowerQuartile", "upperQuartile")
    )
    page = words(get(query))
    assert f"{median} ({lower} to {upper}) of {total['records']:,} records with a loan" in page
    assert "Number of records by" not in page


def test_figures_of_few_records_are_marked_in_tables_charts_and_maps(frames) -> None:
    query = "years=2021&states=TX&measure=denial_rate&by=counties"
    page = get(query)
    assert any(line[1].endswith("% few records") for line in table(page, "County"))
    assert 'class="site-map__few"' in page
    for picture in ("chart", "map"):
        assert "few records" in Client().get(f"{PAGE}{picture}.svg?{query}").content.decode()
    assert "few records" not in words(get("years=2021&by=counties&states=TX")).lower()


def test_a_share_says_what_it_is_of(frames) -> None:
    query = "years=2021&measure=share&by=loan_types,states&states=TX,CA"
    totals = Client().get(f"{VIEW}/figures?{query}").json()["totals"]
    (whole,) = (each["records"] for each in totals if len({"state", "loan_types"} & {*each}) == 0)
    for line in table(get(query), "Loan type"):
        assert all(cell.endswith(f"% of {whole:,}") for cell in line[1:])


@pytest.mark.parametrize(
    ("colored", "chosen"), [("", None), ("&colored=2", "2"), ("&colored=nothing", None)]
)
def test_the_map_of_a_crosstab_says_what_it_shows_and_another_can_be_chosen(
    frames, colored, chosen
) -> None:
    query = "years=2021&states=TX&by=counties,loan_types"
    answer = Client().get(f"{VIEW}/figures?{query}").json()
    shown = {
        f"{each['value']:,.0f}"
        for each in answer["totals" if chosen is None else "figures"]
        if "county" in each and each.get("loan_types") == chosen
    }
    page = get(f"{query}{colored}")
    labels = re.findall(r'aria-label="[^"]*: ([\d,]+) records?"', page)
    assert labels
    assert {*labels} <= shown
    assert f"by county: Loan type: {'FHA' if chosen else 'All'}." in words(page)
    assert [*re.findall(r'value="(\w*)" selected>Loan type: ', page)] == [chosen or "All"]


def test_the_page_refuses_too_many_values(frames) -> None:
    leis = ",".join(map(str, range(301)))
    assert "at most 300" in get(f"years=2021&leis={leis}", status=400)
    assert "at most 300" in get(f"years=2021&by={leis}", status=400)


def test_a_third_grouping_makes_a_table_for_each_of_its_values(frames) -> None:
    query = "years=2021&states=TX,CA&by=loan_types,sexes,states"
    page = get(query)
    answer = Client().get(f"{VIEW}/figures?{query}").json()
    texas = {
        (each["loan_types"], each["sexes"]): f"{each['value']:,.0f}"
        for each in answer["figures"]
        if each["state"] == "TX"
    }
    meanings = BY_PARAMETER["loan_types"].meanings
    for line, (code, meaning) in zip(table(page, "Texas"), meanings.items(), strict=False):
        sexes = BY_PARAMETER["sexes"].values
        known = [texas.get((code, sex), "0") for sex in sexes]
        assert line[0] == meaning
        assert line[1:-1] == [
            text
            for sex, text in zip(sexes, known, strict=True)
            if any(each["sexes"] == sex for each in answer["figures"])
        ] or len(line) > len(known)  # and records without a value


@pytest.mark.parametrize(
    ("query", "links"),
    [
        ("years=2021", {}),
        ("years=2019,2021&by=races", {"years": "years,races"}),
        ("years=2021&states=TX,CA&by=counties", {"states": "states"}),
        ("years=2019,2021&states=TX,CA", {"years": "years", "states": "states"}),
        ("years=2019,2021&by=races,years", {}),
    ],
)
def test_what_is_counted_together_can_be_compared(frames, query, links) -> None:
    found = re.search(r"Compare: (.*?)</p>", get(query), re.S)
    made = re.findall(r'href="([^"]*)">(\w+)</a>', found[1]) if found else []
    assert {
        name: parse_qs(urlsplit(html.unescape(link)).query)["by"][0] for link, name in made
    } == links


def test_what_is_side_by_side_is_not_said_to_be_together(frames) -> None:
    page = words(get("years=2019,2021&by=years"))
    assert "Number of records nationwide, 2019 and 2021 All together:" in page
    assert "2019 and 2021 together" not in page
    assert "<chart-values" in get("years=2019,2021&by=years")


def test_a_lender_is_compared_with_its_peers_and_they_are_said(frames) -> None:
    lei = frames[2021]["lei"].value_counts(sort=True)["lei"][9]
    for peers, said in (("size", "half to twice"), ("counties", "in the same counties")):
        query = f"years=2021&leis={lei}&peers={peers}&by=leis"
        page = get(query)
        answer = Client().get(f"{VIEW}/figures?{query}").json()
        assert [line[1] for line in table(page, "Lender")[:2]] == [
            f"{each['value']:,.0f}" for each in answer["figures"]
        ]
        assert said in words(page)
        assert "do not show whether a lender complies" in words(page)
    other = get(f"years=2021&peers={peers}&by=leis")  # the form has cleared the lender
    assert "All other lenders" in {line[0] for line in table(other, "Lender")}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("years=2021&by=races", False),
        ("years=2021&by=races&measure=denial_rate", True),
        ("years=2021&races=Asian&measure=denial_rate&by=loan_types", True),
        ("years=2021&by=loan_types&measure=denial_rate", False),
        ("years=2021&by=leis", True),
    ],
)
def test_comparisons_of_lenders_and_of_groups_of_people_have_a_caution(frames, query, says) -> None:
    assert ("do not show whether a lender complies" in words(get(query))) is says


def test_years_that_differ_in_their_rules_say_how(frames) -> None:
    page = words(get("years=2019,2021"))
    assert "fewer than 100" in page
    assert "85 FR 28364" in page
    assert "planning regions" not in page
    assert "What changed between" not in words(get("years=2021"))


def test_a_state_is_shown_by_county_and_the_country_by_state(frames) -> None:
    rows = pl.concat(frames.values())
    rows = rows.filter(
        pl.col("derived_race").is_in(["Asian", "White"]),
        pl.col("derived_sex").is_in(["Male", "Female"]),
    )
    texas = rows.filter(pl.col("state_code") == "TX")
    *by_county, whole = table(get(ASKED), "County")
    assert whole[1] == str(texas.height)
    assert sum(int(line[1].replace(",", "")) for line in by_county) == texas.height
    assert len(by_county) == texas["county_code"].n_unique()
    states = table(get(ASKED.replace("states=TX&", "")), "State")[:-1]
    assert sum(int(line[1].replace(",", "")) for line in states) == rows.height
    assert states[0][0] == "California"
    wanted = rows.filter(pl.col("state_code") == "CA").height
    assert int(states[0][1].replace(",", "")) == wanted
    elsewhere = pl.concat(frames.values()).filter(pl.col("state_code") == "NA").height
    last = table(get("years=2019,2021"), "State")[-2]
    assert last[:2] == ["Place not reported", str(elsewhere)]


def test_beside_each_choice_stands_what_it_would_count(frames) -> None:
    page = get("years=2021&races=Asian")
    assert checked(page) == {("years", "2021"), ("races", "Asian")}
    for name, is_within in (("races", False), ("sexes", True)):
        rows = frames[2021].filter(pl.col("derived_race") == "Asian") if is_within else frames[2021]
        for number, value in enumerate(BY_PARAMETER[name].values):
            wanted = rows.filter(pl.col(BY_PARAMETER[name].column) == value).height
            assert f'id="n-{name}-{number}">{wanted:,}<' in page


def test_the_script_gets_the_answer_the_counts_and_the_permanent_link(frames) -> None:
    answer = Client().get(f"{PAGE}?years=2021&races=Asian&races=White&find=&by=", headers=PART)
    page = answer.content.decode()
    assert 'id="choices"' not in page
    assert page.count("hx-swap-oob") == len((STATE, *FILTERS)) + 2
    counts = re.search(r'hx-get="(/data/browser/counts/[^"]*)"', page)
    counted = Client().get(counts[1].replace("&amp;", "&"), headers=PART).content.decode()
    assert counted.count("hx-swap-oob") == sum(len(each.values) for each in (STATE, *FILTERS))
    assert answer["HX-Push-Url"] == f"{PAGE}?years=2021&races=Asian,White"
    assert get("years=2021&races=Asian,White") == get("years=2021&races=Asian&races=White&find=")
    whole = Client().get(
        f"{PAGE}?years=2021", headers=PART | {"HX-History-Restore-Request": "true"}
    )
    assert b"<form" in whole.content


def test_rows_are_saved_by_the_api_and_their_size_is_said_before(frames) -> None:
    query = "years=2019,2021&races=White"
    page = html.unescape(get(query))
    rows = pl.concat(frames.values()).filter(pl.col("derived_race") == "White")
    links = dict(re.findall(r'href="([^"]*)" download>(\w+)</a> <span>about', page))
    assert set(links.values()) == {"CSV", "Pipes", "Parquet"}
    link = next(each for each, form in links.items() if form == "CSV")
    saved = b"".join(Client().get(link).streaming_content).decode()
    assert saved == csv_of(rows)
    said = re.search(r"CSV</a> <span>about ([\d.,]+)\sMB", page)
    assert said
    assert float(said[1]) * 2**20 == pytest.approx(len(saved), rel=0.1)


def test_the_same_question_stands_there_for_programs(frames) -> None:
    page = html.unescape(get(ASKED))
    asked = parse_qs(ASKED)
    by = {"figures": {"by": ["races"]}, "csv": {}}
    for kind, more in by.items():
        for language in ("curl", "Python", "R"):
            code = re.search(
                rf'in {language}"><code>((?:(?!</code>).)*/{kind}\?.*?)</code>', page, re.S
            )
            assert code, (kind, language)
            address = re.search(r"""http[^'"]*""", code[1])
            assert address
            assert parse_qs(urlsplit(address[0]).query) == asked | more
            assert Client().head(urlsplit(address[0])._replace(scheme="", netloc="").geturl())
    for kind in ("", "/csv", "/parquet"):
        [link] = re.findall(rf'href="([^"]*/figures{kind}\?[^"]*)"', page)
        assert Client().get(link).status_code == 200


def chips(page: str) -> dict[str, str]:
    """Return the links above the answer, by their names."""
    [listed] = re.findall(r'aria-label="Chosen">(.*?)</ul>', page, re.S)
    links = re.findall(r'<a[^>]*href="([^"]*)">(.*?)</a>', listed, re.S)
    return {
        words(re.sub(r'<span aria-hidden="true">.*?</span>', "", name)): html.unescape(href)
        for href, name in links
    }


def test_what_is_chosen_is_in_a_sentence_and_on_chips_that_remove_it(frames) -> None:
    page = get(f"{ASKED}&by=sexes&measure=amount")
    assert "Loan amounts in Texas, 2019 and 2021 together" in words(page)
    assert "Race: Asian or White. Sex: Male or Female." in words(page)
    links = chips(page)
    assert list(links) == [
        *("Remove Year: 2019", "Remove Year: 2021", "Remove State: Texas"),
        *("Remove Race: Asian", "Remove Race: White"),
        *("Remove Sex: Male", "Remove Sex: Female", "Clear all"),
    ]
    asked = parse_qs(f"{ASKED}&by=sexes&measure=amount")
    assert parse_qs(urlsplit(links["Remove Race: Asian"]).query) == asked | {"races": ["White"]}
    assert parse_qs(urlsplit(links["Remove Year: 2019"]).query) == asked | {"years": ["2021"]}
    assert links["Clear all"] == PAGE
    without = get(urlsplit(links["Remove State: Texas"]).query)
    assert "Loan amounts nationwide, 2019 and 2021 together" in words(without)
    assert "Remove State: Texas" not in chips(without)
    assert list(chips(get("years=2021"))) == []  # a question has a year at least


def test_a_filter_with_many_values_has_one_chip(frames) -> None:
    states = ",".join(STATE.values[:12])
    links = chips(get(f"years=2021&races=Asian&states={states}"))
    assert links["Remove State: 12 chosen"] == f"{PAGE}?years=2021&races=Asian"


def test_chosen_values_come_first_in_their_list(frames) -> None:
    page = get("years=2021&races=White,Joint&states=TX")
    boxes = re.findall(r'name="(races|states)" id="[^"]*" value="([^"]*)"', page)
    races, states = (
        [value for name, value in boxes if name == each] for each in ("races", "states")
    )
    assert races[:3] == ["White", "Joint", "Asian"]
    assert states[:2] == ["TX", "AL"]
    assert '<span id="c-all">(3)</span>' in page


@pytest.mark.parametrize("place", ["", "states=TX", "leis={lei}", "counties={county}"])
@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("psv", "|"), ("parquet", "")])
def test_all_records_of_a_place_a_lender_or_a_year_are_saved_without_a_filter(
    frames, place, ending, separator
) -> None:
    rows = frames[2021]
    lei, county = (
        rows.filter(rows[name] != "NA")[name].mode()[0] for name in ("lei", "county_code")
    )
    query = "&".join(filter(None, ("years=2021", place.format(lei=lei, county=county))))
    links = {
        form: html.unescape(link)
        for link, form in re.findall(r'href="([^"]*)" download>(\w+)</a> <span>about', get(query))
    }
    label = {"csv": "CSV", "psv": "Pipes", "parquet": "Parquet"}[ending]
    assert links[label] == f"{PAGE}loans.{ending}?{query}"
    answer = Client().get(links[label])
    assert f".{ending}" in answer["Content-Disposition"]
    for name, column in (("states", "state_code"), ("leis", "lei"), ("counties", "county_code")):
        if wanted := parse_qs(query).get(name):
            rows = rows.filter(pl.col(column) == wanted[0])
    content = b"".join(answer.streaming_content)
    if separator:
        assert content.decode() == csv_of(rows).replace(",", separator)
    else:
        assert pl.read_parquet(content).height == rows.height


def test_a_file_of_records_is_refused_or_not_found_in_text(frames) -> None:
    assert Client().get(f"{PAGE}loans.xlsx?years=2021").status_code == 404
    refused = Client().get(f"{PAGE}loans.csv?years=2021&states=XX")
    assert (refused.status_code, refused["Content-Type"]) == (400, responses.TEXT)
    head = Client().head(f"{PAGE}loans.csv?years=2021")
    assert head["ETag"]
    assert (
        Client()
        .get(f"{PAGE}loans.csv?years=2021", headers={"If-None-Match": head["ETag"]})
        .status_code
        == 304
    )


def test_versions_and_hashes_are_cited(frames) -> None:
    page = words(get(ASKED))
    for live in LiveVersion.objects.select_related("version"):
        assert f"{live.version.name} (SHA-256 {live.version.sha256})" in page
    assert "HMDA public loan data, 2019, 2021; State: Texas; Race: Asian or White; Sex" in page
    one = words(get("years=2021"))
    assert "Data set 2021-1 (SHA-256" in one
    assert "2019-1" not in one


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("states=TX", "Years are needed"),
        ("years=1999&races=Asian", "Valid years are 2018, 2019, 2020, 2021, 2022"),
        ("years=2021&races=Klingon", "Valid races are Asian, Native Hawaiian"),
        ("years=2021&counties=6037", "A county code has five digits, such as 06037"),
        ("years=2021&leis=X", "An LEI has 20 letters or digits"),
        ("years=2021&measure=luck", "Valid values of measure are count"),
        ("years=2021&by=luck", "Valid values of by are"),
        ("years=2021&measure=denial_rate&by=actions_taken", "counts actions taken itself"),
        ("years=2021&by=tracts", "needs a place"),
    ],
)
def test_what_cannot_be_answered_is_said_as_the_api_says_it(frames, query, said) -> None:
    page = get(query, 400)
    assert said in words(page)
    assert "<form" in page
    assert ("years", "2021") in checked(page) or "years=2021" not in query
    assert said in words(get(query, 200, **PART))


def test_what_does_not_go_with_a_measure_is_removed_by_its_chip(frames) -> None:
    page = get("years=2021&measure=denial_rate&actions_taken=1&races=Asian", 400)
    link = chips(page)["Remove Action taken: Loan originated"]
    assert parse_qs(urlsplit(link).query) == {
        "years": ["2021"],
        "races": ["Asian"],
        "measure": ["denial_rate"],
    }
    assert "applications decided" in words(get(urlsplit(link).query))
    assert 'aria-label="Chosen"' not in get("years=2021&races=Klingon", 400)


def test_a_question_without_rows_is_no_error(frames) -> None:
    page = get("years=2021&counties=01999")
    assert "No records match" in page
    assert "<img" not in page.split("<main")[1]
    assert "01999 (01999)" in page


def test_places_and_institutions_are_found(frames) -> None:
    rows = frames[2021]
    county = rows.filter(pl.col("county_code") != "NA")["county_code"].mode()[0]
    lei = rows["lei"].mode()[0]
    found = Client().get(f"{PAGE}places/?years=2021&find={county}&leis={lei}").content.decode()
    assert checked(found) == {("leis", lei)}
    count = rows.filter(pl.col("county_code") == county).height
    assert re.search(rf'name="counties" id="[^"]*" value="{county}"', found)
    assert f'<span class="site-count">{count:,}</span>' in found
    whole = get(f"years=2021&find={lei[:18]}")
    assert f'value="{lei}"' in whole
    assert "No other place or institution with records" in get("years=2021&find=nobody+at+all")
    assert "Years are needed" in words(
        Client().get(f"{PAGE}places/?find=x&races=White").content.decode()
    )


@pytest.mark.parametrize("kind", ["chart", "map"])
def test_pictures_are_described_and_kept_by_version(frames, kind) -> None:
    path = f"{PAGE}{kind}.svg?{ASKED}&by=sexes&measure=amount&narrow"
    answer = Client().get(path)
    assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
    picture = answer.content.decode()
    page = html.unescape(get(f"{ASKED}&by=sexes&measure=amount"))
    described = re.search(r'<svg role="img" aria-label="([^"]*)"', picture)
    assert described
    assert kind == "chart" or described[1] in page
    assert described[1].startswith("Loan amounts by")
    assert "style=" not in picture
    known = Client().get(path, headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", answer["ETag"])
    assert Client().get(f"{PAGE}{kind}.svg?years=no").status_code == 400


def map_links(page: str) -> dict[str, str]:
    """Return the address of each place of the map, by its name with its figure."""
    found = re.search(r"<place-map.*?</svg>", page, re.S)
    assert found
    links = re.findall(r'<a href="([^"]*)" aria-label="([^"]*)"', found[0])
    return {html.unescape(name): html.unescape(address) for address, name in links}


@pytest.mark.parametrize("by", ["sexes", "states", "states,sexes"])
def test_the_map_is_where_its_links_lead_above_its_table_or_below_others(frames, by) -> None:
    page = get(f"years=2021&by={by}")
    assert all(each.endswith("#places-title") for each in map_links(page).values())
    assert page.count('id="places-title"') == 1


def test_places_of_the_map_lead_into_them_with_the_same_question(frames) -> None:
    rows = frames[2021].filter(pl.col("derived_race") == "White")
    texas = rows.filter(pl.col("state_code") == "TX")
    links = map_links(get("years=2021&races=White&breaks=5,9&by=sexes"))
    inside = links[f"Texas: {texas.height:,} records"]
    assert inside == f"{PAGE}?years=2021&states=TX&races=White&by=sexes#places-title"
    page = get(urlsplit(inside).query)
    inner = map_links(page)
    assert len(inner) == texas.filter(pl.col("county_code") != "NA")["county_code"].n_unique()
    way = re.search(r'aria-label="Place"(.*?)</nav>', page, re.S)
    assert way
    assert words(way[1].partition(">")[2]) == "United States Texas"
    county = next(iter(inner.values()))
    assert re.search(r"\?years=2021&counties=48\d{3}&races=White&by=sexes#", county)
    inmost = get(urlsplit(county).query)
    assert not map_links(inmost)  # no boundaries of tracts are loaded
    assert f'href="{PAGE}?years=2021&amp;states=TX&amp;races=White&amp;by=sexes#' in inmost


def test_breaks_of_the_map_are_chosen_and_reset(frames) -> None:
    page = get("years=2021&breaks=10,20.5")
    assert [words(each) for each in re.findall(r"</svg> ([^<]*)</li>", page)][:3] == [
        "under 10",
        "10 to 20",
        "21 or more",  # records, which are whole
    ]
    assert 'name="breaks" value="10,21"' in page
    assert f'href="{PAGE}?years=2021#places-title">Reset' in page
    part = Client().get(f"{PAGE}?years=2021&breaks=10,20.5", headers=PART)
    assert part["HX-Push-Url"] == f"{PAGE}?years=2021&breaks=10,20.5"
    assert "Reset" not in get("years=2021")


@pytest.mark.parametrize("breaks", ["ten", "5,1", "1,2,3,4,5,6", "<b>"])
def test_breaks_that_are_no_use_are_said_beside_the_field(frames, breaks) -> None:
    page = get(f"years=2021&breaks={breaks}")
    assert "enter 1 to 5 ascending numbers" in page
    assert 'aria-invalid="true"' in page
    assert f'value="{html.escape(breaks)}"' in page
    usual = re.search(r"<ul class=.site-legend.*?</ul>", get("years=2021"), re.S)
    assert usual
    assert usual[0] in page
    for ending in ("svg", "png"):
        answer = Client().get(f"{PAGE}map.{ending}?years=2021&breaks={breaks}")
        assert answer.status_code == 400
        assert b"ascending numbers" in answer.content


def test_the_map_is_a_png_and_an_svg_to_save(frames) -> None:
    query = "years=2021&states=TX&measure=amount&breaks=1000000"
    page = get(query)
    for ending, kind in (("svg", "image/svg+xml; charset=utf-8"), ("png", "image/png")):
        address = f"{PAGE}map.{ending}?{query}&save"
        assert html.escape(address) in page
        answer = Client().get(address)
        assert answer["Content-Type"] == kind
        assert answer["Content-Disposition"] == f'attachment; filename="hmda-map.{ending}"'
        known = Client().get(address, headers={"If-None-Match": answer["ETag"]})
        assert known.status_code == 304
    assert answer.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("query", "status"),
    [("counties=01999", 200), ("states=GU,AS", 200), ("states=UM", 404), ("states=NA", 400)],
)
def test_places_without_rows_or_shapes_have_no_map(frames, query, status) -> None:
    assert b"<place-map" not in Client().get(f"{PAGE}?years=2021&{query}").content
    for ending in ("svg", "png"):
        assert Client().get(f"{PAGE}map.{ending}?years=2021&{query}").status_code == status


def test_there_are_no_other_pictures(frames) -> None:
    for name in ("cat.svg", "chart.png"):
        assert Client().get(f"{PAGE}{name}?years=2021").status_code == 404


DALLAS = "Dallas-Plano-Irving, TX"


@pytest.fixture
def dallas(frames) -> str:
    """The MSA/MD with most rows of 2021, which a list of names of that year names."""
    rows = frames[2021].filter(~pl.col("derived_msa_md").is_in(["", "99999"]))
    code = rows["derived_msa_md"].mode().sort()[0]
    names = f"msa_md|name\n{code}|{DALLAS}\n".encode()
    registry.load_file("msa-md-names", 2021, names, source="names.txt", by="test")
    return code


def test_an_msa_md_is_shown_with_its_name_wherever_its_code_stands(frames, dallas) -> None:
    page = words(get(f"years=2021&msamds={dallas},99999"))
    both = f"{DALLAS} ({dallas}) {{}} Outside of any MSA/MD (99999)"
    assert f"Number of records in {both.format('and')} together, 2021" in page
    both = both.format("or")
    assert f"HMDA public loan data, 2021; MSA/MD: {both}." in page  # the citation
    labels = re.findall(r'for="msamds-[0-9]+">([^<]*)<', get(f"years=2021&msamds={dallas},99999"))
    assert labels == [f"{DALLAS} ({dallas})", "Outside of any MSA/MD (99999)"]


def test_an_msa_md_is_called_by_its_code_where_nothing_names_it(frames) -> None:
    page = words(get("years=2021&msamds=10999"))
    assert "HMDA public loan data, 2021; MSA/MD: 10999." in page


def test_a_name_of_another_year_is_better_than_none(frames, dallas) -> None:
    assert f"{DALLAS} ({dallas})" in words(get(f"years=2019&msamds={dallas}"))


@pytest.mark.parametrize("find", ["dallas", "Plano DALLAS", "irving, tx"])
def test_an_msa_md_is_found_by_name(frames, dallas, find) -> None:
    found = Client().get(f"{PAGE}places/", {"years": "2021", "find": find}).content.decode()
    rows = frames[2021].filter(pl.col("derived_msa_md") == dallas).height
    assert f'value="{dallas}"' in found
    label = f"<span>{DALLAS} ({dallas})</span>"
    assert f'{label} <span class="site-count">{rows:,}</span>' in found


def test_what_is_outside_of_any_msa_md_is_found_by_how_it_is_called(frames) -> None:
    outside = 'id="msamds-99999"'
    for find, is_found in (("outside", True), ("Outside of any", True), ("MD", False)):
        page = Client().get(f"{PAGE}places/", {"years": "2021", "find": find}).content.decode()
        assert (outside in page) is is_found, find


def test_names_take_no_query_for_each_msa_md(frames, dallas, django_assert_max_num_queries) -> None:
    codes = [code for code in frames[2021]["derived_msa_md"].unique() if code]
    with CaptureQueriesContext(connection) as one:
        get(f"years=2021&msamds={dallas}&find=tx")
    with django_assert_max_num_queries(len(one)):
        get(f"years=2021&msamds={','.join(codes)}&find=tx")


def test_a_county_is_shown_by_tract_where_their_boundaries_are_loaded(frames) -> None:
    rows = frames[2021].filter(pl.col("census_tract").str.len_chars() == 11)
    county = rows["county_code"].mode().sort()[0]
    counts = dict(
        rows.filter(pl.col("county_code") == county)["census_tract"].value_counts().iter_rows()
    )
    query = f"years=2021&counties={county}"
    assert "Census tract" not in words(get(query)).split("By county")[1]
    loading.load_boundaries(
        BoundaryKind.TRACT,
        (2021, 2021),
        counties(*counts),
        source="tracts.json",
        by=Caller(id="1", username="ann"),
    )
    page = get(query)
    for tract, count in counts.items():
        assert f"Census tract {tract}: {count:,} record" in page
    assert {line[0]: line[1] for line in table(page, "Census tract")[:-1]} == {
        tract: f"{count:,}" for tract, count in counts.items()
    }
