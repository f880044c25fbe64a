"""Settings of a row's processes: NEARDUP_BENCHMARK holds, as JSON, the database, NEARDUP and the queues."""

import json
import os

from benchmarks.site import APPS, TEMPLATES
from tests.settings import MIGRATION_MODULES

_given = json.loads(os.environ["NEARDUP_BENCHMARK"])

SECRET_KEY = "benchmarks"
USE_TZ = True
ROOT_URLCONF = "benchmarks.board.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": _given["database"]}
NEARDUP = {"default": _given["neardup"]}
RQ_QUEUES = _given["queues"]
INSTALLED_APPS = [*APPS, *(["django_rq"] if RQ_QUEUES else [])]

__all__ = ["MIGRATION_MODULES", "TEMPLATES"]
