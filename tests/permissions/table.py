"""The table of permissions: every person at every address, in every search and with every act.

A cell is wrong if the answer or the rows that changed differ from the rule, or if the answer holds the word of a post
that the person may not see.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver, reverse

from tests.admin.tools import fields, look, url_of
from tests.moderation.tools import snapshot
from tests.permissions import rule
from tests.permissions.people import Person
from tests.permissions.population import SYLLABLES, Case, Post, World

WORD = re.compile(f"тай(?:{'|'.join(SYLLABLES)}){{4}}")
ECHO = re.compile(r'value="[^"]*"|\?q=[^"&]*|“[^”]*”')
"""A page repeats what was searched for."""
WRITE = re.compile(r"\s*(INSERT INTO|UPDATE|DELETE FROM)\s+\W?(\w+)", re.IGNORECASE)
UNCOUNTED = ("django_session", "neardup_openitem", "neardup_changeddocument", "neardup_space", "auth_user")
"""Tables that a look may write: sessions, the rows of the queue, which are formed again at any time, and the rows that
are locked for it."""


@dataclass
class Table:
    """The cells by row and person, and what is wrong with them."""

    cells: dict[tuple[str, str], dict[Person, str]] = field(default_factory=lambda: defaultdict(dict))
    faults: list[str] = field(default_factory=list)
    count: int = 0

    def add(
        self, act: str, case: str, person: Person, expected: str, answer: str, leaks: Collection[str] = ()
    ) -> None:
        """Add a cell. ``leaks``: the words on the page that the person may not see."""
        self.count += 1
        is_wrong = expected != answer or bool(leaks)
        self.cells[act, case][person] = f"{answer}!" if is_wrong else answer
        if is_wrong:
            told = f", shows {', '.join(leaks)}" if leaks else ""
            self.faults.append(f"{act}, {case or 'all'}, {person}: {answer}, not {expected}{told}")

    def lines(self, people: Sequence[Person]) -> Iterator[str]:
        """Yield the table: persons as columns, and one line for all kinds of post with the same answers."""
        width = max(len(act) for act, _case in self.cells) + 1
        columns = [max(7, len(str(person)) + 1) for person in people]
        yield " " * width + "".join(
            str(person).ljust(size) for person, size in zip(people, columns, strict=True)
        )
        alike: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
        for (act, case), cells in self.cells.items():
            alike[act, tuple(cells.get(person, "") for person in people)].append(case)
        for (act, cells), cases in alike.items():
            answers = "".join(cell.ljust(size) for cell, size in zip(cells, columns, strict=True))
            yield f"{act.ljust(width)}{answers} {', '.join(cases)}".rstrip()


def own_addresses(urlconf: str) -> set[str]:
    """Return the names of every address of the app in a URLconf: of its pages, its API and its admin.

    Those of the admin are without ``neardup_``. Raise AssertionError if an address has no name.
    """

    def walk(patterns: Iterable[Any], route: str) -> Iterator[tuple[str, str | None]]:
        for pattern in patterns:
            below = route + str(pattern.pattern)
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern.url_patterns, below)
            else:
                yield below, pattern.name

    names = set()
    for route, name in walk(get_resolver(urlconf).url_patterns, ""):
        # Django's admin redirects each unknown path below a ModelAdmin to the page of the row.
        if not route.startswith(("admin/neardup/", "similar/")) or (
            route.endswith("<path:object_id>/") and not name
        ):
            continue
        assert name, f"the address {route} has no name"
        names.add(name.removeprefix("neardup_"))
    return names


def known_addresses() -> set[str]:
    return {*rule.ADMIN, *rule.CONFIRMATIONS, *rule.PUBLIC}


def answer_of(response: HttpResponse) -> str:
    if response.status_code == 302 and "/login/" in response.url:
        return rule.DOOR
    return str(response.status_code)


@dataclass
class Run:
    """One run over people and the cases of a world. Nothing that it does stays."""

    world: World
    people: Sequence[Person]
    table: Table = field(default_factory=Table)

    def __post_init__(self) -> None:
        self.by_word = {post.word: post for post in self.world.posts}
        self.forms: dict[tuple[str, str], dict[str, list[str]]] = {}
        self.rows = snapshot()

    def go(self) -> Table:
        self._collect_forms()
        clients = {person: person.signed_in() for person in self.people}
        self.rows = snapshot()
        for person, client in clients.items():
            self.read(person, client)
            self.search(person, client)
            self.visit(person, client)
            assert not (tables := self.changed_tables()), f"a look of {person} changed rows of {tables}"
            self.act(person, client)
            self.send(person, client)
            assert not (tables := self.changed_tables()), f"an act of {person} stays in {tables}"
        return self.table

    # What is read ------------------------------------------------------------------------------------------

    def read(self, person: Person, client: Client) -> None:
        """Open every address of the admin."""
        for name, address in rule.ADMIN.items():
            cases = self.world.cases if address.row and address.row not in rule.OF_ALL else [None]
            for case in cases:
                response = client.get(self.path(name, address.row, case))
                expected, answer = address.expected(person, case), answer_of(response)
                page = self.page(client, response)
                if case is not None and address.shows and expected == rule.PAGE:
                    posts = [case.posts[row][place] for row, place in address.shows]
                    expected += "".join(rule.sign(rule.sees(person, post)) for post in posts)
                    answer += "".join(rule.sign(post.word in page) for post in posts)
                self.table.add(name, str(case or ""), person, expected, answer, self.leaks(person, page))

    def path(self, name: str, row: str, case: Case | None) -> str:
        """Return the path of an address of the admin for the row of a case."""
        if name == "mergerecord_undo_selected":
            return f"{reverse('admin:neardup_mergerecord_undo_selected')}?id={self.key('lost', case)}"
        is_bare = not row or name.endswith("_changelist")
        return reverse(f"admin:neardup_{name}", args=[] if is_bare else [self.key(row, case)])

    def key(self, row: str, case: Case | None) -> Any:
        if row in rule.OF_ALL:
            return (self.world.phrase if row == "keyphrase" else self.world.passage).pk
        assert case is not None
        if row == "batch":
            return case.rows["lost"].batch
        value = case.rows[row]
        return getattr(value, "pk", value)

    def search(self, person: Person, client: Client) -> None:
        """Search every list for the number and the words of posts."""
        for name, (where, search) in rule.SEARCHES.items():
            for case in self.world.cases:
                post = case.posts[search.row][search.place]
                response = client.get(
                    self.path(where, "", None), {"q": post.word if search.by_word else post.key}
                )
                answer, page = answer_of(response), self.page(client, response)
                if answer == rule.PAGE:
                    answer = str(_count(response)) + rule.sign(post.word in page)
                expected = search.expected(person, case)
                self.table.add(
                    f"search {name}", str(case), person, expected, answer, self.leaks(person, page)
                )

    def visit(self, person: Person, client: Client) -> None:
        """Open the public addresses as the same person."""
        for case in self.world.cases:
            post = case.posts["indexed"][0]
            ways = {
                name: reverse(f"neardup:{name}", args=["testapp.ad", post.key])
                for name in ("similar", "api-similar")
            }
            for name, path in ways.items():
                response = client.get(path)
                expected, page = rule.public_answer(person, name, case), response.content.decode()
                self.add_visit(name, case, person, expected, response, page)
            draft = {"text": case.rows["text"], "sku": case.tenant}
            response = client.post(reverse("neardup:check", args=["testapp.ad"]), draft)
            expected = rule.PAGE + rule.sign(rule.is_public_for(person, post))
            self.add_visit("check", case, person, expected, response, _unescaped(response), post)

    def add_visit(
        self, name: str, case: Case, person: Person, expected: str, response: HttpResponse, page: str,
        post: Post | None = None,
    ) -> None:  # fmt: skip
        answer = answer_of(response) + ("" if post is None else rule.sign(post.word in page))
        hidden = {word for word in WORD.findall(page) if not rule.is_public_for(person, self.by_word[word])}
        self.table.add(name, str(case), person, expected, answer, sorted(hidden))

    # What is done ------------------------------------------------------------------------------------------

    def act(self, person: Person, client: Client) -> None:
        """Open every confirmation and press its button."""
        for case in self.world.cases:
            for name, act in rule.DECISIONS.items():
                outcome = name.partition(" ")[0]
                seen = look(client, outcome, case.rows[act.posts])
                self.add_act(name, act, case, person, client, seen, url_of(None, outcome))
            for name, act in rule.UNDOS.items():
                url = reverse("admin:neardup_mergerecord_undo", args=[case.rows[act.posts].batch])
                self.add_act(name, act, case, person, client, client.get(url), url)
            for name, act in rule.HOLDS.items():
                url = reverse("admin:neardup_hold_decide", args=[name])
                seen = client.get(url, {"id": case.rows["hold"].pk})
                self.add_act(name, act, case, person, client, seen, url)
            for name, act in rule.LISTED.items():
                url = url_of(None, name.partition(" ")[0])
                self.add_act(name, act, case, person, client, None, url)

    def add_act(
        self,
        name: str,
        act: rule.Act,
        case: Case,
        person: Person,
        client: Client,
        seen: HttpResponse | None,
        url: str,
    ) -> None:
        look_answer, click_answer, is_done = act.expected(person, case)
        with self.rolled_back() as changes:
            response = client.post(url, self.forms[name, str(case)])
            found = [answer_of(response), "done" if self.has_changed(changes) else "-"]
            page = _page_with_messages(response)
        expected = [click_answer, "done" if is_done else "-"]
        if seen is not None:
            expected, found = [look_answer, *expected], [answer_of(seen), *found]
            page += seen.content.decode()
        leaks = self.leaks(person, page)
        self.table.add(name, str(case), person, _short(expected), _short(found), leaks)

    def send(self, person: Person, client: Client) -> None:
        """Send every other form."""
        for name, (address, row, data, rights) in rule.SENT.items():
            for case in self.world.cases:
                self.send_one(name, address, row, data, rights(person, case), person, client, case)
        for name, (address, row, data, rights) in rule.SENT_TO_LISTS.items():
            self.send_one(name, address, row, data, rights(person, self.world.cases[0]), person, client, None)

    def send_one(
        self, name: str, address: str, row: str, data: dict[str, str], is_allowed: bool, person: Person,
        client: Client, case: Case | None,
    ) -> None:  # fmt: skip
        selected = {"_selected_action": self.key(row, case)} if "action" in data else {}
        with self.rolled_back() as changes:
            response = client.post(self.path(address, row, case), {**data, **selected})
            answer = "done" if self.has_changed(changes) else "-"
            page = _page_with_messages(response)
        if response.status_code >= 500:
            answer = str(response.status_code)
        expected = "done" if is_allowed else "-"
        self.table.add(name, str(case or ""), person, expected, answer, self.leaks(person, page))

    # Tools -------------------------------------------------------------------------------------------------

    def _collect_forms(self) -> None:
        """Collect the forms of all acts, as a superuser is shown them."""
        boss = self.world.boss
        for case in self.world.cases:
            for name, act in rule.DECISIONS.items():
                seen = look(boss, name.partition(" ")[0], case.rows[act.posts])
                self.forms[name, str(case)] = fields(seen)
            for name, act in rule.UNDOS.items():
                kind = "decision" if act.posts == "decision" else "record"
                self.forms[name, str(case)] = {kind: [str(case.rows[act.posts].pk)]}
            for name in rule.HOLDS:
                url = reverse("admin:neardup_hold_decide", args=[name])
                self.forms[name, str(case)] = fields(boss.get(url, {"id": case.rows["hold"].pk}))
            row = f"c{case.rows['cluster'].pk}"
            number = case.posts["cluster"][0].key
            listed = fields(boss.get(self.path("queue_changelist", "", None), {"q": number}))
            for name in rule.LISTED:
                self.forms[name, str(case)] = {"id": [row], f"seen.{row}": listed[f"seen.{row}"]}

    @contextmanager
    def rolled_back(self) -> Iterator[list[str]]:
        """Take back what is done inside. Yield the tables of the rows that are written, which fill as it is done."""
        written: list[str] = []

        def record(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            result = execute(sql, params, many, context)
            write = WRITE.match(sql)
            # SQLite counts the rows of INSERT … RETURNING when they are fetched.
            is_counted = write and (write[1][0] in "Ii" or context["cursor"].rowcount)
            if write and is_counted and not write[2].startswith(UNCOUNTED):
                written.append(write[2])
            return result

        block: Any = transaction.atomic()
        # The app refuses to run inside a transaction, but for that of a test.
        block._from_testcase = True
        with block:
            with connection.execute_wrapper(record):
                yield written
            transaction.set_rollback(True)

    def has_changed(self, written: Collection[str]) -> bool:
        """Return whether rows differ. What is written may have been taken back."""
        return bool(written) and self.changed_tables() != []

    def changed_tables(self) -> list[str]:
        """Return the tables whose rows differ from those at the beginning."""
        rows_now = snapshot()
        return [
            label for label, rows in self.rows.items() if label != "neardup.Space" and rows != rows_now[label]
        ]

    def page(self, client: Client, response: HttpResponse) -> str:
        """Return the page of an answer, without what it repeats. Follow one redirect."""
        if answer_of(response) == rule.MOVED:
            response = client.get(response.url)
        return ECHO.sub("", response.content.decode())

    def leaks(self, person: Person, page: str) -> list[str]:
        words = set(WORD.findall(page))
        return sorted(word for word in words if not rule.sees(person, self.by_word[word]))


def _count(response: HttpResponse) -> int:
    """Return how many rows a list has."""
    if "cl" in response.context:
        return int(response.context["cl"].result_count)
    return len(response.context["page"].rows)


def _page_with_messages(response: HttpResponse) -> str:
    """Return the page, and the messages that the next page shows."""
    messages = getattr(response.wsgi_request, "_messages", ())
    return " ".join([ECHO.sub("", response.content.decode()), *map(str, messages)])


def _unescaped(response: HttpResponse) -> str:
    """Return the text of a JSON answer."""
    return str(response.json()) if response.status_code == 200 else response.content.decode()


def _short(parts: Sequence[str]) -> str:
    """Return the parts of a cell, equal ones next to each other once."""
    return " ".join(part for place, part in enumerate(parts) if not place or part != parts[place - 1])
