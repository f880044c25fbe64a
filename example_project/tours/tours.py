"""The three tours: a sentence and a link for each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tours import pages
from tours.accounts import ACCOUNTS, Account


class Step(NamedTuple):
    """`address`: looked up when the step is taken, since posts come and go."""

    text: Promise
    link: Promise
    address: Callable[[], str]


class Tour(NamedTuple):
    """A walk through the site as one of the accounts."""

    name: str
    title: Promise
    summary: Promise
    account: Account
    steps: tuple[Step, ...]


VISITOR = Tour(
    "visitor",
    _("A visitor’s tour"),
    _("Lists without repetitions, similar posts, one address for one report."),
    ACCOUNTS[""],
    (
        Step(
            _("A search shows one entry for adverts that say the same; the others are behind its link."),
            _("Search for piles"),
            pages.search_piles,
        ),
        Step(
            _("The same search without grouping is much longer."),
            _("Show every advert"),
            pages.search_piles_one_by_one,
        ),
        Step(
            _(
                "A page lists all adverts of a group; each names its difference: the price, the town, some words."
            ),
            _("Compare a group of piles"),
            pages.similar_piles,
        ),
        Step(
            _("A pile of another mark is another item: it is listed as similar, and never grouped."),
            _("Look at a single pile"),
            pages.pile_with_variants,
        ),
        Step(
            _("A report that several outlets have printed is one entry of the news."),
            _("Read the news"),
            pages.news,
        ),
        Step(
            _(
                "A reprint links to the first publication, and names it to search engines as the canonical address."
            ),
            _("Open a reprint"),
            pages.reprint,
        ),
        Step(
            _("A message that was also posted in other topics has a link to them."),
            _("Open a topic"),
            pages.repeated_message,
        ),
        Step(
            _("A guest’s reply is shown as soon as it has been compared with all messages. Try it."),
            _("Write a reply"),
            pages.reply,
        ),
    ),
)
AUTHOR = Tour(
    "author",
    _("An author’s tour"),
    _("What is shown before a post is published, and what becomes of a copy."),
    ACCOUNTS["demo"],
    (
        Step(
            _("Your own list says which advert waits for a moderator, and which one is a draft."),
            _("See your adverts"),
            pages.own_adverts,
        ),
        Step(
            _("This form holds the text of another seller: change a word, and similar adverts appear below."),
            _("Type an advert"),
            pages.another_seller_s_text,
        ),
        Step(
            _("Press “Publish”: the similar adverts are shown first, and you may still publish."),
            _("Publish a copy"),
            pages.another_seller_s_text,
        ),
        Step(
            _("This one holds your own text: the form offers to renew your advert in place of a copy."),
            _("Publish your own advert again"),
            pages.own_text,
        ),
        Step(
            _("A report copied from an agency goes to an editor. Press “Publish”, then send it."),
            _("Send in a report"),
            pages.agency_s_report,
        ),
        Step(
            _("A question that was asked before: change a word, and the earlier messages appear below."),
            _("Start a topic"),
            pages.asked_before,
        ),
        Step(
            _("If a moderator is wrong about your advert, say what makes it another one."),
            _("Write to a moderator"),
            pages.appeal,
        ),
    ),
)
MODERATOR = Tour(
    "moderator",
    _("A moderator’s tour"),
    _("The queue, the evidence, a merge and the way back."),
    ACCOUNTS["moderator"],
    (
        Step(
            _("Groups and pairs stand in one list, the most useful decisions first."),
            _("Open the queue"),
            pages.queue,
        ),
        Step(
            _("Two texts side by side: another code is marked as decisive, so these are two items."),
            _("Compare two adverts"),
            pages.evidence,
        ),
        Step(
            _("Each member of a group is compared with its main post. You choose who takes part."),
            _("Open a group"),
            pages.group_of_cars,
        ),
        Step(
            _(
                "A plan says what a merge does to each field and photo. To merge, become the administrator above."
            ),
            _("Read the plan of a merge"),
            pages.merge_plan,
        ),
        Step(
            _("Posts that wait for you: publish or refuse them."),
            _("Open the held posts"),
            pages.held_posts,
        ),
        Step(
            _("Goods of one shop share a template. They are a family, no copies."),
            _("See the families"),
            pages.families,
        ),
        Step(
            _("Your own lists have a column and a filter for similar posts, and the four actions."),
            _("Open the list of articles"),
            pages.article_list,
        ),
        Step(
            _("Everything that was decided can be undone here."),
            _("See the recent decisions"),
            pages.decided,
        ),
    ),
)
TOURS = {tour.name: tour for tour in (VISITOR, AUTHOR, MODERATOR)}
