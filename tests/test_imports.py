"""What a process loads: the package itself next to nothing, one that renders pages neither numbers nor dictionaries."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import services
from tests.grouped_lists import rows
from tests.testapp.models import Ad

HEAVY = {"numpy", "pymorphy3", "rapidfuzz", "snowballstemmer", "dawg", "dawg_python"}
SAY = "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"

SETUP = """
import django
django.setup()
from django.template import Context, Template
from django.test import Client
from tests.testapp.models import Ad
"""
TAG = """
page = "{% load neardup %}{% neardup_group ads ads as groups %}{% for group in groups %}{{ group.label }}{% endfor %}"
assert Template(page).render(Context({"ads": Ad.objects.all()})) == "+ 1 similar"
"""
SIMILAR = """
from django.conf import settings
settings.ALLOWED_HOSTS = ["*"]
response = Client().get(f"/similar/testapp.ad/{Ad.objects.first().pk}/")
assert response.status_code == 200 and "другой" in response.content.decode()
"""
SAVE = """
from django_neardup.models import Document
waiting = Document.objects.count()
Ad.objects.create(text="новая")
assert Document.objects.count() == waiting + 1
"""


def loaded(code: str, **options: object) -> set[str]:
    """Names of the packages that a new process has loaded after that code."""
    ran = subprocess.run(
        [sys.executable, "-c", code + SAY], capture_output=True, text=True, cwd=services.ROOT, **options
    )  # type: ignore[call-overload]
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.split())


def test_the_package_alone_loads_next_to_nothing() -> None:
    more = loaded("import django_neardup") - loaded("import importlib")
    assert more == {"django_neardup"}


def test_the_text_core_loads_when_it_is_used() -> None:
    core = "from django_neardup.text import CanonicalText"
    assert not loaded(core) & {*HEAVY, "django"}
    assert "pymorphy3" in loaded(f"{core}\nCanonicalText('слово').tokens")


@pytest.mark.engine_alike
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("work", [TAG, SIMILAR, SAVE], ids=["tag", "similar", "save"])
def test_a_web_process_stays_light(work: str, child_environment: dict[str, str]) -> None:
    rows.cluster(*(Ad.objects.create(title=title, text=f"{title} текст") for title in ("один", "другой")))
    found = loaded(SETUP + work, env=child_environment)
    assert "django_neardup" in found and not found & HEAVY
