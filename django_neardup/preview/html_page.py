"""The result as one HTML page.

It loads nothing and runs nothing, and the contents of posts are escaped before they are marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext, ngettext, override, pgettext

from ..adapters import language_of, registered_adapters
from ..reports.html_report import CONTENT_SECURITY_POLICY, STYLESHEET_PATH
from ..reports.labels import ComparisonLabels, format_percent
from ..reports.messages import VERDICT_SENTENCES, VERDICT_SIGNS, gettext_noop
from ..reports.segments import replace_control_characters
from ..reports.text_comparison import whole_percent
from ..search.object_comparison import translate_text
from .examples import PairExample, build_example
from .head_section import render_head_proposal
from .sample_pipeline import PreviewResult

PREVIEW_STYLESHEET_PATH = Path(__file__).with_name("page.css")
MAX_GROUPS, MAX_MEMBERS, MAX_PAIRS = 50, 8, 10
"""Limits of the page.

They are the groups, the posts of each in addition to the two side by side, and the pairs of each other
verdict.
"""
ADAPTER_TEMPLATE = """# {app}/neardup.py
import django_neardup as neardup

from .models import {model}


@neardup.register({model})
class {model}Neardup(neardup.Adapter):
    fields = [{fields}]
"""
UNGROUPED_LABELS = {
    "variant": gettext_noop("variants"),
    "contained": gettext_noop("one inside the other"),
    "related": gettext_noop("partly alike"),
    "duplicate": gettext_noop("duplicates of one another, of two groups"),
}
"""Labels for pairs of each verdict, if no group holds both posts."""


def as_html(
    result: PreviewResult, *, language: str | None = None, site: str = "", max_groups: int = MAX_GROUPS
) -> str:
    """Return a self-contained page: the groups, the largest first, and pairs that are not grouped.

    ``language`` is the language of the page (None: the active one). ``site`` is prepended to relative
    addresses of posts. ``max_groups`` limits the number of groups.
    """
    with override(language or get_language() or "en"):
        return "\n".join(_PreviewPage(result, site, max_groups).render()) + "\n"


class _PreviewPage:
    def __init__(self, result: PreviewResult, site: str, max_groups: int) -> None:
        self.result, self.site, self.max_groups = result, site.rstrip("/"), max_groups
        self.labels = ComparisonLabels(translate_text)

    def render(self) -> Iterator[str]:
        title = gettext("Near-duplicates among %(model)s") % {"model": self._model_label}
        styles = STYLESHEET_PATH.read_text("utf-8") + PREVIEW_STYLESHEET_PATH.read_text("utf-8")
        yield f'<!DOCTYPE html>\n<html lang="{escape(get_language() or "en")}">\n<head>\n<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="robots" content="noindex">'
        yield f"<title>{escape(title)}</title>\n<style>\n{styles}</style>\n</head>\n<body>"
        yield f'<header class="head"><h1>{escape(title)}</h1>'
        yield from self._summary()
        yield "</header>\n<main>"
        yield from self._groups()
        for verdict in UNGROUPED_LABELS:
            yield from self._pairs(verdict)
        yield from render_head_proposal(self.result.head_proposal)
        yield from self._next_steps()
        yield "</main>\n</body>\n</html>"

    @property
    def _model_label(self) -> str:
        return self.result.selection.adapter.model._meta.label

    def _summary(self) -> Iterator[str]:
        result = self.result
        yield f'<p>{escape(self._selection_text())}</p><dl class="figures">'
        copies = result.grouped_count - len(result.groups)
        rows = [
            (pgettext("preview", "groups"), _format_number(len(result.groups))),
            (
                gettext("posts in groups"),
                f"{_format_number(result.grouped_count)} "
                f"({format_percent(whole_percent(result.grouped_count / result.read_count))})",
            ),
            (gettext("repeats that would stand behind a link"), _format_number(copies)),
            (gettext("too short to compare"), _format_number(result.short_count)),
            (gettext("could not be read"), _format_number(result.unreadable_count)),
            (gettext("time"), gettext("%(seconds)s s") % {"seconds": number_format(result.seconds, 1)}),
        ]
        for name, value in rows:
            # Rows with 0 are left out, except the number of groups.
            if value != "0" or name == rows[0][0]:
                yield f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        yield "</dl>"
        method = gettext(
            "Read only: nothing was written to the database. Compared by the algorithm %(algorithm)s, texts in the "
            "language %(language)s."
        ) % {
            "algorithm": result.scheme.algorithm,
            "language": language_of(result.selection.adapter, result.scheme),
        }
        yield f'<p class="quiet">{escape(method)}</p>'
        links = [
            f'<a href="#{verdict}">{escape(self._ungrouped_label(verdict))}</a> '
            f'<span class="quiet">{_format_number(len(result.ungrouped_pairs[verdict]))}</span>'
            for verdict in UNGROUPED_LABELS
            if result.ungrouped_pairs.get(verdict)
        ]
        if links:
            yield f"<p>{escape(gettext('Pairs that were found and not grouped:'))} {', '.join(links)}</p>"

    def _selection_text(self) -> str:
        read, total = _format_number(self.result.read_count), _format_number(self.result.total_count)
        if self.result.read_count >= self.result.total_count:
            return ngettext(
                "The only post was looked at.", "All %(total)s posts were looked at.", self.result.total_count
            ) % {"total": total}
        return gettext("The last %(read)s of %(total)s posts were looked at, by %(order)s.") % {
            "read": read,
            "total": total,
            "order": self.result.selection.order,
        }

    def _groups(self) -> Iterator[str]:
        shown, groups = self.result.groups[: self.max_groups], self.result.groups
        yield f'<section class="found" id="groups"><h2>{escape(gettext("Groups"))} '
        yield f'<span class="quiet">{_format_number(len(groups))}</span></h2>'
        if not shown:
            yield f"<p>{escape(gettext('No two of these posts are near-duplicates.'))}</p>"
        for number, members in enumerate(shown, 1):
            yield from self._group(number, members)
        omitted = len(groups) - len(shown)
        yield _omitted_line(omitted, ngettext("%(count)s more group", "%(count)s more groups", omitted))
        yield "</section>"

    def _group(self, number: int, members: list[int]) -> Iterator[str]:
        count = ngettext("%(count)s post", "%(count)s posts", len(members)) % {
            "count": _format_number(len(members))
        }
        leader, *rest = members
        examples = [build_example(self.result, leader, other) for other in rest[: MAX_MEMBERS + 1]]
        # The least similar member shows best what a group may hold.
        main_example = min(examples, key=lambda example: example.comparison.judgement.score)
        yield f'<article class="group"><h3><span class="letter">{number}</span>{escape(count)}</h3>'
        yield from self._sides(main_example)
        other_examples = [example for example in examples if example is not main_example]
        if other_examples:
            yield '<ol class="others">'
            yield from (f"<li>{self._other_member(example)}</li>" for example in other_examples)
            yield "</ol>"
        omitted = len(rest) - len(examples)
        yield _omitted_line(omitted, ngettext("%(count)s more post", "%(count)s more posts", omitted))
        yield "</article>"

    def _pairs(self, verdict: str) -> Iterator[str]:
        pairs = self.result.ungrouped_pairs.get(verdict, [])
        if not pairs:
            return
        yield f'<section class="found" id="{verdict}"><h2><i aria-hidden="true">{VERDICT_SIGNS[verdict]}</i>'
        yield f"{escape(gettext('Not grouped'))}: {escape(self._ungrouped_label(verdict))} "
        yield (
            f'<span class="quiet">{_format_number(len(pairs))}</span></h2>'
            f"<p>{escape(self._ungrouped_reason(verdict))}</p>"
        )
        shown = list(_distinct_pairs(pairs))[:MAX_PAIRS]
        for a, b in shown:
            example = build_example(self.result, a, b)
            yield f'<article class="group"><h3>{escape(self._example_heading(example))}</h3>'
            yield from self._sides(example)
            yield "</article>"
        omitted = len(pairs) - len(shown)
        yield _omitted_line(omitted, ngettext("%(count)s more pair", "%(count)s more pairs", omitted))
        yield "</section>"

    def _ungrouped_label(self, verdict: str) -> str:
        return translate_text(UNGROUPED_LABELS[verdict])

    def _ungrouped_reason(self, verdict: str) -> str:
        if verdict == "duplicate":
            return gettext(
                "A post joins a group by its first post alone, and none that holds a variant of it: these pairs are "
                "alike, and no group has room for both."
            )
        sentence = translate_text(VERDICT_SENTENCES[verdict])
        return f"{sentence[:1].upper()}{sentence[1:]}."

    def _example_heading(self, pair: PairExample) -> str:
        """Return the similarity and the deciding differences."""
        judgement = pair.comparison.judgement
        return "; ".join(
            [format_percent(pair.comparison.percent), *(self.labels.kind(kind) for kind in judgement.classes)]
        )

    def _sides(self, pair: PairExample) -> Iterator[str]:
        yield '<div class="texts">'
        for letter, number in (("A", pair.a), ("B", pair.b)):
            yield f'<div><h4><span class="letter">{letter}</span>{self._post_link(number)}</h4>'
            yield f'<div class="text" dir="auto">{pair.marked_text(letter, self.labels)}</div></div>'
        yield "</div>"

    def _other_member(self, pair: PairExample) -> str:
        text = pair.listed_differences(self.labels) or escape(
            translate_text("the same words in the same order")
        )
        return f'{self._post_link(pair.b)} <span class="quiet">{format_percent(pair.comparison.percent)}</span> {text}'

    def _post_link(self, number: int) -> str:
        post = self.result.posts[number]
        title = escape(replace_control_characters(post.title) or f"{self._model_label} {post.key}")
        url = post.url
        if not url:
            return title
        return f'<a href="{escape(self.site + url if url.startswith("/") else url)}" rel="noreferrer">{title}</a>'

    def _next_steps(self) -> Iterator[str]:
        adapter = self.result.selection.adapter
        yield f"<section><h2>{escape(gettext('To have this on the site'))}</h2>"
        if adapter.model not in registered_adapters():
            code = ADAPTER_TEMPLATE.format(
                app=adapter.model._meta.app_label,
                model=adapter.model.__name__,
                fields=", ".join(f'"{name}"' for name in adapter.fields),
            )
            yield f"<pre>{escape(code)}</pre>"
        yield "<pre>python manage.py migrate\npython manage.py neardup_index</pre></section>"


def _distinct_pairs(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs with no post that was shown before."""
    # A hundred adverts from one template are one example.
    shown: set[int] = set()
    for pair in pairs:
        if shown.isdisjoint(pair):
            shown.update(pair)
            yield pair


def _omitted_line(count: int, template: str) -> str:
    """Return a line with the number of omitted items. Return an empty string for 0."""
    return f'<p class="quiet">{escape(template % {"count": _format_number(count)})}</p>' if count > 0 else ""


def _format_number(value: int) -> str:
    return number_format(value, 0, force_grouping=True)
