"""Files that appear whole or not at all."""

import os

import pytest

from macro_engine.core.atomic_files import write_atomically


def test_all_of_them_appear_and_others_may_read_them_as_usual(tmp_path):
    (tmp_path / "b").write_text("before")
    write_atomically({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"1", "b": b"2"}
    (tmp_path / "usual").touch()
    assert os.stat(tmp_path / "a").st_mode == os.stat(tmp_path / "usual").st_mode


def test_where_one_cannot_be_written_nothing_is_changed_and_nothing_left(tmp_path):
    (tmp_path / "a").write_text("before")
    with pytest.raises(FileNotFoundError):
        write_atomically({tmp_path / "a": b"1", tmp_path / "none" / "b": b"2"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "before"
