"""Settings of a site with the packages that are installed in the environment of `make test-sites`."""

from importlib.util import find_spec
from shutil import which

from tests.sites import databases

SECRET_KEY = "sites"
USE_TZ = True
ROOT_URLCONF = "tests.sites.packages.urls"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ru", "Russian"), ("de", "German")]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = databases.default(ATOMIC_REQUESTS=True)
NEARDUP = {"default": {"BACKEND": None}}
KNOWN_PACKAGES = (
    "treebeard", "mptt", "guardian", "reversion", "parler", "simple_history", "modeltranslation", "taggit",
    "polymorphic", "safedelete", "cacheops", "rest_framework", "django_filters", "auditlog",
)  # fmt: skip
PACKAGES = [name for name in KNOWN_PACKAGES if find_spec(name)]
if "cacheops" in PACKAGES and not which("redis-server"):
    PACKAGES.remove("cacheops")
INSTALLED_APPS = [
    # The app says that it stands before the admin.
    *(["modeltranslation"] if "modeltranslation" in PACKAGES else []),
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django_neardup",
    *(name for name in PACKAGES if name != "modeltranslation"),
    "tests.sites.packages.app",
]
# The app of this site has no migrations, and its tables must come after those that they reference.
MIGRATION_MODULES = {name.split(".")[-1].removeprefix("django_"): None for name in INSTALLED_APPS}
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
if "guardian" in PACKAGES:
    AUTHENTICATION_BACKENDS.append("guardian.backends.ObjectPermissionBackend")
if "parler" in PACKAGES:
    PARLER_LANGUAGES = {
        None: [{"code": "en"}, {"code": "ru"}, {"code": "de"}],
        "default": {"fallbacks": ["en"], "hide_untranslated": False},
    }
MODELTRANSLATION_DEFAULT_LANGUAGE = "en"
if "cacheops" in PACKAGES:
    from tests import services

    CACHEOPS_REDIS = {"unix_socket_path": services.shared("redis")["socket"]}
    # This app changes its own tables by statements of its own: they are not to be cached.
    CACHEOPS = {"neardup.*": None, "*.*": {"timeout": 600}}
    CACHED_MODELS = ("cachedpost", "cachedcomment", "cachedtag", "cachedpost_tags", "cachedpage")
    CACHEOPS |= {f"app.{name}": {"ops": "all", "timeout": 600} for name in CACHED_MODELS}
