"""What an undo would do: thought through, nothing is changed here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext as _

from ..adapters import adapters_of
from ..models import MergeRecord
from ..pipeline.deed_keys import key_under
from ..pipeline.deeds import deeds_on
from .later import Later
from .leftovers import Leftovers
from .needs import model_at
from .relations import ModelType, rows_called, rows_of
from .restoring import Restoring
from .returning import Back, Returning
from .stored import Place, place_of


@dataclass
class Undo:
    """What an undo would do. With ``reasons`` it does nothing. ``left`` says what would stay as it is.

    ``post`` and ``keeper`` are the objects as they are now, None where they are no more. ``shows``: whether a hidden
    post is shown again; ``again``: its next hiding that is in force, whose undo shows it instead.
    """

    record: MergeRecord
    using: str
    post: models.Model | None = None
    keeper: models.Model | None = None
    reasons: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    backs: list[Back] = field(default_factory=list)
    own: set[Place] = field(default_factory=set)
    later: Later | None = None
    shows: bool = False
    again: MergeRecord | None = None

    @property
    def models(self) -> set[ModelType]:
        """Every model whose rows would be changed, but for those that come back."""
        return {model_at(back.place) for back in self.backs}

    @property
    def beside(self) -> set[ModelType]:
        """The models of the rows that would come back beside the post's own."""
        return {model_at(place_of(row)) for row in self.rows if place_of(row) not in self.own}

    @property
    def below(self) -> set[ModelType]:
        """The models of which the post would come back as a multi-table child."""
        post: Any = self.record.loser_type.model_class()
        own = {model_at(place) for place in self.own & set(map(place_of, self.rows))}
        return {model for model in own if post is not None and issubclass(model, post) and model is not post}

    def lines(self) -> list[tuple[str, str, int]]:
        """What comes back, in words and numbers: the kind of rows, the column where one goes back, how many."""
        rows = Counter((_words(row["model"]), "") for row in self.rows)
        columns = Counter(
            (_words(back.place[0]), _column(back.place, name)) for back in self.backs for name in back.values
        )
        return [(*words, count) for words, count in [*sorted(rows.items()), *sorted(columns.items())]]


def plan_undo(record: MergeRecord, using: str, *, lock: bool = False) -> Undo:
    """Think an undo through, as things are in that database now; nothing is changed.

    ``lock``: in a transaction, with the rows of the posts and of later records locked until its end.
    """
    post, keeper = object_of(record.loser_type_id, record.loser_id, using, lock=lock), None
    if record.keeper_type_id is not None:
        keeper = object_of(record.keeper_type_id, record.keeper_id, using, lock=lock)
    found = Undo(record, using, post, keeper)
    if record.loser_type.model_class() is None:
        found.reasons.append(_("The site has no such model any more."))
    elif record.action == MergeRecord.Action.HIDE:
        _plan_showing(found, lock)
    else:
        _plan_return(found, lock)
    return found


def _plan_showing(found: Undo, lock: bool) -> None:
    if found.post is None:
        words = _("“%(post)s” is gone: it was merged or deleted since.")
        found.reasons.append(words % {"post": found.record.loser_text})
    elif not found.record.journal.get("shown", True):
        found.left.append(_("The post was not published before it was hidden: it is left as it is."))
    elif again := _hidings_since(found, lock).first():
        found.again = again
        found.left.append(_("The post was hidden once more since: it is shown when that is undone, too."))
    else:
        found.shows = True


def _hidings_since(found: Undo, lock: bool) -> models.QuerySet[MergeRecord]:
    """Later hidings of the post that are in force, the first one first."""
    record = found.record
    rows = MergeRecord.objects.using(found.using).filter(
        loser_type=record.loser_type_id, loser_id=record.loser_id, undone=None
    )
    for adapter in adapters_of(found.post)[:1] if found.post is not None else ():
        rows = deeds_on(adapter.model, key_under(record, adapter.model), found.using)
    rows = rows.filter(action=MergeRecord.Action.HIDE, pk__gt=record.pk)
    return (rows.select_for_update() if lock else rows).order_by("pk")


def _plan_return(found: Undo, lock: bool) -> None:
    left = Leftovers()
    later = Later(found.record, found.using, lock=lock)
    restoring = Restoring(later, left)
    returning = Returning(later, set(restoring.rows), left)
    restoring.settle(returning)
    returning.settle()
    found.later, found.left = later, left.sentences()
    found.reasons = list(dict.fromkeys(restoring.reasons))
    found.own = restoring.own
    found.rows = sorted(restoring.rows.values(), key=lambda row: place_of(row) not in restoring.own)
    found.backs = list(returning.backs.values())


def object_of(kind: int, key: str, using: str, *, lock: bool) -> models.Model | None:
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class()
    if model is None:
        return None
    rows = rows_of(model, using).filter(pk=model._meta.pk.to_python(key))
    found: models.Model | None = (rows.select_for_update() if lock else rows).first()
    return found


def _words(label: str) -> str:
    return rows_called(model_at((label, None)))


def _column(place: Place, name: str) -> str:
    field: Any = model_at(place)._meta.get_field(name)
    return str(field.verbose_name)
