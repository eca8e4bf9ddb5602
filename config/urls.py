"""All addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from config.errors import handlers
from config.guides import public
from config.health import probes
from config.identity import bearer  # noqa: F401 -- the description of bearer tokens registers
from config.openapi.views import ApiDocument, ApiReference
from config.pages import views
from config.pages.design import StylePage
from config.pages.views import Help, Home, TryApi
from databrowser.modified_lars.listing import ModifiedLarList
from databrowser.season_clock.views import SeasonClockView, show_season_clock
from publicapi.lines import ParseSheetByShortPath

admin.autodiscover()

_to_security_txt = RedirectView.as_view(
    pattern_name="security-txt", permanent=True, http_method_names=["get", "head"]
)

urlpatterns = [
    path("", Home.as_view(), name="home"),
    path("help/", Help.as_view(), name="help"),
    *public.urlpatterns,
    path("accessibility/", views.Accessibility.as_view(), name="accessibility"),
    path("design/", StylePage.as_view(), name="design"),  # for developers
    path("privacy/", views.Privacy.as_view(), name="privacy"),
    path(".well-known/security.txt", views.security_txt, name="security-txt"),
    path("security.txt", _to_security_txt, name="security-txt-at-the-root"),
    path("robots.txt", views.robots_txt, name="robots-txt"),
    path("healthz", probes.healthz, name="healthz"),  # both are answered early, by a middleware
    path("readyz", probes.readyz, name="readyz"),
    # Before the admin, whose sign-in it replaces.
    path("", include("config.identity.sign_in_urls")),
    path("admin/", admin.site.urls),
    path("filing/", include("filing.pages.urls")),
    path("hmda-auth/", include("filing.api.user_urls")),
    path("v2/filing/", include("filing.api.urls")),
    path("v2/admin/", include("filing.api.operator_urls")),
    path("", include("publicapi.page_urls")),
    path("tools/check-digit/", include("uliapi.page_urls")),
    path("tools/rate-spread/", include("ratespread.page_urls")),
    path("data/", include("databrowser.pages.urls")),
    path("season/", show_season_clock, name="season-clock-page"),
    # The former address of the quarterly filers.
    path(
        "data-browser/graphs/quarterly/info/filers",
        RedirectView.as_view(
            pattern_name="quarterly-filers", permanent=True, http_method_names=["get", "head"]
        ),
    ),
    path(
        "updates-notes",
        RedirectView.as_view(
            pattern_name="data-changes", permanent=True, http_method_names=["get", "head"]
        ),
    ),
    path("data/graphs/", include("graphs.page_urls")),
    re_path("^v2/public/?$", ParseSheetByShortPath.as_view(), name="parse-ts-by-short-path"),
    path("v2/public/uli/", include("uliapi.urls")),
    re_path("^v2/public/modifiedLAR/?$", ModifiedLarList.as_view(), name="modified-lar-list"),
    re_path("^v2/public/season/?$", SeasonClockView.as_view(), name="season-clock"),
    path("v2/public/modifiedLAR/", include("databrowser.modified_lars.urls")),
    path("", include("databrowser.register_summaries.urls")),
    path("v2/public/", include("databrowser.changes.urls")),
    path("v2/public/", include("databrowser.differences.urls")),
    path("v2/public/", include("databrowser.publication_feed.urls")),
    path("v2/public/", include("databrowser.reports.urls")),
    path("v2/public/", include("publicapi.urls")),
    path("v2/reporting/", include("databrowser.filers.urls")),
    path("v2/data-browser-api/", include("databrowser.api.urls")),
    path("", include("databrowser.assistants.urls")),
    path("file/", include("databrowser.modified_lars.older_urls")),
    path("reports/", include("databrowser.reports.older_urls")),
    path("public/", include("ratespread.urls")),
    path("quarterly-data/", include("graphs.urls")),
    path("docs/openapi.json", ApiDocument.as_view(), name="openapi"),
    path("docs/", TryApi.as_view(), name="swagger"),
    path("docs/reference/", ApiReference.as_view(), name="redoc"),
]
if settings.EMBEDDED_PROVIDER:
    urlpatterns += [
        path("", include("config.identity.urls")),
        path("", include("config.identity.account_urls")),
    ]

handler400 = handlers.answer_bad_request
handler403 = handlers.answer_forbidden
handler404 = handlers.answer_not_found
handler500 = handlers.answer_server_error
