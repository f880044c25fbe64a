"""What was found as one page: nothing is loaded, nothing runs, all that posts hold is escaped before it is marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext, ngettext, override, pgettext

from ..adapters import language_of, registered
from ..comparing import translated
from ..comparison.compare import percent
from ..comparison.html import LOOKS, POLICY
from ..comparison.labels import Labels, figure
from ..comparison.pieces import showable
from ..comparison.words import SENTENCES, SIGNS, gettext_noop
from .collecting import Preview
from .examples import Example, example

OWN_LOOKS = Path(__file__).with_name("page.css")
GROUPS, MEMBERS, PAIRS = 50, 8, 10
"""Groups that are shown, posts of each besides the two side by side, and pairs of each other verdict."""
ADAPTER = """# {app}/neardup.py
import django_neardup as neardup

from .models import {model}


@neardup.register({model})
class {model}Neardup(neardup.Adapter):
    fields = [{fields}]
"""
NAMES = {
    "variant": gettext_noop("variants"),
    "contained": gettext_noop("one inside the other"),
    "related": gettext_noop("partly alike"),
    "duplicate": gettext_noop("duplicates of one another, of two groups"),
}
"""What pairs of each verdict are called, where no group holds both."""


def as_html(found: Preview, *, language: str | None = None, site: str = "", groups: int = GROUPS) -> str:
    """A self-contained page of the groups, the largest first, at most so many, and of pairs that are not grouped.

    ``language``: of its words (None: the active one); ``site``: what relative addresses of posts begin with."""
    with override(language or get_language() or "en"):
        return "\n".join(_Page(found, site, groups).parts()) + "\n"


class _Page:
    def __init__(self, found: Preview, site: str, most: int) -> None:
        self.it, self.site, self.most = found, site.rstrip("/"), most
        self.labels = Labels(translated)

    def parts(self) -> Iterator[str]:
        title = gettext("Near-duplicates among %(model)s") % {"model": self._model}
        looks = LOOKS.read_text("utf-8") + OWN_LOOKS.read_text("utf-8")
        yield f'<!DOCTYPE html>\n<html lang="{escape(get_language() or "en")}">\n<head>\n<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="robots" content="noindex">'
        yield f"<title>{escape(title)}</title>\n<style>\n{looks}</style>\n</head>\n<body>"
        yield f'<header class="head"><h1>{escape(title)}</h1>'
        yield from self._summary()
        yield "</header>\n<main>"
        yield from self._groups()
        for verdict in NAMES:
            yield from self._pairs(verdict)
        yield from self._next()
        yield "</main>\n</body>\n</html>"

    @property
    def _model(self) -> str:
        return self.it.choice.adapter.model._meta.label

    def _summary(self) -> Iterator[str]:
        it = self.it
        yield f'<p>{escape(self._chosen())}</p><dl class="figures">'
        copies = it.grouped - len(it.groups)
        rows = [
            (pgettext("preview", "groups"), _number(len(it.groups))),
            (gettext("posts in groups"), f"{_number(it.grouped)} ({figure(percent(it.grouped / it.read))})"),
            (gettext("repeats that would stand behind a link"), _number(copies)),
            (gettext("too short to compare"), _number(it.short)),
            (gettext("could not be read"), _number(it.unreadable)),
            (gettext("time"), gettext("%(seconds)s s") % {"seconds": number_format(it.seconds, 1)}),
        ]
        for name, value in rows:
            if value != "0" or name == rows[0][0]:
                yield f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        yield "</dl>"
        told = gettext(
            "Read only: nothing was written to the database. Compared by the algorithm %(algorithm)s, texts in the "
            "language %(language)s."
        ) % {"algorithm": it.scheme.algorithm, "language": language_of(it.choice.adapter, it.scheme)}
        yield f'<p class="quiet">{escape(told)}</p>'
        links = [
            f'<a href="#{verdict}">{escape(self._named(verdict))}</a> '
            f'<span class="quiet">{_number(len(it.pairs[verdict]))}</span>'
            for verdict in NAMES
            if it.pairs.get(verdict)
        ]
        if links:
            yield f"<p>{escape(gettext('Pairs that were found and not grouped:'))} {', '.join(links)}</p>"

    def _chosen(self) -> str:
        read, total = _number(self.it.read), _number(self.it.total)
        if self.it.read >= self.it.total:
            return ngettext(
                "The only post was looked at.", "All %(total)s posts were looked at.", self.it.total
            ) % {"total": total}
        return gettext("The last %(read)s of %(total)s posts were looked at, by %(order)s.") % {
            "read": read,
            "total": total,
            "order": self.it.choice.order,
        }

    def _groups(self) -> Iterator[str]:
        shown, all_of_them = self.it.groups[: self.most], self.it.groups
        yield f'<section class="found" id="groups"><h2>{escape(gettext("Groups"))} '
        yield f'<span class="quiet">{_number(len(all_of_them))}</span></h2>'
        if not shown:
            yield f"<p>{escape(gettext('No two of these posts are near-duplicates.'))}</p>"
        for number, members in enumerate(shown, 1):
            yield from self._group(number, members)
        left = len(all_of_them) - len(shown)
        yield _more(left, ngettext("%(count)s more group", "%(count)s more groups", left))
        yield "</section>"

    def _group(self, number: int, members: list[int]) -> Iterator[str]:
        count = ngettext("%(count)s post", "%(count)s posts", len(members)) % {"count": _number(len(members))}
        leader, *rest = members
        known = [example(self.it, leader, other) for other in rest[: MEMBERS + 1]]
        telling = min(known, key=lambda each: each.comparison.judgement.score)
        yield f'<article class="group"><h3><span class="letter">{number}</span>{escape(count)}</h3>'
        yield from self._sides(telling)
        others = [each for each in known if each is not telling]
        if others:
            yield '<ol class="others">'
            yield from (f"<li>{self._other(each)}</li>" for each in others)
            yield "</ol>"
        left = len(rest) - len(known)
        yield _more(left, ngettext("%(count)s more post", "%(count)s more posts", left))
        yield "</article>"

    def _pairs(self, verdict: str) -> Iterator[str]:
        pairs = self.it.pairs.get(verdict, [])
        if not pairs:
            return
        yield f'<section class="found" id="{verdict}"><h2><i aria-hidden="true">{SIGNS[verdict]}</i>'
        yield f"{escape(gettext('Not grouped'))}: {escape(self._named(verdict))} "
        yield f'<span class="quiet">{_number(len(pairs))}</span></h2><p>{escape(self._why(verdict))}</p>'
        shown = list(_apart(pairs))[:PAIRS]
        for a, b in shown:
            each = example(self.it, a, b)
            yield f'<article class="group"><h3>{escape(self._reason(each))}</h3>'
            yield from self._sides(each)
            yield "</article>"
        left = len(pairs) - len(shown)
        yield _more(left, ngettext("%(count)s more pair", "%(count)s more pairs", left))
        yield "</section>"

    def _named(self, verdict: str) -> str:
        return translated(NAMES[verdict])

    def _why(self, verdict: str) -> str:
        if verdict == "duplicate":
            return gettext(
                "A post joins a group by its first post alone, and none that holds a variant of it: these pairs are "
                "alike, and no group has room for both."
            )
        told = translated(SENTENCES[verdict])
        return f"{told[:1].upper()}{told[1:]}."

    def _reason(self, each: Example) -> str:
        """How alike, and by what it was decided."""
        judgement = each.comparison.judgement
        return "; ".join(
            [figure(each.comparison.percent), *(self.labels.kind(kind) for kind in judgement.classes)]
        )

    def _sides(self, each: Example) -> Iterator[str]:
        yield '<div class="texts">'
        for letter, number in (("A", each.a), ("B", each.b)):
            yield f'<div><h4><span class="letter">{letter}</span>{self._link(number)}</h4>'
            yield f'<div class="text" dir="auto">{each.marked(letter, self.labels)}</div></div>'
        yield "</div>"

    def _other(self, each: Example) -> str:
        told = each.differs(self.labels) or escape(translated("the same words in the same order"))
        return f'{self._link(each.b)} <span class="quiet">{figure(each.comparison.percent)}</span> {told}'

    def _link(self, number: int) -> str:
        post = self.it.posts[number]
        title = escape(showable(post.title) or f"{self._model} {post.key}")
        url = post.url
        if not url:
            return title
        return f'<a href="{escape(self.site + url if url.startswith("/") else url)}" rel="noreferrer">{title}</a>'

    def _next(self) -> Iterator[str]:
        adapter = self.it.choice.adapter
        yield f"<section><h2>{escape(gettext('To have this on the site'))}</h2>"
        if adapter.model not in registered():
            code = ADAPTER.format(
                app=adapter.model._meta.app_label,
                model=adapter.model.__name__,
                fields=", ".join(f'"{name}"' for name in adapter.fields),
            )
            yield f"<pre>{escape(code)}</pre>"
        yield "<pre>python manage.py migrate\npython manage.py neardup_index</pre></section>"


def _apart(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those pairs of which no side was shown before: a hundred adverts of one pattern are one example."""
    seen: set[int] = set()
    for pair in pairs:
        if seen.isdisjoint(pair):
            seen.update(pair)
            yield pair


def _more(count: int, words: str) -> str:
    """That so many are not shown; nothing where all are."""
    return f'<p class="quiet">{escape(words % {"count": _number(count)})}</p>' if count > 0 else ""


def _number(value: int) -> str:
    return number_format(value, 0, force_grouping=True)
