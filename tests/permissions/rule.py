"""The rule that the table is compared with: who may see a post, and who may do what with it.

It is written down from the documentation, and uses nothing of the app.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.permissions.people import CHANGE, DELETE, MERGE, MOVE, REVIEW, Person
from tests.permissions.population import Case, Post

DOOR, REFUSED, MISSING, PAGE, MOVED, NO_SUCH_METHOD = "door", "403", "404", "200", "302", "405"
"""What an address answers: the page to sign in, or a status."""


def is_public_for(person: Person, post: Post) -> bool:
    """The site shows published posts to visitors of their tenant."""
    return post.is_public and not post.is_gone and (person.belongs_to(post.tenant) or person.is_superuser)


def is_listed_for(person: Person, post: Post) -> bool:
    """The ModelAdmin lists posts of the person's tenants, unless it withholds them."""
    is_withheld = post.standing in ("withheld", "withheld-public")
    return person.is_superuser or (person.belongs_to(post.tenant) and not is_withheld)


def sees(person: Person, post: Post) -> bool:
    """A post is seen through the ModelAdmin or because the site shows it.

    Of a post that is gone, the ModelAdmin cannot be asked: the permission on its model decides.
    """
    if person.is_superuser:
        return True
    if post.is_gone:
        return person.has(CHANGE) and person.belongs_to(post.tenant)
    by_admin = person.has(CHANGE) and is_listed_for(person, post) and post.standing != "barred"
    return by_admin or is_public_for(person, post)


def may(person: Person, permission: str, post: Post) -> bool:
    """A post is changed or deleted with Django's permission, if the ModelAdmin lists it and does not object."""
    is_closed = post.standing in ("barred", "guarded") and not person.is_superuser
    return person.has(permission) and is_listed_for(person, post) and not is_closed


def decides(person: Person) -> bool:
    """Who has one of the permissions of the app may open its pages."""
    return person.has(REVIEW) or person.has(MERGE)


def door(person: Person, answer: str) -> str:
    return answer if person.is_staff else DOOR


@dataclass(frozen=True)
class Address:
    """What GET of an address of the admin answers.

    - ``row``: the row of a case that it names. Without it there is one address for all.
    - ``needs``: further permissions. ``answer``: what they lead to.
    - ``elsewhere``: the answer about a row of another tenant.
    - ``needs_sight``: the post, by the name in ``Case.posts``, that must be seen, or the answer is 403.
    - ``shows``: the posts whose words are on the page if they are seen, by the name in ``Case.posts`` and the place.
    """

    row: str = ""
    needs: tuple[str, ...] = ()
    answer: str = PAGE
    elsewhere: str = MOVED
    shows: tuple[tuple[str, int], ...] = ()
    needs_sight: str = ""

    def expected(self, person: Person, case: Case | None) -> str:
        if not (decides(person) and person.has(*self.needs)):
            return door(person, REFUSED)
        is_foreign = case is not None and not (person.belongs_to(case.tenant) or person.is_superuser)
        if case is not None and not is_foreign and self.needs_sight:
            return self.answer if sees(person, case.posts[self.needs_sight][0]) else REFUSED
        return self.elsewhere if is_foreign else self.answer


def never(row: str = "") -> Address:
    """An address that refuses everybody: these rows are never added, edited or deleted by hand."""
    return Address(row, answer=REFUSED, elsewhere=REFUSED)


def of_model(
    name: str, row: str = "", shows: tuple[tuple[str, int], ...] = (), **more: Address
) -> dict[str, Address]:
    """Return the addresses of a ModelAdmin whose rows cannot be written by hand."""
    row = row or name
    return {
        f"{name}_changelist": Address(),
        f"{name}_add": never(),
        f"{name}_change": Address(row, shows=shows),
        f"{name}_history": Address(row),
        f"{name}_delete": never(row),
        **more,
    }


def of_list(name: str) -> dict[str, Address]:
    """Return the addresses of a list of staff, which belongs to no tenant."""
    return {
        f"{name}_changelist": Address(),
        f"{name}_add": Address(needs=(f"neardup.add_{name}",)),
        f"{name}_change": Address(name),
        f"{name}_history": Address(name),
        f"{name}_delete": Address(name, needs=(f"neardup.delete_{name}",)),
    }


OF_ALL = ("keyphrase", "ignoredpassage")
"""Rows that belong to no tenant."""

ADMIN: dict[str, Address] = {
    "queue_changelist": Address(),
    "queue_author": Address("author", elsewhere=PAGE, shows=(("pair", 0),)),
    "queue_contact": Address("contact", elsewhere=PAGE, shows=(("pair", 0),)),
    "queue_family": Address("family", shows=(("family", 0), ("family", 1))),
    "queue_shortlist": Address("shortlist", shows=(("pair", 0), ("pair", 1))),
    "queue_copies": Address("copies", answer=MOVED),
    **of_model("cluster", shows=(("cluster", 0), ("cluster", 1))),
    **of_model("pair", shows=(("pair", 0), ("pair", 1))),
    **of_model("decision", shows=(("decision", 0), ("decision", 1))),
    "decision_withdraw": Address("decision", (REVIEW,), NO_SUCH_METHOD, NO_SUCH_METHOD),
    **of_model("document"),
    **of_model("mergerecord", "lost", shows=(("lost", 0), ("lost", 1))),
    "mergerecord_undo": Address("batch", elsewhere=MISSING, shows=(("lost", 0), ("lost", 1))),
    "mergerecord_undo_selected": Address("lost", elsewhere=MISSING, shows=(("lost", 0), ("lost", 1))),
    **of_model("movedurl"),
    # An address quotes the title of the post that it was of.
    "movedurl_change": Address("movedurl", shows=(("lost", 0),), needs_sight="lost"),
    "movedurl_history": Address("movedurl", shows=(("lost", 0),), needs_sight="lost"),
    "movedurl_delete": Address("movedurl", ("neardup.delete_movedurl",), shows=(("lost", 0),), needs_sight="lost"),
    **of_list("keyphrase"),
    **of_list("ignoredpassage"),
    "ignoredpassage_preview": Address("ignoredpassage", needs=("neardup.change_ignoredpassage",)),
    "ignoredpassage_preview_new": Address(needs=("neardup.add_ignoredpassage",)),
    **of_model("hold"),
    "hold_change": Address("hold", answer=MOVED),
}  # fmt: skip
"""Every address of the admin but the confirmations, by its name in the URLconf without ``neardup_``."""

CONFIRMATIONS = ("queue_decide", "hold_decide")
"""Addresses with acts, which ``ACTS`` goes through."""

PUBLIC = ("check", "api-similar", "similar")


def public_answer(person: Person, name: str, case: Case) -> str:
    """The page of a post that a visitor may not see answers as if the post did not exist."""
    return PAGE if name == "check" or is_public_for(person, case.posts["indexed"][0]) else MISSING


@dataclass(frozen=True)
class Act:
    """An act on a row of a case: what the confirmation answers, what the click answers, and whether it is done.

    ``posts``: the name in ``Case.posts``. ``keeper``: the place of the post that stays.
    """

    posts: str
    keeper: int
    look: Callable[[Person, Post, Post], str]
    is_allowed: Callable[[Person, Post, Post], bool]
    elsewhere: str = MISSING

    def expected(self, person: Person, case: Case) -> tuple[str, str, bool]:
        keeper, loser = case.posts[self.posts][self.keeper], case.posts[self.posts][1 - self.keeper]
        look = door(person, self.look(person, keeper, loser))
        if look != PAGE:
            return look, look, False
        if not (person.belongs_to(case.tenant) or person.is_superuser):
            return self.elsewhere, MOVED if self.elsewhere == PAGE else self.elsewhere, False
        is_done = self.is_allowed(person, keeper, loser)
        return PAGE, MOVED if is_done else REFUSED, is_done


def look_with(*names: str) -> Callable[[Person, Post, Post], str]:
    """The page is for people who decide and have these permissions."""
    return lambda person, _keeper, _loser: PAGE if decides(person) and person.has(*names) else REFUSED


def may_move_rows(person: Person, permission: str, post: Post) -> bool:
    """Rows that move or go with a post ask for the permission on their own model."""
    return post.standing != "commented" or person.has(permission)


def may_leave(person: Person, keeper: Post, loser: Post) -> bool:
    """No decision is made on posts that the person may not see."""
    return sees(person, keeper) and sees(person, loser)


def may_hide(person: Person, _keeper: Post, loser: Post) -> bool:
    return may(person, CHANGE, loser)


def may_merge(person: Person, keeper: Post, loser: Post) -> bool:
    return (
        may(person, CHANGE, keeper) and may(person, DELETE, loser) and may_move_rows(person, MOVE[0], loser)
    )


def may_delete(person: Person, _keeper: Post, loser: Post) -> bool:
    return may(person, DELETE, loser) and may_move_rows(person, MOVE[1], loser)


OUTCOMES = {
    "leave": (look_with(REVIEW), may_leave),
    "hide": (look_with(), may_hide),
    "merge": (look_with(MERGE), may_merge),
    "delete": (look_with(), may_delete),
}
DECISIONS: dict[str, Act] = {
    f"{outcome} {name}": Act(name, keeper, *rule)
    for outcome, rule in OUTCOMES.items()
    for name, keeper in (("cluster", 1), ("led", 0), ("pair", 1))
}
"""The acts on groups and pairs: of the first and the last the plain post stays, of "led" the other one."""


def may_undo_hide(person: Person, keeper: Post, loser: Post) -> bool:
    return may(person, CHANGE, loser) and may(person, CHANGE, keeper)


def may_undo_merge(person: Person, keeper: Post, loser: Post) -> bool:
    """A merge is undone with the permissions that it needed. Of a post that is gone, the model is asked."""
    is_moved = may_move_rows(person, MOVE[0], loser)
    return person.has(MERGE, DELETE) and may(person, CHANGE, keeper) and is_moved


def may_undo_delete(person: Person, _keeper: Post, _loser: Post) -> bool:
    """A deletion leaves the keeper as it is, and so does its undo."""
    return person.has(DELETE)


def may_withdraw(person: Person, keeper: Post, loser: Post) -> bool:
    return person.has(REVIEW) and may_leave(person, keeper, loser)


UNDOS: dict[str, Act] = {
    "undo merge": Act("merge", 0, look_with(), may_undo_merge),
    "undo lost": Act("lost", 1, look_with(), may_undo_merge),
    "undo delete": Act("delete", 0, look_with(), may_undo_delete),
    "undo hide": Act("hide", 1, look_with(), may_undo_hide),
    "undo decision": Act("decision", 1, look_with(), may_withdraw),
}
HOLDS: dict[str, Act] = {
    act: Act("hold", 1, look_with(REVIEW), may_hide, elsewhere=PAGE) for act in ("publish", "refuse")
}
"""Nothing is shown of a held post of another tenant, and nothing is done."""

LISTED: dict[str, Act] = {
    f"{outcome} in the list": Act("cluster", 1, *OUTCOMES[rule])
    for outcome, rule in (("leave", "leave"), ("hide", "hide"), ("accept", "hide"))
}
"""Acts on a row of the queue without a confirmation. The suggestion for a group of duplicates is to hide them."""


def is_own(person: Person, case: Case) -> bool:
    return person.is_superuser or person.belongs_to(case.tenant)


def withdraws(person: Person, case: Case) -> bool:
    return is_own(person, case) and may_withdraw(person, *case.posts["decision"])


def forgets_address(person: Person, case: Case) -> bool:
    is_allowed = decides(person) and person.has("neardup.delete_movedurl") and is_own(person, case)
    return is_allowed and sees(person, case.posts["lost"][0])


def tries_again(person: Person, case: Case) -> bool:
    return decides(person) and person.has("neardup.change_document") and is_own(person, case)


def nobody(_person: Person, _case: Case) -> bool:
    return False


def keeper(permission: str) -> Callable[[Person, Case], bool]:
    return lambda person, _case: decides(person) and person.has(f"neardup.{permission}")


SENT: dict[str, tuple[str, str, dict[str, str], Callable[[Person, Case], bool]]] = {
    "withdraw": ("decision_withdraw", "decision", {}, withdraws),
    "withdraw in the list": ("decision_changelist", "decision", {"action": "withdraw_selected"}, withdraws),
    "delete an address": ("movedurl_delete", "movedurl", {"post": "yes"}, forgets_address),
    "delete addresses in the list": (
        "movedurl_changelist", "movedurl", {"action": "delete_selected", "post": "yes"}, forgets_address,
    ),
    "try again": ("document_changelist", "document", {"action": "retry_selected"}, tries_again),
    "edit a group": ("cluster_change", "cluster", {"size": "1", "state": "resolved"}, nobody),
    "delete a group": ("cluster_delete", "cluster", {"post": "yes"}, nobody),
    "delete a pair": ("pair_delete", "pair", {"post": "yes"}, nobody),
    "edit a decision": ("decision_change", "decision", {"kind": "same"}, nobody),
    "delete a record": ("mergerecord_delete", "lost", {"post": "yes"}, nobody),
    "delete a document": ("document_delete", "document", {"post": "yes"}, nobody),
    "delete a held post": ("hold_delete", "hold", {"post": "yes"}, nobody),
}  # fmt: skip
"""What else is sent about a row of a case: the address, the row, the form, and who gets it done."""

PHRASE, PASSAGE = (
    {"text": "трубы", "profile": ""},
    {"text": "трубы стальные новые и бывшие в работе", "profile": ""},
)
SENT_TO_LISTS: dict[str, tuple[str, str, dict[str, str], Callable[[Person, Case], bool]]] = {
    "add a phrase": ("keyphrase_add", "", PHRASE, keeper("add_keyphrase")),
    "change a phrase": ("keyphrase_change", "keyphrase", PHRASE, keeper("change_keyphrase")),
    "delete a phrase": ("keyphrase_delete", "keyphrase", {"post": "yes"}, keeper("delete_keyphrase")),
    "switch a phrase off": ("keyphrase_changelist", "keyphrase", {"action": "switch_off"}, keeper("change_keyphrase")),
    "search a phrase": ("keyphrase_changelist", "keyphrase", {"action": "search_posts"}, keeper("change_keyphrase")),
    "add a passage": ("ignoredpassage_add", "", PASSAGE, keeper("add_ignoredpassage")),
    "change a passage": ("ignoredpassage_change", "ignoredpassage", PASSAGE, keeper("change_ignoredpassage")),
    "delete a passage": ("ignoredpassage_delete", "ignoredpassage", {"post": "yes"}, keeper("delete_ignoredpassage")),
    "preview a passage": ("ignoredpassage_preview", "ignoredpassage", PASSAGE, lambda person, case: False),
}  # fmt: skip
"""The same about the lists of staff."""


@dataclass(frozen=True)
class Search:
    """A search of a list for the number or the word of a post, with the row that it finds.

    ``shows``: the place of the post whose word is then on the page, if it is seen.
    """

    row: str
    place: int = 0
    by_word: bool = False
    needs_titles: bool = False
    needs_title: bool = False

    def expected(self, person: Person, case: Case) -> str:
        if not decides(person):
            return door(person, REFUSED)
        posts = case.posts[self.row]
        needed = posts if self.needs_titles else posts[: int(self.needs_title)]
        is_found = is_own(person, case) and all(sees(person, post) for post in needed)
        return str(int(is_found)) + sign(is_found and sees(person, posts[self.place]))


def sign(is_shown: bool) -> str:
    return "+" if is_shown else "-"


SEARCHES: dict[str, tuple[str, Search]] = {
    "group by number": ("cluster_changelist", Search("led")),
    "pair by number": ("pair_changelist", Search("pair")),
    "decision by number": ("decision_changelist", Search("decision")),
    "record by number": ("mergerecord_changelist", Search("lost")),
    "record by title": ("mergerecord_changelist", Search("lost", by_word=True, needs_titles=True)),
    "address by word": ("movedurl_changelist", Search("lost", by_word=True, needs_title=True)),
    "held post by number": ("hold_changelist", Search("hold")),
    "queue by number": ("queue_changelist", Search("cluster")),
}
