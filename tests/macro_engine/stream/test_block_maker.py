"""Blocks of steps are the same however their rows come."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from macro_engine.core.state import pack, unpack
from macro_engine.stream.block_maker import BlockMaker, packed
from macro_engine.stream.formats.csv import table_of
from macro_engine.stream.formats.csv_parser import CsvParser
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.label import parse_label
from macro_engine.stream.spec import StepLength, StreamSpec
from macro_engine.stream.table import Rejections

NAMES = ["t", "a", "y"]


def spec(every, reject_late):
    return StreamSpec(
        label=parse_label("y", NAMES),
        features=("a",),
        categorical=(),
        time="t",
        time_format=None,
        classes=None,
        bounds={},
        every=StepLength.parse(every),
        scale="running",
        reject_late=reject_late,
    )


def text_of(rng, rows):
    """Rows of which some cannot be parsed, lack a number, come late, or have a class of their own."""
    lines = []
    for i in range(rows):
        minute = i // 5
        draw = rng.random()
        if draw < 0.1:
            lines.append("broken")
        elif draw < 0.2:
            lines.append(f"2024-01-01T{minute // 60:02}:{minute % 60:02},oops,p")
        elif draw < 0.3:
            lines.append("2024-01-01T00:00,1,p")
        elif draw < 0.31 and i > 600:
            lines.append(f"2024-01-01T{minute // 60:02}:{minute % 60:02},1,stranger")
        else:
            lines.append(f"2024-01-01T{minute // 60:02}:{minute % 60:02},{i % 7},{'pq'[i % 2]}")
    return lines


def steps_of(block):
    """Of each step: how many rows were turned away, and its numbers."""
    for s, rejected in enumerate(block.rejected.tolist()):
        yield rejected, block.step(s).numbers.tolist()


def made_steps(lines, spec, cuts, kills=()):
    """The steps, if lines come in pieces and the maker is killed after some of them."""
    steps = []
    maker = BlockMaker(spec, Rejections())
    first = 1
    for number, part in enumerate(np.split(np.array(lines), cuts)):
        records = CsvParser(",").feed("".join(f"{line}\n" for line in part).encode())
        parser_lines = [type(r)(r.line + first - 1, r.fields, r.problem) for r in records]
        first += len(part)
        for block in maker.take(table_of(parser_lines, NAMES, NAMES, Dialect(), "live.csv", {})):
            steps += steps_of(block)
        if maker.is_full:
            for block in maker.close_full_step():
                steps += steps_of(block)
        if number in kills:
            state = unpack(pack(packed(maker.state())))
            maker = BlockMaker(spec, Rejections())
            maker.restore(state)
    for block in maker.finish():
        steps += steps_of(block)
    return steps


@pytest.mark.slow
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 900), max_size=8, unique=True),
    st.sets(st.integers(0, 8)),
    st.sampled_from(["2m", "7"]),
    st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_rejected_rows_and_scaled_numbers_are_the_same_however_cut_and_killed(
    seed, cuts, kills, every, reject_late
):
    """Also while classes are learned."""
    lines = text_of(np.random.default_rng(seed), 900)
    made = spec(every, reject_late)
    whole = made_steps(lines, made, [])
    assert sum(rejected for rejected, _ in whole) > 100
    assert len({z for _, numbers in whole for (z,) in numbers}) > 100  # they run
    parts = made_steps(lines, made, sorted(cuts), kills)
    assert parts[:-1] == whole[:-1]  # of a full last step, those after it may be of the next one
    assert parts[-1][1] == whole[-1][1]


def test_an_open_step_is_scaled_as_it_will_be_when_it_is_closed():
    lines = [f"2024-01-01T00:{i // 10:02},{i % 7},{'pq'[i % 2]}" for i in range(595)]
    maker = BlockMaker(spec("1m", False), Rejections())
    records = CsvParser(",").feed("".join(f"{line}\n" for line in lines).encode())
    for _ in maker.take(table_of(records, NAMES, NAMES, Dialect(), "live.csv", {})):
        pass
    opened = maker.open_step()
    (closed,) = maker.close_step()
    assert opened.numbers.tolist() == closed.rows.numbers.tolist()
    assert len(opened) == 5
    assert opened.numbers.any()
