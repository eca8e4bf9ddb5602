"""Ten queries that the page for own SQL offers, as SQLite and DuckDB both run them."""

from __future__ import annotations

from dataclasses import dataclass

INSTITUTIONS = "institutions"  # the second table, for names


@dataclass(frozen=True)
class SqlExample:
    """A query and what it answers."""

    title: str
    sql: str

    @property
    def has_names(self) -> bool:
        """Whether it reads the table of institutions."""
        return INSTITUTIONS in self.sql


EXAMPLES = (
    SqlExample(
        "Records by action taken",
        """\
SELECT CASE action_taken
         WHEN 1 THEN 'Loan originated'
         WHEN 2 THEN 'Approved but not accepted'
         WHEN 3 THEN 'Application denied'
         WHEN 4 THEN 'Application withdrawn'
         WHEN 5 THEN 'File closed for incompleteness'
         WHEN 6 THEN 'Purchased loan'
         WHEN 7 THEN 'Preapproval request denied'
         WHEN 8 THEN 'Preapproval request approved but not accepted'
       END AS action,
       count(*) AS records
FROM loans
GROUP BY action_taken
ORDER BY action_taken""",
    ),
    SqlExample(
        "Median loan amount by purpose, in dollars",
        """\
SELECT CASE loan_purpose
         WHEN 1 THEN 'Home purchase'
         WHEN 2 THEN 'Home improvement'
         WHEN 31 THEN 'Refinancing'
         WHEN 32 THEN 'Cash-out refinancing'
         WHEN 4 THEN 'Other purpose'
         ELSE 'Not applicable'
       END AS purpose,
       median(loan_amount) AS dollars
FROM loans
WHERE action_taken = 1
GROUP BY purpose
ORDER BY purpose""",
    ),
    SqlExample(
        "Denial rate of home purchase applications by race",
        """\
SELECT derived_race,
       count(*) AS decided,
       avg(CASE WHEN action_taken = 3 THEN 1.0 ELSE 0.0 END) AS denial_rate
FROM loans
WHERE loan_purpose = 1 AND action_taken IN (1, 2, 3)
GROUP BY derived_race
ORDER BY denial_rate DESC, derived_race""",
    ),
    SqlExample(
        "Ten lenders with the most originated loans",
        """\
SELECT coalesce(name, lei) AS lender, count(*) AS loans
FROM loans LEFT JOIN institutions USING (lei)
WHERE action_taken = 1
GROUP BY lei, name
ORDER BY loans DESC, lei
LIMIT 10""",
    ),
    SqlExample(
        "Quartiles of the rate spread of first liens, in percentage points",
        """\
WITH ranked AS (
  SELECT rate_spread, ntile(4) OVER (ORDER BY rate_spread) AS quartile
  FROM loans
  WHERE action_taken = 1 AND lien_status = 1 AND rate_spread IS NOT NULL
)
SELECT quartile, count(*) AS loans, min(rate_spread) AS lowest, max(rate_spread) AS highest
FROM ranked
GROUP BY quartile
ORDER BY quartile""",
    ),
    SqlExample(
        "Census tracts with the most home purchase loans",
        """\
SELECT census_tract,
       count(*) AS loans,
       median(loan_amount) AS median_dollars,
       median(income) AS median_income_in_thousands
FROM loans
WHERE action_taken = 1 AND loan_purpose = 1 AND census_tract IS NOT NULL
GROUP BY census_tract
ORDER BY loans DESC, census_tract
LIMIT 25""",
    ),
    SqlExample(
        "Median interest rate of 30-year loans by loan type, in percent",
        """\
SELECT CASE loan_type
         WHEN 1 THEN 'Conventional'
         WHEN 2 THEN 'FHA'
         WHEN 3 THEN 'VA'
         WHEN 4 THEN 'RHS or FSA'
       END AS type,
       median(interest_rate) AS percent
FROM loans
WHERE action_taken = 1 AND lien_status = 1 AND loan_term = 360
GROUP BY loan_type
ORDER BY loan_type""",
    ),
    SqlExample(
        "First reason for denial",
        """\
SELECT CASE denial_reason_1
         WHEN 1 THEN 'Debt-to-income ratio'
         WHEN 2 THEN 'Employment history'
         WHEN 3 THEN 'Credit history'
         WHEN 4 THEN 'Collateral'
         WHEN 5 THEN 'Insufficient cash'
         WHEN 6 THEN 'Unverifiable information'
         WHEN 7 THEN 'Credit application incomplete'
         WHEN 8 THEN 'Mortgage insurance denied'
         WHEN 9 THEN 'Other'
         ELSE 'Not reported'
       END AS reason,
       count(*) AS denials
FROM loans
WHERE action_taken = 3
GROUP BY reason
ORDER BY denials DESC, reason""",
    ),
    SqlExample(
        "Originated loans by amount, in steps of $50,000",
        """\
SELECT 50000 * floor(loan_amount / 50000) AS dollars_from, count(*) AS loans
FROM loans
WHERE action_taken = 1 AND loan_amount < 2500000
GROUP BY dollars_from
ORDER BY dollars_from""",
    ),
    SqlExample(
        "The first 20 records, all columns",
        """\
SELECT *
FROM loans
LIMIT 20""",
    ),
)
