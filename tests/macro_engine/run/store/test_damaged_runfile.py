"""What is no run file, or a damaged one, is refused in words."""

import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace

import numpy as np
import pytest
from made_runs import engine, run, unpacked, write_stream

from macro_engine.core import steps
from macro_engine.core.errors import MacroError
from macro_engine.core.state import DamagedError
from macro_engine.run.store import records, schema
from macro_engine.run.store.runfile import RunReader


@pytest.fixture(scope="module")
def in_records(tmp_path_factory):
    """A run of 79 steps that is kept in records of 8."""
    folder = tmp_path_factory.mktemp("records")
    stream = write_stream(folder / "d.csv", rows=800)
    with pytest.MonkeyPatch.context() as patch:
        for module in (records, steps):
            patch.setattr(module, "PIECE_STEPS", 8)
        made = run(engine(stream, folder / "a.run"))
    assert 64 < made.steps <= 80
    return folder / "a.run"


def copied(recorded, tmp_path):
    return shutil.copy(recorded[0], tmp_path / "a.run")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("PRAGMA user_version = 7", "version 7 .* up to 2"),
        ("PRAGMA user_version = 1", "damaged: its tables"),
        ("PRAGMA application_id = 1", "not a run file"),
        ("DROP TABLE events", "damaged: its tables"),
        ("CREATE TRIGGER x AFTER INSERT ON run BEGIN DELETE FROM run; END", "damaged: its tables"),
        ("CREATE VIEW v AS SELECT 1", "damaged: its tables"),
        ("UPDATE run SET value = '{' WHERE name = 'status'", "'status' does not match"),
        ("DELETE FROM run WHERE name = 'status'", "is incomplete"),
        ("DELETE FROM run WHERE name = 'ledger'", "ledger.* is missing"),
        ("DELETE FROM run", "ledger.* is missing"),
    ],
)
def test_what_is_no_run_file_of_ours_is_refused_in_words(recorded, tmp_path, statement, says):
    path = copied(recorded, tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
    with pytest.raises(MacroError, match=says):
        RunReader(path)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE records SET head = x''", "step 0: its head"),
        ("UPDATE records SET previous = zeroblob(16) WHERE first_step > 0", "step {a}: its head"),
        ("UPDATE records SET link = NULL WHERE first_step = {a}", "step {a}: its head"),
        ("DELETE FROM records WHERE first_step = {a}", "step {a} is missing"),
        ("DELETE FROM records WHERE first_step > {b}", "step {c} is missing"),
        ("UPDATE parts SET data = x'00' WHERE place = {a} * 16 + 1", "step {a}: .*'choices' does"),
        ("DELETE FROM parts WHERE place = {a} * 16 + 2", "step {a}: its part 'rows' is missing"),
        (
            "UPDATE parts SET data = (SELECT data FROM parts WHERE place = {b} * 16) "
            "WHERE place = {a} * 16",
            "step {a}: its part 'steps' does",
        ),
        (
            "UPDATE records SET first_step = -first_step WHERE first_step IN ({a}, {b});"
            "UPDATE records SET first_step = {a} + {b} + first_step WHERE first_step < 0;",
            "step {a}: its head",
        ),
    ],
)
def test_a_damaged_record_is_named(in_records, tmp_path, statement, says):
    path = shutil.copy(in_records, tmp_path / "a.run")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        firsts = connection.execute("SELECT first_step FROM records ORDER BY 1 LIMIT 4").fetchall()
        places = dict(zip("oabc", (first for (first,) in firsts), strict=True))
        connection.executescript(statement.format(**places))
    says = says.format(**places)
    with closing(RunReader(path)) as reader, pytest.raises(DamagedError, match=says):
        list(reader.all_results())


def test_an_exchanged_record_does_not_match_the_record_before(in_records, tmp_path):
    path = shutil.copy(in_records, tmp_path / "a.run")
    with closing(RunReader(in_records)) as reader:
        second = next(r for r in reader.all_results() if r.first_step)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        records.insert(connection, second, bytes(16), 0.0)  # whole in itself
    with closing(RunReader(path)) as reader, pytest.raises(DamagedError, match="does not match"):
        list(reader.all_results())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("active", 0),
        ("active", 200),
        ("lengths", 0),
        ("leaders", 8),
        ("labels", 2),
        ("nearest", 99),
    ],
)
def test_values_out_of_range_are_refused_even_with_the_right_checksums(
    in_records, tmp_path, column, value
):
    path = shutil.copy(in_records, tmp_path / "a.run")
    with closing(RunReader(in_records)) as reader:
        first = next(reader.all_results())
    forged = replace(first, **{column: np.full_like(getattr(first, column), value)})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        records.insert(connection, forged, bytes(16), 0.0)
    with closing(RunReader(path)) as reader, pytest.raises(DamagedError, match="step 0"):
        list(reader.all_results())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE steps SET steps = 1000000000000",
        "UPDATE steps SET rows = rows + 1",
        "UPDATE steps SET active = zeroblob(length(active))",
        "UPDATE steps SET leaders = CAST(leaders AS TEXT)",
        "UPDATE rows SET labels = substr(labels, 2)",
        "UPDATE rows SET predictions = replace(hex(predictions), '0', 'F')",
        "UPDATE steps SET lengths = x'', steps = 4000000000",
        "UPDATE steps SET first_row = 'x'",
        "UPDATE steps SET steps = NULL",
        "UPDATE rows SET labels = x'', predictions = x''; UPDATE steps SET rows = 50000000, steps = 1",
        "UPDATE steps SET subroutines = CAST(replace(hex(subroutines), '0', 'F') AS BLOB)",
        "UPDATE choices SET nearest = NULL",
        "DELETE FROM rows",
        "UPDATE steps SET first_step = first_step + 1",
    ],
)
def test_damaged_results_of_version_1_are_named_as_such(tmp_path, statement):
    path = unpacked("version1-replay", tmp_path / "a.run")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(statement)
    with closing(RunReader(path)) as reader, pytest.raises(MacroError, match=r"a\.run is damaged"):
        list(reader.all_results())


def test_a_file_cut_off_or_overwritten_is_named_as_such(recorded, tmp_path):
    whole = recorded[0].read_bytes()
    rng = np.random.default_rng(0)
    for n in range(12):
        data = bytearray(whole[: len(whole) * (n + 1) // 13] if n % 2 else whole)
        place = int(rng.integers(0, len(data) - 500))
        data[place : place + 500] = rng.bytes(500)
        (tmp_path / "a.run").write_bytes(data)
        with suppress(MacroError), closing(RunReader(tmp_path / "a.run")) as reader:
            list(reader.all_results())
            reader.state()


def test_a_trigger_hidden_by_a_table_of_the_same_name_is_found(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.run", isolation_level=None)) as connection:
        connection.execute(schema.TABLES["run"])
        connection.execute("CREATE TRIGGER steps AFTER INSERT ON run BEGIN DELETE FROM run; END")
        for name, statement in schema.TABLES.items():
            if name != "run":
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        connection.execute(f"PRAGMA user_version = {schema.VERSION}")
    with pytest.raises(MacroError, match="damaged: its tables"):
        RunReader(tmp_path / "a.run")
