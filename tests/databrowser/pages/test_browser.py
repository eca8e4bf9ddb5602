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
from databrowser.models import BoundaryKind, Version
from filing.access import Caller
from filing.files import responses
from filing.reference_data import registry
from tests.databrowser.boundaries.files import counties
from tests.databrowser.conftest import csv_of
from tests.databrowser.pages.texts import DEMO_BANNER, words

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


def checked(page: str) -> set[tuple[str, str]]:
    """Return name and value of all boxes that are ticked."""
    boxes = re.findall(r'type="checkbox" name="(\w+)" id="[^"]*" value="([^"]*)" ?(\w*)', page)
    return {(name, html.unescape(value)) for name, value, is_checked in boxes if is_checked}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", False),  # the newest year, which is real
        ("years=2021&races=Asian", False),
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


def test_medians_have_their_quartiles(frames) -> None:
    query = "years=2021&measure=loan_amount&by=none"
    [total] = Client().get(f"{VIEW}/figures?years=2021&measure=loan_amount").json()["totals"]
    median, lower, upper = (
        f"${total[name]:,.0f}" for name in ("value", "lowerQuartile", "upperQuartile")
    )
    page = words(get(query))
    assert f"{median} ({lower} to {upper}) of {total['records']:,} records with a loan" in page
    assert "Number of records by" not in page


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


def test_a_filter_with_many_values_has_one_chip(frames) -> None:
    states = ",".join(STATE.values[:12])
    links = chips(get(f"years=2021&races=Asian&states={states}"))
    assert links["Remove State: 12 chosen"] == f"{PAGE}?years=2021&races=Asian"


@pytest.mark.parametrize(
    ("place", "ending", "separator"),
    [
        ("", "csv", ","),
        ("states=TX", "psv", "|"),
        ("leis={lei}", "parquet", ""),
        ("counties={county}", "csv", ","),
    ],
)
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


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("states=TX", "Years are needed"),
        ("years=1999&races=Asian", "Valid years are 2018, 2019, 2020, 2021, 2022"),
        ("years=2021&races=Klingon", "Valid races are Asian, Native Hawaiian"),
        ("years=2021&leis=X", "An LEI has 20 letters or digits"),
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


@pytest.mark.parametrize("breaks", ["5,1", "<b>"])
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


DALLAS = "Dallas-Plano-Irving, TX"


@pytest.fixture
def dallas(frames) -> str:
    """The MSA/MD with most rows of 2021, which a list of names of that year names."""
    rows = frames[2021].filter(~pl.col("derived_msa_md").is_in(["", "99999"]))
    code = rows["derived_msa_md"].mode().sort()[0]
    names = f"msa_md|name\n{code}|{DALLAS}\n".encode()
    registry.load_file("msa-md-names", 2021, names, source="names.txt", by="test")
    return code


def test_a_name_of_another_year_is_better_than_none(frames, dallas) -> None:
    assert f"{DALLAS} ({dallas})" in words(get(f"years=2019&msamds={dallas}"))


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
