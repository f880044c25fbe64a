"""The four moderation actions: leave (mark as not duplicates), hide, merge, delete.

Each action has a preview (required permissions, obstacles, effects) and performs itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib.admin.utils import get_deleted_objects
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from .. import moderation
from ..adapters import adapters_of
from ..exceptions import MergeRefused
from ..models import Cluster, Document, Membership, Pair, Scheme, Verdict
from ..moderation import ActionContext, admin_log
from ..moderation.cascade import cascaded_rows, deletion_obstacles
from ..moderation.orphaned_files import OrphanedFile, file_names_of, find_orphaned_files
from ..moderation.permissions import (
    MERGE_PERMISSION,
    REVIEW_PERMISSION,
    RequiredPermission,
    missing_permissions,
    permissions_for_delete,
    permissions_for_merge,
    permissions_on_objects,
)
from ..moderation.plan import MergePlan
from ..moderation.plan_lines import PlanLine
from ..moderation.undo_outlook import UndoOutlook, undo_outlook
from ..pipeline import decide
from ..pipeline.open_items.conditions import open_pairs, with_copies
from ..reports.segments import replace_control_characters
from .decision_groups import CLUSTER, FAMILY, ITEM_KINDS, PAIR, SHORTLIST, ReviewItem

MAX_LISTED_ROWS = 200
"""Maximum number of deleted rows that a page lists individually."""


BUTTONS_BY_KIND: dict[tuple[str, str], str | Promise] = {
    (FAMILY, "leave"): pgettext_lazy("button", "Different items"),
    (FAMILY, "hide"): pgettext_lazy("button", "Hide all"),
    (SHORTLIST, "leave"): pgettext_lazy("button", "None of them"),
}
"""Buttons that have other labels for some items, by kind and action name."""

TITLES_BY_KIND: dict[tuple[str, str], str | Promise] = {
    (FAMILY, "leave"): gettext_lazy("Different items"),
    (FAMILY, "hide"): gettext_lazy("Hide all posts of the template"),
    (SHORTLIST, "leave"): gettext_lazy("None of them"),
}
"""Titles of confirmations that are others for some items."""


@dataclass(frozen=True)
class ActionOptions:
    """The options that a person chose for an action.

    - ``keeper_id``: the id of the document that is kept. None means the leader.
    - ``field_values``: the columns of the keeper that take another post's value,
      ``{field name: primary key of that post}``.
    - ``clash_choices``: which of two conflicting rows is kept, ``{key of the clash: "keeper" or "loser"}``.
    - ``batch``: the id that the records and decisions of one confirmation share.
    - ``remember_unselected``: whether the members that are not selected are remembered as not duplicates.
    - ``accepts_loss``: whether rows may be lost that the adapter's ``accepts_loss`` names.
    - ``leaves_nothing``: whether the addresses of deleted posts answer 410 instead of leading to the post that stays.

    ``field_values`` and ``clash_choices`` apply only if one group is decided on its own.
    """

    keeper_id: int | None = None
    field_values: Mapping[str, Any] = field(default_factory=dict)
    clash_choices: Mapping[str, str] = field(default_factory=dict)
    batch: UUID = field(default_factory=uuid4)
    remember_unselected: bool = False
    accepts_loss: bool = False
    leaves_nothing: bool = False


@dataclass
class ActionPreview:
    """What an action would do to a group.

    The action is possible if ``missing_permissions`` and ``obstacles`` are empty. Obstacles are shown only to
    people who lack no permission. ``open_questions`` lists the choices that the person still has to make.
    ``losses`` are the rows that would not come back with an undo, and that the person has yet to accept.
    """

    item: ReviewItem
    options: ActionOptions = field(default_factory=ActionOptions)
    missing_permissions: list[RequiredPermission | str] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)
    open_questions: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    undo_outlook: UndoOutlook | None = None
    plan: MergePlan | None = None
    relation_lines: list[PlanLine] = field(default_factory=list)
    deletion_tree: list[Any] = field(default_factory=list)
    deletion_counts: dict[Any, int] = field(default_factory=dict)
    files: list[OrphanedFile] = field(default_factory=list)

    @property
    def is_possible(self) -> bool:
        return not self.missing_permissions and not self.obstacles


class ModerationAction(ABC):
    """One of the four actions. ``permission`` is checked before any object is read."""

    name: str
    title: str | Promise
    button: str | Promise
    consequence: str | Promise
    permission: str | None = None
    proposes_keeper = True
    """Whether one of the posts is kept. If so, the site's policy proposes which one."""
    item_kinds: str = CLUSTER + PAIR
    """The kinds of items that it applies to."""

    def button_for(self, kind: str) -> str | Promise:
        """Return the label of the button for an item of a kind."""
        return BUTTONS_BY_KIND.get((kind, self.name), self.button)

    def title_for(self, items: Iterable[ReviewItem]) -> str | Promise:
        """Return the title of the confirmation page for items."""
        kinds = {item.kind for item in items}
        return TITLES_BY_KIND.get((kinds.pop(), self.name), self.title) if len(kinds) == 1 else self.title

    def preview(
        self, item: ReviewItem, request: HttpRequest, site: Any, options: ActionOptions
    ) -> ActionPreview:
        """Return what the action would do to the group, what prevents it, and which permissions are missing."""
        action_preview = ActionPreview(item, options)
        if item.keeper is None or len(item.losers) < len(item.selected_documents):
            action_preview.obstacles.append(
                _("A post of this group is already deleted. The group will disappear from the list.")
            )
            return action_preview
        if item.kind not in self.item_kinds:
            action_preview.obstacles.append(_("Open it, and decide on one pair at a time."))
            return action_preview
        self.fill_preview(action_preview, request, site)
        if action_preview.missing_permissions:
            action_preview.obstacles, action_preview.open_questions = [], []
        return action_preview

    @abstractmethod
    def done_message(self, count: int) -> str:
        """Return the message for this number of groups."""

    @abstractmethod
    def fill_preview(self, preview: ActionPreview, request: HttpRequest, site: Any) -> None:
        """Fill in the preview of a group whose objects all exist."""

    @abstractmethod
    def perform(
        self, item: ReviewItem, user: Any, check_unchanged: Callable[[], None], options: ActionOptions
    ) -> None:
        """Perform the action on the group.

        Raise MergeRefused or Conflict, and change nothing, if it is not possible.
        """


class MarkNotDuplicatesAction(ModerationAction):
    name = "leave"
    title = gettext_lazy("Mark as not duplicates")
    button = pgettext_lazy("button", "Not duplicates")
    consequence = gettext_lazy("not asked again")
    permission = REVIEW_PERMISSION
    proposes_keeper = False
    item_kinds = ITEM_KINDS

    def done_message(self, count: int) -> str:
        return ngettext(
            "Marked as not duplicates: %(count)d group.", "Marked as not duplicates: %(count)d groups.", count
        ) % {"count": count}

    def fill_preview(self, preview: ActionPreview, request: HttpRequest, site: Any) -> None:
        """Add an obstacle if posts of a family are duplicates of each other.

        The posts must be seen, and no other permission on them is needed.
        """
        if _differing_sides(preview.item) is None:
            preview.missing_permissions.append(_("see these posts"))
        if preview.item.kind == FAMILY and _has_duplicates(preview.item):
            preview.obstacles.append(
                _("Some of these posts are duplicates of each other. Decide on them first.")
            )

    def perform(
        self, item: ReviewItem, user: Any, check_unchanged: Callable[[], None], options: ActionOptions
    ) -> None:
        differing = _differing_sides(item)
        if differing is None:
            raise MergeRefused([_("You are not allowed to see these posts.")])
        documents, sides = differing
        try:
            decide(
                "different",
                documents,
                user,
                item.using,
                sides=sides,
                check=check_unchanged,
                batch=options.batch,
            )
        except ValueError as error:
            raise MergeRefused([_("These posts are no longer compared with each other.")]) from error
        posts = [
            post
            for document_id, post in item.objects_by_document.items()
            if document_id not in item.hidden_document_ids
        ]
        admin_log.write_admin_log(user, posts, _("Decided: not duplicates."), item.using)


def _differing_sides(item: ReviewItem) -> tuple[list[Document], dict[int, int] | None] | None:
    """Return the documents that differ, and their sides. Without sides every two of them differ.

    Documents of posts that the person may not see are left out. Return None if no two are left that differ.

    - Of a group every two posts differ. If only some were selected, these differ from the rest.
    - Of a family every two selected posts differ. Nothing is said of the rest.
    - The posts of a pair, or a post and its shortlist, differ.

    Outside groups a decision is kept on the main posts: the leaders of the groups stand for their copies.
    """
    documents, sides = _all_differing_sides(item)
    documents = [document for document in documents if document.pk not in item.hidden_document_ids]
    if sides is not None:
        sides = {document.pk: sides[document.pk] for document in documents}
    is_enough = len(documents) > 1 if sides is None else len(set(sides.values())) > 1
    return (documents, sides) if is_enough else None


def _all_differing_sides(item: ReviewItem) -> tuple[list[Document], dict[int, int] | None]:
    """Return the same of all posts, seen or not."""
    selected_ids = {document.pk for document in item.selected_documents}
    if item.kind == CLUSTER:
        if item.is_complete and not item.is_keeper_unselected:
            return item.documents, None
        return item.documents, {
            document.pk: 1 if document.pk in selected_ids else 2 for document in item.documents
        }
    sides = {item.keeper_document.pk: 1, **dict.fromkeys(selected_ids, 2)}
    memberships = Membership.objects.using(item.using).filter(
        document__in=list(sides), scheme__state=Scheme.State.ACTIVE
    )
    leaders = dict(memberships.values_list("document", "cluster__leader"))
    documents = Document.objects.using(item.using)
    if item.kind == FAMILY:
        if item.is_keeper_unselected:
            del sides[item.keeper_document.pk]
        # A copy is no other item than its leader.
        return list(documents.filter(pk__in={leaders.get(document, document) for document in sides})), None
    for document, side in list(sides.items()):
        sides.setdefault(leaders.get(document, document), side)
    return list(documents.filter(pk__in=sides)), sides


def _has_duplicates(item: ReviewItem) -> bool:
    """Return whether two posts of a family, or copies of them, are undecided duplicates."""
    leaders = {item.leader.pk, *(document.pk for document in item.selected_documents)}
    documents = with_copies(leaders, item.using)
    pairs = Pair.objects.using(item.using).filter(a__in=documents, b__in=documents, verdict=Verdict.DUPLICATE)
    return open_pairs(pairs).exists()


class HideAction(ModerationAction):
    name = "hide"
    title = gettext_lazy("Hide the duplicates")
    button = pgettext_lazy("button", "Hide")
    consequence = gettext_lazy("taken from publication")
    item_kinds = CLUSTER + PAIR + FAMILY

    def done_message(self, count: int) -> str:
        return ngettext(
            "Duplicates hidden in %(count)d group.", "Duplicates hidden in %(count)d groups.", count
        ) % {"count": count}

    def fill_preview(self, preview: ActionPreview, request: HttpRequest, site: Any) -> None:
        losers, using = hidden_posts(preview.item), preview.item.using
        preview.missing_permissions += missing_permissions(
            permissions_on_objects("change", losers), request, site, using
        )
        for loser in losers:
            if not any(adapter.can_hide for adapter in adapters_of(loser)[:1]):
                preview.obstacles.append(
                    _("The adapter of “%(model)s” does not define how to hide.")
                    % {"model": loser._meta.verbose_name_plural}
                )
        preview.obstacles = list(dict.fromkeys(preview.obstacles))
        preview.undo_outlook = undo_outlook(losers, using, len(losers), are_deleted=False)

    def perform(
        self, item: ReviewItem, user: Any, check_unchanged: Callable[[], None], options: ActionOptions
    ) -> None:
        moderation.hide(hidden_posts(item), _build_case(item, user, check_unchanged, options))


def hidden_posts(item: ReviewItem) -> list[Model]:
    """Return the posts that "hide" hides: all but the one that is kept. Of a family, whose posts differ, all."""
    if item.kind != FAMILY or item.is_keeper_unselected or item.keeper is None:
        return item.losers
    return [item.keeper, *item.losers]


class MergeAction(ModerationAction):
    name = "merge"
    title = gettext_lazy("Merge into the keeper")
    button = pgettext_lazy("button", "Merge…")
    consequence = gettext_lazy("first the plan")
    permission = MERGE_PERMISSION

    def done_message(self, count: int) -> str:
        return ngettext("Merged: %(count)d group.", "Merged: %(count)d groups.", count) % {"count": count}

    def fill_preview(self, preview: ActionPreview, request: HttpRequest, site: Any) -> None:
        group = preview.item
        assert group.keeper is not None
        options = preview.options
        plan = moderation.plan_merge(
            group.keeper, group.losers, group.using, options.field_values, options.clash_choices
        )
        preview.plan, preview.relation_lines = plan, plan.lines()
        preview.obstacles, preview.open_questions = plan.obstacles, plan.undecided_messages
        preview.undo_outlook = undo_outlook(group.losers, group.using, plan.row_count, are_deleted=True)
        preview.missing_permissions += missing_permissions(
            permissions_for_merge(plan), request, site, group.using
        )

    def perform(
        self, item: ReviewItem, user: Any, check_unchanged: Callable[[], None], options: ActionOptions
    ) -> None:
        assert item.keeper is not None
        case = _build_case(item, user, check_unchanged, options)
        moderation.merge(item.keeper, item.losers, case, options.field_values, options.clash_choices)


class DeleteAction(ModerationAction):
    name = "delete"
    title = gettext_lazy("Delete the duplicates")
    button = pgettext_lazy("button", "Delete…")
    consequence = gettext_lazy("first the list of losses")

    def done_message(self, count: int) -> str:
        return ngettext(
            "Duplicates deleted in %(count)d group.", "Duplicates deleted in %(count)d groups.", count
        ) % {"count": count}

    def fill_preview(self, preview: ActionPreview, request: HttpRequest, site: Any) -> None:
        group = preview.item
        losers = group.losers
        preview.obstacles = deletion_obstacles(losers, group.using)
        cascaded = [] if preview.obstacles else cascaded_rows(losers, group.using)
        preview.missing_permissions += missing_permissions(
            permissions_for_delete(losers, cascaded), request, site, group.using
        )
        preview.undo_outlook = undo_outlook(
            losers, group.using, len(losers) + len(cascaded), are_deleted=True
        )
        if group.keeper in cascaded:
            preview.obstacles.append(_("The keeper would be deleted with its duplicates."))
        if not preview.missing_permissions:
            self._list_deletions(preview, request, site)
            kept_posts = [group.keeper] if group.keeper is not None else []
            preview.files = find_orphaned_files([*losers, *cascaded], file_names_of(kept_posts))

    def _list_deletions(self, preview: ActionPreview, request: HttpRequest, site: Any) -> None:
        """Add the rows that would be deleted to the preview, as Django's own delete confirmation lists them."""
        by_model: dict[Any, list[Any]] = {}
        for loser in preview.item.losers:
            by_model.setdefault(type(loser), []).append(loser)
        for model, losers in by_model.items():
            # A ModelAdmin of the site may override what its confirmation lists.
            collect = site.get_model_admin(model).get_deleted_objects if site.is_registered(model) else None
            collected = collect(losers, request) if collect else get_deleted_objects(losers, request, site)
            deletion_tree, counts, missing_names, _protected = collected
            preview.missing_permissions += [str(name) for name in missing_names]
            for name, count in counts.items():
                preview.deletion_counts[name] = preview.deletion_counts.get(name, 0) + count
            if sum(counts.values()) <= MAX_LISTED_ROWS:
                preview.deletion_tree += _without_controls(deletion_tree)

    def perform(
        self, item: ReviewItem, user: Any, check_unchanged: Callable[[], None], options: ActionOptions
    ) -> None:
        case = _build_case(item, user, check_unchanged, options)
        moderation.delete(item.losers, case, keeper=item.keeper, redirects=not options.leaves_nothing)


def _without_controls(tree: list[Any]) -> list[Any]:
    """Return Django's list of rows, with names that cannot reverse the text after them."""
    return [
        # HTML stays HTML: no character of it is a control.
        _without_controls(entry)
        if isinstance(entry, list)
        else type(entry)(replace_control_characters(entry))
        for entry in tree
    ]


MODERATION_ACTIONS: dict[str, ModerationAction] = {
    outcome.name: outcome
    for outcome in (MarkNotDuplicatesAction(), HideAction(), MergeAction(), DeleteAction())
}


def _build_case(
    item: ReviewItem, user: Any, check_unchanged: Callable[[], None], options: ActionOptions
) -> ActionContext:
    return ActionContext(
        user=user,
        using=item.using,
        cluster_id=item.cluster_id,
        resolves_cluster=item.is_complete and isinstance(item.source, Cluster),
        shown_scores=item.seen_by_object(),
        check_unchanged=check_unchanged,
        batch_id=options.batch,
        accepts_loss=options.accepts_loss,
    )


def remember_unselected(
    item: ReviewItem, action: ModerationAction, user: Any, options: ActionOptions
) -> None:
    """Decide that the unselected members differ from the selected ones and the keeper.

    Do nothing if the option is off, if the item is no cluster, if all members are selected, or if the action is
    "leave": it stores this itself.
    """
    is_chosen = options.remember_unselected and item.kind == CLUSTER
    if not is_chosen or item.is_complete or action.name == "leave":
        return
    selected_ids = {item.keeper_document.pk, *(document.pk for document in item.selected_documents)}
    seen = [document for document in item.documents if document.pk not in item.hidden_document_ids]
    sides = {document.pk: 1 if document.pk in selected_ids else 2 for document in seen}
    if len(set(sides.values())) > 1:
        decide("different", seen, user, item.using, sides=sides, batch=options.batch)
