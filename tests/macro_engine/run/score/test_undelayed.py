"""The run with labels at once, beside one that waits."""

from made_ensembles import general, members_of
from made_streams import random_block

from macro_engine.core.state import pack
from macro_engine.run.score.undelayed import UndelayedRun


def test_what_is_stored_stands_although_the_run_goes_on_before_it_is_written():
    block = random_block(1, 2, [3] * 20)
    members = members_of("labels", 2, (0.1,))
    made = UndelayedRun(general(members, "labels", "nearest-mean", block.rows.columns, 2))
    made.run(block.cut(0, 10), 2)
    parts = {name: part for name, part in made.state(True).items() if name == "at_once/sums"}
    before = pack(parts)
    made.run(block.cut(10, 20), 2)
    assert pack(parts) == before
