from made_streams import block_of, random_block

from macro_engine.discrepancy import Labels


def between(s, t, classes):
    distance = Labels(classes)
    return distance.between(distance.describe(s), distance.describe(t))


def test_a_case_worked_by_hand():
    s = block_of([0, 0, 0, 1], [4]).rows
    t = block_of([0, 1, 1, 1], [4]).rows
    assert between(s, t, 2) == 0.5 * 0.5 + 0.5 * 0.5


def test_its_square_root_obeys_the_triangle_inequality():
    for seed in range(100):
        r, s, t = (random_block(seed + i, 4, [6]).rows for i in (0, 1000, 2000))
        direct = between(r, t, 4) ** 0.5
        assert direct <= between(r, s, 4) ** 0.5 + between(s, t, 4) ** 0.5 + 1e-12


def test_the_order_of_the_rows_does_not_matter():
    s = block_of([0, 1, 2, 2], [4]).rows
    t = block_of([2, 0, 2, 1], [4]).rows
    assert between(s, t, 3) == 0.0
