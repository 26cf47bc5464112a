import functools
import operator

from made_streams import block_of

from macro_engine.algorithm.no_change import NoChange


def predictions(baseline, block):
    return baseline.run(block.rows.labels, block.starts)[0].tolist()


def test_it_predicts_the_last_label_of_the_last_closed_step():
    block = block_of([1, 0, 1, 1, 0], [2, 1, 2])
    assert predictions(NoChange(), block) == [0, 0, 0, 1, 1]


def test_it_remembers_across_blocks():
    block = block_of([1, 0, 1, 1, 0], [2, 1, 2])
    baseline = NoChange()
    parts = [predictions(baseline, block.cut(s, s + 1)) for s in range(3)]
    assert functools.reduce(operator.iadd, parts, []) == [0, 0, 0, 1, 1]
