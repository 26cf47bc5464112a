"""A cache of compiled kernels that survives damaged and missing files and a full disk.

Whatever happens to the files, the loops are compiled again: that takes time but ends no run.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba.core.caching

from macro_engine.core.cache_folder import PACKAGE
from macro_engine.core.cache_notes import is_whole
from macro_engine.core.escape import visible

_numba: Any = numba.core.caching  # it has no types


class _Trouble:
    """Problems with the cache files of this process; each kind is reported once."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}  # by kind
        self.say: Callable[[str], None] | None = None
        self.cannot_write = False

    def report(self, kind: str, words: str) -> None:
        if kind not in self.words:
            self.words[kind] = words
            if self.say is not None:
                self.say(words)

    def tell(self, say: Callable[[str], None]) -> None:
        """Sets the listener, and reports past problems to it."""
        for words in self.words.values():
            say(words)
        self.say = say


trouble = _Trouble()


class _CheckedFiles(_numba.IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function, each with a checksum at its end, where Numba reads no further.

    Two processes that compile at the same time may mix up an index and the data of the other:
    data says what it is for.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (repr(key), data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        if found is None or found[0] != repr(key):
            return None
        return found[1]

    def put_aside(self) -> None:
        index = Path(self._index_path)
        for path in [index, *index.parent.glob(f"{index.stem}.*.nbc")]:
            path.unlink(missing_ok=True)

    def _load_index(self) -> Any:
        with suppress(FileNotFoundError):
            _check(Path(self._index_path))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check(Path(self._data_path(name)))
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        whole = io.BytesIO()
        yield whole
        with super()._open_for_write(filepath) as file:
            file.write(whole.getvalue() + hashlib.sha256(whole.getvalue()).digest())


def _check(path: Path) -> None:
    if not is_whole(path):
        raise ValueError(f"{path.name} is damaged")


class _Place(_numba.UserProvidedCacheLocator):  # type: ignore[misc]
    """Where a function is kept: one of this package by its place in it, wherever that is installed.

    The folder is for exactly its sources, so that all copies of them share what is compiled.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        with suppress(ValueError):  # it is somebody else's
            return "_".join(Path(py_file).absolute().relative_to(PACKAGE).parent.parts)
        return str(super().get_suitable_cache_subpath(py_file))


class _InOurFolder(_numba.CompileResultCacheImpl):  # type: ignore[misc]
    """Else Numba looks for other folders by itself."""

    _locator_classes = (_Place,)


class KernelCache(_numba.FunctionCache):  # type: ignore[misc]
    """The cache of the compiled versions of one function."""

    _impl_class = _InOurFolder

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Loads a compiled kernel; None if there is none or it cannot be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            self._put_aside(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if trouble.cannot_write:
            return
        try:
            super().save_overload(sig, data)
        except Exception as error:
            trouble.cannot_write = True
            trouble.report(
                "unwritable",
                f"the cache of compiled code cannot be written ({visible(_words(error))}): "
                "continuing without it",
            )
            with suppress(OSError):
                self._cache_file.put_aside()  # or an index might name the data of another

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """What tells the versions of a function apart; parts of a closure are told by name.

        Numba would pickle them, with an identity of their own in every process. Their sources are
        those of the folder.
        """
        cells = [cell.cell_contents for cell in self._py_func.__closure__ or ()]
        known = tuple(f"{c.__module__}.{c.__qualname__}" if callable(c) else c for c in cells)
        return sig, codegen.magic_tuple(), known

    def _put_aside(self, error: Exception) -> None:
        try:
            self._cache_file.put_aside()
        except OSError as other:
            trouble.report(
                "unusable",
                f"the cache of compiled code cannot be used ({visible(_words(other))}): "
                "continuing without it",
            )
            self.disable()
            return
        trouble.report(
            "damaged",
            f"the cache of compiled code is damaged ({visible(_words(error))}): damaged "
            "files are put aside and compiled again",
        )


def _words(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
