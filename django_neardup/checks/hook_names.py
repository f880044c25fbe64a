"""Check of the names in adapter classes: one that is nearly a hook's name is probably a misspelt hook."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from django.core.checks import CheckMessage

from ..adapters import Adapter, registered_adapters
from .messages import check_message

APP_METHODS = frozenset({"source", "sources"})
"""Methods that this app calls and no site overrides."""
HOOKS = frozenset(
    name
    for name, value in vars(Adapter).items()
    if not name.startswith("_") and not isinstance(value, property) and name not in APP_METHODS
)
"""Names of the attributes and methods by which a site describes a model."""
MIN_SIMILARITY = 0.8


def check_hook_names(**kwargs: Any) -> list[CheckMessage]:
    # Adapters of several models may inherit the same class, which is reported once.
    models_by_class: dict[type, Any] = {}
    for model, adapter in registered_adapters().items():
        for site_class in type(adapter).__mro__:
            if site_class not in Adapter.__mro__:
                models_by_class.setdefault(site_class, model)
    return [
        check_message(
            "W114",
            f'{site_class.__name__} has "{name}"; did you mean "{hook}"? "{name}" is never called.',
            f"Rename it to {hook} (in {site_class.__module__}). If it is your own "
            f"helper, begin its name with an underscore: _{name}.",
            model,
        )
        for site_class, model in models_by_class.items()
        for name, hook in _misspelt_hooks(site_class)
    ]


def _misspelt_hooks(site_class: type) -> Iterator[tuple[str, str]]:
    """Yield the names of a class that are nearly a hook's name, each with that hook.

    A class that also defines the hook itself uses the other name on purpose.
    """
    own_names = vars(site_class)
    for name in own_names:
        if not name.startswith("_") and not hasattr(Adapter, name) and name != "model":
            hook = _similar_hook(name)
            if hook is not None and hook not in own_names:
                yield name, hook


def _similar_hook(name: str) -> str | None:
    """Return the most similar hook. Return None if the name is unlike all hooks, or a different, longer name.

    Case does not count: ``minWords`` is similar to ``min_words``, ``author_id`` is not similar to ``author``.
    """
    folded = name.lower()
    similarity, hook = max((SequenceMatcher(None, folded, hook).ratio(), hook) for hook in sorted(HOOKS))
    has_same_letters = sorted(folded) == sorted(hook)
    # Names of helpers are often longer: ``hidden`` beside ``hide``, ``publish`` beside ``published``.
    has_similar_length = abs(len(folded) - len(hook)) <= max(1, len(hook) // 8)
    is_misspelt = has_same_letters or (similarity >= MIN_SIMILARITY and has_similar_length)
    return hook if is_misspelt and not folded.startswith(f"{hook}_") else None
