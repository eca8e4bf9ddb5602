"""Commands of the service in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from config.running.supervisor import ROOT


def run_python(*words: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder of the code, with this environment alone."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
