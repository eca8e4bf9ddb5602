"""Made-up data sets of five years that are live, for the benchmark of the data browser.

`python -m bench.browser_data ROWS` writes them under DATA_DIR, as a build does, but straight from
made-up rows, and prints what the questions need to know as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb

YEARS = (2018, 2019, 2020, 2021, 2022)
_MEMORY = "3GB"


def _sorted(source: Path, target: Path) -> None:
    with duckdb.connect() as database:
        database.execute(f"SET memory_limit = '{_MEMORY}'")
        database.execute(f"SET temp_directory = '{target.parent / 'aside'}'")
        database.execute(
            f"COPY (SELECT * FROM read_parquet('{source}') ORDER BY state_code, county_code, lei) "
            f"TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)"
        )


def _publish(year: int, world: Any, rows: int) -> Path:
    from django.core.files.storage import default_storage
    from django.utils import timezone

    from databrowser.demo import rows as demo_rows
    from databrowser.models import LiveVersion, Version
    from databrowser.publication import layout
    from databrowser.publication.builds import version_files
    from filing.models import Job

    folder = f"publication/bench/{year}"
    where = Path(default_storage.path(folder))
    where.mkdir(parents=True)
    raw, loans = where / "raw.parquet", where / layout.LOANS
    demo_rows.write_demo_rows(world, raw, year=year, rows=rows)
    _sorted(raw, loans)
    raw.unlink()
    version_files.write_serving_file(loans, world.institutions.frame, where / layout.SERVING)
    version = Version.objects.create(
        year=year,
        number=1,
        state=Version.State.BUILT,
        job=Job.objects.create(stage="publish", state=Job.State.DONE),
        folder=folder,
        rows=rows,
        sha256=hashlib.sha256(folder.encode()).hexdigest(),
        made_at=timezone.now(),
    )
    LiveVersion.objects.create(year=year, version=version)
    return loans


def _facts(files: list[Path]) -> dict[str, Any]:
    """Return the places and institutions that the questions name."""
    with duckdb.connect() as database:
        listed = ", ".join(f"'{file}'" for file in files)

        def ranked(column: str) -> list[str]:
            counted = (
                f"SELECT {column} FROM read_parquet([{listed}]) "
                "GROUP BY 1 ORDER BY count(*) DESC, 1"
            )
            return [value for (value,) in database.execute(counted).fetchall()]

        leis = ranked("lei")
        msas = [code for code in ranked("derived_msa_md") if code != "99999"]
        return {
            "county": ranked("county_code")[0],
            "msamd": msas[0],
            "large": leis[0],
            "small": leis[-1],
            "files": [str(file) for file in files],
            "bytes": sum(file.stat().st_size for file in files),
            "serving_bytes": sum(file.with_name("serving.duckdb").stat().st_size for file in files),
        }


def main() -> None:
    """Write, publish, print."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import_module("django").setup()
    from databrowser.demo import rows as demo_rows

    rows = int(sys.argv[1]) // len(YEARS)
    world = demo_rows.DemoWorld.of(rows)
    print(json.dumps(_facts([_publish(year, world, rows) for year in YEARS])))


if __name__ == "__main__":
    main()
