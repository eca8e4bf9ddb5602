"""The pools of values for the columns of made-up loans: applicants, places, terms, amounts.

Columns that depend on each other are one value with separators, which also makes large files fast
to write. The first value of a pool is for loans without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

import numpy as np
import polars as pl
from numpy.typing import NDArray

from filing.demo.files.mix import draw_weighted, repeat_by_weight
from filing.lar.fields import STATES

# By loan type: systems 1 to 5 with the free form, results 1 to 5 with the free form. Only results
# that the system may return in every year (quality edits Q632, Q633, Q643, Q644).
_NO_UNDERWRITING = ("6|||||", "17|||||")
_UNDERWRITING = {
    1: {
        ("1|||||", "1|||||"): 35,
        ("1|||||", "3|||||"): 6,
        ("2|||||", "8|||||"): 25,
        ("2|||||", "10|||||"): 6,
        ("1|2||||", "1|8||||"): 12,
        ("5|||||House system", "15|||||"): 3,
        ("5|||||House system", "16|||||Referred up"): 1,
        _NO_UNDERWRITING: 12,
    },
    2: {("3|||||", "8|||||"): 70, ("1|3||||", "1|13||||"): 15, _NO_UNDERWRITING: 15},
    3: {("1|||||", "2|||||"): 60, ("2|||||", "8|||||"): 25, _NO_UNDERWRITING: 15},
    4: {("4|||||", "10|||||"): 60, ("4|||||", "15|||||"): 20, _NO_UNDERWRITING: 20},
}
# Reasons 1 to 4 and the free form.
_DENIALS = {
    "1||||": 30,
    "3||||": 25,
    "4||||": 12,
    "1|3|||": 10,
    "5|6|||": 5,
    "2|1|4||": 3,
    "7|6|5|4|": 1,
    "8||||": 2,
    "9||||Property is under litigation": 3,
    "3|9|||Title could not be cleared": 2,
}
_TERMS = {"360": 60, "180": 14, "240": 9, "300": 5, "120": 6, "84": 3, "60": 3}
_INTRODUCTIONS = {"NA": 85, "60": 6, "84": 5, "120": 3, "36": 1}
_PENALTIES = {"NA": 96, "12": 1, "24": 1, "36": 2}
# Balloon payment, interest-only payments, negative amortization, other features.
_FEATURES = {"2|2|2|2": 94, "2|1|2|2": 3, "1|2|2|2": 2, "2|2|2|1": 1}
# Submission of application, initially payable.
_CHANNELS = {"1|1": 70, "2|1": 15, "2|2": 12, "1|2": 3}
# fmt: off
_STREETS = (
    "Oak St", "Maple Ave", "Cedar Ln", "Main St", "Washington Blvd", "Lake Rd", "Hill Dr",
    "Park Pl", "River Rd", "2nd Ave", "5th St", "Sunset Ct", "Church St", "Elm St, Apt 4",
    "Highland Ave", "Prospect St", "Mill Ln", "County Road 12",
)
_CITIES = (
    "Ashford", "Brookfield", "Carlton", "Dunmore", "Easton", "Fairview", "Greenville", "Hartwell",
    "Irvington", "Jefferson", "Kingston", "Lakewood", "Milford", "Newport", "Oakdale", "Pinehurst",
    "Quincy", "Riverside", "Salem", "Union City",
)
# fmt: on
_VALUE_RATIOS = [ratio / 4 for ratio in range(160, 389)]
_FEW, _MANY = 300, 5000  # values in a pool of little and of great variety
_PERSONS, _ELDERS, _ENTITIES = 3000, 400, 20
_AT_LEAST, _AT_MOST = 21, 88
_ELDERLY = 62  # from this age on a reverse mortgage raises no question (quality edit Q622)
# How demographic data was collected.
_OBSERVED, _REPORTED, _NOT_APPLICABLE, _NO_CO_APPLICANT = 1, 2, 3, 4
# Codes 1 to 5 and the free form; observed data has only the broad codes.
_ETHNICITIES = {
    ("2|||||", _REPORTED): 60,
    ("2|||||", _OBSERVED): 8,
    ("1|||||", _OBSERVED): 2,
    ("1|||||", _REPORTED): 6,
    ("1|11||||", _REPORTED): 8,
    ("1|12||||", _REPORTED): 3,
    ("13|||||", _REPORTED): 3,
    ("1|11|12|||", _REPORTED): 1,
    ("1|14||||Dominican", _REPORTED): 2,
    ("|||||Salvadoran", _REPORTED): 1,
    ("1|2||||", _REPORTED): 1,
    ("3|||||", _REPORTED): 5,
}
# Codes 1 to 5 and the free forms of natives, Asians and Pacific Islanders.
_RACES = {
    ("5|||||||", _REPORTED): 55,
    ("5|||||||", _OBSERVED): 8,
    ("3|||||||", _REPORTED): 12,
    ("3|||||||", _OBSERVED): 2,
    ("2|||||||", _OBSERVED): 1,
    ("2|21||||||", _REPORTED): 3,
    ("22|||||||", _REPORTED): 2,
    ("2|27|||||Hmong|", _REPORTED): 1,
    ("1|||||Navajo Nation||", _REPORTED): 1,
    ("4|41||||||", _REPORTED): 1,
    ("44|||||||Tongan", _REPORTED): 1,
    ("5|3||||||", _REPORTED): 2,
    ("1|3|5|||||", _REPORTED): 1,
    ("6|||||||", _REPORTED): 8,
}
_SEXES = {
    ("1", _REPORTED): 45,
    ("2", _REPORTED): 38,
    ("1", _OBSERVED): 5,
    ("2", _OBSERVED): 4,
    ("3", _REPORTED): 6,
    ("6", _REPORTED): 2,
}
# Name and version of the scoring model, and its free form. Codes 11 to 15 were added later.
_MODELS = {"1|": 20, "2|": 30, "3|": 20, "4|": 5, "5|": 4, "6|": 4, "7|": 3, "8|House model": 2}
_NEWER_MODELS = {2022: {"11|": 10}, 2024: {"12|": 4, "13|": 2, "14|": 2, "15|": 2}}
Demographic = tuple[str, int]  # codes and free form, and how they were collected


@dataclass(frozen=True, slots=True)
class ValuePools:
    """The values of all columns. Ratios and rates are percent, incomes thousands of dollars."""

    people: ApplicantPool
    places: pl.Series  # city, state, zip code, county, tract
    streets: pl.Series
    incomes: pl.Series
    low_incomes: pl.Series
    spreads: pl.Series
    rates: pl.Series
    debt_ratios: pl.Series
    value_ratios: pl.Series
    value_ratio_numbers: NDArray[np.float64]  # the same as numbers; the first one is NaN
    costs: pl.Series  # loan costs, points and fees, origination charges, points, lender credits
    fees: pl.Series  # the same columns of a loan with points and fees in place of loan costs
    denials: pl.Series
    penalties: pl.Series
    terms: pl.Series
    introductions: pl.Series
    features: pl.Series
    channels: pl.Series
    originators: pl.Series
    systems: pl.Series  # of all loan types
    results: pl.Series  # of the system with the same index
    underwriting_of_type: NDArray[np.int64]  # by loan type, the first index and number of systems


def make_pools(seed: int, year: int, tracts: pl.Series) -> ValuePools:
    """Return the pools for the loans of a year, with places in these 11-digit tracts.

    Raises: ValueError if none of the tracts is in a state.
    """
    return replace(_anywhere(seed, year), places=_places(tracts))


@lru_cache(maxsize=8)
def _anywhere(seed: int, year: int) -> ValuePools:
    """Return pools without places, cached because making them takes longer than a small file."""
    random = Random(seed)  # noqa: S311 -- no secret
    systems, results, underwriting = _underwriting()
    return ValuePools(
        people=draw_people(random, year),
        places=pl.Series(dtype=pl.String),
        streets=_pool("NA", (_street(random) for _ in range(_MANY))),
        incomes=_pool("NA", (_income(random) for _ in range(_MANY))),
        low_incomes=_pool("NA", map(str, range(2, 10))),
        spreads=_pool("NA", (f"{value / 1000:.3f}" for value in range(-600, 2300, 7))),
        rates=_pool("NA", (f"{value / 8:.3f}" for value in range(20, 68))),
        debt_ratios=_pool("NA", (f"{value / 10:.1f}" for value in range(121, 500, 3))),
        value_ratios=_pool("NA", (f"{ratio:g}" for ratio in _VALUE_RATIOS)),
        value_ratio_numbers=np.array([np.nan, *_VALUE_RATIOS]),
        costs=_pool("NA|NA|NA|NA|NA", (_costs(random) for _ in range(_MANY))),
        fees=_pool("NA|NA|NA|NA|NA", (_fees(random) for _ in range(_FEW))),
        denials=_pool("10||||", repeat_by_weight(_DENIALS)),
        penalties=_pool("NA", repeat_by_weight(_PENALTIES)),
        terms=_pool("NA", repeat_by_weight(_TERMS)),
        introductions=_pool("NA", repeat_by_weight(_INTRODUCTIONS)),
        features=_pool("2|2|2|2", repeat_by_weight(_FEATURES)),
        channels=_pool("3|3", repeat_by_weight(_CHANNELS)),
        originators=_pool("NA", (f"{random.randint(100_000, 2_900_000)}" for _ in range(_FEW))),
        systems=systems,
        results=results,
        underwriting_of_type=underwriting,
    )


def _pool(blank: str, values: Iterable[str]) -> pl.Series:
    return pl.Series([blank, *values])


def _underwriting() -> tuple[pl.Series, pl.Series, NDArray[np.int64]]:
    pairs = [_NO_UNDERWRITING]
    places = np.zeros((2, max(_UNDERWRITING) + 1), dtype=np.int64)
    for loan_type, weights in _UNDERWRITING.items():
        of_type = repeat_by_weight(weights)
        places[:, loan_type] = len(pairs), len(of_type)
        pairs += of_type
    systems, results = zip(*pairs, strict=True)
    return pl.Series(systems), pl.Series(results), places


def _places(tracts: pl.Series) -> pl.Series:
    """Return the place of each tract; the first value is for loans without a known place."""
    postal = {fips: state for state, fips in STATES.items()}
    in_states = tracts.to_frame("tract").with_columns(fips=pl.col("tract").str.head(2))
    in_states = in_states.filter(pl.col("fips").is_in(list(postal))).with_row_index("number")
    if in_states.is_empty():
        raise ValueError("None of the census tracts is in a state.")
    cities = pl.Series(_CITIES)
    places = in_states.select(
        pl.format(
            "{}|{}|{}|{}|{}",
            pl.lit(cities).gather(pl.col("number") % len(cities)),
            pl.col("fips").replace_strict(postal, return_dtype=pl.String),
            10_000 + pl.col("number") * 7_919 % 70_000,
            pl.col("tract").str.head(5),
            "tract",
        )
    )
    return pl.concat([pl.Series(["NA|NA|NA|NA|NA"]), places.to_series()])


def _street(random: Random) -> str:
    return f"{random.randint(1, 9999)} {random.choice(_STREETS)}"


def _income(random: Random) -> str:
    return str(min(24 + int(random.lognormvariate(4.3, 0.6)), 800))


def _costs(random: Random) -> str:
    charges, points, credit = (random.randint(500, 2000) for _ in range(3))
    costs = charges + points + random.randint(100, 4000)
    return "|".join(
        (
            _dollars(random, costs),
            "NA",
            _dollars(random, charges),
            random.choice(("", _dollars(random, points))),
            random.choice(("", "", _dollars(random, credit))),
        )
    )


def _fees(random: Random) -> str:
    return f"NA|{_dollars(random, random.randint(900, 3000))}|NA|NA|NA"


def _dollars(random: Random, whole: int) -> str:
    # Never .00: 888.00 or 999.00 would look like a placeholder (quality edit Q659).
    return f"{whole}.{random.randint(1, 99):02d}"


@dataclass(frozen=True, slots=True)
class Party:
    """An applicant or a co-applicant. For one without a score, the model says why."""

    ethnicity: Demographic
    race: Demographic
    sex: Demographic
    age: int
    score: int
    model: str


NO_PERSON = Party(
    ethnicity=("4|||||", _NOT_APPLICABLE),
    race=("7|||||||", _NOT_APPLICABLE),
    sex=("4", _NOT_APPLICABLE),
    age=8888,
    score=8888,
    model="9|",
)
NO_CO_APPLICANT = Party(
    ethnicity=("5|||||", _NO_CO_APPLICANT),
    race=("8|||||||", _NO_CO_APPLICANT),
    sex=("5", _NO_CO_APPLICANT),
    age=9999,
    score=9999,
    model="10|",
)


@dataclass(frozen=True, slots=True)
class ApplicantPool:
    """Applicants with their co-applicants, as parts of lines.

    households: columns 19 to 56. scores: columns 62 to 67 for the same people, and at the index
    `unscored` the values for loans without scores. The ranges are the indexes of people of any age,
    of people 62 and older, and of applicants who are not natural persons.
    """

    households: pl.Series
    scores: pl.Series
    persons: range = range(_PERSONS)
    elders: range = range(_PERSONS, _PERSONS + _ELDERS)
    entities: range = range(_PERSONS + _ELDERS, _PERSONS + _ELDERS + _ENTITIES)
    unscored: int = _PERSONS + _ELDERS + _ENTITIES


def draw_people(random: Random, year: int) -> ApplicantPool:
    """Return people with scores from the scoring models of the year."""
    models = dict(_MODELS)
    for first_year, newer in _NEWER_MODELS.items():
        models |= newer if year >= first_year else {}
    applicants = (
        _persons(random, _PERSONS, models)
        + _persons(random, _ELDERS, models, at_least=_ELDERLY)
        + [NO_PERSON] * _ENTITIES
    )
    co_applicants = _persons(random, len(applicants), models)
    pairs = [
        (applicant, _co_applicant(random, applicant, co_applicant))
        for applicant, co_applicant in zip(applicants, co_applicants, strict=True)
    ]
    return ApplicantPool(
        households=pl.Series([_household(*pair) for pair in pairs]),
        scores=pl.Series([_scores(*pair) for pair in [*pairs, (NO_PERSON, NO_PERSON)]]),
    )


def _persons(
    random: Random, size: int, models: Mapping[str, int], *, at_least: int = _AT_LEAST
) -> list[Party]:
    return [
        Party(
            ethnicity,
            race,
            sex,
            random.randint(at_least, _AT_MOST),
            random.randint(560, 840),
            model,
        )
        for ethnicity, race, sex, model in zip(
            draw_weighted(random, _ETHNICITIES, size),
            draw_weighted(random, _RACES, size),
            draw_weighted(random, _SEXES, size),
            draw_weighted(random, models, size),
            strict=True,
        )
    ]


def _co_applicant(random: Random, applicant: Party, person: Party) -> Party:
    """Return the co-applicant, or NO_CO_APPLICANT."""
    if random.random() < 0.6:
        return NO_CO_APPLICANT
    return NO_PERSON if applicant is NO_PERSON else person


def _household(applicant: Party, co_applicant: Party) -> str:
    both = (applicant, co_applicant)
    return "|".join(
        str(value)
        for value in (
            *(party.ethnicity[0] for party in both),
            *(party.ethnicity[1] for party in both),
            *(party.race[0] for party in both),
            *(party.race[1] for party in both),
            *(party.sex[0] for party in both),
            *(party.sex[1] for party in both),
            *(party.age for party in both),
        )
    )


def _scores(applicant: Party, co_applicant: Party) -> str:
    return f"{applicant.score}|{co_applicant.score}|{applicant.model}|{co_applicant.model}"
