"""Names that several modules or folders of one package share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

UNNAMED = {"__init__", "__main__"}
ROOT_FAMILY = ""
"""Family of the modules that stand directly in the package."""


def named_paths(files: Iterable[Path]) -> list[Path]:
    """List ``files`` and their folders, without the files named ``__init__`` and ``__main__``."""
    found = set(files)
    folders = {parent for path in found for parent in path.parents} - {Path()}
    return sorted({path for path in found if path.stem not in UNNAMED} | folders)


def family(path: Path) -> str:
    """Return the top-level folder that a module or folder belongs to."""
    is_folder = path.suffix != ".py"
    return path.parts[0] if is_folder or len(path.parts) > 1 else ROOT_FAMILY


def repeated_names(files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return each name that stands for more than one module or folder, with their paths."""
    paths_by_name: dict[str, list[Path]] = defaultdict(list)
    for path in named_paths(files):
        paths_by_name[path.stem].append(path)
    return {name: paths for name, paths in paths_by_name.items() if len(paths) > 1}


def repeated_in_family(files: Iterable[Path]) -> dict[tuple[str, str], list[Path]]:
    """Return each (family, name) that stands for more than one module or folder, with their paths."""
    paths_by_name: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in named_paths(files):
        paths_by_name[family(path), path.stem].append(path)
    return {key: paths for key, paths in paths_by_name.items() if len(paths) > 1}
