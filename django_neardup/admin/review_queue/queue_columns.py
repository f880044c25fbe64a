"""The columns of the queue. A site adds its own to ``QueueAdmin.columns``."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Column:
    """A column of the queue.

    - ``template``: renders a cell, from its ``<td>`` to its ``</td>``. Its context has ``row``, a ``QueueRow``: the
      posts are ``row.posts``, their objects ``post.instance``, or None if the person may not see them.
    - ``order``: the order of the list that its head selects, a name of ``ORDER_COLUMNS``. Empty if there is none.
    """

    title: str | Promise
    template: str
    order: str = ""


FOLDER = "neardup/admin/cells"
COLUMNS = (
    Column(_("Differences, and why to decide"), f"{FOLDER}/difference.html", "first"),
    Column(_("Verdict"), f"{FOLDER}/verdict.html"),
    Column(_("Score"), f"{FOLDER}/score.html", "score"),
    Column(_("Size"), f"{FOLDER}/size.html", "size"),
    Column(_("Contact, author"), f"{FOLDER}/author.html"),
    Column(_("Waiting"), f"{FOLDER}/waiting.html", "age"),
    Column(_("Suggested"), f"{FOLDER}/action.html"),
)
"""The columns of every queue, in their order on the page."""
