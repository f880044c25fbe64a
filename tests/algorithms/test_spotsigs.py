"""Spot signatures."""

from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.shingling.spotsigs import SpotSigs
from django_neardup.text import CanonicalText

PAPER = (
    "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to set the record straight "
    "from an attack circulating widely on the Internet that is designed to play into prejudices against Muslims and "
    "fears of terrorism."
)
STORY = (
    "Старый мельник жил на краю деревни, и никто не помнил, когда он там поселился. Летом к нему приходили дети. "
    "Он рассказывал о воде, о ветре и о том, как жернова поют на рассвете. Зимой дорогу заносило снегом."
)
ADVERT = "Продам гараж, недорого. Ворота металлические, свет, яма, сухой подвал."


def spots(text: str, language: str = "ru", **options: object) -> str:
    """Spots of a text as words with colons."""
    document = CanonicalText(text, language=language)
    algorithm = SpotSigs(**options)  # type: ignore[arg-type]
    return " ".join(
        ":".join(document.tokens[place].surface for place in spot) for spot in algorithm.spots(document)
    )


def test_the_example_of_the_paper() -> None:
    """Theobald, Siddharth, Paepcke (2008): with a, an, the, is and chains of two."""
    assert spots(PAPER, "en", antecedents=["a", "an", "the", "is"]) == (
        "a:rally:kick a:weeklong:campaign the:south:carolina the:record:straight an:attack:circulating "
        "the:internet:designed is:designed:play"
    )


@pytest.mark.parametrize(
    ("text", "options", "wanted"),
    [
        ("Дом и лес у реки", {"chain": 1}, "и:лес у:реки"),
        ("Дом и лес у реки", {"chain": 2}, "и:лес:реки"),
        ("И дом, лес, река, гора", {"chain": 2, "distance": 2}, "и:лес:гора"),
        ("И дом, лес, река", {"chain": 2, "distance": 2}, ""),
        ("И дом", {"chain": 2}, ""),
        ("И на дом, лес", {"chain": 2}, "и:дом:лес на:дом:лес"),
        ("И он сам, лес, поле", {"chain": 2}, "и:сам:лес"),
        ("Дом, лес, река", {"chain": 1}, ""),
        ("", {}, ""),
    ],
)
def test_spots_by_hand(text: str, options: dict[str, int], wanted: str) -> None:
    assert spots(text, **options) == wanted


def test_the_score_by_hand() -> None:
    """Four spots each, three alike: 3 / 5; a spot that stands twice counts twice."""
    algorithm = SpotSigs(chain=1)
    a, b = CanonicalText("и дом, и лес, и река, и гора"), CanonicalText("и дом, и лес, и река, и поле")
    assert algorithm.measure(algorithm.payload(a), algorithm.payload(b)) == pytest.approx(3 / 5)
    twice = CanonicalText("и дом, и дом, и лес, и лес")
    assert algorithm.measure(algorithm.payload(a), algorithm.payload(twice)) == pytest.approx(2 / 6)
    assert algorithm.judge(a, b).verdict == "duplicate"
    assert algorithm.judge(a, twice).verdict == "related"


def test_little_words_are_part_of_a_spot() -> None:
    algorithm = SpotSigs(chain=1, least=1)
    assert not set(algorithm.keys(CanonicalText("и дом"))) & set(algorithm.keys(CanonicalText("на дом")))


def test_words_of_a_chain_are_lemmas() -> None:
    algorithm = SpotSigs(chain=1, least=1)
    assert algorithm.keys(CanonicalText("и дома")) == algorithm.keys(CanonicalText("и дом"))


def test_lists_without_little_words_around_a_text_do_not_matter() -> None:
    around = "Главная Новости Контакты Карта Реклама\n\n"
    found = SpotSigs().judge(CanonicalText(STORY), CanonicalText(around + STORY))
    assert (found.verdict, found.exact) == ("duplicate", False)
    assert found.score == 1


@pytest.mark.parametrize("text", ["", "дом", ADVERT, "И дом, лес. И река, гора", "и в на что не"])
def test_texts_with_too_few_spots_have_none(text: str) -> None:
    algorithm = SpotSigs()
    document = CanonicalText(text)
    assert algorithm.keys(document) == []
    assert algorithm.measure(algorithm.payload(document), algorithm.payload(document)) == 0


def test_how_many_are_too_few() -> None:
    document = CanonicalText("И дом, лес. И река, гора")
    assert len(SpotSigs(least=2).keys(document)) == 2
    assert SpotSigs(least=3).keys(document) == []


def test_keys_are_bounded() -> None:
    document = CanonicalText(" ".join(f"и w{number}" for number in range(2000)))
    assert len(SpotSigs(chain=1).keys(document)) == 128


def test_antecedents_are_part_of_the_parameters() -> None:
    assert get_algorithm("spotsigs", antecedents=("на", "и")).parameters()["antecedents"] == ["и", "на"]


@pytest.mark.parametrize("option", ["chain", "distance", "least"])
def test_senseless_options(option: str) -> None:
    with pytest.raises(ValueError, match=f"{option} (is )?0"):
        get_algorithm("spotsigs", **{option: 0})
