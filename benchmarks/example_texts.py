"""Labelled texts made of the example project's own: ``python -m benchmarks.example_texts tests/data``.

Writes `example.docs.jsonl.gz` and `example.variants.jsonl.gz`, in the form that the bench reads, the same at every run.
True: a text as people post it again (typos, other phrases, another order of sentences, letters of another script ...);
a teaser is held by its source.  False: two adverts of one category that are of different things, the likest ones.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any

from rapidfuzz import fuzz

SEED = 20
EDITS_EACH = 4
LIKEST = 2
SHORTEST = 12
ROOT = Path(__file__).resolve().parent.parent
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
Line = dict[str, Any]


def sources() -> dict[str, tuple[str, str]]:
    """Category and text of every text that is not a repeat, by an id; adverts, articles, messages of threads."""
    sys.path.append(str(ROOT / "example_project"))
    from content import adverts, threads

    chance, made = Random(SEED), {}
    for number, advert in enumerate(advert for advert in adverts(chance) if not advert.repeat):
        made[f"ad{number}"] = (advert.category, f"{advert.title}\n{advert.text}")
    for path in sorted((ROOT / "example_project" / "content" / "articles").glob("*.txt")):
        made[path.stem] = ("article", path.read_text(encoding="utf-8"))
    messages = [message.text for thread in threads(chance) for message in thread.messages]
    long = dict.fromkeys(text for text in messages if len(text.split()) >= 3 * SHORTEST)
    made.update({f"message{number}": ("message", text) for number, text in enumerate(long)})
    return made


def variants(key: str, text: str, chance: Random) -> Iterator[Line]:
    """Some of the ways in which a text is posted again."""
    from content.edits import EDITS

    ways = {**EDITS, "dropped": dropped, "shouted": lambda text, chance: text.upper()}
    for name in chance.sample(sorted(set(ways) - {"price"}), EDITS_EACH):
        made = ways[name](text, chance)
        changed = touched(text, made)
        if changed > 0.5 and name != "short":
            continue
        relation = "contains" if name == "short" else "same"
        yield {
            "rec": "variant",
            "src": key,
            "id": f"{key}~{name}",
            "edit": name,
            "relation": relation,
            "dup": True,
            "touched": changed,
            "text": made,
        }


def dropped(text: str, chance: Random) -> str:
    """Without one of its middle sentences."""
    sentences = _SENTENCE_END.split(text)
    if len(sentences) > 3:
        del sentences[chance.randrange(1, len(sentences) - 1)]
    return " ".join(sentences)


def touched(a: str, b: str) -> float:
    """Share of the words, 0..1, that a difference of the two lists does not align."""
    one, two = (_WORD.findall(text.lower()) for text in (a, b))
    matched = sum(
        block.size for block in SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    )
    return round(1 - 2 * matched / max(len(one) + len(two), 1), 4)


def unlike(texts: dict[str, tuple[str, str]]) -> Iterator[Line]:
    """Of every advert and the adverts of its category that are most like it."""
    shelves: defaultdict[str, list[str]] = defaultdict(list)
    for key, (category, _) in texts.items():
        if key.startswith("ad"):
            shelves[category].append(key)
    seen = set()
    for keys in shelves.values():
        for key in keys:
            for other in likest(key, keys, texts):
                pair = frozenset((key, other))
                if pair not in seen:
                    seen.add(pair)
                    yield false_pair(key, other, texts)


def likest(key: str, keys: Sequence[str], texts: dict[str, tuple[str, str]]) -> list[str]:
    """The texts among `keys` that are most like one of them, and not the same."""
    own = texts[key][1]
    others = [other for other in keys if texts[other][1] != own]
    return sorted(others, key=lambda other: (-fuzz.ratio(own, texts[other][1]), other))[:LIKEST]


def false_pair(a: str, b: str, texts: dict[str, tuple[str, str]]) -> Line:
    one, two = texts[a][1], texts[b][1]
    sides = {"a": {"id": f"{a}~{b}~a", "text": one}, "b": {"id": f"{a}~{b}~b", "text": two}}
    said = {"edit": "hn_other", "relation": "different", "dup": False, "touched": touched(one, two)}
    return {"rec": "pair", "id": f"{a}~{b}", **sides, **said}


def packed(lines: Sequence[Line]) -> bytes:
    """JSON lines, compressed without a time or a name: the same lines give the same bytes."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0, filename="") as file:
        file.writelines(f"{json.dumps(line, ensure_ascii=False)}\n".encode() for line in lines)
    return out.getvalue()


def made() -> dict[str, list[Line]]:
    """The lines of both files, by the file's name."""
    texts, chance = sources(), Random(SEED)
    documents = [{"id": key, "text": text} for key, (_, text) in texts.items()]
    edited = [line for key, (_, text) in texts.items() for line in variants(key, text, chance)]
    return {
        "example.docs.jsonl.gz": documents,
        "example.variants.jsonl.gz": [*edited, *unlike(texts)],
    }


if __name__ == "__main__":
    for name, lines in made().items():
        (Path(sys.argv[1]) / name).write_bytes(packed(lines))
        print(f"{name}: {len(lines)} lines")
