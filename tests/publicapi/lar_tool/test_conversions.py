"""Conversions of a process: a few at once, and no value in an error that is logged."""

from __future__ import annotations

import threading
import traceback
from typing import Any

import polars as pl
import pytest
from django.test import Client

from filing import requests
from filing.errors import BadInput
from publicapi.lar_tool import conversions
from tests.publicapi.lar_tool.calls import EXAMPLE, refusal, sent


@pytest.mark.parametrize("error", [BadInput("No year."), OSError("disk full"), MemoryError()])
def test_an_error_that_names_no_values_stays_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, conversions.translate_refusals():
        raise error
    assert raised.value is error


def test_an_error_of_our_own_loses_the_values_in_its_text() -> None:
    with pytest.raises(conversions.ConversionFailure) as raised, conversions.translate_refusals():
        pl.Series(["Zyxmarker"]).cast(pl.Int64)
    logged = "".join(traceback.format_exception(raised.value))
    assert "Zyxmarker" not in logged.replace('pl.Series(["Zyxmarker"])', "")
    assert "InvalidOperationError in the conversion of a spreadsheet" in logged
    assert __file__ in logged


def test_who_waits_too_long_for_a_place_is_told_when_to_try_again(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversions, "WAIT_SECONDS", 0.01)
    all_taken = requests.RequestSlots(1, conversions.refuse_busy)
    monkeypatch.setattr(conversions, "_slots", lambda: all_taken)
    taken, done = threading.Event(), threading.Event()

    def work() -> None:
        with all_taken.take():
            taken.set()
            done.wait()

    thread = threading.Thread(target=work)
    thread.start()
    taken.wait()
    answer = sent(client, "columns", EXAMPLE)
    done.set()
    thread.join()
    message = "Other spreadsheets are being converted. Try again in 10 seconds."
    assert refusal(answer, "columns") == (503, message)
    assert answer["Retry-After"] == "10"


pytestmark = pytest.mark.django_db  # closing an answer ends a request
