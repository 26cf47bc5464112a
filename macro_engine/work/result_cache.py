"""A cache of task results: a folder with a JSON file for each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macro_engine.core.atomic_files import write_atomically
from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible

if TYPE_CHECKING:
    from macro_engine.work.tasks import Task

Say = Callable[[str], None]
_NAMED_BY = 32  # hex digits of the identity


class ResultCache:
    """Keeps values by the identity of their task."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cannot_write = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MacroError(
                f"{visible(folder)}: no folder for finished work can be made ({error.strerror}); "
                "name another one"
            ) from None

    def read(self, identity: str, say: Say) -> tuple[dict[str, Any], float] | None:
        """The value and its seconds; None if there is none, or it is damaged."""
        path = self._path(identity)
        try:
            held = json.loads(path.read_bytes())
            checksum = held.pop("checksum")
            if checksum != _checksum(held) or held["identity"] != identity:
                raise ValueError
            value, seconds = held["value"], held["seconds"]
        except FileNotFoundError:
            return None
        except OSError as error:
            say(f"{visible(path)} cannot be read ({error.strerror}): computed again")
            return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            say(f"{visible(path)} is damaged: computed again")
            return None
        return value, seconds

    def write(
        self, identity: str, task: Task, value: dict[str, Any], seconds: float, say: Say
    ) -> None:
        """Keeps a value; the file appears whole or not at all."""
        held = {
            "identity": identity,
            "work": task.name,
            "label": task.label,
            "settings": task.settings,
            "value": value,
            "seconds": seconds,
        }
        text = json.dumps(held | {"checksum": _checksum(held)}, indent=1)
        try:
            write_atomically({self._path(identity): text.encode()})
        except OSError as error:
            if not self.cannot_write:
                self.cannot_write = True
                say(
                    f"{visible(self.folder)} cannot be written ({error.strerror}): results "
                    "are not kept for a later run"
                )

    def _path(self, identity: str) -> Path:
        return self.folder / f"{identity[:_NAMED_BY]}.json"


def _checksum(held: dict[str, Any]) -> str:
    text = json.dumps(held, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
