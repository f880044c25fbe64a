from __future__ import annotations

import pytest

from django_neardup.algorithms import (
    Algorithm,
    UnknownAlgorithm,
    algorithm_names,
    get_algorithm,
    register,
)
from django_neardup.algorithms.default.neardup import NearDup
from django_neardup.text.canonical_text import CanonicalText


def test_the_default_scheme_and_its_sibling_are_known() -> None:
    assert {"neardup", "neardup-articles"} <= set(algorithm_names())
    assert get_algorithm("neardup").parameters()["word_guard"] is True
    assert get_algorithm("neardup-articles").parameters()["word_guard"] is False


def test_options_go_to_the_class_and_into_the_parameters() -> None:
    parameters = get_algorithm("neardup", word_guard=False, ignored_differences=("price",)).parameters()
    assert (parameters["word_guard"], parameters["ignored_differences"]) == (False, ["price"])


def test_a_dotted_path_is_as_good_as_a_name() -> None:
    assert type(get_algorithm("django_neardup.algorithms.default.neardup.NearDup")) is NearDup


@pytest.mark.parametrize("name", ["absent", "absent.Module", "collections.OrderedDict", "collections.Absent"])
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownAlgorithm):
        get_algorithm(name)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError):
        get_algorithm("neardup", colour="red")


class Half(Algorithm):
    """Every two texts are half alike."""

    name = "half"

    def keys(self, text: CanonicalText) -> list[int]:
        return [1]

    def payload(self, text: CanonicalText) -> bytes:
        return b""

    def measure(self, a: bytes, b: bytes) -> float:
        return 0.5


def test_one_name_is_of_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_neardup.algorithms.registry._registered_algorithms", {})
    assert register(Half) is Half
    assert register(Half) is Half
    other = type("Other", (Half,), {})
    with pytest.raises(ValueError, match="already the name of Half"):
        register(other)
    assert "half" in algorithm_names()


@pytest.mark.parametrize(
    ("duplicate", "review", "verdict"), [(0.5, 0.3, "duplicate"), (0.7, 0.5, "related"), (0.9, 0.6, "none")]
)
def test_by_default_thresholds_on_the_measure_judge(duplicate: float, review: float, verdict: str) -> None:
    algorithm = Half(duplicate=duplicate, review=review)
    assert algorithm.judge(CanonicalText("кот"), CanonicalText("дом")).verdict == verdict
    assert algorithm.judge(CanonicalText(""), CanonicalText("дом")).verdict == "none"
    assert algorithm.parameters() == {
        "algorithm": "half",
        "version": 1,
        "duplicate": duplicate,
        "review": review,
        "guard": False,
        "word_guard": True,
        "ignored_differences": ["contact", "date", "price"],
    }


def test_whoever_needs_statistics_uses_them() -> None:
    flags = {name: get_algorithm(name) for name in algorithm_names()}
    needing = {name for name, each in flags.items() if each.needs_statistics}
    using = {name for name, each in flags.items() if each.uses_statistics}
    assert needing and using == needing | {"profile-cosine"}
    assert type("Needing", (Half,), {"needs_statistics": True}).uses_statistics  # type: ignore[attr-defined]
    assert not Half.uses_statistics
