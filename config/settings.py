"""Settings: one module. Its top block lists every value that comes from the environment."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from celery.schedules import crontab

from config import environment as env
from config import logs, policy, running
from config.identity import keyfiles

# Before the first file: databases, queues, logs and filed data are for the service's user alone.
os.umask(0o077)

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]

# ---------------------------------------------------------------------------------------------
# From the environment. `.env.example` lists the same names with what they are for.
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / "var"))).resolve()
# A command beside a running service has its address, unless it is given another one.
_SERVICE = running.service_on(DATA_DIR)
PORT = env.number("PORT", _SERVICE.port if _SERVICE else 8000, at_least=1)
PUBLIC_URL = env.text(
    "PUBLIC_URL",
    _SERVICE.public_url if _SERVICE and _SERVICE.port == PORT else f"http://localhost:{PORT}",
).rstrip("/")
DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.secret("SECRET_KEY", kept_in=DATA_DIR / "secret-key")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "*")
DATABASE_URL = env.text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'service.sqlite3'}")
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", f"filesystem://{DATA_DIR / 'queue'}")
CACHE_URL = env.text("CACHE_URL", f"file://{DATA_DIR / 'cache'}")
STORAGE_URL = env.text("STORAGE_URL", f"file://{DATA_DIR / 'files'}")
STATIC_ROOT = env.text("STATIC_ROOT")  # where `collectstatic` has put static files, compressed
EMAIL_URL = env.text("EMAIL_URL", "consolemail://")
EMAIL_FROM = env.text("EMAIL_FROM")  # default: the help desk, else an address at PUBLIC_URL
LOG_LEVEL = env.one_of("LOG_LEVEL", "info", "debug", "info", "warning", "error", "critical").upper()
LOG_FORMAT = env.one_of(
    "LOG_FORMAT", "json" if PUBLIC_URL.startswith("https:") else "text", "json", "text"
)

# Requests: proxies whose word on the client's address is taken, and how much one may ask:
# a rate, and how many may come at once; or `off`.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")
LIMITS = {
    "public": env.limit("LIMIT_PUBLIC", "10/s:50"),
    "authenticated": env.limit("LIMIT_AUTHENTICATED", "100/s:200"),
    "sign-in": env.limit("LIMIT_SIGN_IN", "20/min:10"),
    "public-upload": env.limit("LIMIT_PUBLIC_UPLOAD", "30/min:10"),
}

# Web processes: after how many requests, or with how much memory, another one takes its place.
WEB_MAX_REQUESTS = env.number("WEB_MAX_REQUESTS", 10_000, at_least=0)  # 0: never
WEB_MAX_MEMORY_MB = env.number("WEB_MAX_MEMORY_MB", 600, at_least=0)  # 0: any

# Named features of a site.
SIGNING_ENABLED = env.flag("SIGNING_ENABLED", default=True)  # off: the test environment
SIGNER_DIFFERS = env.flag("SIGNER_DIFFERS", default=False)  # on: two people for a signature
TEST_LEIS = env.flag("TEST_LEIS", default=False)  # on: LEIs whose check digits are wrong are taken
HMDA_PAGE_SIZE = env.number("HMDA_PAGE_SIZE", 20, at_least=1)
UPLOAD_LIMIT = env.number("UPLOAD_LIMIT", 2 * 1024**3, at_least=1)  # bytes
PUBLIC_UPLOAD_LIMIT = env.number("PUBLIC_UPLOAD_LIMIT", 50 * 1024**2, at_least=1)  # bytes
CONTACT_EMAIL = env.text("CONTACT_EMAIL")  # of the help desk, on every page
CONTACT_PHONE = env.text("CONTACT_PHONE")
SECURITY_CONTACT = env.contacts("SECURITY_CONTACT")  # in security.txt; default: the help desk
ACCESSIBILITY_TEXT = env.text_of_file("ACCESSIBILITY_FILE")  # in place of our own statement
PRIVACY_TEXT = env.text_of_file("PRIVACY_FILE")
SYSTEM_USE_BANNER = env.text("SYSTEM_USE_BANNER")  # above every page
OMB_CONTROL_NUMBER = env.omb_number("OMB_CONTROL_NUMBER")  # in the footer, with the next
OMB_BURDEN_STATEMENT = env.text(
    "OMB_BURDEN_STATEMENT",  # Source of the default: 5 CFR 1320.5(b)
    "An agency may not conduct or sponsor, and a person is not required to respond to, a "
    "collection of information unless it displays a currently valid OMB control number.",
)
REFERENCE_HOSTS = env.words("REFERENCE_HOSTS")  # that census and loan limits may be fetched from
REFERENCE_NETWORKS = env.networks("REFERENCE_NETWORKS")  # private ones in which they may lie
FILING_TIME_ZONE = env.text("FILING_TIME_ZONE", "America/New_York")  # days of a period begin here

# APOR tables: where new ones are fetched from, none unless it is named here.
APOR_FIXED_URL = env.text("APOR_FIXED_URL")
APOR_VARIABLE_URL = env.text("APOR_VARIABLE_URL")
APOR_REFRESH_SECONDS = env.number("APOR_REFRESH_SECONDS", 7200, at_least=60)
APOR_HTTP_ALLOWED = env.flag("APOR_HTTP_ALLOWED", default=False)  # addresses without TLS, too

# Data browser: the years that may be asked for, beside those that are published; and what its
# queries may take in each web process.
BROWSER_YEARS = env.years("BROWSER_YEARS", "2018-2022")
BROWSER_THREADS = env.number("BROWSER_THREADS", 2, at_least=1)
BROWSER_MEMORY_MB = env.number("BROWSER_MEMORY_MB", 256, at_least=64)
BROWSER_QUERIES = env.number("BROWSER_QUERIES", 4, at_least=1)
BROWSER_DOWNLOADS = env.number("BROWSER_DOWNLOADS", 4, at_least=1)
BROWSER_SECONDS = env.number("BROWSER_SECONDS", 60, at_least=1)

# Identity: without an issuer the embedded provider runs and is the issuer.
OIDC_ISSUER = env.text("OIDC_ISSUER").rstrip("/")
OIDC_JWKS_URL = env.text("OIDC_JWKS_URL")  # default: from the issuer's discovery document
OIDC_AUDIENCE = env.text("OIDC_AUDIENCE", "hmda2-api")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID", OIDC_AUDIENCE)  # of this site, for its sign-in
OIDC_CLIENT_SECRET = env.text("OIDC_CLIENT_SECRET")  # none: a public client, PKCE alone
OIDC_SCOPES = env.text("OIDC_SCOPES", "openid profile email")
OIDC_REALM = env.text("OIDC_REALM", "hmda2")
OIDC_LEI_CLAIM = env.text("OIDC_LEI_CLAIM", "lei")
ACCESS_TOKEN_SECONDS = env.number("ACCESS_TOKEN_SECONDS", 900, at_least=1)
# The longest life of an access token that is taken: no shorter than our own tokens live.
ACCESS_TOKEN_MAX_SECONDS = env.number(
    "ACCESS_TOKEN_MAX_SECONDS",
    max(24 * 3600, ACCESS_TOKEN_SECONDS),
    at_least=ACCESS_TOKEN_SECONDS,
)
PERSONAL_TOKENS_ENABLED = env.flag("PERSONAL_TOKENS_ENABLED", default=True)
PERSONAL_TOKEN_DAYS = env.number("PERSONAL_TOKEN_DAYS", 366, at_least=1)  # the longest life
ACCOUNT_UNUSED_DAYS = env.number("ACCOUNT_UNUSED_DAYS", 365, at_least=0)  # 0: none is disabled

# Work outside the request.
JOB_LEASE_SECONDS = env.number("JOB_LEASE_SECONDS", 30, at_least=2)
JOB_SWEEP_SECONDS = env.number("JOB_SWEEP_SECONDS", 10, at_least=1)
JOBS_PER_INSTITUTION = env.number("JOBS_PER_INSTITUTION", 2, at_least=1)
LARGE_FILE_BYTES = env.number("LARGE_FILE_BYTES", 20 * 1024**2, at_least=1)

# What is cleared, and when.
CLEAR_SECONDS = env.number("CLEAR_SECONDS", 3600, at_least=0)  # 0: by command alone
LEFTOVER_HOURS = env.number("LEFTOVER_HOURS", 24, at_least=1)  # after an attempt did not succeed
LOCAL_COPY_DAYS = env.number("LOCAL_COPY_DAYS", 7, at_least=1)  # after its last use

# Publication.
PUBLISH_SECONDS = env.number("PUBLISH_SECONDS", 24 * 3600, at_least=0)  # 0: only when asked
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
    "rest_framework",
    "corsheaders",
    "csp",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "oauth2_provider",
    "auditlog",
    "import_export",
    "config",
    "config.identity",
    "config.limits",
    "filing",
    "databrowser",
    "graphs",
    "publicapi",
    "ratespread",
    "uliapi",
]

MIDDLEWARE = [
    "config.edge.Edge",
    "config.probes.answering_probes",  # before all that looks at the host name
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.policy.without_features",
    "corsheaders.middleware.CorsMiddleware",
    "config.readable.readable",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.unknown_visitors.without_sessions_if_need_be",
    "config.slashes.PageSlashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.audit.acting",
    "config.announcing.announcing",
    "config.filing_time.in_filing_zone",
    "config.limits.middleware.Limits",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.errors.in_the_form_of_its_area",
]

ROOT_URLCONF = "config.urls"
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
                "config.navigation.shell",
            ],
        },
    },
]

FORM_RENDERER = "config.forms.Renderer"

DATABASES = {"default": env.database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": env.cache(CACHE_URL)}
STORAGES = {
    "default": env.storage(STORAGE_URL),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedStaticFilesStorage",
        # Public, and served by other users in an image.
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
vars().update(env.email(EMAIL_URL))
EMAIL_TIMEOUT = 10  # seconds
EMAIL_ANSWER_SECONDS = 60  # that the mail server may look at a message before it answers
DEFAULT_FROM_EMAIL = EMAIL_FROM or CONTACT_EMAIL or env.mail_address_at(PUBLIC_URL)
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "config" / "static"]
WHITENOISE_USE_FINDERS = not STATIC_ROOT  # then they come from where they lie in the code

# Uploads lie beside the stored files until they are accepted, so that accepting one is a rename.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "incoming"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_PERMISSIONS = 0o600
LOCAL_COPIES = DATA_DIR / "local-copies"  # of files that are stored elsewhere

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 24 * 3600  # seconds, for the links of mails
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "filing-pages"
LOGOUT_REDIRECT_URL = "home"

# Signing in with a browser. The addresses of the provider come from its discovery document.
AUTHENTICATION_BACKENDS = ["config.identity.login.Backend"]
if EMBEDDED_PROVIDER:  # only its own sign-in page takes a password
    AUTHENTICATION_BACKENDS.insert(0, "django.contrib.auth.backends.ModelBackend")
OIDC_RP_SCOPES = OIDC_SCOPES
OIDC_USE_PKCE = True
OIDC_MAX_STATES = 8  # sign-ins begun in one browser: they share a cookie
OIDC_AUTHENTICATION_CALLBACK_URL = "signed-in"
OIDC_OP_LOGOUT_URL_METHOD = "config.identity.sign_in.provider_sign_out"

SECURE = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"  # strict would lose who comes from sign-in
SIGN_IN_COOKIE_NAME, DEVICE_COOKIE_NAME = "signing-in", "known-device"  # ours, always HttpOnly
if SECURE:  # these names a browser takes from this host alone, and over https alone
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SIGN_IN_COOKIE_NAME, DEVICE_COOKIE_NAME = "__Host-signing-in", "__Host-known-device"
CSRF_FAILURE_VIEW = "config.errors.forged"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE
SECURE_HSTS_PRELOAD = SECURE
SECURE_SSL_REDIRECT = SECURE
SECURE_REDIRECT_EXEMPT = [r"^v2/filing/$"]  # a health check asks the process itself
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE else None
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = policy.content_policy(issuer=OIDC_ISSUER)

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
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Operation",
    "EXCEPTION_HANDLER": "config.errors.answer",
    "UNAUTHENTICATED_USER": None,
}

# Where the keys that verify bearer tokens come from: the key files of the embedded provider, or
# the addresses of the issuer.
IDENTITY_KEY_DIR = DATA_DIR / "identity"
IDENTITY_KEYS = f"config.identity.keys.{'LocalKeys' if EMBEDDED_PROVIDER else 'RemoteKeys'}"

# The embedded identity provider. Its addresses exist only where no other issuer is named.
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_ISS_ENDPOINT": OIDC_ISSUER,
    "OIDC_RSA_PRIVATE_KEY": keyfiles.signing_pem(),
    "OAUTH2_VALIDATOR_CLASS": "config.identity.provider.Validator",
    "ACCESS_TOKEN_GENERATOR": "config.identity.provider.access_token",
    "REFRESH_TOKEN_GENERATOR": "oauthlib.oauth2.rfc6749.tokens.random_token_generator",
    "SCOPES": {"openid": "Know who you are", "profile": "Your name", "email": "Your address"},
    "DEFAULT_SCOPES": ["openid"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_SECONDS,
    "ID_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_SECONDS,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 60,  # after the access token that came with it
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "CLEAR_EXPIRED_TOKENS_BATCH_SIZE": 1000,  # rows of one statement
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"] if EMBEDDED_PROVIDER else ["https"],
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
}

# Entries of the log of changes carry the id of their request.
AUDITLOG_CID_GETTER = "config.audit.request_id"

# Everything here carries a bearer token or is public, so any page may call it; no cookie is taken.
CORS_URLS_REGEX = r"^/(v2|public|file|quarterly-data|realms|hmda-auth)/"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]
CORS_ALLOW_HEADERS = ["authorization", "content-type", "if-none-match", "range"]
CORS_EXPOSE_HEADERS = [
    *("etag", "retry-after", "content-disposition", "content-range", "repr-digest"),
    *("link", "ratelimit", "ratelimit-policy", "x-request-id", "announcement"),
]

SPECTACULAR_SETTINGS = {
    "TITLE": "HMDA filing service",
    "DESCRIPTION": (
        "File a Loan Application Register under the Home Mortgage Disclosure Act: create a filing "
        "and a submission, upload the file, follow its status, review and verify its edits, sign."
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
        "config.openapi.as_callers_write_them",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = env.broker(CELERY_BROKER_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_POOL = "config.pool:TaskPool"
CELERY_WORKER_LOST_WAIT = 2.0  # seconds without new work after a child was killed
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 500
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # kB after a task; the next one gets a fresh child
CELERY_TASK_SOFT_TIME_LIMIT = 3600
CELERY_TASK_DEFAULT_QUEUE = "small"
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "filing.sweep",
        "schedule": JOB_SWEEP_SECONDS,
        "options": {"expires": JOB_SWEEP_SECONDS},  # workers sweep between jobs as well
    },
    "sweep-staged": {"task": "filing.sweep_staged", "schedule": 3600},
    "sweep-emails": {"task": "filing.sweep_emails", "schedule": 3600},
    "sweep-limits": {"task": "limits.sweep", "schedule": 600},
    "sweep-versions": {"task": "databrowser.sweep", "schedule": 3600},
    "check-rights": {"task": "filing.check_rights", "schedule": crontab(hour=7, minute=20)},  # UTC
}
if PUBLISH_SECONDS:
    CELERY_BEAT_SCHEDULE["publish"] = {"task": "databrowser.publish", "schedule": PUBLISH_SECONDS}
if CLEAR_SECONDS:
    CELERY_BEAT_SCHEDULE["clear-expired"] = {
        "task": "config.clear_expired",
        "schedule": CLEAR_SECONDS,
        "options": {"expires": CLEAR_SECONDS},
    }
if APOR_FIXED_URL or APOR_VARIABLE_URL:
    CELERY_BEAT_SCHEDULE["refresh-apor"] = {
        "task": "ratespread.refresh",
        "schedule": APOR_REFRESH_SECONDS,
    }
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

LOGGING_CONFIG = "config.logs.set_up"
LOGGING = logs.configuration(LOG_FORMAT, LOG_LEVEL)
