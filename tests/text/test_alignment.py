from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.aligner import clip, nearest
from django_neardup.text.alignment import Alignment, Run, align
from django_neardup.text.document import Document
from django_neardup.text.gaps import Gap
from tests.fuzzing import examples

words = st.lists(
    st.sampled_from(["кот", "дом", "лес", "пруд", "сад", "и", "не", "5", "6", "река", "мост"]), max_size=30
).map(" ".join)


def aligned(a: str, b: str) -> Alignment:
    return align(Document(a), Document(b))


@given(words, words)
@examples(200)
def test_alignment_is_symmetric(a: str, b: str) -> None:
    assert aligned(a, b) == aligned(b, a).swapped()


@given(words, words)
@examples(200)
def test_places_agree_both_ways_and_measures_are_in_range(a: str, b: str) -> None:
    alignment = aligned(a, b)
    for i, place in enumerate(alignment.forward):
        assert place == -1 or alignment.backward[place] >= 0
        assert place == -1 or i == alignment.backward[place] or alignment.forward.count(place) > 1
    assert 0 <= alignment.score <= 1
    assert 0 <= alignment.containment_a <= 1
    assert alignment.score <= min(alignment.containment_a, alignment.containment_b) + 1e-9


@given(words)
@examples(100)
def test_a_text_aligns_with_itself_in_one_run(text: str) -> None:
    alignment = aligned(text, text)
    assert alignment.forward == tuple(range(len(alignment.forward)))
    assert alignment.score == (1.0 if alignment.forward else 0.0)
    assert len(alignment.runs) <= 1


def test_a_moved_block_is_found() -> None:
    a = "старый мост через реку разобрали весной новый построят к осени рядом со станцией"
    b = "новый построят к осени рядом со станцией старый мост через реку разобрали весной"
    assert aligned(a, b).score == 1
    assert aligned(a, b).runs == (Run(0, 7, 6), Run(6, 0, 7))


def test_a_replaced_word_is_a_gap_and_a_misspelt_one_is_not() -> None:
    assert aligned("продам белый шкаф дёшево", "продам чёрный шкаф дёшево").forward == (0, -1, 2, 3)
    assert aligned("продам белый шкаф дёшево", "продам белый шкафф дёшево").forward == (0, 1, 2, 3)


def test_split_words_have_one_place() -> None:
    alignment = aligned("он все же пришёл домой", "он всеже пришёл домой")
    assert alignment.forward == (0, 1, 1, 2, 3)
    assert alignment.backward[1] in (1, 2)
    assert alignment.runs == (Run(0, 0, 5),)


def test_single_words_move_in_short_texts() -> None:
    alignment = aligned("котята британские окрас голубой", "голубой окрас котята шотландские")
    assert alignment.forward[:4] == (2, -1, 1, 0)


def test_containment_is_directed() -> None:
    alignment = aligned("река мост лес", "река мост лес дом пруд сад")
    assert alignment.containment_a == 1
    assert alignment.containment_b < 0.7


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            " ".join(f"слово{i}" for i in range(40_000)),
            " ".join(f"слово{i * 7 % 40_009}" for i in range(40_000)),
        ),
        ("кот дом " * 30_000, "дом лес кот " * 20_000),
        ("слово " * 60_000, "слово слова " * 30_000),
    ],
    ids=["shuffled", "repeated", "one word"],
)
@pytest.mark.slow
def test_long_texts_take_seconds(a: str, b: str) -> None:
    documents = Document(a), Document(b)
    assert documents[0].weight and documents[1].weight
    start = time.process_time()
    align(*documents)
    assert time.process_time() - start < 10


def test_eight_times_the_length_takes_far_less_than_64_times_the_time() -> None:
    def seconds(count: int) -> float:
        a = Document(" ".join(f"a{i}x" for i in range(count)))
        b = Document(" ".join(f"a{i}x" if i % 5 else f"b{i}x" for i in range(count)))
        assert a.weight and b.exact and a.exact and b.weight
        start = time.process_time()
        align(a, b)
        return time.process_time() - start

    short, long = (min(seconds(count) for _ in range(3)) for count in (2000, 16_000))
    assert long < 32 * short


@pytest.mark.parametrize(("expected", "index"), [(0, 0), (4, 0), (5, 0), (6, 1), (9, 1), (99, 2)])
def test_nearest(expected: int, index: int) -> None:
    assert nearest([3, 8, 20], expected) == index


def test_a_gap_held_on_one_side_is_clipped_on_the_other() -> None:
    assert clip(Gap(0, 2, 0, 90, True, False)) == Gap(0, 2, 0, 5, True, False)
    assert clip(Gap(0, 2, 0, 90, False, True)) == Gap(0, 2, 85, 90, False, True)
    assert clip(Gap(0, 2, 0, 90, True, True)) == Gap(0, 2, 0, 90, True, True)
