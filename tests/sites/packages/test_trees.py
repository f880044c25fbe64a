"""Nodes of django-treebeard and django-mptt: their trees are right after a merge, and as they were after its undo."""

import pytest
from django.conf import settings

from django_neardup.exceptions import MergeRefused
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.trees import count_below
from django_neardup.moderation.undo.restore import undo
from tests.sites.packages.app import models
from tests.sites.tools import rows

pytestmark = pytest.mark.django_db


BELOW = (
    ("root", "keeper"), ("root", "loser"), ("root", "other"), ("keeper", "k1"), ("loser", "l1"), ("loser", "l2"),
    ("l1", "l11"),
)  # fmt: skip


def treebeard_tree(model):
    root = model.add_root(title="root", **sib(model))
    nodes = {"root": root}
    for parent, title in BELOW:
        nodes[title] = model.objects.get(pk=nodes[parent].pk).add_child(title=title, **sib(model))
    return {title: model.objects.get(pk=node.pk) for title, node in nodes.items()}


def sib(model):
    return {"sib_order": 1} if model.__name__ == "ListPage" else {}


def mptt_tree(model):
    nodes = {"root": model.objects.create(title="root")}
    for parent, title in BELOW:
        nodes[title] = model.objects.create(title=title, parent=model.objects.get(pk=nodes[parent].pk))
    return {title: model.objects.get(pk=node.pk) for title, node in nodes.items()}


KINDS = [
    *(
        [("PathPage", treebeard_tree), ("SetPage", treebeard_tree), ("ListPage", treebeard_tree)]
        if "treebeard" in settings.PACKAGES
        else []
    ),
    *([("Section", mptt_tree)] if "mptt" in settings.PACKAGES else []),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind[0])
def tree(request):
    name, grow = request.param
    model = getattr(models, name)
    return model, grow(model)


def shape(model):
    """Titles by the title of their parent, as the library reads its tree, and whether it is whole."""
    parents = {
        node.title: getattr(node.get_parent() if hasattr(node, "get_parent") else node.parent, "title", None)
        for node in model.objects.all()
    }
    if model.__name__ in ("PathPage", "SetPage"):
        assert not any(model.find_problems())
    for node in model.objects.all():
        if hasattr(node, "lft") and hasattr(node, "rght"):
            assert node.rght - node.lft == 2 * node.get_descendants().count() + 1
        children = {child.title for child in node.get_children()}
        assert children == {title for title, parent in parents.items() if parent == node.title}
        below = {each.title for each in node.get_descendants()}
        assert children <= below
    return parents


def test_children_of_a_merged_node_move_with_what_is_below_them(tree):
    model, nodes = tree
    before, tree_before = rows(), shape(model)

    assert count_below([nodes["loser"], nodes["l2"]]) == 2
    (record,) = merge(nodes["keeper"], [nodes["loser"]], ActionContext())
    assert shape(model) == {
        "root": None, "keeper": "root", "other": "root", "k1": "keeper", "l1": "keeper", "l2": "keeper", "l11": "l1",
    }  # fmt: skip
    record = undo(record, None, "default")

    assert record.left == []
    assert rows() == before
    assert shape(model) == tree_before


def test_a_node_with_nodes_below_it_is_not_deleted(tree):
    model, nodes = tree
    before = rows()

    with pytest.raises(MergeRefused, match="below"):
        delete([nodes["l1"]], ActionContext())

    assert rows() == before


def test_a_deleted_leaf_comes_back(tree):
    model, nodes = tree
    before, tree_before = rows(), shape(model)

    (record,) = delete([nodes["l2"]], ActionContext())
    shape(model)
    undo(record, None, "default")

    assert rows() == before
    assert shape(model) == tree_before


def test_a_node_is_not_merged_into_one_below_it(tree):
    model, nodes = tree

    with pytest.raises(MergeRefused, match="below"):
        merge(nodes["l11"], [nodes["loser"]], ActionContext())

    assert "loser" in shape(model)


def test_places_are_no_values_to_choose(tree):
    model, nodes = tree

    plan = plan_merge(nodes["keeper"], [nodes["loser"]], "default")

    assert [column.field.name for column in plan.column_choices] == ["title"]


def test_an_undo_after_others_have_moved(tree):
    """The tree stays whole, whatever comes back."""
    model, nodes = tree
    (record,) = merge(nodes["keeper"], [nodes["loser"]], ActionContext())
    add_child(model, "root", "new")
    add_child(model, "keeper", "k2")

    try:
        undo(record, None, "default")
    except MergeRefused as refused:
        assert any("tree" in reason or "again" in reason or "use" in reason for reason in refused.reasons)

    parents = shape(model)
    assert (parents["new"], parents["k2"]) == ("root", "keeper")


def add_child(model, parent_title, title):
    parent = model.objects.get(title=parent_title)
    if hasattr(parent, "add_child"):
        parent.add_child(title=title, **sib(model))
    else:
        model.objects.create(title=title, parent=parent)


def test_a_leaf_whose_place_was_taken_comes_back_or_says_why(tree):
    model, nodes = tree
    (record,) = merge(nodes["keeper"], [nodes["l2"]], ActionContext())
    add_child(model, "loser", "new")

    try:
        undo(record, None, "default")
    except MergeRefused as refused:
        assert refused.reasons
    else:
        assert model.objects.filter(title="l2").exists()

    assert shape(model)["new"] == "loser"
