"""What a comparison says of two texts."""

import pytest

from django_neardup.algorithms import UnknownAlgorithm, algorithm_names, get_algorithm
from django_neardup.algorithms.statistics import StatisticsMissing, TermStatistics
from django_neardup.reports import Note, NoVerdict, SharedValues, compare_texts
from django_neardup.reports.text_comparison import DECIDING_KINDS, whole_percent
from django_neardup.text.canonical_text import CanonicalText
from tests.reports.texts import OTHER_PILES, PILES, POEM, SOFA, compared


@pytest.fixture(scope="module")
def piles():
    return compare_texts(CanonicalText(PILES), CanonicalText(OTHER_PILES))


def test_the_verdict_is_that_of_the_default_scheme(piles):
    judged = get_algorithm("neardup").judge(CanonicalText(PILES), CanonicalText(OTHER_PILES))
    assert (piles.algorithm, piles.judgement) == ("neardup", judged)
    assert judged.verdict == "variant" and "code" in judged.classes


def test_every_algorithm_has_a_row(piles):
    names = algorithm_names()
    expected = ["neardup", *(name for name in names if name != "neardup")]
    assert [row.name for row in piles.algorithm_results] == expected
    assert len(names) > 2


def test_what_refines_whole_collections_says_so_and_does_not_decide(piles):
    batch = [name for name in algorithm_names() if get_algorithm(name).bench_only]
    rows = [row for row in piles.algorithm_results if row.name in batch]
    assert rows and {(row.missing_reason, row.score, row.verdict) for row in rows} == {("batch", None, "")}
    with pytest.raises(NoVerdict, match="no verdict on two texts"):
        compared(PILES, OTHER_PILES, algorithm=get_algorithm(batch[0]))


def test_a_row_is_what_the_algorithm_says(piles):
    row = next(row for row in piles.algorithm_results if row.name == "neardup-articles")
    algorithm = get_algorithm(row.name)
    a, b = CanonicalText(PILES), CanonicalText(OTHER_PILES)
    left, right = set(algorithm.keys(a)), set(algorithm.keys(b))
    judgement = algorithm.judge(a, b)
    assert (row.score, row.verdict) == (judgement.score, judgement.verdict)
    assert (row.shared_keys, row.keys_a, row.keys_b) == (len(left & right), len(left), len(right))
    assert row.shared_keys >= row.min_shared == 1 and row.percent == whole_percent(judgement.score)


def needing_statistics():
    return [name for name in algorithm_names() if get_algorithm(name).needs_statistics]


def test_algorithms_without_their_statistics_are_listed_and_say_so(piles):
    lacking = [row for row in piles.algorithm_results if row.missing_reason == "statistics"]
    assert needing_statistics() and [row.name for row in lacking] == [
        name for name in needing_statistics() if not get_algorithm(name).bench_only
    ]
    assert {(row.score, row.percent, row.verdict, row.missing_reason) for row in lacking} == {
        (None, None, "", "statistics")
    }


def test_with_statistics_they_judge_too():
    a, b = CanonicalText(PILES), CanonicalText(PILES.replace("240", "241"))
    statistics = TermStatistics.gather([a, b, CanonicalText(OTHER_PILES), CanonicalText(POEM)])
    rows = compare_texts(a, b, statistics=statistics).algorithm_results
    assert not [row.name for row in rows if row.missing_reason == "statistics"]
    assert all(row.verdict and 0 <= row.score <= 1 for row in rows if not row.missing_reason)


def test_what_only_uses_statistics_is_given_them_too():
    a, b = CanonicalText(PILES), CanonicalText(OTHER_PILES)
    statistics = TermStatistics.gather([a, b, a, CanonicalText(POEM), CanonicalText(SOFA)])
    knowing, plain = get_algorithm("profile-cosine", statistics=statistics), get_algorithm("profile-cosine")
    met, unweighed = (len({*each.keys(a)} & {*each.keys(b)}) for each in (knowing, plain))
    row = compare_texts(a, b, algorithms=["profile-cosine"], statistics=statistics).algorithm_results[-1]
    assert row.shared_keys == met != unweighed


def test_the_deciding_algorithm_can_be_another():
    it = compared(PILES, OTHER_PILES, algorithm=get_algorithm("md5"))
    assert (it.algorithm, it.judgement.verdict, it.judgement.score) == ("md5", "none", 0.0)
    assert [row.name for row in it.algorithm_results] == ["md5"]


def test_a_deciding_algorithm_without_statistics_is_an_error():
    algorithm = get_algorithm(needing_statistics()[0])
    with pytest.raises(StatisticsMissing, match=r"needs the statistics of a collection$"):
        compared(PILES, PILES, algorithm=algorithm)
    with pytest.raises(StatisticsMissing, match="of a collection: run gather-them"):
        compared(PILES, PILES, algorithm=algorithm, gather_command="gather-them")


def test_an_unknown_name_is_an_error():
    with pytest.raises(UnknownAlgorithm, match="no algorithm 'folklore'"):
        compared(PILES, OTHER_PILES, algorithms=["folklore"])


def test_differences_are_told_whatever_the_verdict():
    it = compared("Продам велосипед Стелс, почти новый, недорого", POEM)
    assert it.judgement.verdict == "none"
    assert {each.kind for each in it.judgement.differences} <= {"word", "only"} and it.judgement.differences
    assert not it.shared_passages


@pytest.mark.parametrize("name", sorted({*algorithm_names()} - {*needing_statistics(), "decomposition"}))
def test_differences_are_told_whatever_algorithm_decides(name):
    it = compared(f"{SOFA} Код С140.35, цена 5000 рублей.", f"{SOFA} Код С90.30, цена 7000 рублей.",
                  algorithm=get_algorithm(name))  # fmt: skip
    told = {(each.text_a, each.text_b) for each in it.judgement.differences}
    assert any("С140.35" in a and "С90.30" in b for a, b in told)
    assert it.judgement.passages and it.judgement.containment_a > 0


def test_what_an_algorithm_says_of_passages_and_containments_stays():
    a, b = CanonicalText(f"{SOFA} Код С140.35."), CanonicalText(f"{POEM} {SOFA} Код С90.30.")
    algorithm = get_algorithm("containment")
    own, it = algorithm.judge(a, b), compare_texts(a, b, algorithm, algorithms=()).judgement
    assert own.passages and (it.passages, it.containment_a, it.containment_b) == (
        own.passages, own.containment_a, own.containment_b,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "idle"),
    [
        ({}, {"price", "date", "contact"}),
        ({"ignored_differences": ("number", "date")}, {"number", "date"}),
        ({"ignored_differences": ()}, set()),
        ({"guard": False}, {*DECIDING_KINDS}),
    ],
)
def test_which_classes_never_decide(options, idle):
    assert {
        *compared(PILES, OTHER_PILES, algorithm=get_algorithm("neardup", **options)).ignored_kinds
    } == idle


def test_containments_are_told_where_the_algorithm_knows_none():
    it = compared(POEM, f"{POEM} {PILES}", algorithm=get_algorithm("md5"))
    assert it.judgement.containment_a > 0.95 and 0 < it.judgement.containment_b < 0.5
    assert [each.word_count for each in it.shared_passages] == [len(CanonicalText(POEM))]


def test_what_both_name(piles):
    assert piles.contacts == SharedValues(
        ("tel:9000004217",), ("mailto:svai@example.ru",), ("mailto:zakaz@example.ru",)
    )
    assert piles.names == SharedValues(("иванов иван петрович",))
    assert piles.codes.equal == ("b25", "f200", "w6")
    assert (len(piles.codes.only_a), len(piles.codes.only_b)) == (1, 1)


def test_declared_contacts_count():
    it = compared(POEM, PILES, contacts=(["tel:9000004217"], []))
    assert it.contacts == SharedValues(("tel:9000004217",), (), ("mailto:svai@example.ru",))


def test_passages_with_small_differences_inside_are_one():
    it = compared(PILES, OTHER_PILES)
    assert [each.number for each in it.shared_passages] == [1, 2, 3, 4]
    assert sorted(it.shared_passages, key=lambda each: each.b) != list(it.shared_passages)
    text = PILES[slice(*it.shared_passages[0].a)]
    assert text.startswith("Сваи") and text.endswith("длиной 14 м")
    assert it.shared_passages[0].word_count == len(CanonicalText(text)) - 6


def test_exact_copies():
    it = compare_texts(CanonicalText(POEM), CanonicalText(POEM.upper()))
    assert it.judgement.exact and it.percent == 100 and it.judgement.differences == ()
    assert {row.percent for row in it.algorithm_results if not row.missing_reason} == {100}


def test_a_text_under_300_words_says_nothing_of_zipf():
    it = compared(POEM, " ".join(f"слово{number}" for number in range(400)))
    assert it.a.zipf is None and it.b.zipf.is_anomalous


def test_a_cut_text_is_noted():
    it = compared("а б в " * 200_000, POEM)
    assert it.notes == (Note("too_long", "A"),)


@pytest.mark.parametrize(
    ("share", "whole"), [(0.0, 0), (0.29, 29), (0.706, 70), (0.996, 99), (1 - 1e-12, 99), (1.0, 100)]
)
def test_percent(share, whole):
    assert whole_percent(share) == whole


def test_it_reads_well_when_printed():
    assert str(compared(PILES, OTHER_PILES)).startswith("A  A, words: ")
