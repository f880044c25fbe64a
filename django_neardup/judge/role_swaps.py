"""Words that have changed roles: из Казани в Самару, из Самары в Казань."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from ..text.alignment.align import AlignedRun
from ..text.alignment.gaps import Gap
from ..text.word_lists import word_set
from .judged_text import LIST_SIGN, JudgedText
from .meanings import Meaning
from .pair_context import PairContext
from .word_classes import CLASS_BY_KIND
from .word_sets import CONJUNCTIONS

MAX_ROLE_WORDS = 4
MAX_DISTANCE = 12
DASHES = "-–—→>"
VERBS = word_set("VERB INFN GRND PRTS")
DETERMINERS = word_set(
    "the a an my your our his her their мой моя мою свой свою твой наш ваш der die das ein eine el la le les"
)
LIST, DASH, PREPOSITION, VERB = "list", "dash", "preposition", "verb"


def find_role_swaps(context: PairContext) -> Iterator[Meaning]:
    """Yield phrases that have changed places while the word or dash before each place stays.

    The places must differ, so that a list in another order is no swap: диван и кресло.
    """
    if all(first.start_b < second.start_b for first, second in pairwise(context.alignment.runs)):
        return
    runs = [run for run in _permuted_runs(context) if run.length <= MAX_ROLE_WORDS]
    for first, second in combinations(runs, 2):
        is_crossing = first.start_b > second.start_b
        if not is_crossing or second.start_a - first.start_a > MAX_DISTANCE:
            continue
        if context.a.has_sentence_end_inside(first.start_a, second.start_a):
            continue
        if not (_names_something(context.a, first) and _names_something(context.a, second)):
            continue
        if _is_swap(context, first, second) and not _is_ignored(context, first, second):
            yield _meaning(first, second)
            yield _meaning(second, first)


def _meaning(run_a: AlignedRun, run_b: AlignedRun) -> Meaning:
    """Return what stands in one place of a, and in the same place of b."""
    end_a, end_b = run_a.start_a + run_a.length, run_b.start_b + run_b.length
    return Meaning(Gap(run_a.start_a, end_a, run_b.start_b, end_b, True, True), "role", "role swap")


def _are_names(side: JudgedText, first: AlignedRun, second: AlignedRun) -> bool:
    """Return whether both runs are names of places or codes. A dash also stands between a noun and what it is."""
    tokens = side.tokens[first.start_a], side.tokens[second.start_a]
    return all(token.is_name or token.is_capitalized or token.kind != "word" for token in tokens)


def _permuted_runs(context: PairContext) -> list[AlignedRun]:
    """Return the runs of aligned words, cut at the words that hold places, in the order of a."""
    runs = []
    for run in context.alignment.runs:
        start = 0
        for offset in range(run.length + 1):
            position = run.start_a + offset
            is_edge = offset == run.length or _holds_place(context.a, position)
            if is_edge and offset > start:
                runs.append(AlignedRun(run.start_a + start, run.start_b + start, offset - start))
            if is_edge:
                start = offset + 1
    return runs


def _holds_place(side: JudgedText, position: int) -> bool:
    token = side.tokens[position]
    return token.pos in ("PREP", "CONJ") or token.surface in CONJUNCTIONS or token.surface in _PREPOSITIONS


_PREPOSITIONS = word_set(
    "gegen für por із від з до do od from to into for by with at in of von nach zu aus de a para 到 から へ"
)


def _is_swap(context: PairContext, first: AlignedRun, second: AlignedRun) -> bool:
    """Return whether two runs stand in each other's place, and the places tell roles apart.

    One of the places is held by a preposition, a verb or a dash. The other may be held by anything but a
    conjunction or the sign of a list.
    """
    first_a, second_a = _slot(context.a, first.start_a), _slot(context.a, second.start_a)
    first_b, second_b = _slot(context.b, second.start_b), _slot(context.b, first.start_b)
    if first_a != first_b or second_a != second_b or LIST in (first_a, second_a):
        return False
    if first_a == second_a:  # сборная Италии обыграла сборную Чехии, со склада 7 на склад 12
        return first_a.startswith("word") and _are_parted(context.a, first, second)
    if second_a == DASH:
        return _are_names(context.a, first, second)
    return second_a.startswith(PREPOSITION) or (second_a.startswith(VERB) and first_a.startswith(VERB))


def _are_parted(side: JudgedText, first: AlignedRun, second: AlignedRun) -> bool:
    """Return whether a verb or a preposition, and no sign of a list, stands between two runs."""
    between = range(first.start_a + first.length, second.start_a)
    has_list = any(LIST_SIGN.search(side.signs_before(position)) for position in (*between, second.start_a))
    holds = any(_holds_place(side, position) or side.tokens[position].pos in VERBS for position in between)
    return holds and not has_list


def _is_ignored(context: PairContext, first: AlignedRun, second: AlignedRun) -> bool:
    """Return whether only prices, dates or contacts have changed places."""
    tokens = context.a.tokens[first.start_a], context.a.tokens[second.start_a]
    return all(CLASS_BY_KIND.get(token.kind, "word") in context.ignored_classes for token in tokens)


def _slot(side: JudgedText, position: int) -> str:
    """Return what holds a place: a preposition or a verb before it, a dash, another word, or the start."""
    if not position:
        return "start"
    signs = side.signs_before(position)
    if any(dash in signs for dash in DASHES):
        return DASH
    before = side.tokens[position - 1]
    if before.surface in DETERMINERS and not LIST_SIGN.search(signs):
        return _slot(side, position - 1)
    if LIST_SIGN.search(signs.replace(":", "")) or before.surface in CONJUNCTIONS:
        return LIST
    if _holds_place(side, position - 1):
        return f"{PREPOSITION} {before.key}"
    return f"{VERB} {before.key}" if before.pos in VERBS else f"word {before.key}"


def _names_something(side: JudgedText, run: AlignedRun) -> bool:
    """Return whether a run begins with a noun, a name, a figure or an adjective of a noun."""
    token = side.tokens[run.start_a]
    return (
        token.kind != "word" or token.is_name or token.pos in ("NOUN", "ADJF", "") or len(token.surface) == 1
    )
