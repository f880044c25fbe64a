"""The reader's hashes are those of the tokens: the condition under which it may split a text at blanks."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from django_neardup.evaluation.corpora import find_set_names, load_corpus
from django_neardup.text import chunk_cache
from django_neardup.text.batch import read_batch
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.chunk_cache import ChunkCache
from django_neardup.text.tokens import numbers, units
from django_neardup.text.tokens.synonyms import Synonyms
from tests.fuzzing import examples
from tests.text.hostile import HOSTILE
from tests.text.reading import LONG, assert_read, of_batch, of_reader
from tests.text.test_token_rules import MATCHED

OWN = Path(__file__).parents[1] / "data"
SYNONYMS = Synonyms.from_classes([["квартира", "жильё"], ["продать", "реализовать"], ["buy", "get"]])

# What may be a part of a figure, an address, a code or a word of another script, and what may stand beside it.
WORDS = """
продам Продаю квартиру цена Цена: цену стоимость price Price от до from to is в на за и а я с п о тел. ул. г. г гг кв.
кв м м. м2 метров квадратных т т. р р. руб руб. рублей рублей, тыс тыс. млн бел. у.е. евро долл. т.р л.с. л с x х × *
k к K mm км/ч об/мин гб ГБ GB мб квт ч квтч а·ч ма·ч мая Мая May may. jan. of 12th 5-й st года года. года,
цен\u00adа це\u0301на т\u0301ыс 2024 12 5 5, 5. 5.5 0 0.5 000 1,000 1'000 1.000,50 350х350 175/65 R14 r 14 10:00
12.05.2024 05/12/2024 2024-05-12 8 (903) 123-45-67 +7 + +7(903) 9031234567 $ $5 5$ € 5€ ₽ 500₽ ₴ £ ° °C 5° № №5 #5 #тег
c# c++ с++ C140 С140.35 KDL-32 цена-5 от-5 5-8 5-8-9 (5) "5" 5% 1/2 ½ ² m² ㎡ ㎏ ① don't it's п'ять об'єкт д’Артаньян
Иванов Иван И. И.И. О'Коннор e-mail a@b.ru @handle http://a.ru/б?utm_source=1 www.a.ru www. www.-x Www.A.ru site.ru
сайт.рф .ru ru. a.b т.е. и.о. слово.Слово ... … .. ну...вот _a_ _ __ *a* **жир**ный ~~за~~черк caxap Bода Пpивет 5000
p. p Cвая ок OK рок poк ooo а б в г д а-б-в-г с-п-а-с-и-бо т-а-к-о-й c.п.а.с d'une l'Admin мοре ѕвая јов Ёж ёлка
е\u0308ж и\u0306од й Й é Ł ł ß İ ı Σας ﬁ ™ ® ª º ʼ ` ´ ‘ ’ " « » “ „ – — - − 😀 ❤️ 👩\u200d👩\u200d👧 🇷🇺 1️⃣ 🅰 Ⓐ 𝐚 ａ Ｗww.
。 ， ー 的 日本語 ไทย हिन्दी שָׁלוֹם العربية 한국어 ᄀ ∙ • · |
/ // :/ : ; , ! ? & &amp; &lt;b&gt; &nbsp; &#8470; <b> </b> <p>
</p> <br> <br/> <ahref="x>y"> <b <!-- --> <script> </script> [b] [/b] [quote] [/quote] [img] [ ] [*] ]( ](a.ru) >
\u200b \ufeff \x00 \x0b \x85 \u2028 \ud800 \ue000 \U000e0041 \u0378 ••• ……
""".replace("\n", " ").split(" ")
BETWEEN = [
    *(" " * 5),
    *"\n\t-/(\u200b\u00a0\u2009\u00ad",
    "",
    "  ",
    "\r\n",
    ", ",
    ". ",
    " - ",
    " , ",
    ") ",
    " \u200b ",
]
hard = st.sampled_from([*WORDS, *MATCHED.values()]) | st.one_of(
    st.from_regex(pattern, fullmatch=True)
    for pattern in (units.UNIT, units.CURRENCY, numbers.PRICE, numbers.MEASURE, numbers.DATE)
)
adverts = st.lists(st.tuples(hard, st.sampled_from(BETWEEN)), max_size=14).map(
    lambda parts: "".join(word + between for word, between in parts)
)
codes = st.integers(0, 0x10FFFF).map(chr)
few = st.sampled_from("aаbвеeoо01 .-'/ёпpДИ \n")
texts = adverts | st.text(codes, max_size=40) | st.text(few, max_size=40)


LANGUAGES = st.sampled_from(["ru", "ru", "en", "uk", "de", "xx"])
QUOTES = st.sampled_from(["keep", "keep", "drop"])


@examples(400)
@given(
    texts | st.lists(texts, max_size=6).map(" ".join),
    LANGUAGES,
    QUOTES,
    st.sampled_from([b"", b"secret"]),
    st.sampled_from([None, None, SYNONYMS]),
)
@example("5", "ru", "keep", b"", None)
@example("www.… слово", "ru", "keep", b"", None)
@example("цена\nот 5000\n руб", "ru", "keep", b"", None)
@example("I sell it for 5000 (to 6000 usd)", "en", "keep", b"", None)
@example("sell 5000 tooo 6000 usd", "en", "keep", b"", None)
@example('sell it 5000 "to" 6000 usd', "en", "keep", b"", None)
@example("продам за 5000 (до 6000 руб.)", "ru", "keep", b"", None)
def test_any_text(text: str, language: str, quotes: str, secret: bytes, synonyms: Synonyms | None) -> None:
    assert_read(text, language=language, quotes=quotes, secret=secret, synonyms=synonyms)


@examples(100)
@given(st.lists(texts, max_size=4), LANGUAGES, QUOTES)
@example(["", "", "5"], "ru", "keep")
def test_texts_side_by_side(given: list[str], language: str, quotes: str) -> None:
    batch = read_batch(given, language=language, quotes=quotes)
    assert len(batch) == len(given)
    for i, text in enumerate(given):
        assert of_batch(batch, i) == of_reader(CanonicalText(text, language=language, quotes=quotes)), text


ODD = [
    "À\x00ꀀ\x00A\x00A",
    "ꀀ\u200b b c d",
    "Ⓐ ¨ b \u200b c ¨ d",
    "слово λόγος τ ω ν слово",
    "Продам телефон *б*у* 2*3 b*c's, ~~за~~черк",
    "Пишите a@b.ru, c'est la vie, ёмкость 5 dm",
    "Пишите на http://site.ru/длинный-адрес, very good phones",
    "ѕell јoint ток ок \ufeff рок",
    "абвгдежзиклмн абвгдежзиклмо абвгдежз иклмн абвгдежзабвгдежзб",
]


@pytest.mark.parametrize("text", ODD)
def test_odd_places_in_long_texts(text: str) -> None:
    for within in (text, LONG + text + " " + LONG, f"{text} {LONG * 20} {text}", text + " good phones " * 60):
        assert_read(within)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    text = HOSTILE[name](60)
    for within in (text, f"Цена {text} 5000 руб. за м2", text[:50], "a " + text, f"{LONG}{text} {LONG}"):
        assert_read(within)


@pytest.mark.parametrize("secret", [b"", b"secret"])
@pytest.mark.parametrize("synonyms", [None, SYNONYMS])
def test_secrets_and_synonyms(secret: bytes, synonyms: Synonyms | None) -> None:
    given = (
        "Реализую жильё, цена от 5000 до 6000 руб.|Get iPhone 11 256 ГБ||жильё 5-комн. C140, 8 903 123-45-67"
    )
    for text in given.split("|"):
        assert_read(text, secret=secret, synonyms=synonyms)


def test_long_texts() -> None:
    words = "слово за слово цена 5000 руб. и так далее и тому подобное, " * 20
    for times in (1, 5, 16, 17, 30):
        assert_read(words * times)
    for text in ("<p>" * 40_000 + "слово", "я" * 1_000_000):
        assert_read(text)


def labelled() -> list[tuple[Path, str]]:
    folders = [OWN, *map(Path, filter(None, [os.environ.get("NEARDUP_DATA")]))]
    return [(folder, name) for folder in folders for name in find_set_names(folder)]


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 20], ids=["all", "each twentieth"])
@pytest.mark.parametrize(("folder", "name"), labelled(), ids=lambda value: str(value).split("/")[-1])
def test_every_labelled_text(folder: Path, name: str, step: int) -> None:
    for text in [*load_corpus(folder, name).texts.values()][::step]:
        assert_read(text)


def test_nothing() -> None:
    batch = read_batch([])
    assert (len(batch), batch.hashes.tolist(), batch.offsets.tolist(), batch.exacts) == (0, [], [0], [])


def test_other_quotes() -> None:
    with pytest.raises(ValueError, match="keep"):
        read_batch(["слово"], quotes="some")


def test_a_batch_forgets_tokens_and_makes_them_again() -> None:
    batch = read_batch(["<b>Иван</b> Петров", "Иванов Пётр"], secret=b"s")
    tokens = batch.document(0).tokens
    batch.forget()
    assert "_tokenized" not in vars(batch.document(0))
    assert batch.document(0).tokens == tokens
    assert batch.plain(0) == "Иван Петров"


# --- the cache of the process ---


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> ChunkCache:
    monkeypatch.setattr(chunk_cache, "MAX_CHUNKS", 50)
    monkeypatch.setattr(chunk_cache, "MAX_BYTES", 20_000)
    monkeypatch.setattr(chunk_cache, "MAX_PIECE_BYTES", 10_000)
    return ChunkCache("ru", True, b"", None)


def size_of(cache: ChunkCache) -> int:
    """Bytes that the cache holds."""
    chunks = [*cache.items(), *cache.older.items()]
    pieces = [(text, part) for text, piece in cache._pieces.items() for part in (text, *piece.codes)]
    return sum(sys.getsizeof(key) + sys.getsizeof(value) for key, value in [*chunks, *pieces])


def test_what_is_in_use_stays(small: ChunkCache) -> None:
    for number in range(500):
        assert small["диван"]
        assert small[f"слово{'а' * (number % 40)}я"] is not None
        assert "диван" in small or "диван" in small.older
    assert len(small) + len(small.older) <= 100


@pytest.mark.parametrize("repeated", ["а,", "a1-", "\U0001f600", "руб"])
def test_crafted_chunks_stay_within_the_bound(small: ChunkCache, repeated: str) -> None:
    for number in range(400):
        chunk = repeated * (number % 60) + f"ж{'б' * (number // 60)}"
        small[chunk], small.piece(f"{number} {chunk} 1a 2b 3c")
    assert size_of(small) < 2.5 * chunk_cache.MAX_BYTES
    assert max(map(len, [*small, *small.older, *small._pieces])) <= chunk_cache.MAX_KEPT_LENGTH


def test_threads_that_fill_the_cache_at_once_read_alike(small: ChunkCache) -> None:
    chunks = [f"слово{chr(1072 + number % 32)}{chr(1072 + number // 32)}" for number in range(300)]
    expected = [ChunkCache("ru", True, b"", None)[chunk] for chunk in chunks]
    seen: list[list[bytes | None]] = []
    threads = [
        threading.Thread(target=lambda: seen.append([small[chunk] for chunk in chunks])) for _ in range(6)
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen == [expected] * len(threads)
