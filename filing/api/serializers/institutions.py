"""Institutions, and the health of the service."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.api.serializers.base import Readable
from filing.api.serializers.submissions import FilingBody
from filing.models import Institution


class Named(serializers.Serializer[Any]):
    """A parent company or top holder of the institution."""

    idRssd = serializers.IntegerField()  # noqa: N815
    name = serializers.CharField()


class Respondent(serializers.Serializer[Any]):
    """The name and location of the institution."""

    name = serializers.CharField()
    state = serializers.CharField()
    city = serializers.CharField()


class InstitutionBody(Readable):
    """An institution in the panel of a year."""

    activityYear = serializers.IntegerField(source="activity_year")  # noqa: N815
    lei = serializers.CharField()
    agency = serializers.IntegerField()
    institutionType = serializers.CharField(source="institution_type")  # noqa: N815
    institutionId2017 = serializers.CharField(source="institution_id_2017")  # noqa: N815
    taxId = serializers.CharField(source="tax_id")  # noqa: N815
    rssd = serializers.IntegerField()
    emailDomains = serializers.ListField(  # noqa: N815
        child=serializers.CharField(), source="email_domains"
    )
    respondent = Respondent(source="*")
    parent = serializers.SerializerMethodField()  # type: ignore[assignment]
    assets = serializers.IntegerField()
    otherLenderCode = serializers.IntegerField(source="other_lender_code")  # noqa: N815
    topHolder = serializers.SerializerMethodField()  # noqa: N815
    hmdaFiler = serializers.BooleanField(source="hmda_filer")  # noqa: N815
    quarterlyFiler = serializers.BooleanField(source="quarterly_filer")  # noqa: N815
    quarterlyFilerHasFiledQ1 = serializers.BooleanField(source="quarterly_filer_has_filed_q1")  # noqa: N815
    quarterlyFilerHasFiledQ2 = serializers.BooleanField(source="quarterly_filer_has_filed_q2")  # noqa: N815
    quarterlyFilerHasFiledQ3 = serializers.BooleanField(source="quarterly_filer_has_filed_q3")  # noqa: N815
    notes = serializers.CharField()

    @extend_schema_field(Named)
    def get_parent(self, institution: Institution) -> dict[str, Any]:
        return {"idRssd": institution.parent_rssd, "name": institution.parent_name}

    @extend_schema_field(Named)
    def get_topHolder(self, institution: Institution) -> dict[str, Any]:  # noqa: N802
        return {"idRssd": institution.top_holder_rssd, "name": institution.top_holder_name}


class InstitutionFilings(serializers.Serializer[Any]):
    """An institution with its filings for a year: the annual one first, then the quarters."""

    institution = InstitutionBody()
    filings = FilingBody(many=True)


class Health(serializers.Serializer[Any]):
    """A sign that the service is running."""

    status = serializers.CharField()
    service = serializers.CharField()
    time = serializers.CharField()
    host = serializers.CharField()
