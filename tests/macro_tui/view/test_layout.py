"""Where panels stand."""

import pytest

from macro_tui.view.layout import PANELS, panel_boxes

MAIN = {"errors", "decision", "timeline", "weights"}


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((80, 24), MAIN),
        ((120, 30), MAIN | {"events"}),
        ((160, 50), set(PANELS.values()) - {"pending", "rejected"}),
    ],
)
def test_each_size_has_its_panels(size, shown):
    assert set(panel_boxes(size[0], size[1] - 4)) == shown


@pytest.mark.parametrize("width", [1, 20, 79, 80, 100, 110, 139, 140, 300])
@pytest.mark.parametrize("height", [1, 2, 8, 13, 19, 20, 24, 25, 39, 40, 100])
def test_panels_stay_inside_and_apart(width, height):
    taken = set()
    for x, y, w, h in panel_boxes(width, height).values():
        assert x + w <= width
        assert y + h <= height
        cells = {(i, j) for i in range(x, x + w) for j in range(y, y + h)}
        assert not cells & taken
        taken |= cells


def test_an_expanded_panel_has_everything():
    assert panel_boxes(90, 30, "events") == {"events": (0, 0, 90, 30)}


@pytest.mark.parametrize(
    ("size", "beside"), [((60, 30), False), ((80, 24), False), ((120, 36), True), ((160, 50), True)]
)
def test_rows_that_wait_for_labels_take_the_place_of_the_weights(size, beside):
    width, height = size[0], size[1] - 4
    before, after = panel_boxes(width, height), panel_boxes(width, height, has_pending=True)
    x, y, wide, high = before.pop("weights")
    pending, weights = after.pop("pending"), after.pop("weights", None)
    assert after == before
    assert (weights is not None) == beside
    if weights is None:
        assert pending == (x, y, wide, high)
    else:
        assert weights == (x, y, wide, weights.height)
        assert pending == (x, y + weights.height, wide, high - weights.height)


@pytest.mark.parametrize("size", [(80, 24), (100, 40), (120, 30), (120, 40), (160, 50), (200, 60)])
@pytest.mark.parametrize("members", [1, 2, 3, 8, 12])
def test_the_timeline_has_no_line_that_stays_blank(size, members):
    boxes = panel_boxes(size[0], size[1] - 4, members=members)
    assert boxes["timeline"].height <= members + 3
    assert sum(boxes[name].height for name in ("weights", "timeline")) < size[1] - 4
    assert max(box.y + box.height for box in boxes.values()) == size[1] - 4
