"""The options of the library that writes the OpenAPI document."""

from typing import Any

_OPTIONS = {
    "TITLE": "HMDA filing service",
    "DESCRIPTION": (
        "File a Loan Application Register under the Home Mortgage Disclosure Act: create a filing "
        "and a submission, upload the file, check its status, review and verify its edits, certify "
        "and sign."
    ),
    "VERSION": "2.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": True,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/v2",
    "SORT_OPERATIONS": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.openapi.document.use_callers_names",
        "config.openapi.document.require_storable_bodies",
        "config.openapi.document.add_recorded_examples",
        "config.openapi.document.describe_limits",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # Names of their own for choices of fields that have the same name in several shapes.
    "ENUM_NAME_OVERRIDES": {
        "KindEnum": ["syntactical", "validity", "quality", "macro"],
        "SpreadsheetKindEnum": "publicapi.lar_tool.serializers.FILE_KINDS",
        "CellFindingKindEnum": "publicapi.lar_tool.serializers.FINDING_KINDS",
    },
}


def make_options(site: str) -> dict[str, Any]:
    """Return the options of a site, by its address: clients begin their calls with it."""
    guide = "API guide: how a program files, with examples"
    return _OPTIONS | {
        "SERVERS": [{"url": site}],
        "EXTERNAL_DOCS": {"description": guide, "url": f"{site}/guides/api/"},
    }
