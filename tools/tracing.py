"""Calls and lines of a package while some code runs."""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any


class CallTrace:
    """Record which files and lines of ``folder`` run inside a ``with`` block, in the current thread.

    ``calls`` counts calls from one file of the folder straight into another, except calls of generators.
    ``depth`` is the largest number of frames of the folder on the stack. Both vary a little between Python
    versions: 3.12 inlines comprehensions.
    """

    def __init__(self, folder: Path) -> None:
        self.calls = 0
        self.depth = 0
        self._prefix = f"{folder}{os.sep}"
        self._lines: set[tuple[str, int]] = set()
        self._codes: set[CodeType] = set()
        self._previous: Any = None

    def __enter__(self) -> CallTrace:
        self._previous = sys.gettrace()
        sys.settrace(self._enter_frame)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        sys.settrace(self._previous)

    @property
    def files(self) -> set[Path]:
        """Files that were entered, relative to the folder."""
        return {Path(code.co_filename.removeprefix(self._prefix)) for code in self._codes}

    @property
    def lines(self) -> int:
        """Number of different lines that ran."""
        return len(self._lines)

    def files_outside(self, folders: set[str]) -> set[Path]:
        """Return the entered files, except those in the given top-level folders."""
        return {path for path in self.files if path.parts[0] not in folders}

    def _enter_frame(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._is_ours(frame):
            return None
        self._codes.add(frame.f_code)
        self.depth = max(self.depth, self._stack_depth(frame))
        caller = frame.f_back
        # The interpreter reports every resumption of a generator as a call.
        if caller is not None and self._is_ours(caller) and not frame.f_code.co_flags & inspect.CO_GENERATOR:
            self.calls += caller.f_code.co_filename != frame.f_code.co_filename
        return self._run_line

    def _run_line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._run_line

    def _is_ours(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename.startswith(self._prefix)

    def _stack_depth(self, frame: FrameType | None) -> int:
        depth = 0
        while frame is not None:
            depth += self._is_ours(frame)
            frame = frame.f_back
        return depth
