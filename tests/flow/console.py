"""Management commands of a service, one after the other in one process.

To start a process for each would take longer than most of them do. A line of its input is a list of
words as JSON, a line of its output what that command said, and how it failed if it did.
"""

from __future__ import annotations

import io
import json
import sys
import traceback
from contextlib import redirect_stdout

import django
from django.core.management import call_command
from django.db import connections


def main() -> None:
    """Run what is asked until there is no more."""
    django.setup()
    answers = sys.stdout
    for line in sys.stdin:
        said, failure = io.StringIO(), ""
        try:
            with redirect_stdout(said):
                call_command(*json.loads(line))
        except (Exception, SystemExit):
            failure = traceback.format_exc()
        finally:
            connections.close_all()
        print(json.dumps({"said": said.getvalue(), "failure": failure}), file=answers, flush=True)


if __name__ == "__main__":
    main()
