"""The process that converts a spreadsheet: `python -m filing.spreadsheets.conversion_program`.

It reads a `ConversionCall` from standard input and writes the result, a refusal, or the error of
our own to standard output, all of them pickled. It needs no Django, so that it starts quickly.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from typing import Any

from filing.lar import years
from filing.lar.setting_words import use_setting_words
from filing.spreadsheets import aliases
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.confined_conversion import CALLS, ConversionCall, ProgramError
from filing.spreadsheets.confinement import limit_process


def main() -> None:
    """Answer the call on standard input."""
    call: ConversionCall = pickle.load(sys.stdin.buffer)  # noqa: S301 -- the service wrote it
    limit_process(seconds=call.seconds, memory=call.memory)
    years.use_source(lambda: call.years, today=lambda: call.today)
    aliases.use_source(lambda: call.aliases)
    with use_setting_words(call.words):
        pickle.dump(_result(call), sys.stdout.buffer)


def _result(call: ConversionCall) -> Any:
    try:
        return CALLS[call.name](**call.arguments)
    except (SpreadsheetRefusal, OSError) as error:
        return error
    except MemoryError:
        raise
    except Exception as error:
        places = "".join(traceback.format_tb(error.__traceback__))
        return ProgramError(f"{type(error).__name__} in the conversion of a spreadsheet\n{places}")


if __name__ == "__main__":
    main()
