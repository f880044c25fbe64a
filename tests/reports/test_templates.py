"""The templates of the HTML reports: of a comparison, of the bench, of the preview."""

from __future__ import annotations

import pytest

from django_neardup.evaluation.report import FORMATS, BenchReport
from django_neardup.evaluation.results import PoolResult
from django_neardup.preview import as_html as preview_as_html
from django_neardup.preview import build_preview, build_selection
from django_neardup.reports import as_html
from tests.processes import run
from tests.reports.texts import OTHER_PILES, PILES, SOFA, compared
from tests.testapp.models import Ad

SCRIPT = "<script>alert(1)</script>"
SHOWN_SCRIPT = "&lt;script&gt;alert(1)&lt;/script&gt;"


def comparison_page() -> str:
    text = f"{SHOWN_SCRIPT} {PILES}"
    return as_html(compared(text, OTHER_PILES, titles=(SCRIPT, "b")), language='"><script>')


def bench_page() -> str:
    pool = PoolResult(SCRIPT, 2, 3.0, None, 0.0, {SCRIPT: {SCRIPT: (1, 2)}}, {2: 1.0})
    schemes = [{"name": SCRIPT}]
    report = BenchReport(schemes, seed=0, sample=0, language="ru", pool=[pool], notes=[SCRIPT])
    return FORMATS["html"](report)


def preview_page() -> str:
    Ad.objects.bulk_create([Ad(title=SCRIPT, text=f"{SHOWN_SCRIPT} {SOFA}") for _ in range(2)])
    return preview_as_html(build_preview(build_selection("testapp.Ad", ["text"])), language="en")


@pytest.mark.django_db
@pytest.mark.parametrize("page", [comparison_page, bench_page, preview_page])
def test_scripts_in_texts_and_names_are_escaped(page):
    content = page()
    assert "<script" not in content and content.count(SHOWN_SCRIPT) >= 3
    assert "default-src 'none'" in content


def test_reports_of_texts_need_no_settings():
    run(
        """
from django.conf import settings
from django_neardup.evaluation.report import FORMATS, BenchReport
from django_neardup.reports import as_html, compare_texts
from django_neardup.text import CanonicalText
text = "Завод реализует сваи железобетонные забивные сечением 350 на 350 со склада"
pages = [
    as_html(compare_texts(CanonicalText(text), CanonicalText(text))),
    FORMATS["html"](BenchReport([], seed=0, sample=0, language="ru")),
]
assert all(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\\n") for page in pages)
assert not settings.configured
"""
    )
