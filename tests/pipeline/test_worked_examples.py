"""The articles' own examples, from a save to the group."""

import pytest

from django_neardup.models import Cluster
from tests.algorithms.test_verdicts import PARAGRAPHS, REWRITTEN
from tests.pipeline.families import family
from tests.pipeline.helpers import cluster, pair, post, work

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

JOKES = [
    (
        "Оптимист учит английский, пессимист учит китайский, а реалист изучает автомат Калашникова.",
        "Оптимист учит английский, пессимист китайский, а реалист учит автомат Калашникова!",
    ),
    (
        "Приходит муж домой поздно вечером. Жена спрашивает: «Где был?» — «В шахматы играл». — «А почему от тебя "
        "пахнет водкой?» — «А чем должно пахнуть, шахматами?»",
        "Муж пришёл домой поздно вечером. Жена его спрашивает: — Где был? — Играл в шахматы. — А почему от тебя "
        "водкой пахнет? — А чем должно пахнуть? Шахматами?",
    ),
    ("Тише едешь — дальше будешь приехавших.", "Тише едешь, дальше будешь приехавших…"),
]


def test_the_last_of_eight_paragraphs_rewritten():
    one, two = post("\n\n".join(PARAGRAPHS)), post("\n\n".join([*PARAGRAPHS[:-1], REWRITTEN]))
    work()
    assert cluster(one) == cluster(two) is not None


@pytest.mark.parametrize("step", [5, 6])
def test_every_fifth_or_sixth_sentence_rewritten(step):
    edited = [REWRITTEN if place % step == step - 1 else text for place, text in enumerate(PARAGRAPHS)]
    one, two = post(" ".join(PARAGRAPHS)), post(" ".join(edited))
    work()
    assert cluster(one) == cluster(two) is not None


def test_sentences_in_another_order():
    one, two = post(" ".join(PARAGRAPHS)), post(" ".join(reversed(PARAGRAPHS)))
    work()
    assert cluster(one) == cluster(two) is not None


def test_thirty_words_inside_a_thousand():
    quote = " ".join(PARAGRAPHS[:3])
    words = [word for number in range(25) for word in family(number)]
    long = post(" ".join([*words[:500], quote, *words[500:]]))
    short = post(quote)
    work()
    assert pair(long, short).verdict == "contained" and not Cluster.objects.exists()


@pytest.mark.parametrize(("told", "retold"), JOKES)
def test_jokes_of_five_to_fifty_words(told, retold):
    one, two, other = post(told), post(retold), post(" ".join(family(1)[:20]))
    work()
    assert cluster(one) == cluster(two) is not None and cluster(other) is None
