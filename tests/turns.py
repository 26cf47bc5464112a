"""Who may run when tests run side by side.

Tests that watch the clock are marked `alone`: nothing else runs beside them. The others share.
"""

import fcntl
import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import gettempdir

_ROOM = Path(__file__).parent
_DOOR = _ROOM / "benchmarks"


@contextmanager
def turn(alone):
    """Wait until it may run: alone, or beside others."""
    # whoever wants to be alone keeps the door shut until all others have left
    with _opened(_ROOM) as room:
        with _opened(_DOOR) as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


def compile_each_kernel_once(patch):
    """Let a worker wait for a kernel that another one compiles, and load it then."""
    from macro_engine.core.cache_notes import found_folder
    from macro_engine.core.kernel_cache import KernelCache

    folder, _ = found_folder()
    if folder is None:
        return
    load, save = KernelCache.load_overload, KernelCache.save_overload
    locks = Path(gettempdir(), f"macro-tui-tests-{os.getuid()}", folder.name)
    locks.mkdir(parents=True, exist_ok=True)
    compiling = {}

    def load_or_wait(cache, signature, context):
        found = load(cache, signature, context)
        if found is not None or folder not in Path(cache.cache_path).parents:
            return found
        with ExitStack() as stack:
            name = Path(cache._cache_file._index_path).name
            lock = stack.enter_context((locks / name).open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
            found = load(cache, signature, context)
            if found is None:  # it is for us to compile it
                compiling[cache, signature] = stack.pop_all()
        return found

    def save_and_let_in(cache, signature, data):
        save(cache, signature, data)
        if (cache, signature) in compiling:
            compiling.pop((cache, signature)).close()

    patch.setattr(KernelCache, "load_overload", load_or_wait)
    patch.setattr(KernelCache, "save_overload", save_and_let_in)


@contextmanager
def _opened(folder):
    """A descriptor of a folder; locks on it end with it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
