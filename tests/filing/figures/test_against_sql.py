"""Each figure of filers and records, against plain SQL over the filed records as Parquet."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from filing.figures import answer_figure, list_figures
from tests.filing.figures.conftest import LEIS, NOW, TEST_LEI
from tests.filing.figures.season import DEADLINES, OPENS, Season

pytestmark = pytest.mark.django_db
AGENCY = "CASE agency WHEN 1 THEN 'OCC' WHEN 2 THEN 'FRS' WHEN 3 THEN 'FDIC' WHEN 5 THEN 'NCUA' "
AGENCY += "WHEN 7 THEN 'HUD' WHEN 9 THEN 'CFPB' END"
COUNTING = f"""
    CREATE OR REPLACE TEMP VIEW counting AS
    SELECT *, 'Bank ' || right(lei, 2) AS institution, {AGENCY} AS agency_name FROM (
        SELECT *, row_number() OVER (PARTITION BY lei, period ORDER BY signed_at DESC) AS place,
            min(day) OVER (PARTITION BY lei, period) AS first_day
        FROM signed WHERE day <= DATE '{{as_of}}' AND NOT cancelled AND lei <> '{TEST_LEI}'
    ) WHERE place = 1;
    CREATE OR REPLACE TEMP VIEW f AS SELECT * FROM counting WHERE period = '{{period}}';
    CREATE OR REPLACE TEMP VIEW r AS
    SELECT lar.*, f.lei AS filed_by, f.agency_name, f.institution FROM lar
    JOIN f ON lar.filer = f.lei AND lar.period = f.period AND lar.number = f.number;
"""
# The 41 fields that edit Q646 reads; the made-up records use one of them, street, beside codes.
TAKEN = "(lower(street) = 'exempt' OR denial_reason_1 = '1111' OR open_end_line_of_credit = '1111')"
DENIALS = ", ".join(
    f"count(*) FILTER ('{reason}' IN (denial_reason_1, denial_reason_2, denial_reason_3, "
    "denial_reason_4))"
    for reason in range(1, 10)
)
KINDS = """
    SELECT institution, filed_by AS lei, agency_name,
        count(*) FILTER (open_end_line_of_credit = '1') AS open_end,
        count(*) FILTER (open_end_line_of_credit = '2') AS closed_end,
        count(*) FILTER (open_end_line_of_credit = '1111') AS exempt,
        count(*) FILTER (open_end_line_of_credit = '1' AND action_taken = '1') AS open_originated,
        count(*) FILTER (open_end_line_of_credit = '2' AND action_taken = '1') AS closed_originated
    FROM r GROUP BY ALL
"""
ONLY_OPEN = f"SELECT * FROM ({KINDS}) WHERE open_end > 0 AND closed_end = 0 AND exempt = 0"
ONLY_CLOSED = f"SELECT * FROM ({KINDS}) WHERE closed_end > 0 AND open_end = 0 AND exempt = 0"
WEEK = "(day - DATE '{opens}') // 7 + 1"
QUARTER = "(CAST(substr(action_taken_date, 5, 2) AS INT) + 2) // 3"
LATE = """
    SELECT agency_name, institution, records, CAST(first_day AS VARCHAR),
        lei || '-' || period || '-' || number
    FROM counting WHERE period = '{period}' AND first_day > DATE '{deadline}'
"""
SQL: dict[str, str] = {
    "total_filers": "SELECT count(*) FROM f",
    "total_records": "SELECT count(*) FROM r",
    "total_sheets": "SELECT count(*) FROM f",
    "single_attempts": "SELECT count(*) FROM f WHERE number = 1",
    "multiple_attempts": "SELECT count(*) FROM f WHERE number <> 1",
    "filer_attempts": "SELECT institution, records, number, lei FROM f",
    "top_filers": "SELECT institution, lei, records, city, state FROM f",
    "filer_all_periods": f"SELECT period, institution, records, city, state, agency_name "
    f"FROM counting WHERE lei = '{LEIS[0]}'",
    "filers_by_records": "SELECT institution, lei, records FROM f WHERE records > 5 "
    "AND records < 80",
    "filers_count_by_records": "SELECT count(*) FROM f WHERE records > 5 AND records < 80",
    "signatures_by_day": "SELECT CAST(d AS VARCHAR), (SELECT count(*) FROM signed WHERE day = d "
    f"AND period = '{{period}}' AND NOT cancelled AND lei <> '{TEST_LEI}') "
    "FROM (SELECT CAST(unnest(generate_series(DATE '{as_of}' - 59, DATE '{as_of}', "
    "INTERVAL 1 DAY)) AS DATE) AS d)",
    "filers_by_agency": "SELECT agency_name, count(*) FROM f GROUP BY 1",
    "records_by_agency": "SELECT agency_name, count(*) FROM r GROUP BY 1",
    "filers_by_week_by_agency": f"SELECT {WEEK}, agency_name, count(*) FROM f GROUP BY 1, 2",
    "records_by_week_by_agency": f"SELECT {WEEK}, agency_name, sum(records) FROM f GROUP BY 1, 2",
    "top_counties": "SELECT county, count(*) FROM r WHERE regexp_full_match(county, '[0-9]{{5}}') "
    "GROUP BY 1",
    "records_by_property": "SELECT 'single family, site-built', count(*) FROM r WHERE "
    "construction_method = '1' AND CAST(total_units AS INT) BETWEEN 1 AND 4 UNION ALL "
    "SELECT 'manufactured', count(*) FROM r WHERE construction_method = '2' AND "
    "CAST(total_units AS INT) BETWEEN 1 AND 4 UNION ALL "
    "SELECT 'multifamily', count(*) FROM r WHERE CAST(total_units AS INT) >= 5",
    "denial_reasons_by_agency": f"SELECT agency_name, {DENIALS}, "
    "count(*) FILTER (denial_reason_1 = '1111') FROM r GROUP BY 1",
    "filers_using_exemption_by_agency": "SELECT agency_name, count(DISTINCT filed_by) FROM r "
    f"WHERE {TAKEN} GROUP BY 1",
    "records_using_exemption_by_agency": f"SELECT agency_name, count(*) FROM r WHERE {TAKEN} "
    "GROUP BY 1",
    "filers_claiming_exemption": "SELECT institution, filed_by, agency_name, count(*) FROM r "
    f"WHERE {TAKEN} GROUP BY ALL",
    "open_end_filers_by_agency": "SELECT agency_name, count(DISTINCT filed_by) FROM r "
    "WHERE open_end_line_of_credit = '1' GROUP BY 1",
    "open_end_records_by_agency": "SELECT agency_name, count(*) FROM r "
    "WHERE open_end_line_of_credit = '1' GROUP BY 1",
    "filers_only_open_end": f"SELECT institution, lei, agency_name, open_end FROM ({ONLY_OPEN})",
    "filers_only_open_end_by_agency": f"SELECT agency_name, count(*) FROM ({ONLY_OPEN}) GROUP BY 1",
    "filers_only_closed_end": "SELECT institution, lei, agency_name, closed_end "
    f"FROM ({ONLY_CLOSED})",
    "filers_only_closed_end_by_agency": f"SELECT agency_name, count(*) FROM ({ONLY_CLOSED}) "
    "GROUP BY 1",
    "closed_end_originations_below": f"SELECT agency_name, count(*) FROM ({KINDS}) "
    "WHERE closed_originated < 10 GROUP BY 1",
    "closed_end_originations_at_least": f"SELECT agency_name, count(*) FROM ({KINDS}) "
    "WHERE closed_originated >= 10 GROUP BY 1",
    "open_end_originations_below": f"SELECT agency_name, count(*) FROM ({KINDS}) "
    "WHERE open_originated < 10 GROUP BY 1",
    "open_end_originations_at_least": f"SELECT agency_name, count(*) FROM ({KINDS}) "
    "WHERE open_originated >= 10 GROUP BY 1",
    "top_open_end": f"SELECT institution, lei, agency_name, open_end FROM ({KINDS}) "
    "WHERE open_end > 0",
    "quarterly_filers": "SELECT 'Bank ' || right(lei, 2), lei, "
    + ", ".join(
        f"EXISTS (SELECT 1 FROM counting c WHERE c.lei = o.lei AND c.period = '2024-Q{number}')"
        for number in (1, 2, 3)
    )
    + ", (SELECT records FROM counting c WHERE c.lei = o.lei AND c.period = '2023') "
    f"FROM (SELECT unnest(['{LEIS[0]}', '{LEIS[3]}', '{LEIS[5]}']) AS lei) o",
    "quarterly_records": "SELECT institution, filed_by, "
    + ", ".join(f"count(*) FILTER ({QUARTER} = {number})" for number in range(1, 5))
    + " FROM r GROUP BY 1, 2",
    "late_filers": LATE,
    "late_filers_by_quarter": " UNION ALL ".join(
        f"SELECT '{quarter}', * FROM ("
        + LATE.replace("{period}", f"2024-{quarter}").replace(
            "{deadline}", DEADLINES[f"2024-{quarter}"].isoformat()
        )
        + ")"
        for quarter in ("Q1", "Q2", "Q3")
    ),
    "voluntary_filers": """
        SELECT f.institution, f.lei, f.agency_name,
            CASE WHEN one.closed IS NULL OR two.closed IS NULL THEN 'unknown'
                ELSE 'voluntary' END,
            one.closed, one.opened, two.closed, two.opened
        FROM f LEFT JOIN past one ON one.lei = f.lei AND one.year = '2023'
            LEFT JOIN past two ON two.lei = f.lei AND two.year = '2022'
        WHERE coalesce(one.closed, 0) < 25 AND coalesce(one.opened, 0) < 200
            AND coalesce(two.closed, 0) < 25 AND coalesce(two.opened, 0) < 200
    """,
}
PAST = """
    CREATE OR REPLACE TEMP VIEW past AS
    SELECT c.lei, c.period AS year,
        count(*) FILTER (open_end_line_of_credit = '2' AND action_taken = '1') AS closed,
        count(*) FILTER (open_end_line_of_credit = '1' AND action_taken = '1') AS opened
    FROM counting c
    JOIN lar ON lar.filer = c.lei AND lar.period = c.period AND lar.number = c.number
    GROUP BY ALL
"""
PARAMETERS: dict[str, dict[str, str]] = {
    "filers_by_records": {"min": "5", "max": "80"},
    "filers_count_by_records": {"min": "5", "max": "80"},
    "filer_all_periods": {"lei": LEIS[0].lower()},
    "signatures_by_day": {"n": "60"},
    **{name: {"x": "10"} for name in SQL if "originations" in name},
}
# Columns that tell when, beside what SQL counts.
LEFT_OUT = {"signedAt", "begins"}
OF_THE_CONTRACT = 37


def plain_rows(name: str, rows: list[list[Any]], columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    kept = [place for place, column in enumerate(columns) if column not in LEFT_OUT]
    return sorted((tuple(row[place] for place in kept) for row in rows), key=repr)


def test_every_figure_of_the_dashboard_is_compared() -> None:
    assert len(SQL) == OF_THE_CONTRACT
    assert SQL.keys() <= {figure.name for figure in list_figures()}


@pytest.mark.servers
def test_each_figure_equals_plain_sql_over_the_filed_records(season: Season) -> None:
    database = season.open_database()
    compared = 0
    for period, as_of in (
        ("2024", NOW.date()),
        ("2024", date(2025, 3, 3)),
        ("2024", date(2025, 2, 10)),
        ("2023", date(2024, 2, 1)),
        ("2024-Q1", NOW.date()),
    ):
        facts = {"period": period, "as_of": as_of, "opens": OPENS[period]}
        facts["deadline"] = DEADLINES[period]
        database.execute(COUNTING.format(**facts))
        database.execute(PAST)
        for name, sql in SQL.items():
            if period != "2024" and "2023" in sql:
                continue  # written for one year
            answer = answer_figure(
                name, period=period, as_of=as_of, parameters=PARAMETERS.get(name)
            )
            expected = database.execute(sql.format(**facts)).fetchall()
            own = plain_rows(name, answer.rows, answer.figure.columns)
            assert own == sorted(map(tuple, expected), key=repr), f"{name} {period} {as_of}"
            compared += bool(expected)
    assert compared > 3 * OF_THE_CONTRACT
