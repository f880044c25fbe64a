"""The version of the judge, which every stored verdict names."""

from __future__ import annotations

JUDGE_VERSION: int = 4
"""The version of the verdicts on two texts. Raise it with every change of verdicts.

A pair stores the version that judged it. ``neardup_index --rejudge`` judges pairs of other versions again.
Version 0 marks a pair with an unknown judge.
"""
