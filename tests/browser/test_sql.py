"""Own SQL in the reader's browser: the same answers as DuckDB, from as few bytes as it needs."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import quote

import duckdb
import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, Response, Route, expect

from databrowser.pages.sql_examples import EXAMPLES
from tests.browser.conftest import Look, save_download
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

PAGE = "/data/sql/?version=2022-1&state=CA"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
RAN = re.compile(
    r"rows? in [\d.]+ seconds\. (\d+) columns? read, (?:nothing|([\d.]+) (kB|MB)) fetched\.$"
)
GROUP, GROUPS = 1000, 5  # of a file of several groups of rows


def run(page: Page, sql: str) -> None:
    page.get_by_label("SQL query").fill(sql)
    page.get_by_role("button", name="Run query").click()


def ran(page: Page) -> tuple[int, float]:
    """Wait for a result; return the numbers of columns and of bytes that it names."""
    status = page.locator("#sql-status")
    expect(status).to_have_text(RAN)
    columns, size, unit = RAN.search(status.inner_text()).groups()
    return int(columns), float(size or 0) * {None: 1, "kB": 1e3, "MB": 1e6}[unit]


def cells(page: Page) -> list[str]:
    return page.locator("#sql-result td").all_inner_texts()


def saved_rows(page: Page) -> list[list[str]]:
    name, path = save_download(page, page.get_by_role("link", name="as CSV"))
    assert re.fullmatch(r"public-lar-2022-1-[A-Z]{2}\.csv", name)
    text = path.read_text()
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.fixture(scope="module")
def database(site: Service) -> duckdb.DuckDBPyConnection:
    """DuckDB with the tables of the page, from the same files."""
    version = httpx.get(f"{site.url}/v2/public/publications/2022").json()["permanent"]
    connection = duckdb.connect()
    for table, name in (("loans", "states/CA.parquet"), ("institutions", "institutions.parquet")):
        content = httpx.get(f"{site.url}{version}/{name}").content
        connection.register(table, pq.read_table(io.BytesIO(content)))
    return connection


def in_text(value: Any) -> Any:
    if value is None:
        return ""
    return pytest.approx(value) if isinstance(value, int | float) else str(value)


def test_each_example_has_the_answer_of_duckdb(
    look: Look, database: duckdb.DuckDBPyConnection
) -> None:
    page = look.at(PAGE)
    for example in EXAMPLES:
        page.get_by_role("button", name=example.title, exact=True).click()
        expect(page.get_by_label("SQL query")).to_have_value(example.sql)
        page.get_by_role("button", name="Run query").click()
        ran(page)
        header, *rows = saved_rows(page)
        answer = database.execute(example.sql)
        assert header == [column[0] for column in answer.description]
        expected = [[in_text(value) for value in row] for row in answer.fetchall()]
        numbers = [
            [
                text if isinstance(right, str) else float(text)
                for text, right in zip(*both, strict=True)
            ]
            for both in zip(rows, expected, strict=True)
        ]
        assert expected
        assert numbers == expected


def test_a_query_is_not_sent_and_fetches_what_it_reads(look: Look) -> None:
    page, parts, sent = look.page, [], []

    def listen(response: Response) -> None:
        if response.status == 206:
            parts.append(int(response.headers["content-length"]))

    page.on("response", listen)
    page.on("request", lambda request: sent.append(f"{request.url} {request.post_data}"))
    look.at(PAGE)
    look.wait_until_idle()
    assert parts == []  # nothing before someone asks
    run(page, "SELECT count(*) AS unusual_name FROM loans")
    columns, size = ran(page)
    assert columns == 0
    assert size == pytest.approx(sum(parts), rel=0.1)
    run(page, "SELECT derived_race, avg(loan_amount) AS unusual_name FROM loans GROUP BY 1")
    columns, size = ran(page)
    assert (columns, size > 0) == (2, True)
    assert sum(parts) < 500_000
    run(page, "SELECT min(loan_amount) AS unusual_name FROM loans")
    assert ran(page) == (1, 0)  # what is there already is not fetched again
    assert not [each for each in sent if "unusual_name" in each]


def test_an_address_has_its_query_and_waits_for_a_click(look: Look) -> None:
    sql = "SELECT 'a&b=c#d' AS text, count(*) AS n FROM loans"
    page = look.at(f"{PAGE}#q={quote(sql)}")
    expect(page.get_by_label("SQL query")).to_have_value(sql)
    expect(page.locator("#sql-status")).to_contain_text("came with the address")
    assert cells(page) == []
    page.get_by_role("button", name="Run query").click()
    ran(page)
    first = cells(page)
    link = page.get_by_role("link", name="Link to this query").get_attribute("href")
    page.goto("about:blank")
    page.goto(look.url + str(link))
    expect(page.get_by_label("SQL query")).to_have_value(sql)
    page.get_by_role("button", name="Run query").click()
    ran(page)
    assert cells(page) == first


def test_another_state_keeps_the_query(look: Look) -> None:
    page = look.at(PAGE)
    sql = "SELECT DISTINCT state_code FROM loans"
    page.get_by_label("SQL query").fill(sql)
    page.get_by_label("State").select_option("TX")
    page.get_by_role("button", name="Choose").click()
    page.wait_for_url("**state=TX#q=*")
    expect(page.get_by_label("SQL query")).to_have_value(sql)
    page.get_by_role("button", name="Run query").click()
    ran(page)
    assert cells(page) == ["TX"]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT lei,\n  lender FROM loans", "Line 2, column 3: no such column: lender"),
        ("SELECT 'é', FROM loans", 'Line 1, column 13: near "FROM": syntax error'),
        ("SELECT 1; SELECT 2", "Line 1, column 10: Enter one query at a time."),
        ("SELECT * FROM lenders", "no such table: lenders"),
        ("DROP TABLE institutions", "Only queries run here"),
        ("PRAGMA database_list", "Only queries run here"),
        ("ATTACH 'other' AS other", "Only queries run here"),
        (" -- nothing\n;", "Enter a query, or choose an example."),
        ("SELECT abs(-9223372036854775808)", "integer overflow"),
    ],
)
def test_a_query_that_cannot_run_is_explained(tab: Look, sql: str, says: str) -> None:
    page = tab.at(PAGE)
    run(page, sql)
    expect(page.locator("#sql-problem")).to_contain_text(says)
    expect(page.locator("#sql-status")).to_have_text("The query has no result.")
    run(page, "SELECT count(*) FROM loans")
    ran(page)
    expect(page.locator("#sql-problem")).to_be_empty()


def test_a_query_is_stopped_and_the_next_one_runs(look: Look) -> None:
    page = look.at(PAGE)
    run(page, ENDLESS)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#sql-status")).to_have_text("Stopped.")
    assert page.evaluate("document.activeElement.id") == "sql-run"
    run(page, "SELECT 1 + 1")
    ran(page)
    assert cells(page) == ["2"]


def test_the_query_is_run_and_left_by_keyboard(look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("SQL query").fill("SELECT 42 AS answer")
    page.keyboard.press("Control+Enter")
    ran(page)
    assert cells(page) == ["42"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "sql-run"
    page.get_by_label("SQL query").fill(ENDLESS)
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#sql-status")).to_have_text("Stopped.")


def test_a_long_result_is_shown_in_part_and_saved_whole(look: Look) -> None:
    page = look.at(PAGE)
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 200000)"
    run(page, f"{numbers} SELECT x, '=1+1' AS formula, 'a \"b\", c' AS text, NULL AS blank FROM n")
    ran(page)
    page.get_by_text("The first 1,000 rows of 200,000").wait_for()
    assert page.locator("#sql-result tbody tr").count() == 1000
    rows = saved_rows(page)
    assert len(rows) == 200_001
    assert rows[-1] == ["200000", "'=1+1", 'a "b", c', ""]
    frame = page.get_by_role("region", name="Rows of the result")
    assert frame.evaluate("(element) => element.tabIndex") == 0
    run(page, ENDLESS.replace("count(*)", "x"))
    expect(page.locator("#sql-problem")).to_contain_text("more than 1,000,000 rows")


@pytest.fixture
def large(look: Look) -> Look:
    """The page with a file of several groups of rows, with NULL and wide numbers."""
    numbers = list(range(GROUP * GROUPS))
    table = pa.table(
        {
            "number": pa.array(numbers, pa.int64()),
            "wide": pa.array([each * 2**33 if each % 3 else None for each in numbers], pa.int64()),
            "rate": pa.array([each / 8 if each % 7 else None for each in numbers], pa.float64()),
            "text": pa.array([f"é{each % 5}" if each % 2 else None for each in numbers]),
        }
    )
    held = io.BytesIO()
    pq.write_table(table, held, row_group_size=GROUP, compression="zstd")
    content = held.getvalue() + b""

    def send(route: Route) -> None:
        first, last = map(int, route.request.headers["range"].removeprefix("bytes=").split("-"))
        route.fulfill(status=206, body=content[first : last + 1])

    def describe(route: Route) -> None:
        text = route.fetch().text()
        route.fulfill(
            body=re.sub(r'(CA\.parquet", "bytes": )\d+', rf"\g<1>{len(content)}", text),
            content_type="text/html; charset=utf-8",
        )

    look.page.route("**/states/CA.parquet", send)
    look.page.route(f"**{PAGE}", describe)
    look.at(PAGE)
    return look


def test_several_groups_of_rows_are_read_only_if_they_are_needed(large: Look) -> None:
    page, total = large.page, GROUP * GROUPS
    run(page, "SELECT number FROM loans LIMIT 3")
    _, first = ran(page)
    assert cells(page) == ["0", "1", "2"]
    run(page, "SELECT wide FROM loans LIMIT 2")
    _, part = ran(page)
    run(
        page,
        "SELECT count(*), sum(number), count(wide), max(wide), count(DISTINCT text) FROM loans",
    )
    _, whole = ran(page)
    assert 0 < part < first
    assert whole > 3 * part
    right = [total, total * (total - 1) // 2, sum(1 for each in range(total) if each % 3)]
    largest = max(each for each in range(total) if each % 3) * 2**33
    assert saved_like(page) == [*map(str, right), str(largest), "5"]
    run(page, "SELECT a.number, b.text FROM loans a JOIN loans b ON a.rowid = b.rowid "
        "WHERE a.number = 4999")  # fmt: skip
    ran(page)
    assert cells(page) == ["4999", "é4"]


def test_columns_that_only_join_tables_are_fetched_as_well(look: Look) -> None:
    page = look.at(PAGE)
    run(page, "SELECT count(*) FROM loans JOIN institutions USING (lei)")
    ran(page)
    joined = cells(page)
    run(page, "SELECT count(*) FROM loans")
    ran(page)
    assert cells(page) == joined != ["0"]


def saved_like(page: Page) -> list[str]:
    return [text.replace(",", "") for text in cells(page)]


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (429, "Run the query again in 7 seconds."),
        (410, "This version is not public any more."),
        (500, "The site answered 500 instead of the file."),
        (None, "The file could not be fetched."),
    ],
)
def test_a_file_that_does_not_come_is_explained(look: Look, status: int | None, says: str) -> None:
    def refuse(route: Route) -> None:
        if status is None:
            route.abort()
        else:
            route.fulfill(status=status, headers={"Retry-After": "7"})

    look.page.route("**/states/CA.parquet", refuse)
    page = look.at(PAGE)
    run(page, "SELECT count(*) FROM loans")
    expect(page.locator("#sql-problem")).to_contain_text(says)
    look.complaints.clear()  # that it did not come
    page.unroute("**/states/CA.parquet")
    run(page, "SELECT count(*) FROM loans")
    ran(page)


def test_a_site_that_sends_whole_files_is_asked_once(look: Look) -> None:
    def send_whole(route: Route) -> None:
        headers = {k: v for k, v in route.request.headers.items() if k != "range"}
        route.fulfill(response=route.fetch(headers=headers))

    look.page.route("**/states/CA.parquet", send_whole)
    page = look.at(PAGE)
    run(page, "SELECT count(lei) FROM loans")
    ran(page)
    run(page, "SELECT count(loan_amount) FROM loans")
    assert ran(page) == (1, 0)
