"""The applicants of made-up loans: demographic data, how it was collected, credit scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import polars as pl

from filing.demo.weights import draw as draw_weighted

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
class People:
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


def people(random: Random, year: int) -> People:
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
    return People(
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
