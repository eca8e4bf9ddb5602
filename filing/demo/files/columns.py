"""The columns of a file for made-up loans."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from filing.demo.files import mix
from filing.demo.files.loans import Array, Draw, LoanFacts, LoanKind
from filing.demo.files.pools import ValuePools
from filing.lar.years import Period
from uliapi import checkdigit

_LONGEST = 90  # days from application to decision
_FIRST_SERIAL = 10**8  # makes all identifiers equally long

# Reverse mortgage, open-end line of credit, business or commercial purpose.
_SPECIALS = {LoanKind.LINE: "2|1|2", LoanKind.REVERSE: "1|2|2"} | dict.fromkeys(
    (LoanKind.BUSINESS, LoanKind.MULTIFAMILY), "2|2|1"
)
_SPECIAL_OF_KIND = pl.Series([_SPECIALS.get(kind, "2|2|2") for kind in LoanKind])

_NO_PURCHASER = (0, 45)
_CONVENTIONAL = ((1, 15), (3, 14), (5, 5), (6, 6), (71, 5), (72, 3), (8, 4), (9, 3))
_INSURED = ((2, 30), (6, 6), (71, 10), (72, 4), (8, 3), (9, 2))


class LoanColumns:
    """The columns of loans of an institution in a period.

    low_incomes: whether all incomes are far too low, as if entered in tens of thousands.
    """

    def __init__(self, period: Period, lei: str, pools: ValuePools, *, low_incomes: bool) -> None:
        self.period, self.lei, self.pools = period, lei.upper(), pools
        self.incomes = pools.low_incomes if low_incomes else pools.incomes
        self.days = (period.ends - period.starts).days + 1
        first = period.starts - timedelta(days=_LONGEST)
        dates = [first + timedelta(days=day) for day in range(_LONGEST + self.days)]
        self.dates = pl.Series(["NA", *(f"{day:%Y%m%d}" for day in dates)])

    def of(self, draw: Draw, loans: LoanFacts, *, first_row: int) -> pl.DataFrame:
        """Return the loans, null where NA is filed.

        Shape: in file order; a column named `<field>_to_<field>` or in the plural holds several
               fields with | between.
        """
        return pl.DataFrame(
            {
                **self._identity(draw, loans, first_row),
                **self._place(draw, loans),
                **self._applicants(draw, loans),
                **self._terms(draw, loans),
                **self._property(draw, loans),
                **self._handling(draw, loans),
            }
        )

    def _identity(self, draw: Draw, loans: LoanFacts, first_row: int) -> dict[str, Any]:
        decided = 1 + _LONGEST + draw.below(self.days)
        applied = np.where(loans.acted(mix.PURCHASED), 0, decided - 1 - draw.below(_LONGEST))
        home = draw.code((1, 88), (2, 6), (3, 6))
        is_let = loans.of_kind(LoanKind.BUSINESS, LoanKind.MULTIFAMILY)
        return {
            "record_id": _constant(2, draw.size),
            "lei": _constant(self.lei, draw.size),
            "uli": self.ulis(first_row, draw.size),
            "application_date": self.dates.gather(applied),
            "loan_type": loans.loan_type,
            "loan_purpose": loans.purpose,
            "preapproval": loans.preapproval,
            "construction_method": np.where(loans.of_kind(LoanKind.MANUFACTURED), 2, 1),
            "occupancy_type": np.where(is_let, 3, home),
            "loan_amount": loans.amount,
            "action_taken": loans.action,
            "action_taken_date": self.dates.gather(decided),
        }

    def ulis(self, first_row: int, size: int) -> pl.Series:
        """Return the ULIs of loans with consecutive numbers."""
        serial = pl.int_range(first_row, first_row + size) + _FIRST_SERIAL
        loan_ids = pl.select(pl.format(f"{self.lei}{self.period.year}{{}}", serial)).to_series()
        return loan_ids + checkdigit.generate_check_digits(loan_ids)

    def _place(self, draw: Draw, loans: LoanFacts) -> dict[str, Any]:
        is_known = ~loans.is_preapproval & ~(loans.acted(4, 5) & draw.chance(10))
        return {
            "street": draw.value(self.pools.streets, is_known),
            "city_to_census_tract": draw.value(self.pools.places, is_known),
        }

    def _applicants(self, draw: Draw, loans: LoanFacts) -> dict[str, Any]:
        people = self.pools.people
        household = np.select(
            [loans.is_entity, loans.of_kind(LoanKind.REVERSE)],
            [draw.place(people.entities), draw.place(people.elders)],
            draw.place(people.persons),
        )
        has_income = ~loans.is_entity & ~(loans.acted(mix.PURCHASED) & draw.chance(40))
        is_scored = ~loans.acted(4, 5, mix.PURCHASED)
        is_priced = loans.of_kind(LoanKind.HOME, LoanKind.MANUFACTURED, LoanKind.LINE)
        return {
            "applicant_ethnicity_1_to_co_applicant_age": people.households.gather(household),
            "income": draw.value(self.incomes, has_income),
            "purchaser_type": _purchasers(draw, loans),
            "rate_spread": draw.value(self.pools.spreads, is_priced & loans.acted(1, 2, 8)),
            "hoepa_status": np.where(is_priced & loans.acted(1, mix.PURCHASED), 2, 3),
            "lien_status": loans.lien,
            "credit_scores": people.scores.gather(np.where(is_scored, household, people.unscored)),
        }

    def _terms(self, draw: Draw, loans: LoanFacts) -> dict[str, Any]:
        pools = self.pools
        has_penalty = loans.of_kind(LoanKind.HOME, LoanKind.MANUFACTURED) & ~loans.acted(
            mix.PURCHASED
        )
        has_term = ~loans.of_kind(LoanKind.REVERSE)
        is_unrated = loans.acted(4, 5, mix.PURCHASED)
        has_debt = ~is_unrated & ~loans.is_entity & ~loans.of_kind(LoanKind.BUSINESS)
        has_value = ~is_unrated & ~loans.is_preapproval
        return {
            "denial_reasons": draw.value(pools.denials, loans.acted(3, 7)),
            "costs": _costs(draw, pools, loans),
            "interest_rate": draw.value(pools.rates, loans.acted(1, 2, mix.PURCHASED, 8)),
            "prepayment_penalty_term": draw.value(pools.penalties, has_penalty),
            "debt_to_income_ratio": draw.value(pools.debt_ratios, has_debt),
            "combined_loan_to_value_ratio": pools.value_ratios.gather(
                np.where(has_value, loans.value_ratio, 0)
            ),
            "loan_term": draw.value(pools.terms, has_term),
            "introductory_rate_period": draw.value(pools.introductions, has_term),
            "balloon_payment_to_other_features": draw.value(pools.features),
        }

    def _property(self, draw: Draw, loans: LoanFacts) -> dict[str, Any]:
        is_valued = ~loans.acted(4, 5) & ~loans.is_preapproval
        is_manufactured = loans.of_kind(LoanKind.MANUFACTURED)
        affordable = draw.below(2**16) % (loans.units + 1)
        return {
            "property_value": _where(is_valued, loans.property_value),
            "secured_property_type": np.where(is_manufactured, draw.code((1, 7), (2, 3)), 3),
            "land_property_interest": np.where(is_manufactured, 1 + draw.below(4), 5),
            "total_units": loans.units,
            "multifamily_affordable_units": _where(loans.of_kind(LoanKind.MULTIFAMILY), affordable),
        }

    def _handling(self, draw: Draw, loans: LoanFacts) -> dict[str, Any]:
        pools = self.pools
        is_business = loans.of_kind(LoanKind.BUSINESS, LoanKind.MULTIFAMILY)
        is_scored = loans.of_kind(LoanKind.HOME, LoanKind.MANUFACTURED)
        is_scored &= ~loans.is_entity & ~loans.acted(mix.PURCHASED)
        first, size = pools.underwriting_of_type[:, loans.loan_type]
        system = np.where(is_scored, first + draw.below(2**16) % size, 0)
        return {
            "channels": draw.value(pools.channels, ~loans.acted(mix.PURCHASED)),
            "nmlsr_id": draw.value(pools.originators, ~is_business),
            "automated_underwriting_systems": pools.systems.gather(system),
            "automated_underwriting_results": pools.results.gather(system),
            "reverse_mortgage_to_business_purpose": _SPECIAL_OF_KIND.gather(loans.kind),
        }


def _purchasers(draw: Draw, loans: LoanFacts) -> Array:
    is_sold = loans.of_kind(LoanKind.HOME, LoanKind.MANUFACTURED) & loans.acted(1, mix.PURCHASED)
    conventional = draw.code(_NO_PURCHASER, *_CONVENTIONAL)
    insured = draw.code(_NO_PURCHASER, *_INSURED)
    return np.where(is_sold, np.where(loans.loan_type == 1, conventional, insured), 0)


def _costs(draw: Draw, pools: ValuePools, loans: LoanFacts) -> pl.Series:
    has_costs = loans.of_kind(LoanKind.HOME) & loans.acted(mix.ORIGINATED, mix.PURCHASED)
    has_fees = loans.of_kind(LoanKind.MANUFACTURED) & loans.acted(mix.ORIGINATED)
    fees = draw.value(pools.fees)
    return fees.zip_with(pl.Series(has_fees), draw.value(pools.costs, has_costs))


def _constant(value: int | str, size: int) -> pl.Series:
    return pl.repeat(value, size, eager=True)


def _where(condition: Array, values: Array) -> pl.Series:
    """Return the values, null where the condition does not hold."""
    return pl.select(pl.when(pl.Series(condition)).then(pl.Series(values))).to_series()
