"""Compiled loops are kept; whatever happens to what is kept, they are compiled again."""

import importlib.util
import os
import shutil
import subprocess
import sys

import numba
import pytest

from macro_engine.core import cache_folder
from macro_engine.core import kernel_cache as cache
from macro_engine.core.cache_folder import UnusableError, check_private
from macro_engine.core.kernel_cache import KernelCache


class Kept:
    """A function that is compiled and kept in a folder, anew for every use, as processes do."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch = folder / "cache", monkeypatch
        self.source = folder / "kernel.py"
        self.source.write_text("def more(x):\n    return x + 1\n")
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(self.folder))
        self.folder.mkdir()

    def use(self):
        """Whether it was taken from the folder, and what was said."""
        said = []
        trouble = cache._Trouble()
        trouble.tell(said.append)
        self.monkeypatch.setattr(cache, "trouble", trouble)
        spec = importlib.util.spec_from_file_location("kernel", self.source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        dispatcher = numba.njit(module.more)
        dispatcher._cache = KernelCache(module.more)
        self.before_use(dispatcher)
        assert dispatcher(1) == 2
        return bool(dispatcher.stats.cache_hits), said

    def before_use(self, dispatcher):
        pass

    def files(self, suffix):
        return sorted(self.folder.rglob(f"*{suffix}"))


@pytest.fixture
def kept(tmp_path, monkeypatch):
    kept = Kept(tmp_path, monkeypatch)
    assert kept.use() == (False, [])
    assert kept.use() == (True, [])
    return kept


def halved(path):
    os.truncate(path, path.stat().st_size // 2)


def emptied(path):
    os.truncate(path, 0)


def garbage(path):
    path.write_bytes(os.urandom(500))


def one_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_file_is_put_aside_and_made_again(kept, suffix):
    for damage in (halved, emptied, garbage, one_bit):
        (path,) = kept.files(suffix)
        damage(path)
        was_kept, said = kept.use()
        assert not was_kept, damage
        (line,) = said
        assert line == (
            f"the cache of compiled code is damaged ({path.name} is damaged): damaged files "
            "are put aside and compiled again"
        )
        assert kept.use() == (True, []), damage


def test_many_damaged_files_are_one_line():
    said = []
    trouble = cache._Trouble()
    trouble.report("damaged", "one file")
    trouble.tell(said.append)
    trouble.report("damaged", "another file")
    assert said == ["one file"]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_missing_file_is_made_again(kept, suffix):
    kept.files(suffix)[0].unlink()
    assert kept.use() == (False, [])
    assert kept.use() == (True, [])


def test_something_that_is_no_file_is_left_there(kept):
    (path,) = kept.files(".nbi")
    path.unlink()
    path.mkdir()
    was_kept, said = kept.use()
    assert not was_kept
    assert said[0].startswith("the cache of compiled code cannot be used (Is a directory)")
    assert path.is_dir()


def test_a_full_disk_is_said_once_and_leaves_nothing_behind(kept, monkeypatch):
    shutil.rmtree(kept.folder)

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache._CheckedFiles, "_save_data", full)
    assert kept.use() == (
        False,
        [
            "the cache of compiled code cannot be written (No space left on device): continuing "
            "without it"
        ],
    )
    assert kept.files(".nbi") == kept.files(".nbc") == []


def test_a_folder_that_is_deleted_in_the_meantime_is_made_again(kept):
    kept.before_use = lambda _dispatcher: shutil.rmtree(kept.folder)
    assert kept.use() == (False, [])
    kept.before_use = lambda _dispatcher: None
    assert kept.use() == (True, [])


def test_data_that_another_process_wrote_under_the_same_name_is_not_taken(kept, monkeypatch):
    save = cache._CheckedFiles.save

    def for_another(files, key, data):
        save(files, key, data)
        files._save_data(files._data_name(1), ("another signature", data))

    kept.files(".nbc")[0].unlink()
    with monkeypatch.context() as patched:
        patched.setattr(cache._CheckedFiles, "save", for_another)
        kept.use()
    assert kept.use() == (False, [])
    assert kept.use() == (True, [])


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.usefixtures("home")
def test_the_folder_is_made_for_its_user_alone():
    before = os.umask(0)
    try:
        folder = cache_folder.cache_folder()
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(home, mode):
    folder = cache_folder.cache_folder()
    for part in (folder, folder.parent, home):
        part.chmod(mode)
        with pytest.raises(UnusableError, match=rf"others can write to {part} \(chmod go-w helps"):
            cache_folder.cache_folder()
        part.chmod(0o700)
    home.chmod(0o1777)  # as /tmp is
    assert cache_folder.cache_folder() == folder


@pytest.mark.usefixtures("home")
def test_a_folder_of_another_user_is_not_used(monkeypatch):
    folder = cache_folder.cache_folder()
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(UnusableError, match="belongs to another user"):
        check_private(folder)


@pytest.mark.parametrize("part", ["", "macro-tui"])
def test_a_file_in_the_place_of_the_folder_is_no_error(home, part):
    (home / part).parent.mkdir(exist_ok=True)
    (home / part).write_text("in the way")
    with pytest.raises(UnusableError, match="cannot be written"):
        cache_folder.cache_folder()


@pytest.mark.slow
def test_a_kernel_made_of_parts_is_kept_for_other_processes(tmp_path):
    (tmp_path / "made.py").write_text(
        "from macro_engine.core.compiling import borrowing, inlined\n"
        "@inlined\ndef more(x):\n    return x + 1\n"
        "@inlined\ndef less(x):\n    return x - 1\n"
        "def made(part):\n"
        "    return borrowing(lambda x: part(x))\n"
        "kernels = made(more), made(less)\n"
        "print([kernel(1) for kernel in kernels])\n"
        "print([sum(kernel.stats.cache_hits.values()) for kernel in kernels])\n"
    )
    env = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    for hits in ("[0, 0]", "[1, 1]"):
        done = subprocess.run(
            [sys.executable, "made.py"], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.stdout.split("\n")[:2] == ["[2, 0]", hits], done.stderr


@pytest.mark.slow
def test_another_copy_of_the_same_version_finds_what_is_compiled(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(cache_folder.PACKAGE, tmp_path / "copy" / "macro_engine", ignore=ignored)
    code = (
        "import numpy as np\n"
        "from macro_engine.core.cache_folder import PACKAGE\n"
        "from macro_engine.stream.compiled_scale import units_of\n"
        "units_of(np.zeros((1, 1)), np.zeros(1, np.bool_), np.zeros((1, 1)))\n"
        "print(PACKAGE)\n"
        "print(sum(units_of.stats.cache_hits.values()))\n"
    )
    for place, hits in ((tmp_path / "copy", 0), (cache_folder.PACKAGE.parent, 1)):
        env = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(place)}
        done = subprocess.run(
            [sys.executable, "-P", "-c", code], env=env, capture_output=True, text=True
        )
        assert done.stdout.splitlines() == [str(place / "macro_engine"), str(hits)], done.stderr
