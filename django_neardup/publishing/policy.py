"""What a form has found and decided about the post it makes, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from ..adapters import Adapter, adapter_for
from ..finding import Match
from ..finding.matches import appeal_of
from ..models import Hold
from ..pipeline import canonical_id
from .looking import Look, Visitor, look, visitor_of
from .rules import Action
from .saving import Waiting, held_still, hold_on_save, renew, standing
from .tokens import confirms, token_of

CHECK, CONFIRM, RENEW, TOKEN = "neardup_check", "neardup_confirm", "neardup_renew", "neardup_token"
"""Names of the buttons, and of the hidden field that goes with the second."""

HEADINGS: dict[tuple[Action, bool], Promise] = {
    ("warn", False): _("There is something similar already"),
    ("warn", True): _("You have something similar already"),
    ("hold", False): _("A moderator will look at this first"),
    ("hold", True): _("You have such a post already"),
    ("block", False): _("This is on the site already"),
    ("block", True): _("You have published this already"),
}
"""By what is done, and whether it is for a post of the visitor's own."""

PROBLEMS: dict[Action, tuple[Promise, str]] = {
    "warn": (_("Nothing is published yet: there is something similar already."), "neardup_confirm"),
    "hold": (_("Nothing is published yet: a moderator would look at this first."), "neardup_confirm"),
    "block": (_("This cannot be published: it is on the site already."), "near_duplicate"),
}
SENT: tuple[Promise, str] = (
    _("Nothing is saved: you have sent this already, and it waits."),
    "near_duplicate",
)
LOOKED: tuple[Promise, str] = (_("Nothing is published yet: you asked to look first."), "neardup_check")

WAITS: dict[str, Promise] = {
    Hold.State.CHECKING: _("It waits already, and will appear as soon as it has been checked."),
    Hold.State.REVIEW: _("It waits already, and will appear when a moderator has looked at it."),
}
"""By the state of the post that was sent before."""

MESSAGES: dict[str, Promise] = {
    "published": _("Published."),
    "checking": _("Saved. It will appear as soon as it has been checked."),
    "review": _("Saved. It will appear when a moderator has looked at it."),
    "refused": _("Saved, but not published: it was refused earlier."),
    "renewed": _("Your earlier post was brought up to date."),
}


class Policy:
    """What the visitor is told, and what is done when the form is saved. Empty where there is nothing to say."""

    def __init__(self, form: forms.BaseForm, request: HttpRequest) -> None:
        self.form, self.request = form, request
        self.found = Look()
        self.instance: Model | None = None
        self.changed = True
        self._renewed: Model | None = None
        self._waiting: Waiting | None = None

    def know(self, instance: Model, changed: bool = True) -> None:
        """The post that the form makes, and whether it says anything that it did not say before."""
        self.instance, self.changed = instance, changed

    def look(self) -> None:
        """Find what the post is like, and ask the rules."""
        self.found = look(self.request, self.post, self.adapter, self.visitor)

    @property
    def post(self) -> Model:
        """The post; ValueError where the form makes none."""
        if self.instance is None:
            raise ValueError("The form makes no post: let get_neardup_instance() return one.")
        return self.instance

    @property
    def adapter(self) -> Adapter:
        return adapter_for(self.post)

    @cached_property
    def visitor(self) -> Visitor:
        return visitor_of(self.request, self.post, self.adapter)

    @property
    def action(self) -> Action:
        """What the rules say: "ignore", "warn", "hold" or "block"."""
        return self.found.decision.action

    @property
    def asks_to_check(self) -> bool:
        """Whether the visitor wants to see what is similar, and to publish nothing."""
        return self.name(CHECK) in self.form.data

    @property
    def problem(self) -> tuple[Promise, str] | None:
        """Why the form may not be saved (yet), and the code of that error; None where it may."""
        if self.asks_to_check:
            return LOOKED
        if self.action == "ignore" or self.to_renew is not None:
            return None
        if self.action != "block" and self._confirmed:
            return None
        return SENT if self._is_sent_again else PROBLEMS[self.action]

    @property
    def _is_sent_again(self) -> bool:
        """Whether what stops the visitor is their own post that waits."""
        return self.stops and self.waits is not None

    @property
    def _confirmed(self) -> bool:
        given = self.form.data
        token = given.get(self.name(TOKEN), "")
        return self.name(CONFIRM) in given and confirms(token, self.found.decision, self.post, self.visitor)

    @property
    def to_renew(self) -> Match | None:
        """The old post that the visitor has chosen to renew, if it may be."""
        chosen = self.form.data.get(self.name(RENEW))
        return next((each for each in self.found.renewable if _key(each) == chosen), None)

    def begin(self, instance: Model | None = None) -> Model | None:
        """Called before the post is saved, any number of times: it is held then, if it is to wait. The old post, saved,
        where one is renewed instead, once."""
        if self._renewed is not None:
            return self._renewed
        if instance is not None:
            self.know(instance, self.changed or instance != self.instance)
        chosen = self.to_renew
        if chosen is not None and chosen.object is not None:
            self._waiting = self._until_checked()
            self._renewed = renew(chosen.object, self.post, self.adapter, self.visitor, self._waiting)
        if self._renewed is None and self.instance is not None:
            self._prepare()
        return self._renewed

    def _prepare(self) -> None:
        cause = next(iter(self.found.decision.causes), None)
        self._waiting = self._until_checked() if self.changed else None
        if self.action in ("hold", "block"):
            self._waiting = Waiting(Hold.State.REVIEW, cause, self.visitor.trust)
        self._waiting = standing(self.post, self.adapter, self.visitor) or self._waiting
        if self._waiting is not None:
            hold_on_save(self.post, self._waiting)

    def _until_checked(self) -> Waiting | None:
        return Waiting(Hold.State.CHECKING, None, self.visitor.trust) if self.visitor.waits else None

    @property
    def outcome(self) -> str:
        """What has become of the post that was saved: "published", "checking", "review", "refused" or "renewed"."""
        held = self._waiting.held if self._waiting is not None else None
        if held is None and self._renewed is None:
            held = self._held_before()
        if held is not None:
            return held.state
        return "published" if self._renewed is None else "renewed"

    def _held_before(self) -> Hold | None:
        if self.instance is None or self.instance.pk is None:
            return None
        return held_still(self.instance)

    @property
    def message(self) -> Promise:
        """The same in words for the visitor."""
        return MESSAGES[self.outcome]

    def name(self, button: str) -> str:
        """A button's name in this form."""
        return self.form.add_prefix(button)

    @property
    def check_name(self) -> str:
        return self.name(CHECK)

    @property
    def confirm_name(self) -> str:
        return self.name(CONFIRM)

    @property
    def renew_name(self) -> str:
        return self.name(RENEW)

    @property
    def token_name(self) -> str:
        return self.name(TOKEN)

    @property
    def token(self) -> str:
        """What is sent along with the confirmation."""
        return token_of(self.found.decision, self.post, self.visitor)

    @property
    def is_shown(self) -> bool:
        """Whether there is anything to say to the visitor."""
        return self.instance is not None and (self.asks_to_check or self.problem is not None)

    @property
    def block_id(self) -> str:
        """The id of the block, which the page may be scrolled to."""
        return self.name("neardup-policy")

    @property
    def stops(self) -> bool:
        """Whether the visitor cannot go on."""
        return self.action == "block" and not self.asks_to_check

    @property
    def heading(self) -> str | Promise:
        if self.asks_to_check:
            return _looked(len(self.matches))
        if self._is_sent_again:
            return _("You have sent this already")
        own = any(match.own and match.object is not None for match in self.found.decision.causes)
        return HEADINGS[self.action, own]

    @property
    def matches(self) -> Sequence[Match]:
        """What is listed: all that is similar where that was asked, else what the rules speak of; never a deleted post
        of somebody else's."""
        found = self.found.matches if self.asks_to_check else self.found.decision.causes
        return [match for match in found if match.object is not None or match.own]

    @property
    def waits(self) -> Promise | None:
        """What a listed post waits for that the visitor has sent before; None where none does."""
        sent = self.found.sent
        return WAITS[sent.state] if sent is not None and sent.match in self.matches else None

    @property
    def renewal(self) -> tuple[Match, str] | None:
        """The old post that may be renewed instead, and the value of its button."""
        if self.asks_to_check or not self.found.renewable:
            return None
        return self.found.renewable[0], _key(self.found.renewable[0])

    @property
    def appeal_url(self) -> str:
        """Where the visitor can object; empty where nowhere."""
        return appeal_of(self.post)

    @property
    def fix_id(self) -> str:
        """The id of the field where the text can be changed; empty where the form has none of its own."""
        return next(self._text_fields(), "")

    def _text_fields(self) -> Iterator[str]:
        for name in reversed(self.adapter.fields):
            if name in self.form.fields:
                yield str(self.form[name].id_for_label)


def _looked(count: int) -> str:
    if not count:
        return gettext("Nothing similar was found")
    return ngettext("%(count)d similar post is there", "%(count)d similar posts are there", count) % {
        "count": count
    }


def _key(match: Match) -> Any:
    return None if match.object is None else canonical_id(match.object.pk)
