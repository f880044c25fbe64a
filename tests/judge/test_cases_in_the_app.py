"""Cases in the app: saved, drained, judged and grouped as the bench judges them.

NEARDUP_CASES names a folder with files of cases (see ``django_neardup.evaluation.case_files``).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from django_neardup.algorithms.registry import get_algorithm
from django_neardup.conf import get_profile
from django_neardup.evaluation.case_files import Case, load_cases
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.heads import first_line_length
from tests.pipeline.helpers import cluster, pair, work
from tests.testapp.models import ScopedPost
from tests.testapp.neardup import ScopedPostNeardup

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.engines("sqlite"), pytest.mark.slow]
FILES = ("hunt_open.jsonl", "hunt_passing.jsonl")
SavedCase = tuple[Case, ScopedPost, ScopedPost]


@pytest.fixture(params=FILES)
def cases(request: pytest.FixtureRequest) -> list[Case]:
    folder = os.environ.get("NEARDUP_CASES")
    if not folder:
        pytest.skip("NEARDUP_CASES is not set: no folder of cases")
    path = Path(folder) / request.param
    if not path.exists():
        pytest.skip(f"{folder} has no {request.param}")
    return load_cases([path])


@pytest.fixture
def saved_cases(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> list[SavedCase]:
    """Both texts of every case as two posts in a scope of their own, compared by the worker."""
    by_options = defaultdict(list)
    for number, case in enumerate(cases):
        by_options[tuple(sorted(case.options.items()))].append((number, case))
    saved: list[SavedCase] = []
    for options, numbered in by_options.items():
        with monkeypatch.context() as patch:
            set_options(patch, dict(options))
            for number, case in numbered:
                a, b = (ScopedPost.objects.create(site=number, text=text) for text in (case.a, case.b))
                saved.append((case, a, b))
            work()
    return saved


def set_options(patch: pytest.MonkeyPatch, options: dict[str, str]) -> None:
    """Let the adapter read texts as the bench reads those of a case."""
    patch.setattr(ScopedPostNeardup, "quotes", options.get("quotes", "keep"))
    patch.setattr(ScopedPostNeardup, "language", options.get("language"))
    if "head" in options:
        patch.setattr(ScopedPostNeardup, "head", lambda self, post: post.text[: first_line_length(post.text)])


def text_of(case: Case, text: str) -> CanonicalText:
    return CanonicalText(
        text,
        quotes=case.options.get("quotes", "keep"),
        language=case.options.get("language", "ru"),
        head=first_line_length(text) if "head" in case.options else 0,
    )


def cannot_be_found(case: Case) -> bool:
    """Return whether the app does not compare the texts: one is very short, or they share no key.

    Texts in two alphabets share none.
    """
    a, b = text_of(case, case.a), text_of(case, case.b)
    return min(len(a), len(b)) < get_profile().min_words or a.is_cyrillic != b.is_cyrillic


def wrong_pairs(saved_cases: list[SavedCase]) -> Iterator[str]:
    """Yield a line for each case whose stored pair is not what the bench says.

    The app need not find a pair that the bench judges wrongly.
    """
    algorithm = get_algorithm("neardup")
    for case, a, b in saved_cases:
        judgement = algorithm.judge(text_of(case, case.a), text_of(case, case.b))
        found = pair(a, b)
        got = found.verdict if found else "none"
        if got == "none" and (judgement.verdict not in case.expected or cannot_be_found(case)):
            continue
        if got != judgement.verdict:
            yield f"{case.id} ({case.kind}): {got} in the app, {judgement.verdict} in the bench"


def test_the_app_judges_and_groups_as_the_bench(saved_cases: list[SavedCase]) -> None:
    assert not list(wrong_pairs(saved_cases))
    grouped = [
        case.id
        for case, a, b in saved_cases
        if "duplicate" not in case.expected and cluster(a) is not None and cluster(a) == cluster(b)
    ]
    assert not grouped


def test_the_expected_verdicts(saved_cases: list[SavedCase]) -> None:
    """All verdicts of the app are right but for the share of ``hunt_open`` that the bars of the bench allow."""
    wrong = [
        f"{case.id} ({case.kind}): {found.verdict if found else 'none'}"
        for case, a, b in saved_cases
        for found in [pair(a, b)]
        if (found.verdict if found else "none") not in case.expected
    ]
    assert len(wrong) <= 0.05 * len(saved_cases), wrong
