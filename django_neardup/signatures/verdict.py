"""From an alignment to a verdict: thresholds by length, containment, and what the variant guard says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..text.alignment import Alignment
from ..text.contrast import CLASSES
from ..text.document import Document
from ..text.guard import Contradiction, contradictions
from ..text.stopwords import STOP
from ..text.tokenize import Token

DUPLICATE = ((12, 0.80), (25, 0.70), (50, 0.66))
DUPLICATE_LONG = 0.58
SHORT = 25
RELATED_SHORT = 0.41
RELATED_LONG = 0.36
HALF = 0.70
PASSAGE = 20
PART_WORDS = 10
PART = 0.25
WORDS_GUARDED = 100
VARIANT = 0.6
REST = 0.8
EXPLAINS = 0.5
COMMON = 0.7
HEAD_WORDS = 6
HEAD = 0.5
OPENING = 0.8
OPENING_EXCUSED = 0.85
HELD = 0.80
HOLDS_MORE = 0.12
HOLDER_MOST = 0.70
INSIDE = 0.2
HELD_WORDS = 6
RUN_WORDS = 4
IN_RUNS = 0.6


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and the contradictions that made it (empty for other verdicts than `variant`)."""

    verdict: str
    decisive: tuple[Contradiction, ...] = ()


def decide(
    a: Document, b: Document, alignment: Alignment, *, guard: bool, words: bool, excused: Iterable[str]
) -> Decision:
    """The verdict on two documents that both have words."""
    if not is_offered(alignment):
        return Decision("none")
    same = alike(alignment)
    if is_contained(alignment) and not (same and is_edited_copy(alignment)):
        return Decision("contained")
    decisive = decisive_contradictions(a, b, alignment, words, excused) if guard else ()
    score = alignment.score
    if decisive and (same or score >= VARIANT or rest_alike(a, b, alignment, decisive) >= REST):
        return Decision("variant", decisive)
    return Decision("duplicate" if same and not other_openings(a, b, alignment) else "related")


def rest_alike(a: Document, b: Document, alignment: Alignment, decisive: Iterable[Contradiction]) -> float:
    """The score that the texts would have without the words that contradict."""
    aligned = (alignment.covered_a + alignment.covered_b) / 2
    left = sum(sum(a.weights[item.gap.i : item.gap.j]) for item in decisive)
    right = sum(sum(b.weights[item.gap.p : item.gap.q]) for item in decisive)
    union = alignment.weight_a + alignment.weight_b - aligned - left - right
    return min(aligned / union, 1.0) if union > 0 else 0.0


def shorter(alignment: Alignment) -> int:
    return min(len(alignment.forward), len(alignment.backward))


def alike(alignment: Alignment) -> bool:
    """Enough in common to be one text: the shorter the texts, the more; in longer ones 7 words of 10 in both."""
    words = shorter(alignment)
    common = min(alignment.containment_a, alignment.containment_b)
    return alignment.score >= least_score(words) or (words > SHORT and common >= COMMON)


def least_score(words: int) -> float:
    """The score from which texts, of which the shorter has so many words, are taken for one."""
    return next((least for limit, least in DUPLICATE if words <= limit), DUPLICATE_LONG)


def is_offered(alignment: Alignment) -> bool:
    """Alike enough for a person to look, or one half holds the other in runs, or a passage is shared: 20 words, or 10
    that are a quarter of the shorter text."""
    words = shorter(alignment)
    if alignment.score >= (RELATED_SHORT if words <= SHORT else RELATED_LONG):
        return True
    lengths = [run.length for run in alignment.runs]
    if not lengths:
        return False
    mean = sum(length * length for length in lengths) / sum(lengths)
    most = max(alignment.containment_a, alignment.containment_b)
    passage = max(lengths) >= min(PASSAGE, max(PART_WORDS, PART * words))
    return passage or (most >= HALF and words >= 6 and mean >= 2)


def is_contained(alignment: Alignment) -> bool:
    """One text is nearly all held, in runs, by another that holds more."""
    least, most = sorted((alignment.containment_a, alignment.containment_b))
    words = shorter(alignment)
    in_runs = sum(run.length for run in alignment.runs if run.length >= RUN_WORDS)
    return words >= HELD_WORDS and most >= HELD and most - least >= HOLDS_MORE and in_runs >= IN_RUNS * words


def is_edited_copy(alignment: Alignment) -> bool:
    """Whether what the holder has more is little, or stands inside the held text: sentences added to it."""
    least = min(alignment.containment_a, alignment.containment_b)
    if least >= HOLDER_MOST:
        return True
    holder = alignment.forward if alignment.containment_a <= alignment.containment_b else alignment.backward
    start, end = opening_end(holder), len(holder) - opening_end(holder[::-1])
    return holder[start:end].count(-1) > INSIDE * holder.count(-1)


def other_openings(a: Document, b: Document, alignment: Alignment) -> bool:
    """Nearly all that differs is how both begin: two things, and one shop's boilerplate under them."""
    if alignment.score >= OPENING_EXCUSED:
        return False
    shares = _opening(a.weights, alignment.forward), _opening(b.weights, alignment.backward)
    return min(shares) >= OPENING


def _opening(weights: Sequence[float], places: Sequence[int]) -> float:
    """Share, by weight, of a text's unaligned words that stands before its first aligned passage, if that is late."""
    end = opening_end(places)
    free = [weight if place < 0 else 0.0 for weight, place in zip(weights, places, strict=True)]
    late = end >= HEAD_WORDS and sum(free[:end]) >= HEAD * sum(weights[:end])
    return sum(free[:end]) / sum(free) if late else 0.0


def opening_end(places: Sequence[int]) -> int:
    """Number of words before the first four neighbours that are all aligned."""
    run = 0
    for i, place in enumerate(places):
        run = run + 1 if place >= 0 else 0
        if run == RUN_WORDS:
            return i + 1 - run
    return len(places)


def decisive_contradictions(
    a: Document, b: Document, alignment: Alignment, words: bool, excused: Iterable[str]
) -> tuple[Contradiction, ...]:
    """All contradictions of short texts; in longer ones only if in the title, or if they are the main difference."""
    short = max(len(a), len(b)) <= WORDS_GUARDED
    found = contradictions(a, b, alignment, words=words and short, excused=excused)
    if not short:
        found = [item for item in found if item.kind != "negation"]
    sharp = short and any(item.kind != "name" for item in found)
    if sharp or any(item.sure for item in found) or explained(a, b, alignment, found, excused) >= EXPLAINS:
        return tuple(found)
    return ()


def explained(
    a: Document, b: Document, alignment: Alignment, found: Sequence[Contradiction], excused: Iterable[str]
) -> float:
    """Share, 0..1, of the unaligned words that are in contradictions, here or repeated elsewhere."""
    left = _free_words(a.tokens, alignment.forward, excused)
    right = _free_words(b.tokens, alignment.backward, excused)
    said = {token.key for item in found for token in a.tokens[item.gap.i : item.gap.j]}
    answered = {token.key for item in found for token in b.tokens[item.gap.p : item.gap.q]}
    differing = len(left) + len(right)
    told = sum(key in said for key in left) + sum(key in answered for key in right)
    return told / differing if differing else 1.0


def _free_words(tokens: Sequence[Token], places: Sequence[int], excused: Iterable[str]) -> list[str]:
    """Keys of the unaligned words that neither are stop words nor of an excused class."""
    return [
        token.key
        for token, place in zip(tokens, places, strict=True)
        if place < 0 and token.key not in STOP and CLASSES.get(token.kind, "word") not in excused
    ]
