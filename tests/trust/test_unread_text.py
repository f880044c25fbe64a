"""Copies that readers see and the index would not read.

Each kind has a control: without the defence the copy passes.
"""

import re

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

import django_neardup as neardup
from django_neardup.adapters import Adapter
from django_neardup.models import Fingerprint, Hold, Key
from django_neardup.pipeline import drain
from django_neardup.prepublication import check
from django_neardup.prepublication.holds import can_hold
from django_neardup.prepublication.rules import rule_errors
from django_neardup.search import Matches, find_for_request
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.chunk_cache import chunk_cache
from django_neardup.text.normalization import markup, normalize, plain_text
from django_neardup.text.tokens.lexicon import Lexicon
from django_neardup.validators import NotNearDuplicate
from tests.hang_guard import hang_guard
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, pair
from tests.testapp.models import Ad
from tests.text.hostile import HOSTILE
from tests.trust.attacks import originals_by_form, originals_by_search

django_db = [pytest.mark.django_db, pytest.mark.engine_alike]

LONG = f"{CAT} " * 3200 + SOFA + f" {CAT}" * 3200
"""More than 1 MiB, with a copy in the middle."""

EN = "Selling my old mountain bicycle in great condition, with two new tyres and a bell"

UNREAD = {
    "comment": lambda text: f"<!-- {text} -->",
    "comment of one word each": lambda text: " ".join(f"<!--{word}-->" for word in text.split()),
    "comment in a comment": lambda text: f"<!-- <!-- {text} -->",
    "comment with tags": lambda text: f"<!-- <p>{text}</p> -->",
    "comment with commas": lambda text: f"<!--{text.replace(' ', ',')}-->",
    "style": lambda text: f"<style>{text}</style>",
    "style with a rule": lambda text: f"<style>p {{ color: red }} {text}</style>",
    "template": lambda text: f"<template>{text}</template>",
    "template in a style": lambda text: f"<style><template>{text}</template></style>",
    "script": lambda text: f"<SCRIPT type='text/plain'>{text}</SCRIPT >",
    "picture of BBCode": lambda text: f"[img]{text}[/img]",
    "caption of a picture of BBCode": lambda text: f'[img alt="{text}"]x[/img]',
    "address of BBCode": lambda text: f"[url={text}]здесь[/url]",
    "author of a quotation": lambda text: f"[quote={text}]да[/quote]",
    "attribute": lambda text: f'<a title="{text}">здесь</a>',
    "attribute of a style": lambda text: f'<b style="{text}">здесь</b>',
    "attribute of one word each": lambda text: " ".join(f"<b x='{word}'></b>" for word in text.split()),
    "attribute without a value": lambda text: f"<b {text}>",
    "attribute of a closing tag": lambda text: f"<b></b {text}>",
    "declaration": lambda text: f"<! {text}>",
    "doctype": lambda text: f"<!DOCTYPE html {text}>",
    "instruction": lambda text: f"<?php {text} ?>",
    "nameless tag": lambda text: f"</ {text}>",
    "title of a link": lambda text: f'[здесь](x.ru "{text}")',
    "signature": lambda text: f"Здравствуйте\n-- \n{text}",
    "signature behind a second line": lambda text: f"Продаю\nдёшево\n-- \n\n{text}",
}


@pytest.fixture
def undefended(monkeypatch):
    """Never read what a browser would leave out."""
    markup._TAG_REPLACEMENTS.clear()
    for module in (markup, plain_text):
        monkeypatch.setattr(module, "MIN_UNREAD_WORDS", 10**9)
    yield
    # The tags of an undefended text are remembered without their words.
    markup._TAG_REPLACEMENTS.clear()


def words(text, **options):
    """The words of a text as they are read, without figures."""
    surfaces = {token.surface for token in CanonicalText(text, **options).tokens}
    return {surface for surface in surfaces if surface.isalpha()}


class TestReading:
    @pytest.mark.parametrize("kind", UNREAD)
    @pytest.mark.parametrize("declared", [None, "none"])
    @pytest.mark.parametrize("text", [SOFA, EN])
    def test_words_that_readers_see_are_read(self, kind, declared, text):
        if text == EN and declared is None and kind in ENGLISH_LIMITS:
            pytest.skip("English words look like code there: the guess has this limit")
        assert words(text) <= words(UNREAD[kind](text), markup=declared)

    @pytest.mark.parametrize("kind", UNREAD)
    def test_control_they_were_not(self, kind, undefended):
        assert not words(SOFA) <= words(UNREAD[kind](SOFA))

    @pytest.mark.parametrize("kind", ["comment", "style", "template", "script", "attribute", "declaration"])
    def test_on_a_site_that_renders_html_they_are_not_seen(self, kind):
        assert "диван" not in words(UNREAD[kind](SOFA), markup="html")

    @pytest.mark.parametrize("kind", ["picture of BBCode", "address of BBCode", "author of a quotation"])
    @pytest.mark.parametrize("declared", ["bbcode", "markdown", "html"])
    def test_bbcode(self, kind, declared):
        assert words(SOFA) <= words(UNREAD[kind](SOFA), markup=declared)

    @pytest.mark.parametrize("kind", ["comment", "style", "attribute", "title of a link"])
    @pytest.mark.parametrize("declared", ["bbcode", "markdown"])
    def test_html_in_other_markup(self, kind, declared):
        assert words(SOFA) <= words(UNREAD[kind](SOFA), markup=declared)

    @pytest.mark.parametrize(
        "ordinary",
        [
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/x.dtd">',
            '<?xml:namespace prefix = o ns = "urn:schemas-microsoft-com:office:office" />',
            "<!--[if gte mso 9]><xml><w:View>Normal</w:View><w:Zoom>0</w:Zoom></xml><![endif]-->",
            "<!--StartFragment--><!-- wp:paragraph {\"align\":\"center\"} --><!--more--><!--EndFragment-->",
            "<style>p.MsoNormal, li.MsoNormal {margin:0cm; font-family:\"Times New Roman\",\"serif\";}</style>",
            "<script>function f(a) { if (a) return true; else return false; }</script>",
            '<p class="text center bold red" style="font-family: Georgia, Times New Roman, Times, serif">',
            '<a href="https://ru.wikipedia.org/wiki/Угловой_диван_в_хорошем_состоянии" rel="nofollow noopener">',
            '<img src="/диван/угловой/серый/новый.png" width="100" height="50" alt="Диван">',
            "[quote=Иван Петров][/quote][url=http://сайт.рф/угловой/диван/новый/серый][/url]",
            "[img]http://сайт.рф/угловой/диван/новый/серый.png[/img]",
            "[о сайте](http://сайт.рф/угловой/диван/новый/серый)",
        ],
    )  # fmt: skip
    def test_ordinary_markup_is_no_text(self, ordinary):
        assert words(f"Кот {ordinary}") <= {"кот", "kot", "о", "сайте"}


ENGLISH_LIMITS = {
    "comment of one word each",
    "comment with commas",
    "attribute of a style",
    "attribute of one word each",
    "style with a rule",
}


class TestVerdicts:
    """The verdict of the worker, of the search and of the form, on a site that has declared nothing."""

    pytestmark = django_db

    @pytest.mark.parametrize("kind", UNREAD)
    def test_a_copy_is_a_copy(self, kind, board, people, submit, publish):
        victim = publish(SOFA, people.bob)
        copy = UNREAD[kind](SOFA_EDITED)
        assert originals_by_search(copy) == [victim]
        assert originals_by_form(submit(people.ann, text=copy)) == [victim]
        thief = publish(copy, people.ann)
        assert pair(thief, victim).verdict == "duplicate"

    @pytest.mark.parametrize("kind", UNREAD)
    def test_control_it_passes(self, kind, undefended, board, people, submit, publish):
        victim = publish(SOFA, people.bob)
        copy = UNREAD[kind](SOFA_EDITED)
        assert originals_by_search(copy) == []
        assert originals_by_form(submit(people.ann, text=copy)) == []
        assert pair(publish(copy, people.ann), victim) is None

    def test_a_copy_in_a_signature_shorter_than_the_text_is_found(self, people, publish, board):
        victim = publish(SOFA, people.bob)
        thief = publish(f"{CAT} {PIANO}\n-- \n{SOFA_EDITED}", people.ann)
        assert pair(thief, victim).verdict == "contained"

    def test_control_it_passes_if_signatures_are_left_out(self, undefended, people, publish, board):
        victim = publish(SOFA, people.bob)
        assert pair(publish(f"{CAT} {PIANO}\n-- \n{SOFA_EDITED}", people.ann), victim) is None

    def test_another_markup_is_noticed(self, adapt, people, publish):
        adapt(markup="html")
        victim, thief = publish(SOFA, people.bob), publish(UNREAD["comment"](SOFA), people.ann)
        assert pair(thief, victim) is None
        digests = set(Fingerprint.objects.values_list("source_digest", flat=True))
        adapt(markup="none")
        for ad in (victim, thief):
            neardup.mark(ad)
        drain()
        assert pair(thief, victim).verdict == "duplicate"
        assert digests.isdisjoint(Fingerprint.objects.values_list("source_digest", flat=True))


LEET = str.maketrans("озчб", "0346")
SMALL_CAPITALS = str.maketrans("авгеклмнопрстуяи", "ᴀʙᴦᴇᴋᴧᴍʜᴏᴨᴩᴄᴛʏᴙᴎ")
OTHER_SCRIPTS = str.maketrans("аеорсхАВЕКМНОРСТХ", "ⲁⲉⲟⲣⲥⲭꓮꓐꓰꓗꓟꓧꓳꓑꓚꓔꓫ")


def apart(between_letters, between_words):
    """Return a function that writes the letters of a text apart."""
    return lambda text: between_words.join(between_letters.join(word) for word in text.split())


EVASIONS = {
    "letters apart": lambda text: "   ".join(" ".join(word) for word in text.split()),
    "letters apart by thin blanks": lambda text: " ".join("\u2009".join(word) for word in text.split()),
    "letters apart, words by one blank": apart("\u00a0", " "),
    "letters apart, words by one no-break space": apart(" ", "\u00a0"),
    "letters apart, words by two no-break spaces": apart("\u00a0", "\u00a0\u00a0"),
    "letters apart, words by two thin blanks": apart("\u2009", "\u2009\u2009"),
    "letters apart, words by two blanks without width": apart("\u200b \u200b", "  "),
    "letters apart by a blank and one without width": apart("\u200b ", " "),
    "small capitals": lambda text: text.translate(SMALL_CAPITALS),
    "capitals of other scripts": lambda text: text.upper().translate(OTHER_SCRIPTS),
    "turned round": lambda text: f"\u202e{text[::-1]}",
    "words turned round": lambda text: " ".join(f"\u202e{word[::-1]}\u202c" for word in text.split()),
    "turned round in parts": lambda text: f"\u202e{text[-30:][::-1]}\u202d{text[:-30]}\u202c",
    "digits for letters": lambda text: re.sub(
        "обивка|зацепок|погрузкой|этажа|вечером", lambda word: word[0].translate(LEET), text
    ),
    "braille blanks": lambda text: text.replace(" ", "\u2800"),
    "hangul fillers": lambda text: text.replace(" ", "\u3164"),
    "hangul fillers of half width": lambda text: text.replace(" ", "\uffa0"),
    "hangul fillers in words": lambda text: text.replace("ив", "и\u115fв").replace("ру", "р\u1160у"),
    "null notes": lambda text: text.replace(" ", "\U0001d159"),
}


class TestEvasions:
    pytestmark = django_db

    @pytest.mark.parametrize("kind", EVASIONS)
    def test_a_copy_is_a_copy(self, kind, board, people, submit, publish):
        victim = publish(SOFA, people.bob)
        copy = EVASIONS[kind](SOFA_EDITED)
        assert originals_by_search(copy) == [victim]
        assert originals_by_form(submit(people.ann, text=copy)) == [victim]
        assert pair(publish(copy, people.ann), victim).verdict == "duplicate"

    @pytest.mark.parametrize(
        "kind",
        [
            "letters apart",
            "letters apart, words by one blank",
            "small capitals",
            "capitals of other scripts",
            "turned round",
            "digits for letters",
            "hangul fillers",
        ],
    )
    def test_control_it_passes(self, kind, monkeypatch, board, people, publish):
        monkeypatch.setattr(Lexicon, "disguised_word", lambda lexicon, text: None)
        monkeypatch.setattr(normalize, "_join_letters_apart", lambda match: match.group())
        monkeypatch.setattr(normalize, "_fold_fillers", lambda text: text)
        monkeypatch.setattr(normalize, "_fold_drawn_letter", lambda char: "")
        monkeypatch.setattr(normalize, "CHARACTER_FOLDS", normalize._CharacterFolds())
        monkeypatch.setattr(normalize, "visual_order", lambda match: match.group())
        chunk_cache.cache_clear()
        victim = publish(SOFA, people.bob)
        copy = EVASIONS[kind](SOFA_EDITED)
        assert originals_by_search(copy) == []
        found = pair(publish(copy, people.ann), victim)
        chunk_cache.cache_clear()
        assert found is None or found.verdict != "duplicate"


HIDDEN = [
    '<div style="display:none">{}</div>',
    "<div style='color:red; DISPLAY : none ! important; display:block'>{}</div>",
    '<p style="display&#58;none">{}</p>',
    "<span hidden>{}</span>",
    '<span hidden="until-found"><b>{}</b></span>',
    '<div hidden><div>{}</div>{}</div>',
    "<b style='font-size:0'>{}</b>",
    "<b style='font-size: 0.0px'><i>{}</i></b>",
    "<ul><li hidden>{}<li></ul>",
    "<p hidden>{}<p>",
    "<span hidden>{}",
]  # fmt: skip
SHOWN = [
    '<b title=" hidden ">{}</b>',
    "<b title='style=display:none'>{}</b>",
    "<b ''hidden>{}</b>",
    '<b style="display:none;display:block">{}</b>',
    '<b style="color:url(x;display:none;)">{}</b>',
    '<b style="/*;display:none">{}</b>',
    '<b hidden style="display:inline">{}</b>',
    "<div><span hidden></div>{}",
    "<p><span hidden><div>{}</div>",
    "<ul><li><span hidden><li>{}</ul>",
    "<h2><span hidden></h1>{}",
    "<table><tr><td><span hidden><td>{}</table>",
    "<table hidden>{}</table>",
    "<br hidden>{}",
    '<b style="font-size:0"><i style="font-size:12px">{}</i></b>',
    '<b style="font-size:0"><button>{}</button></b>',
    "<!-->{}<!-- -->",
    "<!--->{}<!-- -->",
    "<!-- --!>{}<!-- -->",
    "<style></style <x>{}</style>",
    '<a =">{}">',
    "<textarea><!--</textarea>{}-->",
    "<b\u00a0hidden>{}</b>",
]


class TestHiddenElements:
    """On a site that renders HTML, words are added that no reader sees, or the copy is made to look hidden."""

    @pytest.mark.parametrize("element", HIDDEN)
    def test_hidden_words_are_not_read(self, element):
        text = f"Диван {element.format('слон', 'кит')} угловой"
        read = words(text, markup="html")
        assert "диван" in read
        assert read.isdisjoint({"слон", "кит"})

    @pytest.mark.parametrize("element", HIDDEN)
    def test_control_without_a_declaration_they_are(self, element):
        assert "слон" in words(element.format("слон", "кит"))

    @pytest.mark.parametrize("element", SHOWN)
    def test_words_that_a_browser_shows_are_read(self, element):
        assert "слон" in words(f"Диван {element.format('слон')} угловой", markup="html")

    @pytest.mark.parametrize("name", HOSTILE)
    @pytest.mark.parametrize("declared", ["html", "bbcode", "markdown"])
    def test_crafted_texts_are_read_in_linear_time(self, name, declared):
        with hang_guard():
            text = HOSTILE[name](2_000)
            plain = plain_text.plain_text(text[:60_000], markup=declared)
        assert len(plain.text) <= 60_000 or "jamo" in name


class TestHiddenVerdicts:
    pytestmark = django_db

    def test_filler_that_nobody_sees_does_not_help(self, adapt, people, publish):
        adapt(markup="html")
        victim = publish(SOFA, people.bob)
        thief = publish(f"{SOFA_EDITED} <div hidden>{CAT} {CAT[::-1]}</div>", people.ann)
        assert pair(thief, victim).verdict == "duplicate"

    def test_control_without_a_declaration_it_does(self, adapt, people, publish):
        adapt()
        victim = publish(SOFA, people.bob)
        thief = publish(f"{SOFA_EDITED} <div hidden>{CAT} {CAT[::-1]}</div>", people.ann)
        found = pair(thief, victim)
        assert found is None or found.verdict != "duplicate"


class TestTooLong:
    """A text above the limit is never compared in part. Otherwise a thief hides a copy in the middle of filler."""

    pytestmark = django_db

    def test_staff_see_why_it_is_not_compared(self, board, publish, root):
        ad = publish(LONG)
        stored = document(ad)
        assert (stored.state, stored.reason, stored.live) == ("skipped", "too long", False)
        assert not Fingerprint.objects.filter(document=stored)
        assert not Key.objects.filter(document=stored.pk)
        page = root.get(reverse("admin:neardup_document_changelist")).content.decode()
        assert "too long to be compared" in page

    def test_a_text_that_becomes_too_long_leaves_its_group(self, board, publish):
        first, second = publish(SOFA), publish(SOFA)
        assert cluster(first) == cluster(second) is not None
        second.text = LONG
        second.save()
        drain()
        assert document(second).reason == "too long"
        assert cluster(first) is None
        second.text = SOFA
        second.save()
        drain()
        assert cluster(first) == cluster(second) is not None

    @pytest.mark.parametrize("text", ["ab " * 210_000, LONG], ids=["words", "bytes"])
    def test_searches_say_so(self, text, board, publish):
        publish(SOFA)
        matches = neardup.find_similar(text, Ad)
        assert (matches, matches.too_long) == ([], True)
        (result, other) = neardup.check_many([text, SOFA], Ad)
        assert (result.matches, result.matches.too_long, result.repeats) == ([], True, [])
        assert len(other.matches) == 1
        assert not other.matches.too_long
        assert not neardup.find_similar(SOFA, Ad).too_long

    def test_two_equal_ones_are_no_repeats(self, board):
        assert [result.repeats for result in neardup.check_many([LONG, LONG], Ad)] == [[], []]

    def test_strangers_wait_for_a_moderator(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        form = submit(people.ann, text=LONG)
        assert not form.is_valid()
        assert form.neardup.action == "hold"
        page = str(form.neardup)
        assert "too long to be compared" in page
        assert "Send it to a moderator" in page
        confirmed = submit(
            people.ann, ("neardup_confirm", "1"), ("neardup_token", form.neardup.token), text=LONG
        )
        ad = confirmed.save()
        drain()
        ad.refresh_from_db()
        assert not ad.published
        assert confirmed.neardup.outcome == "review"
        assert Hold.objects.get().state == "review"

    def test_a_token_for_another_reason_does_not_confirm_it(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        other = submit(people.ann, text=SOFA)
        form = submit(people.ann, ("neardup_confirm", "1"), ("neardup_token", other.neardup.token), text=LONG)
        assert not form.is_valid()

    def test_staff_are_let_through(self, board, people, submit):
        assert submit(people.ann, text=LONG, trust="staff").save().published

    def test_a_post_that_waits_for_its_check_is_left_to_a_moderator(self, adapt, people, submit):
        adapt(hold_until_checked=True, publication=[{"action": "hold", "verdict": "duplicate"}])
        held = submit(people.ann, text=LONG).save()
        shown = submit(people.ann, text=SOFA).save()
        adapt(hold_until_checked=True)
        drain()
        held.refresh_from_db()
        shown.refresh_from_db()
        assert (held.published, shown.published) == (False, True)
        assert Hold.objects.get().state == "review"

    def test_a_site_that_cannot_hide_warns(self, adapt, people, submit):
        adapter = adapt(show=Adapter.show)
        assert not can_hold(adapter)
        form = submit(people.ann, text=LONG)
        assert not form.is_valid()
        assert form.neardup.action == "warn"
        assert "imilar posts already exist" not in str(form.neardup)

    def test_a_field_refuses_it_where_the_site_says_so(self, board):
        NotNearDuplicate(Ad)(LONG)
        with pytest.raises(ValidationError, match="too long"):
            NotNearDuplicate(Ad, actions=("hold", "block"), trust="member")(LONG)

    def test_control_without_the_rule_it_is_published(self, adapt, people, submit, publish):
        adapt(publication=[{"action": "hold", "verdict": "duplicate"}])
        publish(SOFA, people.bob)
        assert submit(people.ann, text=LONG).save().published


class TestPartialSearch:
    pytestmark = django_db

    @pytest.fixture
    def partial_search(self, monkeypatch):
        monkeypatch.setattr(check, "find_for_request", lambda *args, **options: Matches(partial=True))

    def test_by_default_it_does_nothing(self, partial_search, board, people, submit):
        assert submit(people.ann, text=SOFA).save().published

    def confirmed(self, submit, author, button="Publish after the check", **data):
        """A form whose author has read that the search was partial, and goes on."""
        form = submit(author, **data)
        assert not form.is_valid()
        page = str(form.neardup)
        assert "Not all similar posts could be compared" in page
        assert button in page
        assert "moderator" not in page
        return submit(author, ("neardup_confirm", "1"), ("neardup_token", form.neardup.token), **data)

    def test_a_rule_may_warn(self, partial_search, adapt, people, submit):
        adapt(publication=[{"action": "warn", "partial": True}])
        assert self.confirmed(submit, people.ann, "Publish anyway", text=SOFA).save().published

    @pytest.mark.parametrize("action", ["hold", "block"])
    def test_a_rule_may_hold_until_the_post_is_compared(self, action, partial_search, adapt, people, submit):
        adapt(publication=[{"action": action, "partial": True}])
        form = self.confirmed(submit, people.ann, text=SOFA)
        ad = form.save()
        assert (form.neardup.outcome, Ad.objects.get(pk=ad.pk).published) == ("checking", False)
        drain()
        assert Ad.objects.get(pk=ad.pk).published
        assert not Hold.objects.exists()

    def test_a_copy_that_the_worker_finds_is_not_published(
        self, partial_search, adapt, people, submit, publish
    ):
        adapt(
            publication=[{"action": "hold", "partial": True}, {"action": "hold", "verdict": "duplicate"}],
        )
        publish(SOFA, people.bob)
        ad = self.confirmed(submit, people.ann, text=SOFA).save()
        drain()
        assert not Ad.objects.get(pk=ad.pk).published
        assert Hold.objects.get().state == "review"

    def test_the_rule_may_be_for_strangers(self, partial_search, adapt, people, submit):
        adapt(publication=[{"action": "hold", "partial": True, "trust": "guest"}])
        assert submit(people.ann, text=SOFA).save().published
        assert not submit(None, text=SOFA, trust="guest").is_valid()

    def test_a_renewed_post_waits_as_well(self, adapt, people, submit, publish, monkeypatch):
        adapt(
            publication=[
                {"action": "hold", "partial": True},
                {"action": "hold", "verdict": "duplicate", "own": True},
            ]
        )
        old = publish(SOFA, people.ann)

        def find_part(*args, **options):
            return Matches(find_for_request(*args, **options), partial=True)

        monkeypatch.setattr(check, "find_for_request", find_part)
        form = submit(people.ann, ("neardup_renew", str(old.pk)), text=SOFA)
        assert form.is_valid()
        assert form.save() == old
        assert not Ad.objects.get(pk=old.pk).published
        assert Hold.objects.get().state == "checking"


@pytest.mark.parametrize(
    "rule",
    [
        {"action": "hold", "too_long": False},
        {"action": "hold", "too_long": "yes"},
        {"action": "warn", "partial": True, "verdict": "duplicate"},
        {"action": "warn", "too_long": True, "own": False},
    ],
)
def test_rules_that_are_wrong(rule):
    assert list(rule_errors(rule))
    assert not list(rule_errors({"action": "hold", "too_long": True, "trust": "guest", "scope": "7"}))
