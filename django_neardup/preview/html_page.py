"""The result as one HTML page, which loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import get_language, gettext, override

from ..adapters import language_of, registered_adapters
from ..reports.labels import ComparisonLabels, format_percent
from ..reports.messages import VERDICT_SENTENCES, VERDICT_SIGNS, gettext_noop
from ..reports.segments import replace_control_characters
from ..reports.template_engine import render_template
from ..reports.text_comparison import whole_percent
from ..search.object_comparison import translate_text
from .examples import PairExample, build_example
from .sample_pipeline import PreviewResult

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
    "related": gettext_noop("partly similar"),
    "duplicate": gettext_noop("duplicates in different groups"),
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
        return render_template("preview.html", _PreviewPage(result, site).build_context(max_groups))


class _PreviewPage:
    def __init__(self, result: PreviewResult, site: str) -> None:
        self.result, self.site = result, site.rstrip("/")
        self.labels = ComparisonLabels(translate_text)
        self.model_label = result.selection.adapter.model._meta.label

    def build_context(self, max_groups: int) -> dict[str, Any]:
        result, proposal = self.result, self.result.head_proposal
        return {
            "language": get_language() or "en",
            "title": gettext("Near-duplicates among %(model)s") % {"model": self.model_label},
            "result": result,
            "grouped_percent": format_percent(whole_percent(result.grouped_count / result.read_count)),
            "repeat_count": result.grouped_count - len(result.groups),
            "text_language": language_of(result.selection.adapter, result.scheme),
            "groups": [self._build_group(members) for members in result.groups[:max_groups]],
            "omitted_groups": len(result.groups[max_groups:]),
            "ungrouped": [
                self._build_section(verdict, pairs)
                for verdict in UNGROUPED_LABELS
                if (pairs := result.ungrouped_pairs.get(verdict))
            ],
            "titled_percent": format_percent(whole_percent(proposal.titled_share)) if proposal else "",
            "adapter_code": self._adapter_code(),
        }

    def _build_group(self, members: list[int]) -> dict[str, Any]:
        leader, *rest = members
        examples = [build_example(self.result, leader, other) for other in rest[: MAX_MEMBERS + 1]]
        # The least similar member shows best what a group may hold.
        main_example = min(examples, key=lambda example: example.comparison.judgement.score)
        return {
            "post_count": len(members),
            "sides": self._build_sides(main_example),
            "others": [
                {
                    "post": self._build_post(example.b),
                    "percent": format_percent(example.comparison.percent),
                    "marks": example.listed_differences(),
                }
                for example in examples
                if example is not main_example
            ],
            "omitted_posts": len(rest) - len(examples),
        }

    def _build_section(self, verdict: str, pairs: list[tuple[int, int]]) -> dict[str, Any]:
        """Describe the pairs of a verdict that are not grouped, with the first ones as examples."""
        shown = list(_distinct_pairs(pairs))[:MAX_PAIRS]
        return {
            "verdict": verdict,
            "sign": VERDICT_SIGNS[verdict],
            "label": translate_text(UNGROUPED_LABELS[verdict]),
            "sentence": translate_text(VERDICT_SENTENCES[verdict]),
            "pair_count": len(pairs),
            "examples": [self._build_pair(build_example(self.result, a, b)) for a, b in shown],
            "omitted_pairs": len(pairs) - len(shown),
        }

    def _build_pair(self, example: PairExample) -> dict[str, Any]:
        """Describe a pair. The heading is the similarity and the deciding differences."""
        classes = map(self.labels.kind, example.comparison.judgement.classes)
        return {
            "heading": "; ".join([format_percent(example.comparison.percent), *classes]),
            "sides": self._build_sides(example),
        }

    def _build_sides(self, example: PairExample) -> list[dict[str, Any]]:
        return [
            {
                "letter": letter,
                "post": self._build_post(number),
                "marks": example.marked_text(letter, self.labels),
            }
            for letter, number in (("A", example.a), ("B", example.b))
        ]

    def _build_post(self, number: int) -> dict[str, str]:
        post = self.result.posts[number]
        return {
            "title": replace_control_characters(post.title) or f"{self.model_label} {post.key}",
            "url": self.site + post.url if post.url.startswith("/") else post.url,
        }

    def _adapter_code(self) -> str:
        """Return code that registers an adapter. Return an empty string if the model has one."""
        adapter = self.result.selection.adapter
        if adapter.model in registered_adapters():
            return ""
        return ADAPTER_TEMPLATE.format(
            app=adapter.model._meta.app_label,
            model=adapter.model.__name__,
            fields=", ".join(f'"{name}"' for name in adapter.fields),
        )


def _distinct_pairs(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs with no post that was shown before."""
    # A hundred adverts from one template are one example.
    shown: set[int] = set()
    for pair in pairs:
        if shown.isdisjoint(pair):
            shown.update(pair)
            yield pair
