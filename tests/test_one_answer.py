"""The same question, put to every area, has one answer: whatever filers, staff and beat have done.

`--answer-walks N` takes more walks; `--hypothesis-seed N` takes others.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.answers import Bank, World

STEPS = 12
WHICH = st.integers(0, 7)


class Machine(RuleBasedStateMachine):
    """One walk: two banks, and the data set of a year that all walks share."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.banks = [world.add_bank(), world.add_bank()]

    def teardown(self) -> None:
        """Keep the first error: its walk cannot be repeated, for what it changed stays."""
        error = sys.exc_info()[1]
        # What is no `Exception` only ends a walk that became too long.
        if isinstance(error, Exception) and not self.world.error:
            error.add_note("\n".join(self.world.calls[-20:]))
            self.world.error = error

    def bank(self, which: int) -> Bank:
        return self.banks[which % len(self.banks)]

    # --- what happens ---------------------------------------------------------------------------

    @rule(which=WHICH, kind=st.sampled_from(["clean", "clean", "clean", "broken", "empty"]))
    def a_file_is_uploaded(self, which: int, kind: str) -> None:
        self.world.upload(self.bank(which), kind)

    @rule(which=WHICH, index=WHICH)
    def a_submission_is_signed(self, which: int, index: int) -> None:
        bank = self.bank(which)
        if bank.sent:
            self.world.sign(bank, bank.sent[-1 - index % len(bank.sent)])

    @rule(which=WHICH)
    def a_file_is_filed(self, which: int) -> None:
        bank = self.bank(which)
        if sent := self.world.upload(bank):
            self.world.sign(bank, sent)

    @rule(which=WHICH)
    def staff_cancel_or_reinstate_a_filing(self, which: int) -> None:
        self.world.cancel_or_reinstate(self.bank(which))

    @rule(which=WHICH)
    def staff_end_or_give_a_right(self, which: int) -> None:
        self.world.end_or_give_right(self.bank(which))

    @rule(which=WHICH)
    def staff_hold_or_release(self, which: int) -> None:
        self.world.hold_or_lift(self.bank(which))

    @rule()
    def beat_builds_what_is_new(self) -> None:
        self.world.build_daily()

    # What is drawn does not depend on the data set, which is not of this walk alone.
    @rule(which=WHICH)
    def staff_publish_or_roll_back(self, which: int) -> None:
        if numbers := sorted(self.world.published.counts, reverse=True)[:3]:
            self.world.publish(numbers[which % len(numbers)])

    @rule()
    def staff_withdraw_the_year(self) -> None:
        if self.world.published.live:
            self.world.withdraw()

    # --- what is asked --------------------------------------------------------------------------

    @invariant()
    def every_area_counts_the_same_file(self) -> None:
        for bank in self.banks:
            expected = bank.counting.records if bank.counting else 0
            agree(self.world.what_counts(bank), expected)

    @invariant()
    def every_area_publishes_the_same(self) -> None:
        published = self.world.published
        leis = {bank.lei for bank in self.banks}
        counts = published.counts.get(published.live)
        expected = counts and {lei: number for lei, number in counts.items() if lei in leis}
        agree(self.world.what_is_public(self.banks), expected)

    @invariant()
    def every_area_lets_the_same_people_act(self) -> None:
        for bank in self.banks:
            agree(self.world.who_may(bank), bank.may_file)

    @invariant()
    def nothing_that_counts_or_is_held_may_be_removed(self) -> None:
        for bank in self.banks:
            may = not bank.sent and not bank.is_held
            agree(self.world.what_may_be_removed(bank), may)


def agree(answers: dict[str, Any], expected: Any) -> None:
    """Fail with the areas that answer otherwise."""
    other = {area: answer for area, answer in answers.items() if answer != expected}
    assert not other, f"expected {expected}, but: {other}"


@pytest.mark.django_db
def test_whatever_happens_no_two_answers_differ(
    answer_walks: int, request: pytest.FixtureRequest
) -> None:
    world = World()
    chosen = settings(
        max_examples=answer_walks,
        stateful_step_count=STEPS,
        derandomize=request.config.getoption("--hypothesis-seed") is None,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
        print_blob=False,
    )
    try:
        run_state_machine_as_test(lambda: Machine(world), settings=chosen)
    except Exception as error:
        raise world.error or error from None
