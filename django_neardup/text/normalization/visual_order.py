"""The order in which readers see characters: overrides of the direction may turn a text round (UAX 9).

Only overrides are resolved. All letters count as letters that are written from left to right.
"""

from __future__ import annotations

import re

_MAX_DEPTH = 125
_OVERRIDES = "\u202d\u202e"
_RIGHT_TO_LEFT = "\u202b\u202e\u2067"
_ISOLATES = "\u2066\u2067\u2068"
_OPENERS = f"\u202a\u202b{_OVERRIDES}{_ISOLATES}"
OVERRIDE = re.compile(f"[{_OVERRIDES}]")
LINE_WITH_CONTROLS = re.compile(f"[{_OPENERS}][^\n\r\x85\u2029]*")
_END_OF_EMBEDDING, _END_OF_ISOLATE = "\u202c", "\u2069"


def visual_order(match: re.Match[str]) -> str:
    """Return the characters of a line as readers see them, without the controls.

    A line that is longer than the page is wide is broken elsewhere on the page. That is not taken into account.
    """
    segments: list[tuple[int, list[str]]] = [(0, [])]
    open_levels, openers = [0], [""]
    for char in match.group():
        if char in _OPENERS:
            is_reversed = char in _RIGHT_TO_LEFT
            level = open_levels[-1] + 1
            level += level % 2 != is_reversed
            open_levels.append(level if level <= _MAX_DEPTH else open_levels[-1])
            openers.append(char if level <= _MAX_DEPTH or char in _ISOLATES else openers[-1])
        elif char == _END_OF_EMBEDDING:
            if len(openers) > 1 and openers[-1] not in _ISOLATES:
                del open_levels[-1], openers[-1]
        elif char == _END_OF_ISOLATE:
            _close_isolate(open_levels, openers)
        else:
            level = open_levels[-1]
            _append(segments, char, level if openers[-1] in _OVERRIDES else level + level % 2)
    _close_segments(segments, 0)
    return "".join(segments[0][1])


def _close_isolate(open_levels: list[int], openers: list[str]) -> None:
    """Close the last isolate and what was opened inside it. Do nothing if none is open."""
    start = next((place for place in range(len(openers) - 1, 0, -1) if openers[place] in _ISOLATES), None)
    if start is not None:
        del open_levels[start:], openers[start:]


def _append(segments: list[tuple[int, list[str]]], char: str, level: int) -> None:
    _close_segments(segments, level)
    if segments[-1][0] < level:
        segments.append((level, []))
    segments[-1][1].append(char)


def _close_segments(segments: list[tuple[int, list[str]]], level: int) -> None:
    """Join the segments above a level with the ones below. Each level between them turns a segment round once."""
    while segments[-1][0] > level:
        own_level, chars = segments.pop()
        lower_level = max(segments[-1][0], level)
        if (own_level - lower_level) % 2:
            chars.reverse()
        if segments[-1][0] < lower_level:
            segments.append((lower_level, chars))
        else:
            segments[-1][1].extend(chars)
