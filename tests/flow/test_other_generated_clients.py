"""Clients that other generators make from the API document are whole, and call the service.

Before a release: they need Java, Node and R, and skip what is not installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.flow.conftest import Service

pytestmark = pytest.mark.resilience

UV = Path(sys.executable).with_name("uv")
GENERATOR = "openapi-generator-cli==7.26.0"  # with its Java program inside
TYPESCRIPT = "typescript@5.9"
STRICT = "--strict --target es2022 --module commonjs --moduleResolution node10 --lib es2022,dom"
PYTHON = """
import importlib, pkgutil, sys
import openapi_client
for module in pkgutil.walk_packages(openapi_client.__path__, "openapi_client."):
    importlib.import_module(module.name)
with openapi_client.ApiClient() as client:
    loan = openapi_client.LoanIdRequest(loan_id="10Bx939c5543TqA1144M999143X")
    print(openapi_client.CheckDigitApi(client).generate_a_check_digit(loan).check_digit)
    browser = openapi_client.DataBrowserApi(client)
    print(type(browser.aggregate_loans_nationwide("2022", races="Asian")).__name__)
    table = browser.download_loans_nationwide_as_parquet("2022", races="Asian")
    print(bytes(table[:4]).decode())
"""
NODE = """
const { CheckDigitApi } = require("./made/index.js");
const loanIdRequest = { loanId: "10Bx939c5543TqA1144M999143X" };
new CheckDigitApi().generateACheckDigit({ loanIdRequest }).then((it) => console.log(it.checkDigit));
"""
R = """
for (file in list.files("R", full.names = TRUE)) parse(file)
cat(length(list.files("R")))
"""


@pytest.fixture(scope="module")
def document(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document, as the service serves it."""
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    path.write_bytes(httpx.get(f"{service.url}/docs/openapi.json", timeout=60).content)
    return path


def run(*words: Any, cwd: Path) -> str:
    """Return what a program prints. It must succeed."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout


def require(*programs: str) -> None:
    """Skip the test if a program is missing."""
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")


def make_client(document: Path, folder: Path, generator: str, **options: str) -> Path:
    """Return the folder of a client, which has every operation of the document."""
    require("java")
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    program = (UV, "tool", "run", "--from", GENERATOR, "openapi-generator-cli", "generate")
    run(*program, "-g", generator, "-i", document, "-o", "client", *words, cwd=folder)
    client = folder / "client"
    code = "".join(
        path.read_text().lower().replace("_", "")
        for path in client.rglob("*")
        if path.suffix in {".py", ".ts", ".java", ".R"}
    )
    methods = json.loads(document.read_text())["paths"].values()
    names = [each["operationId"] for operations in methods for each in operations.values()]
    assert len(names) > 130
    assert [name for name in names if name.lower() not in code] == []
    return client


def test_python(document: Path, tmp_path: Path) -> None:
    client = make_client(document, tmp_path, "python")
    program = (UV, "run", "--no-project", "--with-requirements", "requirements.txt", "python")
    assert run(*program, "-c", PYTHON, cwd=client).split() == ["38", "AggregationReport", "PAR1"]


def test_typescript(document: Path, tmp_path: Path) -> None:
    require("npx", "node")
    client = make_client(document, tmp_path, "typescript-fetch")
    tsc = ("npx", "--yes", "--package", TYPESCRIPT, "tsc", *STRICT.split())
    run(*tsc, "--outDir", "made", client / "index.ts", cwd=tmp_path)
    assert run("node", "-e", NODE, cwd=tmp_path).split() == ["38"]


def test_types_of_typescript(document: Path, tmp_path: Path) -> None:
    require("npx")
    run("npx", "--yes", "openapi-typescript@7", document, "-o", "types.ts", cwd=tmp_path)
    run("npx", "--yes", "--package", TYPESCRIPT, "tsc", "--noEmit", "--strict", "types.ts",
        cwd=tmp_path)  # fmt: skip


def test_java(document: Path, tmp_path: Path) -> None:
    require("javac")
    client = make_client(document, tmp_path, "java", library="native")
    sources = client.glob("src/main/**/*.java")
    # Its libraries are in no index of Python or Node: without them, each file is only parsed.
    run("javac", "-XDshould-stop.ifNoError=PARSE", "-proc:none", *sources, cwd=client)


def test_r(document: Path, tmp_path: Path) -> None:
    require("Rscript")
    client = make_client(document, tmp_path, "r", library="httr2")
    assert int(run("Rscript", "-e", R, cwd=client)) > 200
