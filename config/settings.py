"""The settings. The first block lists every value that comes from the environment."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from config import environment as env
from config import server_addresses
from config.backends import queue_addresses
from config.identity import provider_options
from config.openapi import options as openapi
from config.pages import browser_policy
from config.running import data_folder, log_settings, schedule, wait_for_messages

# Before any file is created: only the service's user may read databases, queues, logs and data.
os.umask(0o077)

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]

# ---------------------------------------------------------------------------------------------
# From the environment, or each NAME from the file that NAME_FILE names. `.env.example` lists and
# explains the same names.
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / "var"))).resolve()
# A command beside a running service uses its address unless another one is set.
_SERVICE = data_folder.find_service(DATA_DIR)
PORT = env.number("PORT", _SERVICE.port if _SERVICE else 8000, at_least=1)
PUBLIC_URL = env.text(
    "PUBLIC_URL",
    _SERVICE.public_url if _SERVICE and _SERVICE.port == PORT else f"http://localhost:{PORT}",
).rstrip("/")
DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.secret("SECRET_KEY", kept_in=DATA_DIR / "secret-key")
# Former ones, which authenticate what was written before, until a day after the change.
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "*")
DATABASE_URL = env.text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'service.sqlite3'}")
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", f"filesystem://{DATA_DIR / 'queue'}")
CACHE_URL = env.text("CACHE_URL", f"file://{DATA_DIR / 'cache'}")
STORAGE_URL = env.text("STORAGE_URL", f"file://{DATA_DIR / 'files'}")
STATIC_ROOT = env.text("STATIC_ROOT")  # where `collectstatic` put the compressed static files
EMAIL_URL = env.text("EMAIL_URL", "consolemail://")
EMAIL_FROM = env.text("EMAIL_FROM")  # default: the help desk, else an address at PUBLIC_URL
LOG_LEVEL = env.one_of("LOG_LEVEL", "info", "debug", "info", "warning", "error", "critical").upper()
LOG_FORMAT = env.one_of(
    "LOG_FORMAT", "json" if PUBLIC_URL.startswith("https:") else "text", "json", "text"
)
# Checks of `check --deploy` that this site leaves out, each with its reason.
SILENCED_CHECKS = env.reasons("SILENCED_CHECKS")

# Monitoring. Without a token or networks there is nothing at /metrics; all that are set must fit.
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_ADDRESSES = env.networks("METRICS_ADDRESSES")
SENTRY_DSN = env.text("SENTRY_DSN")  # where errors are reported; none: nowhere
# The name of the site there.
SENTRY_ENVIRONMENT = env.text("SENTRY_ENVIRONMENT", urlsplit(PUBLIC_URL).hostname or "")

# Requests: the proxies trusted to report the client's address; and the limits of one caller, each a
# rate and how many may come at once, or `off`.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")
LIMITS = {
    "public": env.limit("LIMIT_PUBLIC", "10/s:50"),
    "authenticated": env.limit("LIMIT_AUTHENTICATED", "100/s:200"),
    "sign-in": env.limit("LIMIT_SIGN_IN", "20/min:10"),
    "public-upload": env.limit("LIMIT_PUBLIC_UPLOAD", "30/min:10"),
    "receipt-check": env.limit("LIMIT_RECEIPT_CHECK", "5/s:5"),
    "published": env.limit("LIMIT_PUBLISHED", "20000/h:20000"),  # in megabytes
}
# Downloads and event streams that one caller may have open in each web process; 0: any number. And
# who sends stored files.
STREAMS_PER_CALLER = env.number("STREAMS_PER_CALLER", 20, at_least=0)
DOWNLOADS = env.one_of(
    "DOWNLOADS", "stream", "stream", "x-accel-redirect", "x-sendfile", "presigned"
)

# Web processes: what one does at a time; after how many requests, or at how much memory, one is
# replaced.
WEB_THREADS = env.number("WEB_THREADS", 24, at_least=2)  # requests that a process answers at once
WEB_MAX_REQUESTS = env.number("WEB_MAX_REQUESTS", 10_000, at_least=0)  # 0: never

# Named features of a site.
SIGNING_ENABLED = env.flag("SIGNING_ENABLED", default=True)  # off: the test environment
SIGNER_DIFFERS = env.flag("SIGNER_DIFFERS", default=False)  # on: another person must sign
# An institution's first administrator: its contact on file agrees by email; off: only staff.
FIRST_ADMINISTRATOR_BY_CONTACT = env.flag("FIRST_ADMINISTRATOR_BY_CONTACT", default=True)
TEST_LEIS = env.flag("TEST_LEIS", default=False)  # on: accepts LEIs with wrong check digits
RECORDS_REASON_MINUTES = env.number("RECORDS_REASON_MINUTES", 60, at_least=1)  # then asked again
PROGRESS_LISTENERS = env.number("PROGRESS_LISTENERS", 12, at_least=0)  # in each web process
HMDA_PAGE_SIZE = env.number("HMDA_PAGE_SIZE", 20, at_least=1)
UPLOAD_LIMIT = env.number("UPLOAD_LIMIT", 2 * 1024**3, at_least=1)  # bytes
PUBLIC_UPLOAD_LIMIT = env.number("PUBLIC_UPLOAD_LIMIT", 50 * 1024**2, at_least=1)  # bytes
SCAN_ADDRESS = server_addresses.scanner(env.text("SCAN_URL"))  # default: no virus scan of uploads
SCAN_SECONDS = env.number("SCAN_SECONDS", 120, at_least=1)  # for one file
SCAN_LIMIT = env.number("SCAN_LIMIT", 2 * 1024**3 - 3, at_least=1)  # bytes; clamd takes no more
if SCAN_ADDRESS:  # what cannot be scanned would not be accepted
    UPLOAD_LIMIT = min(UPLOAD_LIMIT, SCAN_LIMIT)
    PUBLIC_UPLOAD_LIMIT = min(PUBLIC_UPLOAD_LIMIT, SCAN_LIMIT)
SPREADSHEET_ROWS = env.number("SPREADSHEET_ROWS", 100_000, at_least=1)  # of the LAR tool
SPREADSHEET_COLUMNS = env.number("SPREADSHEET_COLUMNS", 400, at_least=110)
SPREADSHEET_CONVERSIONS = env.number("SPREADSHEET_CONVERSIONS", 1, at_least=1)  # at once
LAR_EDITOR_LOANS = env.number("LAR_EDITOR_LOANS", 5_000, at_least=1)  # in a browser
SEASON_CLOCK_ENABLED = env.flag("SEASON_CLOCK_ENABLED", default=False)  # on: /season/ is public
CONTACT_EMAIL = env.text("CONTACT_EMAIL")  # of the help desk, on every page
CONTACT_PHONE = env.text("CONTACT_PHONE")
SECURITY_CONTACT = env.contacts("SECURITY_CONTACT")  # in security.txt; default: the help desk
ACCESSIBILITY_TEXT = env.text_of_file("ACCESSIBILITY_FILE")  # replaces our statement
PRIVACY_TEXT = env.text_of_file("PRIVACY_FILE")
SYSTEM_USE_BANNER = env.text("SYSTEM_USE_BANNER")  # above every page
OMB_CONTROL_NUMBER = env.omb_number("OMB_CONTROL_NUMBER")  # in the footer, with the next
OMB_BURDEN_STATEMENT = env.text(
    "OMB_BURDEN_STATEMENT",  # Source of the default: 5 CFR 1320.5(b)
    "An agency may not conduct or sponsor, and a person is not required to respond to, a "
    "collection of information unless it displays a currently valid OMB control number.",
)
REFERENCE_HOSTS = env.words("REFERENCE_HOSTS")  # hosts to fetch census and loan limits from
REFERENCE_NETWORKS = env.networks("REFERENCE_NETWORKS")  # private networks they may be in
WEBHOOK_NETWORKS = env.networks("WEBHOOK_NETWORKS")  # private networks that webhooks may be in
FILING_TIME_ZONE = env.text("FILING_TIME_ZONE", "America/New_York")  # of the days of a period

# APOR tables: the addresses to fetch new ones from, if any.
APOR_FIXED_URL = env.text("APOR_FIXED_URL")
APOR_VARIABLE_URL = env.text("APOR_VARIABLE_URL")
APOR_REFRESH_SECONDS = env.number("APOR_REFRESH_SECONDS", 7200, at_least=60)
APOR_HTTP_ALLOWED = env.flag("APOR_HTTP_ALLOWED", default=False)  # also addresses without TLS

# Data browser: the years that can be queried beside the published ones, and the resources of its
# queries in each web process.
BROWSER_YEARS = env.years("BROWSER_YEARS", "2018-2022")
BROWSER_THREADS = env.number("BROWSER_THREADS", 2, at_least=1)
BROWSER_MEMORY_MB = env.number("BROWSER_MEMORY_MB", 256, at_least=64)
BROWSER_QUERIES = env.number("BROWSER_QUERIES", 4, at_least=1)
BROWSER_DOWNLOADS = env.number("BROWSER_DOWNLOADS", 4, at_least=1)
BROWSER_SECONDS = env.number("BROWSER_SECONDS", 60, at_least=1)
BROWSER_SMALLEST_CELL = env.number("BROWSER_SMALLEST_CELL", 10, at_least=0)
IRS_PUBLIC_YEARS = env.years("IRS_PUBLIC_YEARS", "")
ASSISTANTS_ENABLED = env.flag("ASSISTANTS_ENABLED", default=False)

# Identity: without an issuer, the embedded provider runs and is the issuer.
OIDC_ISSUER = env.text("OIDC_ISSUER").rstrip("/")
OIDC_JWKS_URL = env.text("OIDC_JWKS_URL")  # default: from the issuer's discovery document
OIDC_AUDIENCE = env.text("OIDC_AUDIENCE", "hmda2-api")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID", OIDC_AUDIENCE)  # of this site, for its sign-in
OIDC_CLIENT_SECRET = env.text("OIDC_CLIENT_SECRET")  # none: a public client, PKCE only
OIDC_SCOPES = env.text("OIDC_SCOPES", "openid profile email")
OIDC_REALM = env.text("OIDC_REALM", "hmda2")
OIDC_LEI_CLAIM = env.text("OIDC_LEI_CLAIM", "lei")
ACCESS_TOKEN_SECONDS = env.number("ACCESS_TOKEN_SECONDS", 900, at_least=1)
# The longest lifetime of an accepted access token: at least that of our own tokens.
ACCESS_TOKEN_MAX_SECONDS = env.number(
    "ACCESS_TOKEN_MAX_SECONDS",
    max(24 * 3600, ACCESS_TOKEN_SECONDS),
    at_least=ACCESS_TOKEN_SECONDS,
)
# Whether staff of the embedded provider must have a second factor; by default on a public site.
_FACTOR = "required" if PUBLIC_URL.startswith("https:") else "optional"
STAFF_SECOND_FACTOR_REQUIRED = (
    env.one_of("STAFF_SECOND_FACTOR", _FACTOR, "required", "optional") == "required"
)
PERSONAL_TOKENS_ENABLED = env.flag("PERSONAL_TOKENS_ENABLED", default=True)
PERSONAL_TOKEN_DAYS = env.number("PERSONAL_TOKEN_DAYS", 366, at_least=1)  # the longest lifetime
ACCOUNT_UNUSED_DAYS = env.number("ACCOUNT_UNUSED_DAYS", 365, at_least=0)  # 0: none are disabled

# Background jobs.
JOB_LEASE_SECONDS = env.number("JOB_LEASE_SECONDS", 30, at_least=2)
JOB_STILL_SECONDS = env.number("JOB_STILL_SECONDS", 120, at_least=4)  # of large files
JOB_SWEEP_SECONDS = env.number("JOB_SWEEP_SECONDS", 10, at_least=1)
JOBS_PER_INSTITUTION = env.number("JOBS_PER_INSTITUTION", 2, at_least=1)
LARGE_FILE_BYTES = env.number("LARGE_FILE_BYTES", 20 * 1024**2, at_least=1)

# Clearing of what has expired.
CLEAR_SECONDS = env.number("CLEAR_SECONDS", 3600, at_least=0)  # 0: by command only
LEFTOVER_HOURS = env.number("LEFTOVER_HOURS", 24, at_least=1)  # after an attempt that failed
REMOVAL_HOURS = env.number("REMOVAL_HOURS", 24, at_least=1)  # more than a backup takes
LOCAL_COPY_DAYS = env.number("LOCAL_COPY_DAYS", 7, at_least=1)  # after its last use

# Retention, in days. What was signed or published stays, whatever these are.
UNSIGNED_FILE_DAYS = env.number("UNSIGNED_FILE_DAYS", 0, at_least=0)  # 0: for good
SESSION_DAYS = env.number("SESSION_DAYS", 14, at_least=1)
LOG_DAYS = env.number("LOG_DAYS", 0, at_least=0)  # 0: until they are rotated by size
AUDIT_LOG_DAYS = env.number("AUDIT_LOG_DAYS", 0, at_least=0)  # 0: for good
LIST_DAYS = env.number("LIST_DAYS", 14, at_least=1)  # of the files of lists on a schedule

# Backups.
BACKUP_URL = env.text("BACKUP_URL")  # default: the commands name a folder
BACKUP_DAYS = env.number("BACKUP_DAYS", 30, at_least=1)  # after which a file is sent once more

# Heads of the audit chain: a write-once place, the days for which it keeps them, and auditors.
AUDIT_HEADS_URL = env.text("AUDIT_HEADS_URL")  # default: the log of the service alone
AUDIT_HEADS_DAYS = env.number("AUDIT_HEADS_DAYS", 3650, at_least=1)
AUDIT_HEADS_EMAIL = env.emails("AUDIT_HEADS_EMAIL")  # default: no one

# Signed receipts: the folder of the private keys, or the only key itself, in PEM form.
RECEIPT_KEY_DIR = Path(env.text("RECEIPT_KEY_DIR", str(DATA_DIR / "keys" / "receipts"))).resolve()
RECEIPT_SIGNING_KEY = env.text("RECEIPT_SIGNING_KEY")

# Publication.
PUBLISH_SECONDS = env.number("PUBLISH_SECONDS", 24 * 3600, at_least=0)  # 0: only on request
PUBLISH_MEMORY_MB = env.number("PUBLISH_MEMORY_MB", 2048, at_least=256)  # of one build
# ---------------------------------------------------------------------------------------------

EMBEDDED_PROVIDER = not OIDC_ISSUER
OIDC_ISSUER = OIDC_ISSUER or f"{PUBLIC_URL}/realms/{OIDC_REALM}"

INSTALLED_APPS = [
    "config.admin_site.OperationsConfig",  # django.contrib.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.forms",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    *("rest_framework", "corsheaders", "csp", "drf_spectacular", "drf_spectacular_sidecar"),
    "oauth2_provider",
    "auditlog",
    "import_export",
    "config",
    "config.identity",
    "config.limits",
    *("filing", "databrowser", "graphs", "publicapi", "ratespread", "uliapi"),
    "config.upkeep",
]

# These commands check a file on this machine. They read tables of filing and serve nothing: loading
# all apps would take longer than a check.
CHECKING_COMMANDS = {"check_lar"}
APPS_OF_CHECKS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "filing.apps.FilingTables",
]

MIDDLEWARE = [
    "config.requests.refusals.drop_unread_bodies",
    "config.requests.access_log.AccessLog",
    "config.metrics.middleware.measure_requests",  # all answers, those of the next ones too
    "config.health.probes.answer_probes",  # before the host name is checked
    "config.requests.refusals.refuse_calls_without_tls",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",  # above the policies, which only documents need
    "csp.middleware.CSPMiddleware",
    "config.pages.browser_policy.add_permissions_policy",
    "corsheaders.middleware.CorsMiddleware",
    "config.requests.refusals.refuse_unreadable_requests",
    "config.requests.refusals.refuse_invalid_text",
    "config.requests.refusals.refuse_bodies_without_length",
    "config.requests.compression.FastGZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.requests.sessions.answer_without_session",
    "config.requests.refusals.TrailingSlashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.requests.sessions.check_sign_in",
    "config.operations.field_changes.remember_request",
    "config.requests.responses.add_announcement_header",
    "config.requests.responses.use_filing_time_zone",
    "config.limits.middleware.RateLimits",
    "config.requests.tool_uses.count_tool_uses",
    "config.requests.responses.record_deliveries",  # none that the next one refuses
    "config.limits.middleware.OpenStreams",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.errors.handlers.complete_api_errors",
]

ROOT_URLCONF = "config.urls"
FORCE_SCRIPT_NAME = ""  # paths are classified whole: no server or caller takes off their beginning
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.pages.navigation.page_shell",
            ],
        },
    },
]

FORM_RENDERER = "config.pages.navigation.ComponentRenderer"

DATABASES = {"default": server_addresses.database_settings(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": server_addresses.cache_settings(CACHE_URL)}
STORAGES = {
    "default": server_addresses.storage_settings(STORAGE_URL),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedStaticFilesStorage",
        # Public, and in a container image served by another user.
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
vars().update(server_addresses.email_settings(EMAIL_URL))
EMAIL_TIMEOUT = 30  # seconds: the mail server may check a message before it answers
DEFAULT_FROM_EMAIL = EMAIL_FROM or CONTACT_EMAIL or server_addresses.default_sender(PUBLIC_URL)
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "config" / "static"]
WHITENOISE_USE_FINDERS = not STATIC_ROOT  # then they are served from the source folders

# Uploads wait beside the stored files: accepting one is a rename.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "incoming"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_PERMISSIONS = 0o600
LOCAL_COPIES = DATA_DIR / "local-copies"  # of files in another storage

_DJANGOS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_DJANGOS}.UserAttributeSimilarityValidator"},
    {"NAME": "config.identity.accounts.RecordedMinimumLength"},
    {"NAME": f"{_DJANGOS}.CommonPasswordValidator"},
    {"NAME": f"{_DJANGOS}.NumericPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 24 * 3600  # seconds, for links in emails
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "filing-pages"
LOGOUT_REDIRECT_URL = "home"

# Sign-in with a browser. The provider's addresses come from its discovery document.
AUTHENTICATION_BACKENDS = ["config.identity.login.Backend"]
if EMBEDDED_PROVIDER:  # only its sign-in page takes a password
    AUTHENTICATION_BACKENDS.insert(0, "django.contrib.auth.backends.ModelBackend")
OIDC_RP_SCOPES = OIDC_SCOPES
OIDC_USE_PKCE = True
OIDC_MAX_STATES = 8  # pending sign-ins of one browser, which share a cookie
OIDC_AUTHENTICATION_CALLBACK_URL = "signed-in"
OIDC_OP_LOGOUT_URL_METHOD = "config.identity.sign_in.provider_sign_out"

SECURE = PUBLIC_URL.startswith("https://")  # a production site: `check --deploy` must hold
SILENCED_SYSTEM_CHECKS = list(SILENCED_CHECKS)
SESSION_ENGINE = "config.backends.sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_AGE = SESSION_DAYS * 24 * 3600
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"  # "Strict" loses visitors from the provider
SIGN_IN_COOKIE_NAME, DEVICE_COOKIE_NAME = "signing-in", "known-device"  # ours, always HttpOnly
if SECURE:  # browsers accept these names from this host and over https only
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SIGN_IN_COOKIE_NAME, DEVICE_COOKIE_NAME = "__Host-signing-in", "__Host-known-device"
CSRF_FAILURE_VIEW = "config.errors.handlers.answer_forged_form"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE
SECURE_HSTS_PRELOAD = SECURE
SECURE_SSL_REDIRECT = SECURE
SECURE_REDIRECT_EXEMPT = [r"^v2/filing/$"]  # health checks call the process itself
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE else None
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = browser_policy.content_policy(issuer=OIDC_ISSUER)

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = False
FORMAT_MODULE_PATH = "config.formats"
USE_TZ = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["config.identity.bearer.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "config.openapi.document.Operation",
    "EXCEPTION_HANDLER": "config.errors.handlers.answer_api_error",
    "UNAUTHENTICATED_USER": None,
}

# The keys that verify bearer tokens: the key files of the embedded provider, or those that the
# issuer publishes.
IDENTITY_KEY_DIR = DATA_DIR / "identity"
IDENTITY_KEYS = f"config.identity.keys.{'LocalKeys' if EMBEDDED_PROVIDER else 'RemoteKeys'}"

# The embedded identity provider. Its addresses exist only if no other issuer is set.
OAUTH2_PROVIDER = provider_options.provider_options(
    OIDC_ISSUER, embedded=EMBEDDED_PROVIDER, access_token_seconds=ACCESS_TOKEN_SECONDS
)

# Recorded changes carry the id of their request.
AUDITLOG_CID_GETTER = "config.operations.field_changes.request_id"

CORS_URLS_REGEX = browser_policy.CROSS_ORIGIN_ADDRESSES
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
CORS_ALLOW_HEADERS = browser_policy.CROSS_ORIGIN_REQUEST_HEADERS
CORS_EXPOSE_HEADERS = browser_policy.CROSS_ORIGIN_ANSWER_HEADERS

SPECTACULAR_SETTINGS = openapi.make_options(PUBLIC_URL)

CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = server_addresses.broker_settings(
    CELERY_BROKER_URL
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# A folder as queue serves one machine: there a worker is one process, and the process manager
# starts another when it ends. A child of a pool that is killed would leave its lock behind.
CELERY_WORKER_POOL = "solo" if queue_addresses.is_folder_queue(CELERY_BROKER_URL) else "prefork"
WAITED_FOR_MESSAGES = wait_for_messages.WAITED in os.environ  # a worker that ends when it is idle
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 500
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # kB after a task; the next one gets a new child
CELERY_TASK_SOFT_TIME_LIMIT = 3600
CELERY_TASK_DEFAULT_QUEUE = "other"
CELERY_TASK_ROUTES = {task: {"queue": "small"} for task in schedule.SHORT_TASKS}
CELERY_BEAT_SCHEDULE = schedule.beat_schedule(
    sweep_seconds=JOB_SWEEP_SECONDS,
    publish_seconds=PUBLISH_SECONDS,
    clear_seconds=CLEAR_SECONDS,
    apor_seconds=APOR_REFRESH_SECONDS if APOR_FIXED_URL or APOR_VARIABLE_URL else 0,
)
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

LOGGING = log_settings.log_configuration(LOG_FORMAT, LOG_LEVEL)
