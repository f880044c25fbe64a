"""What is said of a cluster is renewed by what has changed: all its pairs are read only where nothing else can tell."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.pipeline import mark
from tests.pipeline.helpers import SOFA, SOFA_EDITED, cluster, post, work
from tests.pipeline.test_machine import everything
from tests.pipeline.test_races import rebuild

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default"]), pytest.mark.engine_alike]


@pytest.fixture
def posts():
    """The last two are the weakest pair."""
    made = [post(text) for text in (SOFA, SOFA, f"{SOFA} Торг.", SOFA_EDITED)]
    work()
    assert cluster(made[0]).size == len(made)
    return made


def spent(instance, **fields):
    """Statements of a turn that read all pairs of a cluster, and those that write clusters; its figures are true."""
    for name, value in fields.items():
        setattr(instance, name, value)
    mark(instance, recheck=True)
    instance.save()
    with CaptureQueriesContext(connection) as statements:
        work()
    found = everything()
    rebuild()
    assert everything() == found
    texts = [each["sql"] for each in statements]
    return (
        sum("MIN(p." in text for text in texts),
        sum(text.startswith("UPDATE") and "neardup_cluster" in text.split("SET")[0] for text in texts),
    )


@pytest.mark.parametrize("place", range(4))
def test_a_second_look_at_a_member_leaves_its_cluster_alone(posts, place):
    assert spent(posts[place]) == (0, 0)


def test_all_pairs_are_read_only_where_the_weakest_may_have_risen(posts):
    assert spent(posts[1], text=f"{SOFA} Звоните.") == (0, 1)
    weakest = cluster(posts[0]).weakest
    assert spent(posts[3], text=SOFA) == (1, 1)
    assert cluster(posts[0]).weakest > weakest
