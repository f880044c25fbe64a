"""Erasure and disclosure on request: the options ``--erase``, ``--erase-author`` and ``--show-author``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, models

from ..exceptions import NotRegistered
from ..models import MergeRecord
from ..moderation.erasure.author_data import author_data, deleted_accounts, posts_of_author, rows_with_author
from ..moderation.erasure.erase import (
    ErasurePlan,
    deleted_post,
    erase_posts,
    is_there,
    plan_erasure,
)
from ..moderation.erasure.post_rows import DeletedPost
from ..pipeline import has_tables
from ..pipeline.content_objects import is_stored_in

SOMETHING_LEFT = 3
"""Exit status while anything of ours is left of a person's data."""

MAX_LISTED = 20
"""Records, and lost values, that the question lists."""


class ErasureRun:
    """One run of the command for a person's request.

    ``left``: what is left of the data, or could not be read, in words.
    """

    def __init__(self, command: BaseCommand, databases: Sequence[str], options: dict[str, Any]) -> None:
        self.command, self.options = command, options
        self.left: list[str] = []
        self.aliases = [using for using in databases if self._is_readable(using)]

    def erase(self, names: Iterable[str]) -> None:
        """Erase deleted posts, each named "app.Model:key"."""
        posts = [parse_post(name) for name in names]
        plans = {post: self._plan_post(post) for post in posts}
        self._ask([plan for post_plans in plans.values() for plan in post_plans])
        for post, post_plans in plans.items():
            is_complete = len(post_plans) == len(self._databases_of(post))
            if is_complete or any(plan.kinds for plan in post_plans):
                self._erase_plans(str(post), post_plans)
        self._finish()

    def erase_author(self, author: str) -> None:
        """Erase all deleted posts of an author, and all other rows with the author's key."""
        plans = [plan for using in self.aliases if (plan := self._plan_author(author, using)) is not None]
        self._ask(plans)
        self._erase_plans(f"author {author}", plans)
        if not self.options["dry_run"]:
            for using in self.aliases:
                for kind, count in rows_with_author(author, using).items():
                    self.left.append(f"author {author}: {count} {kind} remain in the database {using!r}.")
        self._finish()

    def show_author(self, author: str) -> None:
        """Print everything that is kept of an author as JSON."""
        data = {"author": author, "databases": {using: author_data(author, using) for using in self.aliases}}
        self.command.stdout.write(json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))
        self._finish()

    def _is_readable(self, using: str) -> bool:
        """Return whether the database has our tables. Note it as left if it cannot be read."""
        try:
            return has_tables(using)
        except DatabaseError as error:
            self.left.append(f"The database {using!r} cannot be read: {str(error).strip()}.")
            return False

    def _databases_of(self, post: DeletedPost) -> list[str]:
        return [using for using in self.aliases if is_stored_in(post.model, using)]

    def _plan_post(self, post: DeletedPost) -> list[ErasurePlan]:
        """Plan the erasure of a post in all databases. Note as left where it exists or cannot be read."""
        plans = []
        for using in self._databases_of(post):
            try:
                if is_there(post, using):
                    self.left.append(f"{post} is not deleted: delete it first.")
                else:
                    plans.append(plan_erasure([post], using))
            except DatabaseError as error:
                self.left.append(
                    f"{post.model._meta.label} cannot be read in the database {using!r}: {str(error).strip()}. "
                    "If it is in another database, use --database."
                )
        return plans

    def _plan_author(self, author: str, using: str) -> ErasurePlan | None:
        """Plan the erasure of an author's deleted posts. Return None if a database cannot be read."""
        try:
            posts = posts_of_author(author, using)
            existing = [post for post in posts if is_there(post, using)]
            self.left += [f"{post} is not deleted: delete it first." for post in existing]
            deleted = [post for post in posts if post not in existing]
            return plan_erasure(deleted, using, deleted_accounts(author, using))
        except DatabaseError as error:
            self.left.append(f"The database {using!r} cannot be read: {str(error).strip()}.")
            return None

    def _ask(self, plans: Sequence[ErasurePlan]) -> None:
        """List what cannot be undone afterwards, and ask. Raise CommandError unless the answer is yes."""
        lines = [line for plan in plans for line in _consequences(plan)]
        if not lines:
            return
        for line in lines:
            self._say(line)
        if self.options["dry_run"] or self.options["yes"]:
            return
        if not sys.stdin.isatty():
            raise CommandError(
                "Nothing was erased. The actions above could no longer be undone: confirm with --yes.",
                returncode=SOMETHING_LEFT,
            )
        if input("Erase it? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was erased.", returncode=SOMETHING_LEFT)

    def _erase_plans(self, name: str, plans: Sequence[ErasurePlan]) -> None:
        is_anything_kept = any(plan.kinds for plan in plans)
        if not self.options["dry_run"]:
            for plan in plans:
                self.left += erase_posts(plan)
        prefix = "would be " if self.options["dry_run"] else ""
        outcome = f"{prefix}erased" if is_anything_kept else "no data is stored"
        self._say(f"{name}: {outcome}.")

    def _say(self, line: str) -> None:
        self.command.stdout.write(line)

    def _finish(self) -> None:
        """Raise CommandError if anything is left."""
        if self.left:
            raise CommandError("\n".join(dict.fromkeys(self.left)), returncode=SOMETHING_LEFT)


def parse_post(name: str) -> DeletedPost:
    """Parse "app.Model:key" to a post. Raise CommandError if the model or the key is not valid."""
    label, _, key = name.partition(":")
    try:
        model: type[models.Model] = apps.get_model(label)
        model._meta.pk.to_python(key)
        post = deleted_post(model, key)
    except (LookupError, ValueError) as error:
        if isinstance(error, NotRegistered):
            raise CommandError(str(error)) from error
        raise CommandError(f"There is no model {label!r}. Write app.Model:KEY.") from None
    except ValidationError:
        raise CommandError(f"{key!r} is not a valid key of {label}.") from None
    if not key:
        raise CommandError(f"{name!r} has no key. Write app.Model:KEY.")
    return post


def _consequences(plan: ErasurePlan) -> list[str]:
    """Return what cannot be undone after an erasure, a line for each record and value."""
    lines = []
    if plan.last_undos:
        lines.append("These actions can no longer be undone:")
        lines += _listed([_describe_record(record) for record in plan.last_undos])
    if plan.losses:
        lines.append("The undo of other posts will no longer restore:")
        lines += _listed([f"record {loss.record.pk}: {loss}" for loss in plan.losses])
    return lines


def _listed(names: Sequence[str]) -> list[str]:
    rest = [f"{len(names) - MAX_LISTED} more"] if len(names) > MAX_LISTED else []
    return [f"  {name}" for name in (*names[:MAX_LISTED], *rest)]


def _describe_record(record: MergeRecord) -> str:
    post = f"{record.loser_type.app_label}.{record.loser_type.model} {record.loser_id}"
    keeper = f" into {record.keeper_id}" if record.action == MergeRecord.Action.MERGE else ""
    by_name = f", {record.by_name}" if record.by_name else ""
    actions = {"merge": "merged", "hide": "hidden", "delete": "deleted"}
    return f"record {record.pk}: {post}, {actions[record.action]}{keeper}, {record.created:%Y-%m-%d}{by_name}"
