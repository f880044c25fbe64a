"""One request for an undo: what would come back, which changes nothing, then the deed, post by post."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from ..merging import Undo, plan_undo
from ..merging.permissions import REVIEW, Need
from ..merging.undo import Undone, undo_each
from ..merging.undo_rights import lacking
from ..models import Decision, DecisionMember, MergeRecord
from .recorded import called, name_posts
from .shown import Shown, show
from .withdrawing import take_back

if TYPE_CHECKING:
    from .records import MergeRecordAdmin

CAP = 100
"""Members that one request may take back."""

TOLD = 5
"""Refusals that a message tells one by one."""


@dataclass
class Item:
    """One member: a record, with what its undo would do, or a decision. It can be taken back where nothing is
    ``missing``, no ``reasons`` speak against it, and nobody has done so already.
    """

    source: MergeRecord | Decision
    plan: Undo | None = None
    missing: Sequence[Need | str] = ()
    posts: list[Shown] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The form field by which it is ticked."""
        return "record" if isinstance(self.source, MergeRecord) else "decision"

    @property
    def over(self) -> bool:
        """Whether it was taken back already."""
        return bool(self.source.undone if isinstance(self.source, MergeRecord) else self.source.withdrawn)

    @property
    def possible(self) -> bool:
        return not (self.over or self.missing or (self.plan is not None and self.plan.reasons))


def item_of(record: MergeRecord, request: HttpRequest, site: Any, using: str) -> Item:
    """A record as that person may take it back."""
    if record.undone is not None:
        return Item(record)
    plan = plan_undo(record, using)
    return Item(record, plan, lacking(plan, request, site))


class Undoing:
    """One request for the undo of those records and decisions."""

    def __init__(
        self,
        page: MergeRecordAdmin,
        request: HttpRequest,
        records: Sequence[MergeRecord],
        decisions: Sequence[Decision],
    ) -> None:
        self.page, self.request, self.using = page, request, page.get_queryset(request).db
        name_posts(records, request, page.admin_site, self.using)
        self.items = [item_of(record, request, page.admin_site, self.using) for record in records]
        self.items += self._decided(decisions)
        data = request.POST if request.method == "POST" else request.GET
        self.ticked = {(name, value) for name in ("record", "decision") for value in data.getlist(name)}
        if not self.items:
            raise Http404

    def answer(self) -> HttpResponse:
        """What would come back, or the deed."""
        chosen = [item for item in self.items if (item.name, str(item.source.pk)) in self.ticked]
        if self.request.method != "POST":
            return self._confirmation(chosen or self.items)
        if any(item.missing for item in chosen):
            raise PermissionDenied
        if not chosen:
            messages.error(self.request, _("Nothing was done: tick at least one post."))
        else:
            self._perform(chosen)
        return HttpResponseRedirect(self.request.get_full_path())

    def _decided(self, decisions: Sequence[Decision]) -> list[Item]:
        missing = [] if self.request.user.has_perm(REVIEW) else [_("decide on near-duplicates")]
        members = DecisionMember.objects.using(self.using).filter(decision__in=decisions)
        documents = {each.pk: each for each in members.select_related("document").order_by("document")}
        shown = show(
            [each.document for each in documents.values()], self.request, self.page.admin_site, self.using
        )
        posts: dict[int, list[Shown]] = {}
        for each in documents.values():
            posts.setdefault(each.decision_id, []).append(shown[each.document_id])
        return [Item(each, missing=missing, posts=posts.get(each.pk, [])) for each in decisions]

    def _perform(self, chosen: Sequence[Item]) -> None:
        records = [item.source for item in chosen if isinstance(item.source, MergeRecord)]
        outcomes = undo_each(records, self.request.user, self.using)
        withdrawn = self._withdraw([item for item in chosen if isinstance(item.source, Decision)])
        self._tell([each for each in outcomes if each.done], withdrawn)
        refused = [each for each in outcomes if not each.done]
        for each in refused[:TOLD]:
            record: Any = each.record
            words = _("Not undone, %(post)s: %(reasons)s") % {
                "post": called(record.loser_title, record.loser_id),
                "reasons": " ".join(each.reasons[:TOLD]),
            }
            messages.warning(self.request, words)
        if rest := len(refused[TOLD:]):
            words = ngettext("%(count)d more was not undone.", "%(count)d more were not undone.", rest)
            messages.warning(self.request, words % {"count": rest})

    def _withdraw(self, items: Sequence[Item]) -> int:
        standing = [item.source for item in items if isinstance(item.source, Decision) and not item.over]
        return sum(take_back(each, self.request.user, self.using) for each in standing)

    def _tell(self, done: Sequence[Undone], withdrawn: int) -> None:
        if done:
            words = ngettext("Undone: %(count)d post.", "Undone: %(count)d posts.", len(done))
            messages.success(self.request, words % {"count": len(done)})
        self._tell_left([each.record for each in done if each.record.left])
        if withdrawn:
            words = ngettext(
                "%(count)d decision was taken back.", "%(count)d decisions were taken back.", withdrawn
            )
            messages.success(self.request, words % {"count": withdrawn})

    def _tell_left(self, records: Sequence[MergeRecord]) -> None:
        if unshown := sum(each.action == MergeRecord.Action.HIDE for each in records):
            words = ngettext(
                "%(count)d post was not shown again: the reason is below.",
                "%(count)d posts were not shown again: the reasons are below.",
                unshown,
            )
            messages.warning(self.request, words % {"count": unshown})
        if left := len(records) - unshown:
            words = ngettext(
                "Something of %(count)d post could not be restored: it is listed below.",
                "Something of %(count)d posts could not be restored: it is listed below.",
                left,
            )
            messages.warning(self.request, words % {"count": left})

    def _confirmation(self, ticked: Sequence[Item]) -> HttpResponse:
        open_items = [item for item in self.items if not item.over]
        context = {
            **self.page.context(self.request, pgettext("heading", "Undo")),
            "items": self.items,
            "ticked": [item.source for item in ticked if item.possible],
            "open": len(open_items),
            "can": any(item.possible for item in open_items),
        }
        return TemplateResponse(self.request, "neardup/admin/undo.html", context)
