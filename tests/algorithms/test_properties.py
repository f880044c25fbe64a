"""What holds for every algorithm, whatever it measures: one suite over all that are built in.

Run as a program it prints keys and payloads, by which two processes are compared.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from django_neardup.algorithms import Algorithm, get_algorithm
from django_neardup.algorithms.base import VERDICTS
from django_neardup.algorithms.registry import BUILT_IN
from django_neardup.algorithms.statistics import StatisticsMissing, TermStatistics
from django_neardup.text.canonical_text import CanonicalText
from tests.fuzzing import examples
from tests.text.hostile import HOSTILE

ROOT = Path(__file__).parents[2]
# Defined by CRC32, MD5 or SHA1 of the words themselves: their articles leave no room for a secret.
CLASSIC = {
    "md5", "tf", "tf-idf", "tf-ridf", "opt-freq", "long-sent", "heavy-sent", "lex-rand", "three-plus-five",
    "longest-words", "shingles", "char-shingles", "text-profile",
}  # fmt: skip
SEEDS = ("seed", "sample")
MOST_KEYS = 600
MAX_BYTES = 128 << 10
WORDS = 100_000
FEW = examples(25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

ADVERT = (
    "Система реализует Б/у металлоформы свай С140.35 в хорошем рабочем состоянии. Подробности по телефону "
    "+7 903 123-45-67 или заявке. Цена 12 000 руб."
)
QUOTE = (
    "Разум дан человеку для того, чтобы он разумно жил, а не для того только, чтобы он понимал, что он "
    "неразумно живет."
)
STORY = (
    "Старый мельник жил на краю деревни, и никто не помнил, когда он там поселился. Летом к нему приходили дети. "
    "Он рассказывал им о воде, о ветре и о том, как жернова поют на рассвете. Зимой дорогу заносило снегом, и "
    "мельница стояла молча. Однажды весной река поднялась выше плотины. Мельник открыл шлюзы, но вода всё "
    "прибывала, и к вечеру на берегу собралась вся деревня. Люди носили мешки с песком, спорили и смотрели на "
    "небо. Утром вода ушла, а на лугу остались лодка, две бочки и чей-то сапог. Сапог повесили на ворота, и он "
    "висит там до сих пор, потому что хозяин так и не нашёлся."
)
HELP = (
    "The server reads its settings from a file when it starts. If the file is missing, the defaults are used, "
    "and a warning is written to the log. To change the port, edit the line that begins with the word listen, "
    "save the file and restart the service. It is not necessary to stop the clients, because they connect again "
    "as soon as the server answers. When the disk is full, the server refuses new connections until there is "
    "room, and says so in the log once a minute. The log itself is turned every night at two."
)
TEXTS = (ADVERT, QUOTE, STORY, HELP, "Продам гараж, недорого", "Привет")
LIVELY = (ADVERT, STORY, HELP)


@cache
def statistics() -> TermStatistics:
    """Of forty texts made of sentences of these, so that words are rare, common and in between."""
    source = random.Random(5)
    sentences = [sentence for text in TEXTS for sentence in text.split(". ")]
    return TermStatistics.gather(CanonicalText(". ".join(source.sample(sentences, 6))) for _ in range(40))


def with_statistics(name: str, **options: Any) -> Algorithm:
    made = get_algorithm(name, **options)
    return get_algorithm(name, statistics=statistics(), **options) if made.needs_statistics else made


NAMES = [name for name in sorted(BUILT_IN) if not get_algorithm(name).bench_only]


@cache
def made(name: str) -> Algorithm:
    return with_statistics(name)


@lru_cache(maxsize=1024)
def document(text: str) -> CanonicalText:
    return CanonicalText(text)


every = pytest.mark.parametrize("name", NAMES)

# --- texts ---

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
SOME_WORDS = st.lists(
    st.sampled_from([*f"{STORY} {HELP} {ADVERT}".split(), "😀", "не", "5", "и", "C-3PO", "№", "кг", "."]),
    max_size=60,
).map(" ".join)


def edited(text: str, seed: int) -> str:
    """The text with a few of its words dropped, doubled, replaced or moved; sometimes a part of it."""
    source = random.Random(seed)
    words = text.split()
    for _ in range(source.choice([1, 1, 2, 5, 20])):
        place = source.randrange(len(words) + 1)
        change = source.randrange(5)
        if change == 0:
            del words[place : place + source.choice([1, 1, 12])]
        elif change == 1:
            words.insert(place, source.choice(["гусеница", "7", "не", "X-11", "блокнотом"]))
        elif change == 2:
            words[place : place + 1] = [source.choice(["зелёный", "ten", "15 кг", "Москва"])]
        elif change == 3:
            words = words[place:] + words[:place]
        elif len(words) > 20:
            words = words[source.randrange(10) : 10 + source.randrange(len(words))]
    return " ".join(words)


EDITED = st.builds(edited, st.sampled_from(TEXTS), st.integers(0, 10_000))
TEXT = st.one_of(EDITED, EDITED, EDITED, SOME_WORDS, ANY_TEXT)


# --- keys and payloads ---


@every
@FEW
@given(TEXT)
@example("")
@example("и в на не")
@example("\0\ud800😀")
@example("слово")
def test_keys_and_payloads_are_well_formed(name: str, text: str) -> None:
    """Distinct unsigned 64-bit keys, bounded payloads, for any string; the same when asked again; none for none."""
    algorithm = made(name)
    keys, packed = algorithm.keys(document(text)), algorithm.payload(document(text))
    assert isinstance(keys, list) and isinstance(packed, bytes)
    assert len(keys) == len(set(keys)) <= MOST_KEYS
    assert all(type(key) is int and 0 <= key < 1 << 64 for key in keys)
    assert len(packed) <= MAX_BYTES
    assert keys == algorithm.keys(CanonicalText(text)) and packed == algorithm.payload(CanonicalText(text))
    assert not keys or len(document(text))


@cache
def hostile() -> dict[str, CanonicalText]:
    return {kind: CanonicalText(make(100)) for kind, make in HOSTILE.items()}


@every
def test_crafted_texts_are_texts(name: str) -> None:
    algorithm = made(name)
    for kind, crafted in hostile().items():
        keys, packed = algorithm.keys(crafted), algorithm.payload(crafted)
        assert len(keys) == len(set(keys)) <= MOST_KEYS, kind
        assert algorithm.measure(packed, packed) == pytest.approx(1.0) or not keys, kind
        assert algorithm.judge(crafted, document(STORY)).verdict != "duplicate", kind


@lru_cache(maxsize=1)
def enormous() -> CanonicalText:
    """About a hundred thousand words, a mebibyte and more; words of all ranks, sentences of ten."""
    source = random.Random(3)
    syllables = [a + b for a in "бвгдклмнпрст" for b in "аоуие"]
    lexicon = ["".join(source.choices(syllables, k=source.randint(2, 4))) for _ in range(20_000)]
    lexicon[:8] = ["и", "в", "на", "не", "что", "как", "the", "of"]
    words = [lexicon[int(20_000 * source.random() ** 5)] for _ in range(WORDS)]
    return CanonicalText(". ".join(" ".join(words[start : start + 10]) for start in range(0, WORDS, 10)))


@pytest.mark.slow
@every
def test_an_enormous_text_has_bounded_keys_and_payload(name: str) -> None:
    algorithm = made(name)
    keys, packed = algorithm.keys(enormous()), algorithm.payload(enormous())
    assert len(keys) == len(set(keys)) <= MOST_KEYS
    assert len(packed) <= MAX_BYTES
    assert algorithm.measure(packed, packed) == pytest.approx(1.0) or not keys


def dresses(text: str) -> dict[str, str]:
    """The same words and sentences in other markup, case and punctuation."""
    words = text.split()
    return {
        "html": f'<div class="x"><p><b>{words[0]}</b> <i>{" ".join(words[1:])}</i></p></div>',
        "bbcode": f"[b]{text}[/b]",
        "markdown": f"**{words[0]}** {' '.join(words[1:])}",
        "upper": text.upper(),
        "lower-upper first": text[:1].lower() + text[1:],
        "exclaimed": text.replace(". ", "! ") + "!!!",
        "quoted": f"«{text}»",
        "dashes": text.replace(", ", " — "),
        "spaces": text.replace(" ", "\u00a0 "),
        "invisible": text.replace("р", "р\u200b"),
        "dots of ё": text.replace("ё", "е"),
        "latin letters": text.replace("о", "o").replace("с", "c"),
    }


@every
@pytest.mark.parametrize(
    "text", [QUOTE, STORY, HELP, "Продам гараж, недорого"], ids=["quote", "story", "help", "few"]
)
def test_markup_case_and_punctuation_do_not_matter(name: str, text: str) -> None:
    algorithm = made(name)
    keys, packed = algorithm.keys(document(text)), algorithm.payload(document(text))
    for dress, other in dresses(text).items():
        assert sorted(algorithm.keys(document(other))) == sorted(keys), dress
        assert algorithm.payload(document(other)) == packed, dress
        assert algorithm.judge(document(text), document(other)).verdict == "duplicate", dress


@every
def test_the_script_of_a_codes_letters_does_not_matter(name: str) -> None:
    """С140.35 with a Cyrillic С and with a Latin one look alike: one code, whatever the words are read as."""
    one, other = (document(ADVERT.replace("С140", letter + "140")) for letter in "СC")
    assert one.exact_digest == other.exact_digest
    assert sorted(made(name).keys(one)) == sorted(made(name).keys(other))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in CLASSIC])
@pytest.mark.parametrize("text", LIVELY, ids=["advert", "story", "help"])
def test_the_secret_changes_every_key(name: str, text: str) -> None:
    one, other = (made(name).keys(CanonicalText(text, secret=secret)) for secret in (b"one", b"other"))
    assert not set(one) & set(other)


@every
def test_copies_are_candidates_of_one_another(name: str) -> None:
    """Most texts of some length have keys, and enough of them: or all that is said of keys would be empty words."""
    algorithm = made(name)
    assert algorithm.min_shared >= 1 and (algorithm.limit is None or algorithm.limit >= 1)
    assert [len(algorithm.keys(document(text))) >= algorithm.min_shared for text in LIVELY].count(True) >= 2


def fingerprints() -> dict[str, Any]:
    documents = [CanonicalText(text, secret=b"s") for text in (*TEXTS, "", "😀 \0 и", edited(STORY, 4))]
    return {
        name: [[made(name).keys(document), made(name).payload(document).hex()] for document in documents]
        for name in NAMES
    }


def test_other_processes_and_hash_seeds_give_the_same() -> None:
    here = json.loads(json.dumps(fingerprints()))
    for seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        child = subprocess.run(
            [sys.executable, "-m", __name__], cwd=ROOT, env=environment, check=True, capture_output=True
        )
        there = json.loads(child.stdout)
        assert {name for name in NAMES if here[name] != there[name]} == set()


# --- measures and judgements ---


@every
@FEW
@given(TEXT)
def test_identity(name: str, text: str) -> None:
    algorithm, one = made(name), document(text)
    found = algorithm.judge(one, CanonicalText(text))
    assert found.verdict == ("duplicate" if len(one) else "none")
    assert found.score == (1 if len(one) else 0) and found.exact == bool(len(one))
    if keys := algorithm.keys(one):
        packed = algorithm.payload(one)
        assert algorithm.measure(packed, packed) == pytest.approx(1.0)
        assert len(keys) < algorithm.min_shared or algorithm.should_judge(1.0, len(keys), len(one), len(one))


SEED = st.integers(0, 9999)
PAIR = st.one_of(
    st.builds(lambda text, i, j: (edited(text, i), edited(text, j)), st.sampled_from(TEXTS), SEED, SEED),
    st.builds(lambda text, seed: (text, edited(text, seed)), st.sampled_from(TEXTS), SEED),
    st.tuples(TEXT, TEXT),
)


@every
@FEW
@given(PAIR)
@example((STORY, STORY.replace("сапог", "валенок")))
@example((ADVERT, ADVERT.replace("С140.35", "С90.30")))
@example((QUOTE, STORY + " " + QUOTE))
def test_measures_and_judgements_are_in_range_and_symmetric(name: str, pair: tuple[str, str]) -> None:
    algorithm, (a, b) = made(name), (document(text) for text in pair)
    packed_a, packed_b = algorithm.payload(a), algorithm.payload(b)
    for measure in (algorithm.measure, algorithm.screen):
        assert 0 <= measure(packed_a, packed_b) <= 1
        assert measure(packed_a, packed_b) == pytest.approx(measure(packed_b, packed_a))
    found, back = algorithm.judge(a, b), algorithm.judge(b, a).swap_sides()
    assert found.verdict in VERDICTS and (found.verdict != "contained" or algorithm.supports_containment)
    for share in (found.score, found.containment_a, found.containment_b):
        assert 0 <= share <= 1
    assert (found.verdict, found.exact, found.classes) == (back.verdict, back.exact, back.classes)
    assert (found.score, found.containment_a, found.containment_b) == pytest.approx(
        (back.score, back.containment_a, back.containment_b)
    )
    assert json.loads(json.dumps(found.evidence()))


@every
def test_who_supports_containment_finds_a_quotation(name: str) -> None:
    """And nobody else ever says `contained`."""
    algorithm, quoted = made(name), document(STORY)
    around = document(f"{HELP} {HELP.upper()} {STORY} {ADVERT} {QUOTE} {HELP}")
    found = algorithm.judge(quoted, around)
    assert (found.verdict == "contained") == algorithm.supports_containment
    if algorithm.supports_containment:
        assert found.containment_a > 0.9 > 0.7 > found.containment_b
        assert len(set(algorithm.keys(quoted)) & set(algorithm.keys(around))) >= algorithm.min_shared


@every
@FEW
@given(PAIR)
@example((ADVERT, ADVERT.replace("С140.35", "С90.30")))
def test_the_guard_only_takes_duplicates_away(name: str, pair: tuple[str, str]) -> None:
    a, b = (document(text) for text in pair)
    own = made(name).judge(a, b).verdict
    guarded = with_statistics(name, guard=True).judge(a, b).verdict
    assert guarded == own or (own, guarded) == ("duplicate", "variant")


@cache
def alike_of_all_sizes() -> tuple[CanonicalText, ...]:
    """Edited texts, and the beginnings of a long one, of 50 to 20 500 words, with and without edits."""
    long = enormous().raw.split()
    texts = [edited(text, seed) for text in LIVELY for seed in range(6)]
    for size in (50, 100, 200, 400, 800, 1500, 3000, 5000):
        texts += [" ".join(long[:size]), edited(" ".join(long[:size]), size)]
    for size, step in ((12_000, 2000), (19_000, 8000)):  # where payloads begin to be samples
        texts += [" ".join(long[:size]), " ".join(long[: size + 1500])]
        places = range(1500, size, step)
        texts += [" ".join([*long[:place], "подпрыгивает", *long[place + 1 : size]]) for place in places]
    return tuple(map(CanonicalText, texts))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if made(name).is_metric])
def test_a_metric_keeps_the_triangle(name: str) -> None:
    algorithm = made(name)
    packed = [algorithm.payload(text) for text in alike_of_all_sizes() if algorithm.keys(text)]
    far = [[1 - algorithm.measure(a, b) for b in packed] for a in packed]
    for i, j, k in combinations(range(len(packed)), 3):
        for a, b, c in ((i, j, k), (j, i, k), (i, k, j)):
            assert far[a][c] <= far[a][b] + far[b][c] + 1e-9, (a, b, c)


# --- parameters ---


def again(algorithm: Algorithm) -> Algorithm:
    """Made anew from its parameters after a trip through JSON."""
    parameters = json.loads(json.dumps(algorithm.parameters()))
    made_of = {name: parameters.pop(name, None) for name in ("algorithm", "version", "statistics")}
    return with_statistics(made_of["algorithm"], **parameters)


def variations(name: str) -> list[Algorithm]:
    """With each of its options changed by a little, where it takes that."""
    standard = made(name).parameters()
    found = [made(name)]
    common = {
        "duplicate": 0.5,
        "review": 0.25,
        "guard": True,
        "word_guard": not standard["word_guard"],
        "ignored_differences": (),
    }
    changes = [{key: value} for key, value in common.items() if standard.get(key, value) != value]
    for option in made(name).options:
        value = getattr(made(name), option)
        if isinstance(value, int):
            others = {not value} if isinstance(value, bool) else {value + 1, value * 2} - {value}
            changes += [{option: other} for other in others]
    for change in changes:
        try:
            found.append(with_statistics(name, **change))
        except ValueError:
            continue
    return found


@every
def test_parameters_make_the_same_algorithm_again(name: str) -> None:
    for algorithm in variations(name):
        copy = again(algorithm)
        assert type(copy) is type(algorithm)
        assert copy.parameters() == algorithm.parameters()
        assert algorithm.parameters()["algorithm"] == name
        for text in (STORY, ADVERT):
            assert copy.keys(document(text)) == algorithm.keys(document(text))
            assert copy.payload(document(text)) == algorithm.payload(document(text))


@every
def test_parameters_tell_all_options(name: str) -> None:
    told = [json.dumps(algorithm.parameters(), sort_keys=True) for algorithm in variations(name)]
    assert len(told) > 1 and len(set(told)) == len(told)
    assert set(made(name).options) <= set(made(name).parameters())


@every
def test_senseless_values_are_refused(name: str) -> None:
    for option in made(name).options:
        value = getattr(made(name), option)
        if type(value) is int and option not in SEEDS:
            with pytest.raises(ValueError, match=r"\w"):
                get_algorithm(name, **{option: -1})
    with pytest.raises(TypeError):
        get_algorithm(name, no_such_option=1)


@every
def test_statistics_are_asked_for(name: str) -> None:
    bare = get_algorithm(name)
    assert bare.parameters().get("statistics") is None
    if not bare.needs_statistics:
        assert bare.keys(document(STORY))
        return
    for asked in (bare.keys, bare.payload):
        with pytest.raises(StatisticsMissing, match=name):
            asked(document(STORY))


if __name__ == "__main__":
    print(json.dumps(fingerprints()))
