"""Random walks: filers, staff and the public at work while processes are killed or stand still.

After each step, the history of every submission holds what was confirmed, and has only moves of the
table. The walks are the same each time; `--hypothesis-seed N` takes others.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from filing.statuses import Status
from tests.flow.conftest import Service
from tests.flow.faults import IS_REDIS, LEASE_SECONDS
from tests.flow.walk import RUN_AGAIN, STOP, Walk
from tests.flow.walk_world import ADDRESSES, FILES, NO_LAR, PERIODS, REASON, World
from tests.resilience.between import Between

pytestmark = pytest.mark.slow

STEPS_OF_A_FAULT = 15  # so many steps of a walk have one fault
LEIS_OF_A_WALK = 3
KINDS_OF_FAULTS = (
    *("what runs the jobs is killed", "the workers are killed", "a web child is killed"),
    *("the web server is killed", "beat is killed", "workers stand still"),
    *("what runs the jobs stands still", "a web child stands still", "the queue is cut"),
)


@pytest.fixture(scope="module")
def world(
    run_service: Callable[..., Service], walks: int, request: pytest.FixtureRequest
) -> Iterator[World]:
    """A service of its own: the walks kill its processes, cut its queue and close its periods."""
    broker = Between()
    service = run_service(
        LEIS_OF_A_WALK * 2 * walks + 30,
        seasons=["2024"],
        started_with={"CELERY_BROKER_URL": broker} if IS_REDIS else {},
        JOB_LEASE_SECONDS=str(LEASE_SECONDS),
        JOB_SWEEP_SECONDS="2",
    )
    world = World(service, broker)
    yield world
    world.close()
    broker.close()
    service.end()


NEW, VERIFIABLE = {Status.CREATED}, {Status.QUALITY_ERRORS, Status.MACRO_ERRORS, Status.VERIFIED}
READY = {Status.VERIFIED}
WHERE = st.tuples(st.integers(0, 1), st.sampled_from(PERIODS))
# Which of the submissions that are in question. What is drawn does not depend on the service, whose
# workers are now faster and now slower: else no walk could be repeated.
WHICH = st.integers(0, 11)


class Machine(RuleBasedStateMachine):
    """One walk."""

    def __init__(self, world: World, steps: int) -> None:
        super().__init__()
        self.walk = Walk(world)
        self.most_faults = max(1, steps // STEPS_OF_A_FAULT)
        self.faults: list[str] = []

    def teardown(self) -> None:
        error = sys.exc_info()[1]
        try:
            if error is None:
                self.walk.finish()
        except BaseException as late:
            error = late
            raise
        finally:
            if error is not None:
                error.add_note("\n".join(self.walk.calls))
            self.walk.close()

    @invariant()
    def the_history_holds_what_was_confirmed(self) -> None:
        self.walk.check()

    # --- filers ---------------------------------------------------------------------------------

    @rule(where=WHERE, is_repeated=st.booleans())
    def a_filing_is_started(self, where: tuple[int, str], is_repeated: bool) -> None:
        self.walk.start(*where, is_repeated=is_repeated)

    @rule(where=WHERE, is_repeated=st.booleans())
    def a_submission_is_created(self, where: tuple[int, str], is_repeated: bool) -> None:
        self.walk.create(*where, is_repeated=is_repeated)

    @rule(
        where=WHERE,
        kind=st.sampled_from([*FILES]),
        is_repeated=st.booleans(),
        is_awaited=st.booleans(),
    )
    def a_file_is_filed(
        self, where: tuple[int, str], kind: str, is_repeated: bool, is_awaited: bool
    ) -> None:
        if filed := self.walk.create(*where, is_repeated=is_repeated):
            self.walk.upload(filed, kind, is_repeated=is_repeated)
            if is_awaited:
                self.walk.settle(filed)

    @rule(
        which=WHICH, kind=st.sampled_from([*FILES]), seed=st.integers(0, 2),
        is_repeated=st.booleans(),
    )  # fmt: skip
    def a_file_is_uploaded(self, which: int, kind: str, seed: int, is_repeated: bool) -> None:
        self.walk.upload(self.walk.new(which), kind, seed=seed, is_repeated=is_repeated)

    @rule(which=WHICH, kind=st.sampled_from([*FILES]))
    def another_file_is_uploaded(self, which: int, kind: str) -> None:
        self.walk.upload(self.walk.other_than(NEW, which), kind, seed=3)

    @rule(which=WHICH, kind=st.sampled_from([*NO_LAR]), is_repeated=st.booleans())
    def something_else_is_uploaded(self, which: int, kind: str, is_repeated: bool) -> None:
        self.walk.upload_no_lar(self.walk.any(which), kind, is_repeated=is_repeated)

    @rule(which=WHICH, kind=st.sampled_from([*FILES]))
    def an_upload_is_cut(self, which: int, kind: str) -> None:
        self.walk.cut_upload(self.walk.new(which), kind)

    @rule(which=WHICH, kind=st.sampled_from([*FILES]), is_finished=st.booleans())
    def a_file_is_uploaded_in_parts(self, which: int, kind: str, is_finished: bool) -> None:
        self.walk.upload_in_parts(self.walk.new(which), kind, is_finished=is_finished)

    @rule(which=WHICH)
    def the_results_are_read(self, which: int) -> None:
        self.walk.read(self.walk.any(which))

    @rule(
        which=WHICH, kind=st.sampled_from(["quality", "macro"]),
        verified=st.sampled_from([True, True, False]), is_repeated=st.booleans(),
    )  # fmt: skip
    def edits_are_verified(self, which: int, kind: str, verified: bool, is_repeated: bool) -> None:
        self.walk.verify(
            self.walk.verifiable(which), kind, verified=verified, is_repeated=is_repeated
        )

    @rule(which=WHICH, kind=st.sampled_from(["quality", "macro"]))
    def edits_are_verified_at_the_wrong_time(self, which: int, kind: str) -> None:
        self.walk.verify(self.walk.other_than(VERIFIABLE, which), kind, verified=True)

    @rule(
        which=WHICH, signed=st.sampled_from([True] * 4 + [False]),
        reason=st.sampled_from(["", REASON]), is_repeated=st.booleans(),
    )  # fmt: skip
    def what_is_ready_is_signed(
        self, which: int, signed: bool, reason: str, is_repeated: bool
    ) -> None:
        self.walk.sign(
            self.walk.ready(which), signed=signed, reason=reason, is_repeated=is_repeated
        )

    @rule(which=WHICH)
    def everything_is_verified_and_signed(self, which: int) -> None:
        filed = self.walk.verifiable(which)
        for kind in ("quality", "macro"):
            self.walk.verify(filed, kind, verified=True)
        self.walk.sign(filed, signed=True)

    @rule(which=WHICH, is_repeated=st.booleans())
    def what_is_not_ready_is_signed(self, which: int, is_repeated: bool) -> None:
        self.walk.sign(self.walk.other_than(READY, which), signed=True, is_repeated=is_repeated)

    # --- others ---------------------------------------------------------------------------------

    @rule(which=WHICH, address=st.sampled_from(ADDRESSES))
    def a_filer_of_another_institution_tries(self, which: int, address: tuple[str, str]) -> None:
        self.walk.try_as_stranger(self.walk.any(which), *address)

    @rule(period=st.sampled_from(PERIODS), is_open=st.booleans())
    def operators_close_or_open_a_period(self, period: str, is_open: bool) -> None:
        self.walk.set_open(period, is_open=is_open)

    @rule(which=WHICH, action=st.sampled_from([STOP, RUN_AGAIN, RUN_AGAIN]))
    def operators_act_on_a_submission(self, which: int, action: str) -> None:
        self.walk.act(self.walk.any(which), action)

    @rule(which=WHICH)
    def the_help_desk_looks(self, which: int) -> None:
        self.walk.look_as_help_desk(self.walk.any(which))

    @rule(which=WHICH)
    def the_public_checks_a_receipt(self, which: int) -> None:
        self.walk.check_receipt(self.walk.any(which))

    @rule(where=WHERE, kind=st.sampled_from([*FILES]))
    def the_public_checks_a_file(self, where: tuple[int, str], kind: str) -> None:
        self.walk.check_file(*where, kind)

    # --- faults ---------------------------------------------------------------------------------

    @initialize(order=st.permutations(KINDS_OF_FAULTS))
    def faults_come_in_an_order(self, order: list[str]) -> None:
        self.faults = order[: self.most_faults]

    @precondition(lambda machine: machine.faults)
    @rule()
    def a_fault_comes(self) -> None:
        self.walk.cause(self.faults.pop())

    @precondition(lambda machine: machine.faults)
    @rule(
        which=WHICH, kind=st.sampled_from([*FILES]),
        seconds=st.sampled_from([0.0, 0.02, 0.1, 0.5]), is_repeated=st.booleans(),
    )  # fmt: skip
    def a_fault_comes_in_an_upload(
        self, which: int, kind: str, seconds: float, is_repeated: bool
    ) -> None:
        fault, filed = self.faults.pop(), self.walk.new(which)
        self.walk.cause(fault, after=seconds)
        self.walk.upload(filed, kind, is_repeated=is_repeated)


def test_whatever_happens_nothing_confirmed_is_lost(
    world: World, walks: int, steps: int, request: pytest.FixtureRequest
) -> None:
    chosen = settings(
        max_examples=walks,
        stateful_step_count=steps,
        derandomize=request.config.getoption("--hypothesis-seed") is None,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # a shorter walk that fails would take hours to find
        suppress_health_check=[*HealthCheck],
        print_blob=False,
    )
    run_state_machine_as_test(lambda: Machine(world, steps), settings=chosen)
    print(json.dumps(world.figures))
