"""Work of a benchmark in fresh processes, so that the memory of one step is not that of another."""

from __future__ import annotations

from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any


def run_in_process(function: Any, *arguments: Any) -> Any:
    """Return the result of a function that runs in a fresh process, with Django set up."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_result, args=(sender, function, *arguments))
    process.start()
    sender.close()
    result = receiver.recv()
    process.join()
    return result


def _send_result(sender: Connection, function: Any, *arguments: Any) -> None:
    import_module("django").setup()
    sender.send(function(*arguments))
