"""The Russian catalogue: complete, compiled, with the placeholders and plurals of what it translates."""

from __future__ import annotations

import ast
import gettext
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from django import contrib
from django.contrib.contenttypes.models import ContentType
from django.utils.translation import override

import django_neardup
from django_neardup.listing.group import Group
from django_neardup.models import Hold, KeyPhrase, MovedUrl

APP = Path(django_neardup.__file__).parent
CATALOGUE = APP / "locale" / "ru" / "LC_MESSAGES" / "django.po"
PUBLIC = [
    *(APP / "templates" / "neardup").glob("*.html"),
    *(APP / "templates" / "neardup").glob("*.txt"),
    *map(APP.joinpath, ("listing/group.py", "search/difference_labels.py", "views.py", "authors/fates.py")),
    *(APP / "api").glob("*.py"),
    APP / "prepublication" / "form_policy.py",
    *(APP / "similar_posts").glob("*.py"),
]
"""Where a visitor's words come from."""

QUOTED = r'"(?:[^"\\]|\\.)*"'
PART = re.compile(rf"^(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?)((?:\s+{QUOTED})+)", re.MULTILINE)
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]")
VARIABLE = re.compile(r"\{\{ (\w+) \}\}")
FORMS = 3
"""One, few, many."""


@dataclass(frozen=True)
class Message:
    """An entry of the catalogue. ``texts``: the singular and, where there is one, the plural."""

    context: str | None
    texts: tuple[str, ...]
    translations: tuple[str, ...]
    fuzzy: bool

    def keys(self) -> list[object]:
        """Under what ``gettext`` keeps the translations."""
        name = self.texts[0] if self.context is None else f"{self.context}\x04{self.texts[0]}"
        return [name] if len(self.texts) == 1 else [(name, form) for form in range(len(self.translations))]


def read_catalogue() -> list[Message]:
    """The entries of the .po file, with its header first, and without those that are out of use."""
    blocks = CATALOGUE.read_text(encoding="utf-8").split("\n\n")
    return [message for message in map(read_message, blocks) if message is not None]


def read_message(block: str) -> Message | None:
    found = {
        name: "".join(map(ast.literal_eval, re.findall(QUOTED, words))) for name, words in PART.findall(block)
    }
    if "msgid" not in found:
        return None
    texts = [found[name] for name in ("msgid", "msgid_plural") if name in found]
    translations = [words for name, words in found.items() if name.startswith("msgstr")]
    fuzzy = re.search(r"^#,.*\bfuzzy\b", block, re.MULTILINE) is not None
    return Message(found.get("msgctxt"), tuple(texts), tuple(translations), fuzzy)


HEADER, *MESSAGES = read_catalogue()


def test_the_catalogue_was_read() -> None:
    written = re.findall(r"^msgid ", CATALOGUE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(MESSAGES) + 1 == len(written) > 100
    assert HEADER.texts == ("",)
    assert "Language: ru\n" in HEADER.translations[0]
    assert f"nplurals={FORMS};" in HEADER.translations[0]


def test_every_message_is_translated() -> None:
    assert [each.texts[0] for each in MESSAGES if not all(each.translations)] == []
    assert {(len(each.texts), len(each.translations)) for each in MESSAGES} == {(1, 1), (2, FORMS)}


def test_no_translation_is_a_guess() -> None:
    assert [each.texts[0] for each in (HEADER, *MESSAGES) if each.fuzzy] == []


def test_placeholders_are_those_of_the_text() -> None:
    assert [each.texts[0] for each in MESSAGES if not agrees(each)] == []


def agrees(message: Message) -> bool:
    expected = sorted(PLACEHOLDER.findall(message.texts[-1]))
    return all(sorted(PLACEHOLDER.findall(each)) == expected for each in message.translations)


def test_what_is_compiled_is_what_is_written() -> None:
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog
    written = {
        key: words for each in MESSAGES for key, words in zip(each.keys(), each.translations, strict=True)
    }
    assert {key: words for key, words in compiled.items() if key != ""} == written


@pytest.mark.parametrize("app", ["admin", "auth", "contenttypes"])
def test_no_word_of_djangos_is_translated_anew(app: str) -> None:
    with Path(contrib.__file__).with_name(app).joinpath("locale/ru/LC_MESSAGES/django.mo").open("rb") as file:
        theirs = gettext.GNUTranslations(file)._catalog
    own = {key: words for each in MESSAGES for key, words in zip(each.keys(), each.translations, strict=True)}
    assert [key for key in own.keys() & theirs.keys() if own[key] != theirs[key]] == []


def test_visitors_never_read_of_duplicates() -> None:
    sources = "\n".join(page.read_text(encoding="utf-8") for page in PUBLIC)
    spaced = VARIABLE.sub(r"%(\1)s", sources).replace("{%", " {%").replace("%}", "%} ")
    words = " ".join(spaced.split())
    public = {
        each.texts[0]: " ".join(each.translations).lower()
        for each in MESSAGES
        if f'"{each.texts[0]}"' in words or f"%}} {each.texts[0]} {{%" in words
    }
    assert {"+ %(count)d similar", "The same text", "Page %(number)s of %(total)s"} <= public.keys()
    assert [text for text, translation in public.items() if "дубл" in translation] == []


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (0, ""),
        (1, "+ 1 похожее"),
        (2, "+ 2 похожих"),
        (5, "+ 5 похожих"),
        (11, "+ 11 похожих"),
        (21, "+ 21 похожее"),
    ],
)
def test_label_of_a_group(count: int, label: str) -> None:
    group = Group(ContentType(), (ContentType, ""), [(ContentType, str(number)) for number in range(count)])
    with override("ru"):
        assert group.label == label


def test_what_people_add_has_a_noun_that_django_need_not_decline() -> None:
    with override("ru"):
        assert str(KeyPhrase._meta.verbose_name) == "ключевое выражение"


def test_a_held_post_waits_since_and_an_address_holds_since() -> None:
    with override("ru"):
        said = [str(model._meta.get_field("created").verbose_name) for model in (Hold, MovedUrl)]
    assert said == ["ждёт с", "действует с"]
