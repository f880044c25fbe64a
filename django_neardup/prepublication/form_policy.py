"""The check of the post of a form, and the texts that the form shows about it."""

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
from ..models import Hold
from ..pipeline import canonical_id
from ..search import Match
from ..search.results import safe_appeal_url
from .check import PublicationCheck, Visitor, check_post, load_visitor
from .confirmation_tokens import is_token_valid, make_token
from .rules import RuleAction
from .save import PlannedHold, find_effective_hold, hold_on_save, plan_existing_hold, renew_post
from .text_facts import FACT_HEADINGS, FACT_PROBLEMS, FACT_TEXTS, PARTIAL, TEXT_FACTS, first_fact

CHECK_BUTTON, CONFIRM_BUTTON, RENEW_BUTTON, TOKEN_FIELD = (
    "neardup_check",
    "neardup_confirm",
    "neardup_renew",
    "neardup_token",
)
"""Names of the buttons, and of the hidden field that belongs to the confirm button."""

HEADINGS: dict[tuple[RuleAction, bool], Promise] = {
    ("warn", False): _("Similar posts already exist"),
    ("warn", True): _("You already have a similar post"),
    ("hold", False): _("A moderator will review this first"),
    ("hold", True): _("You already have this post"),
    ("block", False): _("This is already on the site"),
    ("block", True): _("You have already published this"),
}
"""Headings by action, and by whether a match is the visitor's own post."""

PROBLEMS: dict[RuleAction, tuple[Promise, str]] = {
    "warn": (_("Not published yet: similar posts already exist."), "neardup_confirm"),
    "hold": (_("Not published yet: a moderator would review this first."), "neardup_confirm"),
    "block": (_("This cannot be published: it is already on the site."), "near_duplicate"),
}
RESUBMITTED_PROBLEM: tuple[Promise, str] = (
    _("Not saved: you have already sent this, and it is waiting for review."),
    "near_duplicate",
)
CHECK_ONLY_PROBLEM: tuple[Promise, str] = (
    _("Not published yet: you asked to see it first."),
    "neardup_check",
)

WAITING_MESSAGES: dict[str, Promise] = {
    Hold.State.CHECKING: _("It is already waiting, and will appear as soon as it is checked."),
    Hold.State.REVIEW: _("It is already waiting, and will appear after a moderator's review."),
}
"""Messages by the state of the post that was submitted before."""

OUTCOME_MESSAGES: dict[str, Promise] = {
    "published": _("Published."),
    "checking": _("Saved. It will appear as soon as it is checked."),
    "review": _("Saved. It will appear after a moderator's review."),
    "refused": _("Saved, but not published: it was refused earlier."),
    "renewed": _("Your earlier post was updated."),
}


class FormCheck:
    """The check of a form's post: what the visitor sees, and what happens on save."""

    def __init__(self, form: forms.BaseForm, request: HttpRequest) -> None:
        self.form, self.request = form, request
        self.result = PublicationCheck()
        self.instance: Model | None = None
        self.is_changed = True
        self._renewed_post: Model | None = None
        self._planned_hold: PlannedHold | None = None

    def set_instance(self, instance: Model, is_changed: bool = True) -> None:
        """Set the form's post. ``is_changed``: whether its content differs from before."""
        self.instance, self.is_changed = instance, is_changed

    def check(self) -> None:
        """Search for similar posts and apply the rules."""
        self.result = check_post(self.request, self.post, self.adapter, self.visitor)

    @property
    def post(self) -> Model:
        """The post. Raise ValueError if the form makes none."""
        if self.instance is None:
            raise ValueError("The form has no instance. Return the post from get_neardup_instance().")
        return self.instance

    @property
    def adapter(self) -> Adapter:
        return adapter_for(self.post)

    @cached_property
    def visitor(self) -> Visitor:
        return load_visitor(self.request, self.post, self.adapter)

    @property
    def action(self) -> RuleAction:
        """What the rules say: "ignore", "warn", "hold" or "block"."""
        return self.result.decision.action

    @property
    def is_check_requested(self) -> bool:
        """Whether the visitor wants to see similar posts without publishing."""
        return self.field_name(CHECK_BUTTON) in self.form.data

    @property
    def problem(self) -> tuple[Promise, str] | None:
        """The reason why the form may not be saved (yet), and its error code. None if it may be saved."""
        if self.is_check_requested:
            return CHECK_ONLY_PROBLEM
        if self.action == "ignore" or self.chosen_renewal is not None:
            return None
        if self.action != "block" and self._is_confirmed:
            return None
        if self._is_resubmission:
            return RESUBMITTED_PROBLEM
        problem, code = PROBLEMS[self.action]
        return FACT_PROBLEMS[self._only_fact][self.action] if self._only_fact else problem, code

    @property
    def _only_fact(self) -> str:
        """The fact about the text that caused the decision. Empty if a similar post also caused it."""
        decision = self.result.decision
        return "" if decision.causes else first_fact(decision.facts)

    @property
    def _only_fact_heading(self) -> Promise | None:
        return FACT_HEADINGS[self._only_fact] if self._only_fact and not self.matches else None

    @property
    def fact_texts(self) -> list[Promise]:
        """The message about the text itself, without similar posts."""
        return [FACT_TEXTS[fact] for fact in TEXT_FACTS if fact in self.result.decision.facts]

    @property
    def _is_resubmission(self) -> bool:
        """Whether the visitor is blocked by their own waiting post."""
        return self.is_blocked and self.waiting_message is not None

    @property
    def _is_confirmed(self) -> bool:
        data = self.form.data
        token = data.get(self.field_name(TOKEN_FIELD), "")
        return self.field_name(CONFIRM_BUTTON) in data and is_token_valid(
            token, self.result.decision, self.post, self.visitor
        )

    @property
    def chosen_renewal(self) -> Match | None:
        """The old post that the visitor has chosen to renew. None if there is none that may be renewed."""
        chosen_key = self.form.data.get(self.field_name(RENEW_BUTTON))
        return next((match for match in self.result.renewable if _match_key(match) == chosen_key), None)

    def prepare_save(self, instance: Model | None = None) -> Model | None:
        """Prepare the save of the post: plan its hold, or renew an old post instead.

        Call it before the save. Further calls are harmless: an old post is renewed once. Return the saved
        old post if one was renewed, otherwise None.
        """
        if self._renewed_post is not None:
            return self._renewed_post
        if instance is not None:
            self.set_instance(instance, self.is_changed or instance != self.instance)
        renewal = self.chosen_renewal
        if renewal is not None and renewal.object is not None:
            self._planned_hold = self._hold_until_checked()
            self._renewed_post = renew_post(
                renewal.object, self.post, self.adapter, self.visitor, self._planned_hold
            )
        # The old post may be gone by the time of the save. Then the new post is saved.
        if self._renewed_post is None and self.instance is not None:
            self._plan_hold()
        return self._renewed_post

    def _plan_hold(self) -> None:
        cause = next(iter(self.result.decision.causes), None)
        self._planned_hold = self._hold_until_checked() if self.is_changed else None
        if self.action in ("hold", "block") and not self.is_checked_first:
            self._planned_hold = PlannedHold(Hold.State.REVIEW, cause, self.visitor.trust)
        self._planned_hold = plan_existing_hold(self.post, self.adapter, self.visitor) or self._planned_hold
        if self._planned_hold is not None:
            hold_on_save(self.post, self._planned_hold)

    def _hold_until_checked(self) -> PlannedHold | None:
        must_wait = self.visitor.must_wait or (
            self.action == "hold" and PARTIAL in self.result.decision.facts
        )
        return PlannedHold(Hold.State.CHECKING, None, self.visitor.trust) if must_wait else None

    @property
    def outcome(self) -> str:
        """The state of the saved post: "published", "checking", "review", "refused" or "renewed"."""
        hold = self._planned_hold.hold if self._planned_hold is not None else None
        if hold is None and self._renewed_post is None:
            hold = self._existing_hold()
        if hold is not None:
            return hold.state
        return "published" if self._renewed_post is None else "renewed"

    def _existing_hold(self) -> Hold | None:
        if self.instance is None or self.instance.pk is None:
            return None
        return find_effective_hold(self.instance)

    @property
    def message(self) -> Promise:
        """The outcome in words for the visitor."""
        return OUTCOME_MESSAGES[self.outcome]

    def field_name(self, button: str) -> str:
        """Return the name of a button in this form."""
        return self.form.add_prefix(button)

    @property
    def check_name(self) -> str:
        return self.field_name(CHECK_BUTTON)

    @property
    def confirm_name(self) -> str:
        return self.field_name(CONFIRM_BUTTON)

    @property
    def renew_name(self) -> str:
        return self.field_name(RENEW_BUTTON)

    @property
    def token_name(self) -> str:
        return self.field_name(TOKEN_FIELD)

    @property
    def token(self) -> str:
        """The token that is sent with the confirmation."""
        return make_token(self.result.decision, self.post, self.visitor)

    @property
    def is_shown(self) -> bool:
        """Whether there is a message for the visitor."""
        return self.instance is not None and (self.is_check_requested or self.problem is not None)

    @property
    def block_id(self) -> str:
        """The HTML id of the block. The page may be scrolled to it."""
        return self.field_name("neardup-policy")

    @property
    def is_blocked(self) -> bool:
        """Whether the visitor cannot continue."""
        return self.action == "block" and not self.is_check_requested

    @property
    def is_checked_first(self) -> bool:
        """Whether the post is held only because the search was partial: until the worker has compared it."""
        return self.action == "hold" and self._only_fact == PARTIAL

    @property
    def heading(self) -> str | Promise:
        if self.is_check_requested:
            return self._only_fact_heading or _check_heading(len(self.matches))
        if self._is_resubmission:
            return _("You have already sent this")
        if self._only_fact:
            return FACT_HEADINGS[self._only_fact]
        is_own = any(match.own and match.object is not None for match in self.result.decision.causes)
        return HEADINGS[self.action, is_own]

    @property
    def matches(self) -> Sequence[Match]:
        """The listed matches: all if the visitor asked for a check, otherwise the causes of the decision.

        Deleted posts by other authors are never listed.
        """
        candidates = self.result.matches if self.is_check_requested else self.result.decision.causes
        return [match for match in candidates if match.object is not None or match.own]

    @property
    def waiting_message(self) -> Promise | None:
        """What the visitor's earlier, listed post waits for. None if there is no such post."""
        resubmission = self.result.resubmission
        return (
            WAITING_MESSAGES[resubmission.state]
            if resubmission is not None and resubmission.match in self.matches
            else None
        )

    @property
    def renewal(self) -> tuple[Match, str] | None:
        """The old post that may be renewed instead, and the value of its button. None if there is none."""
        if self.is_check_requested or not self.result.renewable:
            return None
        return self.result.renewable[0], _match_key(self.result.renewable[0])

    @property
    def appeal_url(self) -> str:
        """The address where the visitor can object. Empty if there is none."""
        return safe_appeal_url(self.post)

    @property
    def text_field_id(self) -> str:
        """The HTML id of the field with the text. Empty if the form has no such field."""
        return next(self._text_field_ids(), "")

    def _text_field_ids(self) -> Iterator[str]:
        for name in reversed(self.adapter.fields):
            if name in self.form.fields:
                yield str(self.form[name].id_for_label)


def _check_heading(count: int) -> str:
    if not count:
        return gettext("Nothing similar was found")
    return ngettext("%(count)d similar post exists", "%(count)d similar posts exist", count) % {
        "count": count
    }


def _match_key(match: Match) -> Any:
    return None if match.object is None else canonical_id(match.object.pk)
