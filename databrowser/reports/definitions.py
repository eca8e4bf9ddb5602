"""What the yearly reports count: their columns, dispositions and groups, as tables.

Whatever counts, names or describes the cells of a report reads it here.

Source: disclosure and aggregate reports of 2018 and later as FFIEC publishes them (HMDA Platform,
the shape of its JSON files), with the rules of its generator; 12 CFR 1003.5(f).
"""

from __future__ import annotations

from dataclasses import dataclass

OUTSIDE_MSA_MD_NAME = "NA"  # of 99999: all places outside of any MSA/MD


@dataclass(frozen=True, slots=True)
class LoanColumn:
    """A column of reports 1, 2 and 9. A set of codes that is empty takes all of them.

    few_units: whether the dwelling has one to four units, or five and more.
    """

    letter: str
    name: str
    purposes: tuple[int, ...] = ()
    types: tuple[int, ...] = ()
    few_units: bool = True
    occupancies: tuple[int, ...] = ()
    methods: tuple[int, ...] = ()


FEW_UNITS = ("1", "2", "3", "4")
MANY_UNITS = ("5-24", "25-49", "50-99", "100-149", ">149")
_PURPOSES, _TYPES = (1, 2, 31, 32), (1, 2, 3, 4)  # of A to D
# A to E never share a record; F and G are parts of A to D.
COLUMNS = (
    LoanColumn("A", "FHA, FSA/RHS & VA (A)", purposes=(1,), types=(2, 3, 4)),
    LoanColumn("B", "Conventional (B)", purposes=(1,), types=(1,)),
    LoanColumn("C", "Refinancings (C)", purposes=(31, 32)),
    LoanColumn("D", "Home Improvement Loans (D)", purposes=(2,)),
    LoanColumn("E", "Loans on Dwellings For 5 or More Families (E)", few_units=False),
    LoanColumn(
        "F",
        "Nonoccupant Loans from Columns A, B, C ,& D (F)",
        _PURPOSES,
        _TYPES,
        occupancies=(2, 3),
    ),
    LoanColumn(
        "G",
        "Loans On Manufactured Home Dwellings From Columns A, B, C & D (G)",
        _PURPOSES,
        _TYPES,
        methods=(2,),
    ),
)


@dataclass(frozen=True, slots=True)
class Disposition:
    """What became of applications. key: in the columns of CSV files."""

    key: str
    name: str
    actions: tuple[int, ...]


RECEIVED = Disposition("received", "Applications Received", (1, 2, 3, 4, 5))
PURCHASED = Disposition("purchased", "Purchased Loans", (6,))
_OUTCOMES = (
    Disposition("originated", "Loans Originated", (1,)),
    Disposition("approved", "Applications Approved but not Accepted", (2,)),
    Disposition("denied", "Applications Denied by Financial Institution", (3,)),
    Disposition("withdrawn", "Applications Withdrawn by Applicant", (4,)),
    Disposition("incomplete", "File Closed for Incompleteness", (5,)),
)
# Other actions (preapprovals) count in no cell, but their tract is listed.
COUNTED_ACTIONS = (*RECEIVED.actions, *PURCHASED.actions)


@dataclass(frozen=True, slots=True)
class Group:
    """A value by which records are grouped, with the letter that sorts it."""

    name: str
    letter: str

    @property
    def sorting(self) -> str:
        """The key by which readers sort it."""
        return add_letter(self.name, self.letter)


def add_letter(name: str, letter: str) -> str:
    """Return a name with the letter that sorts it: `Loans Originated - (A)`."""
    return f"{name} - ({letter})"


def _groups(letters: str, *names: str) -> tuple[Group, ...]:
    return tuple(Group(name, letter) for name, letter in zip(names, letters, strict=True))


RACES = _groups(
    "ABCDEFHIJ",  # there is no G
    "American Indian or Alaska Native",
    "Asian",
    "Black or African American",
    "Native Hawaiian or Other Pacific Islander",
    "White",
    "2 or more minority races",
    "Joint",
    "Free Form Text Only",
    "Race Not Available",
)
ETHNICITIES = _groups(
    "ABCDE",
    "Hispanic or Latino",
    "Not Hispanic or Latino",
    "Joint",
    "Free Form Text Only",
    "Ethnicity Not Available",
)
SEXES = _groups("ABCD", "Male", "Female", "Joint", "Sex Not Available")
TOTAL = "Total"  # of all sexes
INCOMES = _groups(
    "ABCDE",
    "LESS THAN 50% OF MSA/MD MEDIAN",
    "50-79% OF MSA/MD MEDIAN",
    "80-99% OF MSA/MD MEDIAN",
    "100-119% OF MSA/MD MEDIAN",
    "120% OR MORE OF MSA/MD MEDIAN",
)
# Where each group but the last ends, in tenths of the median; a limit is in the higher group.
INCOME_TENTHS = (5, 8, 10, 12)
MEDIAN_AGES = _groups(
    "ABCDEFG",
    "2011 - Present",
    "2000 - 2010",
    "1990 - 1999",
    "1980 - 1989",
    "1970 - 1979",
    "1969 or Earlier",
    "Age Unknown",
)
# The first year of each group but the last two.
MEDIAN_AGE_YEARS = (2011, 2000, 1990, 1980, 1970)

DISCLOSURE, AGGREGATE = "disclosure", "aggregate"
KINDS = (DISCLOSURE, AGGREGATE)
_BY_TRACT = "by location of property and type of loan"


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """A report. code: in addresses. table: in JSON. dispositions: its rows, in order."""

    code: str
    table: str
    title: str
    describes: str
    kinds: tuple[str, ...] = (AGGREGATE,)
    dispositions: tuple[Disposition, ...] = ()
    has_text_year: bool = True  # while the first two have a number

    def describe(self, year: int) -> str:
        """Return its description in a year."""
        return self.describes.format(year=year)

    def sort_disposition(self, disposition: Disposition) -> str:
        """Return the key by which readers sort a disposition."""
        return add_letter(disposition.name, "ABCDEFG"[self.dispositions.index(disposition)])


BY_TRACT = ReportDefinition(
    "1",
    "1",
    "Applications by Tract",
    f"Disposition of loan applications, {_BY_TRACT}",
    KINDS,
    (*_OUTCOMES, RECEIVED),
    has_text_year=False,
)
PURCHASES = ReportDefinition(
    "2",
    "2",
    "Loans Purchased by Tract",
    f"Loans purchased, {_BY_TRACT}",
    KINDS,
    (PURCHASED,),
    has_text_year=False,
)
BY_RACE = ReportDefinition(
    "3",
    "3",
    "Applications by Race and Sex",
    "Disposition of loan applications, by race and sex of applicant",
    dispositions=(*_OUTCOMES, PURCHASED),
)
BY_ETHNICITY = ReportDefinition(
    "4",
    "4",
    "Applications by Ethnicity and Sex",
    "Disposition of loan applications, by ethnicity and sex of applicant",
    dispositions=(*_OUTCOMES, PURCHASED),
)
BY_INCOME = ReportDefinition(
    "5",
    "5",
    "Applications by Income, Race, and Ethnicity",
    "Disposition of applications by income, race, and ethnicity of applicant",
    dispositions=(RECEIVED, *_OUTCOMES, PURCHASED),
)
BY_MEDIAN_AGE = ReportDefinition(
    "9",
    "9",
    "Applications by Median Age of Homes",
    "Disposition of loan applications, by median age of homes in census tract in which property is "
    "located and type of loan",
    dispositions=(*_OUTCOMES, RECEIVED),
)
INSTITUTIONS = ReportDefinition(
    "i",
    "I",
    "Reporting Financial Institutions",
    "List of financial institutions whose data make up the {year} MSA/MD aggregate report",
)
REPORTS = (
    BY_TRACT,
    PURCHASES,
    BY_RACE,
    BY_ETHNICITY,
    BY_INCOME,
    BY_MEDIAN_AGE,
    INSTITUTIONS,
)


def list_definitions(kind: str) -> list[ReportDefinition]:
    """Return the reports of a kind, in order."""
    return [report for report in REPORTS if kind in report.kinds]


def find_definition(kind: str, code: str) -> ReportDefinition | None:
    """Return the report of a code, in capital letters or not; None if there is none."""
    return next((each for each in list_definitions(kind) if each.code == code.lower()), None)
