"""What workers have learnt of words, shared between the processes of one machine and user."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ..conf import get_profile

CacheSetting = str | os.PathLike[str] | bool | None
_configured: list[CacheSetting] = []


def configure_word_cache() -> None:
    """Have this process use the folder of the setting CACHE; called by those that canonise, before they do."""
    chosen = get_profile().cache
    if _configured != [chosen]:
        from ..text.batch import configure

        configure(cache_folder(chosen))
        _configured[:] = [chosen]


def cache_folder(setting: CacheSetting) -> Path | None:
    """The folder that a value of CACHE means; None: words are remembered in memory."""
    if setting is True:
        user = os.geteuid() if hasattr(os, "geteuid") else 0
        return Path(tempfile.gettempdir(), f"neardup-{user}")
    return Path(setting) if setting else None


def unusable_reason(folder: Path) -> str:
    """Why words cannot be shared in that folder; empty where they can. Makes nothing."""
    if not folder.exists():
        above = next((each for each in folder.absolute().parents if each.exists()), folder)
        return "" if above.is_dir() and os.access(above, os.W_OK | os.X_OK) else "it cannot be made"
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a directory"
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        return "it belongs to another user"
    if stat.S_IMODE(found.st_mode) & 0o077:
        return "others can read or write it: its mode must be 0700"
    return "" if os.access(folder, os.W_OK | os.X_OK) else "it cannot be written to"
