"""Pairs of adverts that differ by an added word, a rank, a sign or a letter: `python -m benchmarks.advert_pairs`.

The words come from banks, JSON files of `benchmarks/advert_banks`: templates, slots (values of no importance to
the item), and contrasts (pairs of values that name two items). A false pair is one template with the two values of
a contrast; its `edit` is `hn_` and the kind of the contrast, or `hn_model` for any other value of the slot. A
true pair is an advert that is posted again (`ad_same`), or that got another price (`ad_price`).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.example_texts import ROOT, Line, packed, touched

BANKS = ROOT / "benchmarks" / "advert_banks"
CONTRAST_KINDS = ("added", "rank", "sign", "letter")
PRICE_SLOTS = ("price", "pay")
PAIR_TYPES = {"contrast": 6, "hn_model": 1, "ad_same": 3, "ad_price": 1}
"""Types of pairs, and how often each is drawn."""
NEW_PRICE_SHARE = 0.4
"""Share of the false pairs that also have another price. A price never makes another item."""
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Bank:
    """Templates and their fillings in one language."""

    name: str
    language: str
    slots: dict[str, list[str]]
    contrasts: dict[str, dict[str, Any]]
    templates: dict[str, str]

    def draw_values(self, template: str, chance: Random) -> dict[str, str]:
        """Return a value for each slot of a template."""
        return {name: chance.choice(self.slot_values(name)) for name in self.slot_names(template)}

    def slot_names(self, template: str) -> list[str]:
        """Return the slots of a template, in their order."""
        return _SLOT.findall(template)

    def slot_values(self, name: str) -> list[str]:
        """Return all values of a slot, in the order of the bank."""
        if name in self.slots:
            return self.slots[name]
        return list(dict.fromkeys(value for pair in self.contrasts[name]["pairs"] for value in pair))

    def contrasting_values(self, name: str, value: str) -> list[str]:
        """Return the values that are in one pair with this value."""
        pairs = [pair for pair in self.contrasts[name]["pairs"] if value in pair]
        return [other for pair in pairs for other in pair if other != value]


def load_bank(name: str) -> Bank:
    """Read a bank by its name."""
    return Bank(name, **json.loads((BANKS / f"{name}.json").read_text(encoding="utf-8")))


def bank_names() -> list[str]:
    return sorted(path.stem for path in BANKS.glob("*.json"))


def advert_pairs(bank: Bank, count: int, seed: int = 1) -> Iterator[Line]:
    """Yield the pairs of a bank, as lines of a variants file. A pair depends only on bank, seed and number."""
    template_names = sorted(bank.templates)
    for number in range(count):
        chance = Random(f"{bank.name}:{seed}:{number}")
        template_name = template_names[number % len(template_names)]
        yield _build_pair(bank, template_name, f"{bank.name}{number}~{seed}", chance)


def _build_pair(bank: Bank, template_name: str, key: str, chance: Random) -> Line:
    template = bank.templates[template_name]
    values = bank.draw_values(template, chance)
    pair_type, changes = _draw_changes(bank, values, chance)
    text_a, text_b = template.format(**values), template.format(**{**values, **changes})
    parameters: dict[str, Any] = {"template": template_name, "slots": sorted(changes)}
    if pair_type == "ad_same":
        parameters["edits"], text_b = _post_again(text_b, chance)
    is_false = pair_type.startswith("hn_")
    return {
        "rec": "pair",
        "id": key,
        "a": {"id": f"{key}~a", "text": text_a},
        "b": {"id": f"{key}~b", "text": text_b},
        "edit": pair_type,
        "relation": "different" if is_false else "same",
        "dup": not is_false,
        "touched": touched(text_a, text_b),
        "params": parameters,
        "lang": bank.language,
    }


def _draw_changes(bank: Bank, values: dict[str, str], chance: Random) -> tuple[str, dict[str, str]]:
    """Return the type of a pair, and the values that its second advert has instead."""
    pair_type = chance.choices(list(PAIR_TYPES), list(PAIR_TYPES.values()))[0]
    slot = chance.choice([name for name in values if name in bank.contrasts])
    price = next(name for name in values if name in PRICE_SLOTS)
    changes: dict[str, str] = {}
    if pair_type == "contrast":
        changes[slot] = chance.choice(bank.contrasting_values(slot, values[slot]))
        pair_type = f"hn_{bank.contrasts[slot]['kind']}"
    elif pair_type == "hn_model":
        changes[slot] = chance.choice([value for value in bank.slot_values(slot) if value != values[slot]])
    if pair_type == "ad_price" or (changes and chance.random() < NEW_PRICE_SHARE):
        changes[price] = chance.choice([value for value in bank.slots[price] if value != values[price]])
    return pair_type, changes


def _post_again(text: str, chance: Random) -> tuple[list[str], str]:
    """Return the names of the edits that a repost has, and its text."""
    edits = _repost_edits()
    name = chance.choice(sorted(edits))
    return [name], edits[name](text, chance)


@cache
def _repost_edits() -> dict[str, Callable[[str, Random], str]]:
    """Return the edits of the example project that leave the advert whole."""
    sys.path.append(str(ROOT / "example_project"))
    from content.edits import EDITS

    # A new price is a type of pair of its own.
    return {name: edit for name, edit in EDITS.items() if name not in ("short", "price")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.advert_pairs",
        description="Print labelled pairs of adverts as JSON lines, or write them to a folder that the bench reads "
        "with --data. False pairs differ by an added word, a rank, a sign or a letter.",
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, help="write ads_BANK.variants.jsonl.gz of each bank there")
    add("--bank", action="append", choices=bank_names(), help="only this bank; may be given again")
    add("--count", type=int, default=400, help="pairs of each bank (default: 400)")
    add("--seed", type=int, default=1, help="other pairs with another seed (default: 1)")
    options = parser.parse_args(arguments)
    if options.folder and not options.folder.is_dir():
        parser.error(f"{options.folder} is not a folder")
    for name in options.bank or bank_names():
        lines = list(advert_pairs(load_bank(name), options.count, options.seed))
        if options.folder:
            (options.folder / f"ads_{name}.variants.jsonl.gz").write_bytes(packed(lines))
        else:
            sys.stdout.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
