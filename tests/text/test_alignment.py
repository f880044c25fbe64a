from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.alignment.align import AlignedRun, Alignment, align
from django_neardup.text.alignment.aligner import clip_gap, index_of_nearest
from django_neardup.text.alignment.gaps import Gap
from django_neardup.text.canonical_text import CanonicalText
from tests.fuzzing import examples
from tests.hang_guard import hang_guard
from tests.line_counts import count_lines

words = st.lists(
    st.sampled_from(["кот", "дом", "лес", "пруд", "сад", "и", "не", "5", "6", "река", "мост"]), max_size=30
).map(" ".join)


def aligned(a: str, b: str) -> Alignment:
    return align(CanonicalText(a), CanonicalText(b))


@given(words, words)
@examples(200)
def test_alignment_is_symmetric(a: str, b: str) -> None:
    assert aligned(a, b) == aligned(b, a).swap_sides()


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
    assert aligned(a, b).runs == (AlignedRun(0, 7, 6), AlignedRun(6, 0, 7))


def test_a_replaced_word_is_a_gap_and_a_misspelt_one_is_not() -> None:
    assert aligned("продам белый шкаф дёшево", "продам чёрный шкаф дёшево").forward == (0, -1, 2, 3)
    assert aligned("продам белый шкаф дёшево", "продам белый шкафф дёшево").forward == (0, 1, 2, 3)


def test_split_words_have_one_place() -> None:
    alignment = aligned("он все же пришёл домой", "он всеже пришёл домой")
    assert alignment.forward == (0, 1, 1, 2, 3)
    assert alignment.backward[1] in (1, 2)
    assert alignment.runs == (AlignedRun(0, 0, 5),)


def test_single_words_move_in_short_texts() -> None:
    alignment = aligned("котята британские окрас голубой", "голубой окрас котята шотландские")
    assert alignment.forward[:4] == (2, -1, 1, 0)


def test_containment_is_directed() -> None:
    alignment = aligned("река мост лес", "река мост лес дом пруд сад")
    assert alignment.containment_a == 1
    assert alignment.containment_b < 0.7


def shuffled(count: int) -> tuple[str, str]:
    numbers = range(count)
    return " ".join(f"слово{i}" for i in numbers), " ".join(f"слово{i * 7 % (count + 9)}" for i in numbers)


def edited(count: int) -> tuple[str, str]:
    """Every fifth word differs."""
    numbers = range(count)
    return " ".join(f"a{i}x" for i in numbers), " ".join(f"a{i}x" if i % 5 else f"b{i}x" for i in numbers)


LONG_PAIRS = {
    "shuffled": shuffled,
    "edited": edited,
    "repeated": lambda count: ("кот дом " * count, "дом лес кот " * (count * 2 // 3)),
    "one word": lambda count: ("слово " * count, "слово слова " * (count // 2)),
}


@pytest.mark.parametrize("name", LONG_PAIRS)
def test_work_is_nearly_linear_in_the_length(name: str) -> None:
    """Eight times the length takes about eight times the lines of Python; quadratic work takes 64 times."""

    def work(count: int) -> int:
        a, b = map(CanonicalText, LONG_PAIRS[name](count))
        assert a.total_weight and b.exact_digest and a.exact_digest and b.total_weight
        return count_lines(lambda: align(a, b))

    work(500)  # The first alignment of a process reads the data files of phrases and brands.
    assert work(4000) < 12 * work(500)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_PAIRS)
def test_very_long_texts(name: str) -> None:
    """Lines do not count the work of built-in functions: if that is quadratic, this test hangs."""
    a, b = map(CanonicalText, LONG_PAIRS[name](40_000))
    with hang_guard():
        alignment = align(a, b)
    assert (len(alignment.forward), len(alignment.backward)) == (len(a), len(b))


@pytest.mark.parametrize(("expected", "index"), [(0, 0), (4, 0), (5, 0), (6, 1), (9, 1), (99, 2)])
def test_nearest(expected: int, index: int) -> None:
    assert index_of_nearest([3, 8, 20], expected) == index


def test_a_gap_held_on_one_side_is_clipped_on_the_other() -> None:
    assert clip_gap(Gap(0, 2, 0, 90, True, False)) == Gap(0, 2, 0, 5, True, False)
    assert clip_gap(Gap(0, 2, 0, 90, False, True)) == Gap(0, 2, 85, 90, False, True)
    assert clip_gap(Gap(0, 2, 0, 90, True, True)) == Gap(0, 2, 0, 90, True, True)
