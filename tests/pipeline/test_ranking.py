"""Whom to align first: documents by number, the likest first, each with the representative of its cluster."""

import pytest

from django_neardup.comparison.candidates import alignment_order


@pytest.mark.parametrize(
    ("passing", "first", "most", "order"),
    [
        ({}, [7], 4, []),
        ({5: None, 4: 4, 3: 4, 2: 2, 1: None}, [], 4, [5, 4, 2, 3, 1]),
        ({3: 4, 2: 2, 4: 4}, [], 4, [4, 3, 2]),
        ({7: 1, 6: 2, 1: 1, 2: 2, 3: 3}, [], 8, [1, 7, 2, 6, 3]),
        ({3: 9, 2: 2, 1: None}, [], 4, [3, 2, 1]),
        ({3: 4, 4: 4, 2: 2, 1: None}, [2, None, 8, 2], 4, [2, 4, 3, 1]),
        ({3: None, 2: 2, 1: None}, [], 1, [3, 2, 1]),
    ],
    ids=[
        "nobody",
        "the likest, then main posts, then the rest",
        "each of the likest behind its main post",
        "a quarter of the places is for the likest",
        "a main post that did not pass is not there",
        "the first go before all and take no place of the likest",
        "one place is for the likest",
    ],
)
def test_the_order_of_those_that_pass_the_screen(passing, first, most, order):
    assert alignment_order(passing, first, most) == order
