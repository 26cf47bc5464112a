"""Damage done to run files at random, and what becomes of them."""

from __future__ import annotations

import contextlib
import io
import random
import re
import shutil
from functools import partial
from pathlib import Path
from typing import ClassVar

from made_runs import engine, run, run_until, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.runfile import RunReader
from macro_tui.cli import main

TABLES = ("predictions.csv", "trace.csv", "events.csv", "rejected.csv")
KINDS = ("bits", "many bits", "zeros", "noise", "cut", "exchange", "header")


def left_by_kill(stream: Path, run_file: Path, **options) -> Path:
    """A run file with a log beside it, as a killed process leaves them."""
    kept = Recorder.close, Recorder._open
    folder = run_file.parent / "left"

    def copy_first(self, *arguments):
        self.closing = True
        with self.changed:
            self.changed.notify_all()
        self.thread.join()
        folder.mkdir(exist_ok=True)
        for name in ("", "-wal", "-shm"):
            shutil.copy(f"{self.path}{name}", folder / f"{run_file.name}{name}")
        kept[0](self, *arguments)

    def without_checkpoints(self):
        kept[1](self)
        self.connection.execute("PRAGMA wal_autocheckpoint = 0")

    Recorder.close, Recorder._open = copy_first, without_checkpoints
    try:
        run(engine(stream, run_file, **options))
    finally:
        Recorder.close, Recorder._open = kept
    return folder / run_file.name


def damage(path: Path, rng: random.Random) -> str:
    """Damage a run file, or one of its companions; returns what was done."""
    names = [p for p in (path, Path(f"{path}-wal")) if p.exists() and p.stat().st_size]
    target = rng.choice(names)
    data = bytearray(target.read_bytes())
    kind, size = rng.choice(KINDS), len(data)
    if kind in ("bits", "many bits"):
        for _ in range(1 if kind == "bits" else 200):
            data[rng.randrange(size)] ^= 1 << rng.randrange(8)
    elif kind in ("zeros", "noise"):
        place = rng.randrange(size) // 4096 * 4096
        piece = bytes(4096) if kind == "zeros" else rng.randbytes(4096)
        data[place : place + 4096] = piece[: size - place]
    elif kind == "cut":
        del data[rng.randrange(size) :]
    elif kind == "exchange":
        a, b = (rng.randrange(-(-size // 4096)) * 4096 for _ in range(2))
        one, other = data[a : a + 4096], data[b : b + 4096]
        if len(one) == len(other):
            data[a : a + 4096], data[b : b + 4096] = other, one
    else:
        data[rng.randrange(100)] = rng.randrange(256)
    target.write_bytes(data)
    return f"{kind} in {target.name}"


def exported(run_file: Path, folder: Path) -> tuple[int, str]:
    """The exit code of `export`, and what it says."""
    said = io.StringIO()
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = main(["export", str(run_file), "--to", str(folder), "--format", "csv"])
    return code, said.getvalue()


def differences(run_file: Path, folder: Path, original: Path) -> list[str]:
    """What is silently another in the export of a damaged file than in that of the original."""
    code, said = exported(run_file, folder)
    if code == 0:
        names = [n for n in TABLES if (folder / n).read_bytes() != (original / n).read_bytes()]
        return [f"{name} is another" for name in names]
    is_named = code == 1 and re.search("damaged|not a run file|cannot be read|version", said)
    wrong = [] if is_named else [f"exit code {code}: {said}"]
    for name in TABLES:
        if (folder / name).exists():
            before = (original / name).read_text().splitlines()
            if not set((folder / name).read_text().splitlines()) <= set(before):
                wrong.append(f"{name} has other rows")
    return wrong


def watched(run_file: Path) -> list[tuple[int, bytes]] | None:
    """What those who watch would be shown: wrong rows by steps; None if they are told of damage."""
    try:
        reader = RunReader(run_file)
    except MacroError:
        return None
    try:
        return [(r.first_step, r.wrong.astype("u8").tobytes()) for r in reader.all_results()]
    except MacroError:
        return None
    finally:
        reader.close()


def resumed(stream: Path, run_file: Path, **options) -> dict | None:
    """The summary of a run that goes on from a file; None if it is refused."""
    try:
        return run(engine(stream, run_file, **options)).summary()
    except MacroError:
        return None


def copy(run_file: Path, folder: Path) -> Path:
    """A copy of a run file with its companions, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("", "-wal", "-shm"):
        if Path(f"{run_file}{name}").exists():
            shutil.copy(f"{run_file}{name}", folder / f"{run_file.name}{name}")
    return folder / run_file.name


class Originals:
    """Two run files, one stopped and one left by a killed process, and what they give."""

    OPTIONS: ClassVar = {"thresholds": "0.005,0.05,0.3"}

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stream = write_stream(folder / "d.csv", rows=2000, garbage=0.02)
        run_until(engine(self.stream, folder / "a.run", **self.OPTIONS), 150)
        left = left_by_kill(self.stream, folder / "b.run", **self.OPTIONS)
        self.files = [folder / "a.run", left]
        self.exports = [folder / "exported0", folder / "exported1"]
        for file, export in zip(self.files, self.exports, strict=True):
            assert exported(copy(file, folder / "copy"), export) == (0, "")
        self.watched = [watched(copy(file, folder / "copy")) for file in self.files]
        self.resumed = [
            resumed(self.stream, copy(file, folder / "copy"), **self.OPTIONS) for file in self.files
        ]

    def try_damage(self, seed: int) -> tuple[str, list[str]]:
        """Damage a copy of one; what was done, and what is silently another than before."""
        which, folder = seed % 2, self.folder
        damaged = copy(self.files[which], folder / "damaged")
        done = damage(damaged, random.Random(seed))
        again = partial(copy, damaged, folder / "copy")  # reading may change companions
        wrong = differences(again(), folder / "exported", self.exports[which])
        seen = watched(again())
        if seen is not None and seen != self.watched[which]:
            wrong.append("watch shows other numbers")
        if seed % 3 == 0:
            summary, expected = resumed(self.stream, again(), **self.OPTIONS), self.resumed[which]
            if summary is not None and any(
                summary[name] != expected[name] for name in ("rows", "errors", "rejected")
            ):
                wrong.append("a resumed run gives other numbers")
        return done, wrong
