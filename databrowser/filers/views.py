"""The filers of a year by its panel, and the MSA/MDs of their published records.

Their JSON shapes, OpenAPI descriptions and views.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.publication import serving
from databrowser.query import breakdowns
from filing import standing
from filing.api.openapi import refused
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.models import Institution
from filing.reference.census import OUTSIDE_MSA_MD
from filing.reference_data import registry
from filing.requests import read_year

TAG = "Filers"
_LEI = "529900EXAMPLELEI0001"


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
            "The institutions in the panel of a year whose annual filing is signed, by name and "
            "LEI. Test institutions are left out."
        ),
    )
    def get(self, request: Request, year: str) -> Response:
        filers = _panel(year).filter(hmda_filer=True).order_by("name", "lei")
        return Response(FilersOfYearBody({"institutions": filers}).data)


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
        institution = _panel(year).filter(lei=lei.upper()).first()
        if institution is None:
            raise NotFound(f"There is no institution {lei[:20]} in the panel of {year}.")
        published = breakdowns.list_msa_mds(
            institution.lei, institution.activity_year, serving.live_data_sets()
        )
        names = {**registry.find_msa_md_names([institution.activity_year]), OUTSIDE_MSA_MD: "NA"}
        msa_mds = [{"id": code, "name": names.get(code, "")} for code in published]
        return Response(MsaMdsOfFilerBody({"institution": institution, "msaMds": msa_mds}).data)


def _panel(year: str) -> QuerySet[Institution]:
    """Return the panel of a year without test institutions. Raises: NotFound if there is none."""
    panel = Institution.objects.filter(activity_year=read_year(year))
    if not panel.exists():
        raise NotFound(f"There is no panel of {year[:10]}.")
    return panel.filter(standing.is_real_institution())
