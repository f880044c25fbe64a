"""Rules about aligned words: signs, accents, surnames, roles. They find differences where no word differs."""

from __future__ import annotations

from collections.abc import Iterator

from ..text.alignment.gaps import Gap
from ..text.exact_form import accents_of
from ..text.lemmas.morphology import get_morphology
from ..text.signs import Sign
from ..text.word_lists import word_set
from .judged_text import JudgedText
from .meanings import DOUBT, OTHER_ITEM, WORDS, Meaning
from .pair_context import PairContext
from .word_sets import PART_WORDS

SHORT_TEXT_WORDS = 50
EDGE_PARTS = word_set(
    """
    заключительный последний финальный завершающий вступительный вводный начальный final last
    introductori
    """
)
MIN_MARKED_WORDS = 2
MIN_BARE_WORDS = 3


def _aligned_gap(position_a: int, position_b: int, length: int = 1) -> Gap:
    return Gap(position_a, position_a + length, position_b, position_b + length, True, True)


def find_other_signs(context: PairContext) -> Iterator[Meaning]:
    """Yield the signs that differ at the same aligned word: +5 and -5, ✅ and ❌, five stars and one.

    A sign that only one text has is decoration, unless it is glued to a letter or a figure: S10, S10+.
    """
    signs_a, signs_b = context.a.text.signs, context.b.text.signs
    if not signs_a and not signs_b:
        return
    by_place_a = {(sign.family, sign.token): sign for sign in signs_a}
    by_place_b = {(sign.family, sign.token): sign for sign in signs_b}
    for place, sign in by_place_a.items():
        position_b = context.a.positions[sign.token]
        other = by_place_b.get((place[0], position_b))
        if position_b >= 0 and (sign.is_glued if other is None else sign.value != other.value):
            yield _sign_meaning(context, sign.token, position_b, sign, other)
    for place, sign in by_place_b.items():
        position_a = context.b.positions[sign.token]
        if position_a >= 0 and (place[0], position_a) not in by_place_a and sign.is_glued:
            yield _sign_meaning(context, position_a, sign.token, None, sign)


def _sign_meaning(
    context: PairContext, position_a: int, position_b: int, sign_a: Sign | None, sign_b: Sign | None
) -> Meaning:
    """Return the meaning of two signs. A missing sign has an empty span behind its word."""
    end_a, end_b = context.a.tokens[position_a].end, context.b.tokens[position_b].end
    spans = (
        (sign_a.start, sign_a.end) if sign_a else (end_a, end_a),
        (sign_b.start, sign_b.end) if sign_b else (end_b, end_b),
    )
    return Meaning(_aligned_gap(position_a, position_b), "sign", "sign", spans=spans)


def find_other_accents(context: PairContext) -> Iterator[Meaning]:
    """Yield aligned words with other accents: dưa and dừa.

    A text without any accent is bare, and its words are equal to accented ones. If a single word of a short
    pair is accented in one text only, that is a doubt: Kuchen and Küchen.
    """
    marked_a, marked_b = _marked_words(context.a), _marked_words(context.b)
    if not marked_a and not marked_b:
        return
    if not marked_a or not marked_b:
        is_single = len(marked_a) + len(marked_b) < MIN_MARKED_WORDS
        if not is_single or context.shorter_length > SHORT_TEXT_WORDS or context.a.text.is_cyrillic:
            return
    pairs = [
        (marked_a.get(position_a, ""), marked_b.get(position_b, ""))
        for position_a, position_b in enumerate(context.a.positions)
        if position_b >= 0 and marked_a.get(position_a, "") != marked_b.get(position_b, "")
    ]
    # A bare text may keep the accent of one word that its author took care to write.
    if len(pairs) >= MIN_BARE_WORDS and (not any(a for a, _ in pairs) or not any(b for _, b in pairs)):
        return
    for position_a, position_b in enumerate(context.a.positions):
        if position_b >= 0 and marked_a.get(position_a, "") != marked_b.get(position_b, ""):
            effect = OTHER_ITEM if marked_a and marked_b else DOUBT
            token_a, token_b = context.a.tokens[position_a], context.b.tokens[position_b]
            # The raw words are shown: folded ones have no accents.
            spans = (token_a.start, token_a.end), (token_b.start, token_b.end)
            yield Meaning(_aligned_gap(position_a, position_b), "name", "accent", effect, WORDS, spans)


def _marked_words(side: JudgedText) -> dict[int, str]:
    """Return the accented letters of every word with accents, by position."""
    raw = side.text.raw
    if side.text.is_usual or not accents_of(side.text.plain):
        return {}
    accents = (
        (position, accents_of(raw[token.start : token.end])) for position, token in enumerate(side.tokens)
    )
    return {position: letters for position, letters in accents if letters}


def find_other_persons(context: PairContext) -> Iterator[Meaning]:
    """Yield aligned surnames and given names of another gender: Морозов and Морозова.

    The form in -а is the genitive of the man's name behind a preposition.
    """
    tokens_a, tokens_b = context.a.tokens, context.b.tokens
    for position_a, token_a in enumerate(tokens_a):
        position_b = context.a.positions[position_a] if token_a.is_capitalized else -1
        if position_b < 0:
            continue
        token_b = tokens_b[position_b]
        if token_a.surface == token_b.surface or not token_b.is_capitalized:
            continue
        short, long = sorted(
            (token_a.surface, token_b.surface), key=lambda word: (len(word), word[-1] == "я")
        )
        if long != f"{short}а" and not (long[:-2] == short[:-2] and long.endswith("ая")):
            continue
        side, position = (context.a, position_a) if token_a.surface == long else (context.b, position_b)
        if _is_person(short, "masc") and _is_person(long, "femn") and not _is_genitive(side, position):
            yield Meaning(_aligned_gap(position_a, position_b), "name", "person")


def _is_person(word: str, gender: str) -> bool:
    readings = get_morphology("ru").readings(word)
    return any(
        reading.role in ("Surn", "Name") and reading.gender == gender and reading.case in ("nomn", "")
        for reading in readings
    )


def _is_genitive(side: JudgedText, position: int) -> bool:
    """Return whether a name in -а stands in the genitive of the man's name: у Орлова, тренера Ильина.

    It does behind a preposition, and behind a masculine noun in the genitive.
    """
    if not position:
        return False
    before = side.tokens[position - 1]
    if before.pos == "PREP":
        return True
    return before.pos == "NOUN" and not before.is_name and before.surface == f"{before.key}а"


def find_other_parts(context: PairContext) -> Iterator[Meaning]:
    """Yield parts of a work that are named before the noun in one text and behind it in the other.

    часть первая | заключительная часть
    """
    # A noun inside a run has the same neighbours in both texts.
    edges = {edge for run in context.alignment.runs for edge in (run.start_a, run.start_a + run.length - 1)}
    for position_a in sorted(edges):
        if not context.a.has_key_in(position_a, PART_WORDS):
            continue
        position_b = context.a.positions[position_a]
        part_a, part_b = _part_at(context.a, position_a), _part_at(context.b, position_b)
        is_named_apart = (
            part_a is not None and part_b is not None and part_a[0] - position_a != part_b[0] - position_b
        )
        if part_a and part_b and is_named_apart and part_a[1] != part_b[1]:
            start_a, start_b = min(part_a[0], position_a), min(part_b[0], position_b)
            yield Meaning(_aligned_gap(start_a, start_b, 2), "number", "part")


def _part_at(side: JudgedText, position: int) -> tuple[int, str] | None:
    """Return the position and the key of the number, or of a word such as "last", beside a part's noun."""
    for place in (position + 1, position - 1):
        if 0 <= place < len(side.tokens):
            token = side.tokens[place]
            if token.kind == "number" or token.key in EDGE_PARTS:
                return place, token.key
    return None
