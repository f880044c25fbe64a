"""Boilerplate in two texts: where it is, what is left without it, and what the judge makes of that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms.registry import algorithm_names, get_algorithm
from django_neardup.algorithms.site_judgement import judge_on_site
from django_neardup.judge.boilerplate_snapshot import (
    MIN_WORDS,
    RUN_WORDS,
    BoilerplateSnapshot,
    hash_runs,
    of_author,
    without_ranges,
)
from django_neardup.text.canonical_text import CanonicalText as Text

FOOTER = (
    "Доставка по городу и области в день заказа, самовывоз со склада на улице Заводской. Гарантия двенадцать месяцев, "
    "обмен и возврат в течение двух недель без вопросов."
)
DRILL = f"Дрель ударная, два аккумулятора. {FOOTER}"
SAW = f"Пила циркулярная, диск в подарок. {FOOTER}"
SITE = BoilerplateSnapshot.from_runs(hash_runs(Text(FOOTER)).tolist())
SHOP = BoilerplateSnapshot.from_runs(of_author(hash_runs(Text(FOOTER)), "17").tolist())
LISTED = BoilerplateSnapshot.from_runs(listed=hash_runs(Text(FOOTER)).tolist())


def judge(a, b, snapshot, author="", name="neardup"):
    algorithm = get_algorithm(name)
    algorithm.boilerplate = snapshot
    return judge_on_site(algorithm, Text(a), Text(b), author)


def judges_two_texts(algorithm):
    """Return whether the algorithm needs no collection to judge."""
    return not (algorithm.bench_only or algorithm.needs_statistics)


def found(text, snapshot, author=""):
    tokens = Text(text).tokens
    return [
        " ".join(token.surface for token in tokens[start:end])
        for start, end in snapshot.find_ranges(Text(text), author)
    ]


@given(st.sets(st.integers(0, 2**64 - 1), max_size=30), st.sets(st.integers(0, 2**64 - 1), max_size=30))
def test_packed_and_unpacked_it_is_the_same(runs, listed):
    snapshot = BoilerplateSnapshot.from_runs(runs, listed)
    again = BoilerplateSnapshot.unpack(snapshot.pack())
    assert (list(again.found), list(again.listed)) == (sorted(runs), sorted(listed))
    assert again.digest == snapshot.digest and bool(again) is bool(runs or listed)


@pytest.mark.parametrize("data", [b"", b"other", SITE.pack()[:-9], SITE.pack()[:22] + b"\0" * 20])
def test_other_bytes_are_refused(data):
    with pytest.raises(ValueError, match="boilerplate"):
        BoilerplateSnapshot.unpack(data)


def test_found_and_listed_runs_have_different_digests():
    assert len({SITE.digest, LISTED.digest, SHOP.digest, BoilerplateSnapshot.from_runs().digest}) == 4


def test_a_passage_is_found_in_other_inflections_and_nothing_else_is():
    (words,) = found(DRILL.replace("складов", "склада").replace("городу", "городам"), SITE)
    assert words.startswith("доставка по городам") and words.endswith("без вопросов")
    assert found("Дрель ударная, два аккумулятора, доставка по городу и области в день", SITE) == []


def test_a_passage_of_one_author_is_found_in_posts_of_that_author_alone():
    assert found(DRILL, SHOP, "17") and not found(DRILL, SHOP, "18") and not found(DRILL, SHOP)


@pytest.mark.parametrize("words", [RUN_WORDS - 1, RUN_WORDS, MIN_WORDS - 1, MIN_WORDS])
def test_a_found_passage_is_long_and_a_listed_one_may_be_short(words):
    passage = " ".join(f"слово{letter}" for letter in "абвгдежзиклмн"[:words])
    runs = hash_runs(Text(passage)).tolist()
    text = f"начало {passage} конец"
    assert bool(found(text, BoilerplateSnapshot.from_runs(runs))) is (words >= MIN_WORDS)
    assert bool(found(text, BoilerplateSnapshot.from_runs(listed=runs))) is (words >= RUN_WORDS)


def test_passages_that_overlap_are_one_range():
    listed = [*hash_runs(Text(FOOTER[:80])).tolist(), *hash_runs(Text(FOOTER[50:])).tolist()]
    assert (
        len(found(DRILL, BoilerplateSnapshot.from_runs(hash_runs(Text(FOOTER[:100])).tolist(), listed))) == 1
    )


@pytest.mark.parametrize("head", [0, 5, 32, 60, len(DRILL)])
def test_what_is_left_keeps_the_head_that_it_has(head):
    text = Text(DRILL, head=head)
    left = without_ranges(text, SITE.find_ranges(text))
    assert [token.surface for token in left.tokens] == ["дрель", "ударная", "2", "аккумулятора"]
    assert left.head_end == min(text.head_end, 4)


@pytest.mark.parametrize("snapshot", [SITE, LISTED])
def test_two_items_under_one_footer_are_related(snapshot):
    before, after = judge(DRILL, SAW, None), judge(DRILL, SAW, snapshot)
    assert (before.verdict, after.verdict, after.doubtful, after.classes) == ("variant", "related", False, ())
    assert not any(difference.is_decisive for difference in after.differences)
    assert after.score == before.score


def test_the_footer_of_one_author_counts_if_both_texts_are_of_that_author():
    assert judge(DRILL, SAW, SHOP, "17").verdict == "related"
    assert judge(DRILL, SAW, SHOP).verdict == judge(DRILL, SAW, SHOP, "18").verdict == "variant"


@pytest.mark.parametrize(
    "other", [DRILL.replace("два", "2"), f"Продам: {DRILL}", DRILL.replace(".", "!"), FOOTER]
)
@pytest.mark.parametrize("own", [DRILL, FOOTER])
def test_a_duplicate_stays_one(own, other):
    before, after = judge(own, other, None), judge(own, other, SITE)
    assert after.verdict == before.verdict or (before.verdict, after.verdict) == ("variant", "related")
    if before.verdict == "duplicate":
        assert (after.score, after.exact, after.differences) == (
            before.score,
            before.exact,
            before.differences,
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [("Дрель Bosch GSB 13", "Дрель Bosch GSB 16"), ("Куплю дрель Bosch", "Продам дрель Bosch")],
)
def test_another_item_in_the_own_words_stays_a_variant(one, other):
    assert judge(f"{one}. {FOOTER}", f"{other}. {FOOTER}", SITE).verdict == "variant"


@pytest.mark.parametrize(
    "name", [name for name in algorithm_names() if judges_two_texts(get_algorithm(name))]
)
def test_every_algorithm_says_the_same_of_swapped_texts(name):
    assert judge(SAW, DRILL, SITE, name=name).swap_sides() == judge(DRILL, SAW, SITE, name=name)


def test_the_evidence_marks_the_words_that_are_boilerplate():
    judgement = judge(DRILL, SAW, SITE)
    (passage,) = [passage for passage in judgement.evidence()["passages"] if passage.get("boilerplate")]
    assert DRILL[slice(*passage["a"])] == SAW[slice(*passage["b"])] == FOOTER[:-1]
    assert not any("boilerplate" in passage for passage in judge(DRILL, SAW, None).evidence()["passages"])
