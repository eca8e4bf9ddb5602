"""The filers of a year by its panel, and the MSA/MDs of their published records.

Their JSON shapes, OpenAPI descriptions and views.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import PublicImport
from databrowser.publication import serving
from databrowser.publication.versions import live_versions
from databrowser.query import breakdowns
from filing import standing
from filing.api.openapi import refused
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.models import Institution, Signature
from filing.reference.census import OUTSIDE_MSA_MD
from filing.reference_data import registry
from filing.requests import read_year

TAG = "Filers"
_LEI = "529900EXAMPLELEI0001"
MOST_INSTITUTIONS = 100_000  # some 5,000 report a year


class FilerOfYear(serializers.Serializer[Any]):
    """An institution in the panel of a year."""

    lei = serializers.CharField()
    name = serializers.CharField()
    period = serializers.CharField(source="activity_year", help_text="The year.")


class FilersOfYearBody(serializers.Serializer[Any]):
    """The institutions that filed a year, by name and LEI."""

    institutions = FilerOfYear(many=True)


class MsaMdBody(serializers.Serializer[Any]):
    """An MSA/MD."""

    id = serializers.CharField(help_text="Five digits; 99999 is outside of any MSA/MD.")
    name = serializers.CharField(help_text="Blank if no names are loaded; `NA` for 99999.")


class MsaMdsOfFilerBody(serializers.Serializer[Any]):
    """The MSA/MDs of the published records of an institution, by id."""

    institution = FilerOfYear()
    msaMds = MsaMdBody(many=True)


class FilersOfYear(PublicView):
    """The institutions that filed a year."""

    @extend_schema(
        summary="List the filers of a year",
        tags=[TAG],
        auth=[],
        responses={200: FilersOfYearBody, 404: refused("There is no panel of 2017.")},
        description=(
            "The institutions in the panel of a year whose annual filing is signed, and those "
            "whose records are published from an imported file, by name and LEI. Test institutions "
            "are left out."
        ),
    )
    def get(self, request: Request, year: str) -> Response:
        return Response(FilersOfYearBody({"institutions": find_filers(year)}).data)


class MsaMdsOfFiler(PublicView):
    """The MSA/MDs of the published records of an institution."""

    @extend_schema(
        summary="List the MSA/MDs of a filer",
        tags=[TAG],
        auth=[],
        responses={
            200: MsaMdsOfFilerBody,
            404: refused(
                "There is no panel of 2017.",
                f"There is no institution {_LEI} in the panel of 2024.",
            ),
        },
        description=(
            "Every MSA/MD with published records of the institution in a year, by id, whatever the "
            "action taken. The list is empty while none are published."
        ),
    )
    def get(self, request: Request, year: str, lei: str) -> Response:
        institution = find_institution(year, lei.upper())
        if institution is None:
            raise NotFound(f"There is no institution {lei[:20]} in the panel of {year}.")
        published = breakdowns.list_msa_mds(
            institution.lei, institution.activity_year, serving.live_data_sets()
        )
        names = {**registry.find_msa_md_names([institution.activity_year]), OUTSIDE_MSA_MD: "NA"}
        msa_mds = [{"id": code, "name": names.get(code, "")} for code in published]
        return Response(MsaMdsOfFilerBody({"institution": institution, "msaMds": msa_mds}).data)


def find_filers(year: str) -> list[Institution]:
    """Return the filers of a year, by name and LEI.

    Raises: NotFound if there are neither a panel nor imported records of the year.
    """
    imported = _read_imported(year)
    panel = _panel(year, imported)
    here = {each.lei: each for each in panel.filter(hmda_filer=True)}
    return sorted({**imported, **here}.values(), key=lambda each: (each.name, each.lei))


def find_institution(year: str, lei: str) -> Institution | None:
    """Return an institution of the panel or of the imported records of a year.

    Raises: as `find_filers`.
    """
    imported = _read_imported(year)
    return _panel(year, imported).filter(lei=lei).first() or imported.get(lei)


def _panel(year: str, imported: Mapping[str, Institution]) -> QuerySet[Institution]:
    """Return the panel of a year without test institutions.

    Raises: NotFound if there is none, nor anything imported.
    """
    panel = Institution.objects.filter(activity_year=read_year(year))
    if not imported and not panel.exists():
        raise NotFound(f"There is no panel of {year[:10]}.")
    return panel.filter(standing.is_real_institution())


def _read_imported(year: str) -> dict[str, Institution]:
    """Return the institutions whose published records were imported, by LEI, without tests.

    Whoever has ever signed the annual filing of the year here is in its panel.
    """
    number = read_year(year)
    live = [each for each in serving.live_data_sets() if each.year == number]
    if not (live and PublicImport.objects.filter(year=number, active=True).exists()):
        return {}
    signed = Signature.objects.filter(
        submission__filing__period__year=number, submission__filing__period__quarter=""
    )
    others = set(signed.order_by().values_list("submission__filing__institution__lei", flat=True))
    others |= {*live_versions.list_test_institutions(number)}
    return {
        each.lei: Institution(activity_year=number, lei=each.lei, name=each.name)
        for each in breakdowns.institutions_with_rows(live, most=MOST_INSTITUTIONS)
        if each.lei not in others
    }
