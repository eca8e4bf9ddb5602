"""What the README says to type is typed here, and must do what it says."""

import json
import re
import subprocess
import sys

from config.stack import ROOT


def test_a_register_is_filed_by_the_readmes_own_calls(service, tmp_path):
    text = (ROOT / "README.md").read_text()
    script = next(code for code in re.findall(r"```sh\n(.*?)```", text, re.S) if "LEI=" in code)
    lei = service.lei()
    script = script.replace("LEI=...; YEAR=2025", f"LEI={lei}; YEAR=2025")
    script = script.replace("http://localhost:8000", service.url)
    script = script.replace(".venv/bin/python manage.py", f"$PYTHON {ROOT}/manage.py")
    # A person looks until the status rests; so does the script here.
    script = script.replace(
        "call $F/submissions/latest",
        "until call $F/submissions/latest | grep '\"code\":13'; do sleep 0.1; done",
    )
    done = subprocess.run(
        ["bash", "-ec", script],
        env={**service.environment, "PYTHON": sys.executable},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [line for line in done.stdout.splitlines() if line.startswith("{")]
    signed = json.loads(answers[-1])
    assert signed["status"]["code"] == 15
    assert signed["receipt"].startswith(f"{lei}-2025-1-")
