"""Nodes of django-treebeard and django-mptt: their positions are more than foreign keys, so the library moves
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from ..exceptions import MergeRefused
from .relations import ModelType, Reference, concrete_model, describe_object, rows_of

_TREEBEARD_FIELDS = frozenset(("path", "depth", "numchild", "lft", "rgt", "tree_id", "sib_order"))


def is_node_model(model: ModelType) -> bool:
    return _is_treebeard(model) or _is_mptt(model)


def place_fields(model: ModelType) -> frozenset[str]:
    """Return the names of the fields that hold the place of a node. They are no values to choose."""
    if _is_treebeard(model):
        return _TREEBEARD_FIELDS
    if _is_mptt(model):
        options: Any = model._mptt_meta  # type: ignore[attr-defined]
        return frozenset((options.left_attr, options.right_attr, options.tree_id_attr, options.level_attr))
    return frozenset()


def is_derived_place(model: ModelType, name: str) -> bool:
    """Return whether a field holds a number that follows from the places of other nodes (see ``settle``)."""
    return name in place_fields(model) - {"path", "depth", "sib_order"}


def tree_model(model: ModelType) -> Any:
    """Return the model that has the places. Nodes of a tree may be of several models that inherit from it."""
    name = model._mptt_meta.left_attr if _is_mptt(model) else _treebeard_place(model)  # type: ignore[attr-defined]
    return concrete_model(model._meta.get_field(name).model)


def _treebeard_place(model: ModelType) -> str:
    names = {field.name for field in model._meta.concrete_fields}
    return next(name for name in ("path", "lft", "sib_order", "parent") if name in names)


def is_parent_reference(reference: Reference) -> bool:
    """Return whether a reference is the parent of a node, which the library sets."""
    model = reference.model
    if _is_mptt(model):
        return bool(reference.field.name == model._mptt_meta.parent_attr)  # type: ignore[attr-defined]
    is_own = reference.target_model is concrete_model(model)
    return _is_treebeard(model) and is_own and reference.field.name == "parent"


def check_places(keeper: models.Model, losers: Sequence[models.Model]) -> list[str]:
    """Return an obstacle for each loser that the keeper stands below."""
    if not is_node_model(type(keeper)):
        return []
    node: Any = keeper
    return [
        _("%(keeper)s is below %(loser)s in the tree.")
        % {"keeper": describe_object(keeper), "loser": describe_object(loser)}
        for loser in losers
        if node.is_descendant_of(loser)
    ]


def check_leaves(posts: Iterable[models.Model]) -> list[str]:
    """Return an obstacle for each post with nodes below it: the library would delete them too."""
    nodes: list[Any] = [post for post in posts if is_node_model(type(post))]
    message = _("%(count)d are below %(post)s in the tree: move them first.")
    return [
        message % {"post": describe_object(node), "count": count}
        for node in nodes
        if (count := len([below for below in node.get_descendants() if not _is_among(below, nodes)]))
    ]


def _is_among(node: models.Model, nodes: Iterable[models.Model]) -> bool:
    """Return whether a node, read as one of its tree's model, is one of the nodes."""
    return any(isinstance(other, type(node)) and other.pk == node.pk for other in nodes)


def count_below(posts: Iterable[models.Model]) -> int:
    """Return how many nodes stand below the posts in their tree. A merge moves them."""
    nodes: list[Any] = [post for post in posts if is_node_model(type(post))]
    below = {descendant.pk for node in nodes for descendant in node.get_descendants()}
    return len(below - {node.pk for node in nodes})


def move_children(loser: models.Model, keeper: models.Model, using: str) -> None:
    """Move the children of a node, with all that is below them, to the end of the keeper's."""
    if not is_node_model(type(loser)):
        return
    # The children may be of other models than the loser.
    rows = rows_of(tree_model(type(loser)), using)
    for key in [child.pk for child in rows.get(pk=loser.pk).get_children()]:
        # Each move changes the places of others.
        child, target = rows.get(pk=key), rows.get(pk=keeper.pk)
        if _is_mptt(type(child)):
            child.move_to(target, "last-child")
            child.save()
        else:
            child.move(target, pos="sorted-child" if getattr(child, "node_order_by", None) else "last-child")


def settle(posts: Iterable[models.Model], using: str) -> None:
    """Set what follows from the places of nodes after an undo, if others were moved or added since.

    Raise MergeRefused if the library cannot find the positions again.
    """
    for post in posts:
        if _is_mptt(type(post)):
            _rebuild_if_broken(post, using)
        elif _is_treebeard(type(post)):
            _settle_treebeard(post, using)


def _rebuild_if_broken(post: models.Model, using: str) -> None:
    model: Any = tree_model(type(post))
    options = model._mptt_meta
    if not _is_whole(post, options.left_attr, options.right_attr, options.tree_id_attr, using):
        model._tree_manager.db_manager(using).rebuild()


def _settle_treebeard(post: models.Model, using: str) -> None:
    if hasattr(post, "steplen"):
        _count_children(post, using)
    elif hasattr(post, "rgt") and not _is_whole(post, "lft", "rgt", "tree_id", using):
        raise MergeRefused(
            [_("%(post)s cannot be restored: the tree has changed since.") % {"post": describe_object(post)}]
        )


def _is_whole(post: models.Model, left: str, right: str, tree: str, using: str) -> bool:
    """Return whether the numbers of a tree of nested sets are all used once."""
    rows = rows_of(tree_model(type(post)), using).filter(**{tree: getattr(post, tree)})
    numbers = sorted(number for pair in rows.values_list(left, right) for number in pair)
    return numbers == list(range(1, len(numbers) + 1))


def _count_children(post: models.Model, using: str) -> None:
    """Set the numbers of children of a node and of its parent."""
    model = tree_model(type(post))
    node: Any = rows_of(model, using).get(pk=post.pk)
    for each in (node, *rows_of(model, using).filter(path=node.path[: -model.steplen])):
        count = rows_of(model, using).filter(path__startswith=each.path, depth=each.depth + 1).count()
        rows_of(model, using).filter(pk=each.pk).exclude(numchild=count).update(numchild=count)


def _is_treebeard(model: ModelType) -> bool:
    return _has_base(model, "treebeard.models", "Node")


def _is_mptt(model: ModelType) -> bool:
    return _has_base(model, "mptt.models", "MPTTModel")


def _has_base(model: ModelType, module: str, name: str) -> bool:
    """Return whether a model inherits from a class of a package that need not be installed."""
    return any((base.__module__, base.__name__) == (module, name) for base in model.__mro__)
