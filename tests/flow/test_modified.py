"""What is filed and signed can be read by anyone a moment later, without what is private."""

from __future__ import annotations

import httpx

from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.publishing import published


def test_a_signed_file_is_published_without_what_is_private(service: Service) -> None:
    with Filer.of(service, "2024") as filer:
        content = lar(filer, rows=60)
        filer.file(content)
        address = f"/v2/public/modifiedLAR/2024/{filer.lei}"
        assert httpx.get(service.url + address).status_code == 404
        assert filer.sign().status_code == 200
        answer = published(service, f"{address}/csv/header")
    names, *rows = (line.split(",") for line in answer.text.splitlines())
    assert {len(row) for row in (names, *rows)} == {85}
    found = [dict(zip(names, row, strict=True)) for row in rows]
    filed = [line.split("|") for line in content.decode().splitlines()[1:]]
    assert sorted(row["census_tract"] for row in found) == sorted(fields[17] for fields in filed)
    midpoints = [int(float(fields[9])) // 10_000 * 10_000 + 5_000 for fields in filed]
    assert sorted(int(row["loan_amount"]) for row in found) == sorted(midpoints)
    for uli in (fields[2] for fields in filed):
        assert uli not in answer.text
