"""The addresses of the data browser, as callers see them."""

from __future__ import annotations

import io

import polars as pl
import pyarrow.parquet as pq
import pytest
from django.test import Client

from databrowser.publication import serving
from databrowser.publication.columns import PUBLIC
from databrowser.publication.serving import shared_engine
from tests.databrowser.conftest import csv_of, public_rows, publish, write
from tests.errors import error_of

API = "/v2/data-browser-api"
VIEW = f"{API}/view"
ASKED = "years=2019&actions_taken=1,3&races=white,Asian"
ROWS = "years=2019,2021&states=CA,TX&actions_taken=1"


def leave(response) -> None:
    """Close what an answer holds, as the web server does when the client has gone.

    Without telling that the request has ended, upon which the test would lose its connection.
    """
    for close in response._resource_closers:
        close()
    response._resource_closers.clear()


def get(path: str, client: Client | None = None, **headers: str):
    return (client or Client()).get(f"{VIEW}/{path}", headers=headers)


def body(response) -> bytes:
    return b"".join(response.streaming_content)


def chosen(frames, years=(2019, 2021)) -> pl.DataFrame:
    rows = pl.concat(frames[year] for year in years)
    return rows.filter(pl.col("state_code").is_in(["CA", "TX"]), pl.col("action_taken") == "1")


def test_a_report_has_every_combination_in_the_callers_order(frames):
    answer = get(
        "aggregations?years=2021,2019&states=md,wy&races=white,asian&actions_taken=8,1"
        "&loan_products=va:subordinate lien"
    )
    assert answer.status_code == 200
    report = answer.json()
    assert report["parameters"] == {
        "state": "MD,WY",
        "actions_taken": "8,1",
        "races": "White,Asian",
        "loan_products": "VA:Subordinate Lien",
    }
    # No such loan is made up: all groups are there all the same.
    assert report["aggregations"] == [
        {
            "count": 0,
            "sum": 0.0,
            "actions_taken": action,
            "races": race,
            "loan_products": "VA:Subordinate Lien",
            "state": "MD,WY",
        }
        for action in ("8", "1")
        for race in ("White", "Asian")
    ]


def test_filers_of_years_that_are_not_published_are_none(frames):
    assert get("filers?years=2018").json() == {"institutions": [], "datasets": []}
    first = get("filers?years=2019&races=nobody").json()["institutions"][0]
    assert list(first) == ["lei", "name", "period", "count"]
    assert first["period"] == 2019


def test_what_is_not_there_and_what_is_not_taken_is_told_in_the_same_form(db):
    nowhere = get("nowhere")
    assert (nowhere.status_code, error_of(nowhere)["errorType"]) == (404, "not-found")
    posted = Client().post(f"{VIEW}/count")
    assert (posted.status_code, error_of(posted)["errorType"]) == (405, "method-not-allowed")
    assert Client().options(f"{VIEW}/count").status_code == 200


def test_an_unexpected_failure_tells_nothing_of_the_inside(frames, monkeypatch, settings):
    folder = serving.live_data_sets()[0].folder
    monkeypatch.setattr(
        "filing.storage.open_local_copy", lambda name: settings.DATA_DIR / "nowhere" / folder / name
    )
    shared_engine.cache_clear()
    answer = Client(raise_request_exception=False).get(
        f"{VIEW}/nationwide/aggregations?years=2019&sexes=Joint"
    )
    shared_engine.cache_clear()
    assert answer.status_code == 500
    assert error_of(answer) == {
        "errorType": "internal-error",
        "message": "The service could not answer this request. It has been recorded.",
    }


def test_the_cache_is_told_of_and_dropped_with_new_data(frames):
    path = f"nationwide/aggregations?{ASKED}"
    first, second = get(path), get(path)
    assert [first.json()["servedFrom"], second.json()["servedFrom"]] == ["db", "cache"]
    assert first.json()["aggregations"] == second.json()["aggregations"]
    assert first["ETag"] == second["ETag"]
    # The same in another order is the same question.
    again = get("nationwide/aggregations?years=2019&races=Asian,White&actions_taken=3,1").json()
    assert again["servedFrom"] == "cache"
    assert again["aggregations"][0] == first.json()["aggregations"][3]

    newer = public_rows(2019, 500, seed=99)
    publish(newer, write(newer))
    third = get(path)
    assert third.json()["servedFrom"] == "db"
    assert third["ETag"] != first["ETag"]
    rows = newer.filter(pl.col("derived_race") == "White", pl.col("action_taken") == "1")
    assert third.json()["aggregations"][0]["count"] == rows.height


@pytest.mark.parametrize(
    "path",
    [
        f"nationwide/aggregations?{ASKED}",
        f"parquet?{ROWS}",
        "filers?years=2019",
    ],
)
def test_who_has_the_answer_is_told_that_it_still_holds(path, frames):
    whole = get(path)
    leave(whole)
    again = get(path, **{"If-None-Match": whole["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == whole["ETag"]
    # Data of another year change nothing here.
    other = public_rows(2022, 50)
    publish(other, write(other))
    assert get(path, **{"If-None-Match": whole["ETag"]}).status_code == 304


def typed_columns() -> pl.Schema:
    """Return the columns of typed files as polars reads them."""
    columns = {}
    for column in PUBLIC:
        columns[column.name] = pl.Categorical() if column.typed == pl.String else column.typed
        if column.note:
            columns[column.note] = pl.Categorical()
    return pl.Schema(columns)


def test_csv_pipe_and_parquet_have_the_rows_in_the_order_of_the_data_set(frames):
    expected = chosen(frames)
    csv, pipe, parquet = (get(f"{form}?{ROWS}") for form in ("csv", "pipe", "parquet"))
    assert body(csv).decode() == csv_of(expected)
    assert body(pipe).decode() == csv_of(expected, "|")
    read = pl.read_parquet(io.BytesIO(body(parquet)))
    assert read.schema == typed_columns()
    assert read["action_taken"].to_list() == [1] * expected.height
    assert read["county_code"].to_list() == expected["county_code"].to_list()
    incomes = expected["income"].cast(pl.Int64, strict=False)
    assert read["income"].to_list() == incomes.to_list()
    facts = pq.read_schema(io.BytesIO(body(get(f"parquet?{ROWS}")))).metadata
    assert facts[b"versions"] == b"2019-1,2021-1"
    assert csv["Content-Type"] == "text/csv; charset=UTF-8"
    assert csv["Content-Disposition"] == (
        'attachment; filename="state_CA-TX_actions_taken_1_year_2019-2021.csv"'
    )
    assert pipe["Content-Disposition"].endswith('.psv"')


def test_a_long_name_is_cut_and_ends_in_what_tells_it_apart(frames):
    query = "years=2019&sexes=male&races=white,joint,asian&dwelling_categories="
    cells = "Multifamily:Site-Built,Single Family (1-4 Units):Site-Built"
    answer = get(f"nationwide/csv?{query}{cells}")
    leave(answer)
    name = answer["Content-Disposition"].removeprefix('attachment; filename="')[:-1]
    assert len(name) == 100 + 32 + len(".csv")
    assert name.startswith(
        "races_White-Joint-Asian_sexes_Male_dwelling_categories_Multifamily-Site"
    )


def test_a_client_that_goes_away_frees_its_place_and_stops_the_query(frames):
    places = shared_engine().download_slots
    streams = [get(f"csv?{ROWS}") for _ in range(places.number)]
    assert next(iter(streams[0].streaming_content))
    busy = get(f"csv?{ROWS}")
    assert (busy.status_code, busy["Retry-After"]) == (503, "5")
    assert error_of(busy)["errorType"] == "busy"
    assert get("count?years=2019&states=MD").status_code == 200  # questions have their own places
    for stream in streams:
        leave(stream)
    assert body(get(f"csv?{ROWS}"))


def test_a_question_that_takes_too_long_is_given_up(frames, settings):
    settings.BROWSER_SECONDS = 0.05
    crossed = "SELECT count(*) FROM range(100000) a, range(100000) b WHERE a.range + b.range = ?"
    with pytest.raises(Exception, match=r"took more than 0\.05 seconds"):
        shared_engine().rows(crossed, [7])
    assert shared_engine().rows("SELECT ?::INTEGER", [7]) == [(7,)]


def test_a_reader_finishes_on_the_version_it_began_with(frames):
    begun = get(f"csv?{ROWS}").streaming_content
    pieces = [next(begun)]
    live = serving.live_data_sets()
    newer = {year: public_rows(year, 400, seed=5) for year in (2019, 2021)}
    for frame in newer.values():
        publish(frame, write(frame))
    assert b"".join([*pieces, *begun]).decode() == csv_of(chosen(frames))
    assert body(get(f"csv?{ROWS}")).decode() == csv_of(chosen(newer))
    with shared_engine().reading(live) as names:
        asked = f"count?{ROWS.replace('&actions_taken=1', '')}"
        counted = get(asked).json()["aggregations"][0]["count"]
        assert counted == sum(
            rows.filter(pl.col("state_code").is_in(["CA", "TX"])).height for rows in newer.values()
        )
        held = shared_engine().rows(f"SELECT count(*) FROM {names[2019]}.loans", [])
        assert held == [(frames[2019].height,)]


def test_as_many_data_sets_stay_attached_as_were_read_last(frames, monkeypatch):
    monkeypatch.setattr(serving, "MOST_ATTACHED", 1)
    first, second = serving.live_data_sets()
    engine = shared_engine()
    for data_sets in ([first], [second], [first, second], [first]):
        with engine.reading(data_sets) as names:
            assert len(names) == len(data_sets)
            assert {data_set.folder for data_set in data_sets} <= set(engine.attached)
    assert engine.attached == (first.folder,)
    with engine.reading([first]), engine.reading([second]):
        assert set(engine.attached) == {first.folder, second.folder}  # both are read
    assert len(engine.attached) == 1


def test_health_tells_what_is_public(frames):
    answer = Client().get(f"{API}/health")
    assert answer.status_code == 200
    assert answer.json()["status"] == "OK"
    assert [(each["year"], each["rows"]) for each in answer.json()["data"]] == [
        (2019, 3_000),
        (2021, 3_000),
    ]
