"""The compiled path of the estimator, for its default learner.

It gives what `GeneralPath` gives, to the last bit.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np

from macro_engine.algorithm.family import histories_of, with_marginal
from macro_engine.blend.kernels.arrays import ANSWER, CLOSE, FRESH, LEARN
from macro_engine.core.members import Member
from macro_engine.core.rows import LARGEST, Columns, Rows
from macro_engine.discrepancy import DISTANCES
from macro_engine.estimator.arena import Arena, Sizes
from macro_engine.estimator.compiled_blend import OpenBlend
from macro_engine.estimator.growing_columns import GrowingColumns
from macro_engine.estimator.growing_strategy import check_class
from macro_engine.estimator.histories import Histories, histories_for
from macro_engine.estimator.kernels import parts as k
from macro_engine.estimator.kernels.blending import run_blend, show_row, show_step, tell_change
from macro_engine.estimator.kernels.opening import choose, open_step
from macro_engine.estimator.kernels.rows import close_step, learn_row, predict_row
from macro_engine.estimator.path_settings import PathSettings
from macro_engine.estimator.row_values import numbers_of
from macro_engine.strategies.blend import BlendStrategy
from macro_engine.strategies.ewa import ExponentialWeights
from macro_engine.strategies.ftl import FollowTheLeader
from macro_engine.subroutines.learning_rate import factor_and_power

# the strategies that are compiled
COMPILED = {
    FollowTheLeader.name: k.FTL,
    ExponentialWeights.name: k.EWA,
    BlendStrategy.name: k.BLEND,
}
_COMPARES = {"labels": k.LABELS, "iid": k.NOT_AT_ALL}
_BUILT_IN = frozenset({float, int, bool})
_PLAIN = _BUILT_IN | {np.float64, np.float32, np.int64, np.int32, np.bool_}
_TEXT = frozenset({str})
_WHOLE = frozenset({int})
_UNPICKLED = ("_packers", "_output", "_memory", "_last", "_answered", "_rank", "_kinds")
_MISFITS = (KeyError, OverflowError, TypeError, struct.error)


class CompiledPath:
    """Learns and predicts rows one by one."""

    def __init__(self, settings: PathSettings) -> None:
        members, distance, every = settings.members, settings.distance, settings.every
        is_scaled = settings.is_scaled
        self.classes: list[Any] = []
        self._strategy = settings.strategy
        self.is_blend = settings.strategy == BlendStrategy.name
        self._index: dict[Any, int] = {}
        self._columns: dict[str, int] = {}
        # columns by the keys of rows: names, or whole numbers where rows have nothing else
        self._keys: dict[Any, int] = {}
        self._has_whole_keys = False
        self._names: list[str] = []  # of the columns, in order
        self._last: tuple[Any, ...] = ()  # the names whose columns were put down last
        self._layout = GrowingColumns()
        self._blend: OpenBlend | None = None  # from the first row on
        # the row that the blend answered last: its names, and its values as they are put down
        self._answered: tuple[tuple[Any, ...], bytes] | None = None
        self._codes: list[list[int]] = []  # of the open step, where tiles see categories
        self._compares_raw = is_scaled and DISTANCES[distance].compares_raw
        self._members = len(members)
        lines = with_marginal(members) if self.is_blend else members
        lengths = histories_of(members)
        self._histories: Histories | None = None
        if distance not in _COMPARES:
            self._histories = histories_for(distance, lengths, settings.empty_class)
        longest = max((h for h in lengths if h is not None), default=1)
        rows = every if every < 64 else 4
        self._arena = Arena(
            Sizes(len(lines), len(lengths), longest if distance == "labels" else 1, rows=rows)
        )
        self._set_up(lines, lengths, settings)
        self._arena.part(k.NUMBERS)[[k.RATE, k.RATE_POWER]] = factor_and_power(
            settings.learning_rate
        )
        self._arena.ints[k.HAS_SCALE] = is_scaled or self.is_blend
        self._arena.ints[k.IS_SCALED] = is_scaled
        self._set_views()

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        label = self._index.get(y)
        if label is None:
            numbers_of(x)  # a row that cannot be used brings no class
            label = self._add_class(y)
        n = self._put_down(x, learns=True)
        while (said := learn_row(self._arena.ints, self._arena.floats, n, label)) < 0:
            if said == k.BAD_VALUE:
                self._refuse(x)
            self._make_room(n)
        if self.is_blend and self._layout.categories:
            self._codes.append(self._layout.codes_of(x, learns=True))
        if said == k.FULL:
            said = self._learn_blend(n)
        if said == k.CLOSED:
            self._open_next()

    def predict_one(self, x: dict[Any, Any]) -> Any:
        if not self.classes:
            return None
        n = self._put_down(x)
        if self._blend is not None:
            said = self._blended(x, n)
            return self.classes[said.index(max(said))]
        guess = predict_row(self._arena.ints, self._arena.floats, n)
        return self.classes[guess] if guess >= 0 else self._refuse(x)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        if not self.classes:
            return {}
        n = self._put_down(x)
        if self._blend is not None:
            return dict(zip(self.classes, self._blended(x, n), strict=True))
        if predict_row(self._arena.ints, self._arena.floats, n) < 0:
            self._refuse(x)
        return dict(
            zip(self.classes, self._output.unpack_from(self._memory, self._output_at), strict=True)
        )

    @property
    def n_subroutines(self) -> list[int]:
        return [int(n) for n in self._arena.part(k.LINE)[: self._members, k.USED]]

    @property
    def weights(self) -> list[float]:
        found: list[float] = self._arena.part(k.LINE_NUMBER)[:, k.VOTE].tolist()
        return [] if self.is_blend else found

    @property
    def births(self) -> list[list[int]]:
        born = self._arena.part(k.SUBROUTINE)[: self._members, :, k.BORN]
        return [steps[:n].tolist() for steps, n in zip(born, self.n_subroutines, strict=True)]

    @property
    def active(self) -> list[int]:
        lines, subroutines = self._arena.part(k.LINE), self._arena.part(k.SUBROUTINE)
        distances, most = self._arena.part(k.DISTANCE), int(self._arena.ints[k.MOST])
        limits = self._arena.part(k.LINE_NUMBER)[:, k.LIMIT]
        found = []
        for line, mine, limit in list(zip(lines, subroutines, limits, strict=True))[
            : self._members
        ]:
            used, history, closest = line[:3].tolist()
            stays = used and (
                distances[history, mine[closest, k.REFERENCE]] <= limit or used == most
            )
            found.append(closest + 1 if stays else used + 1)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: kept for name, kept in vars(self).items() if name not in _UNPICKLED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._set_views()

    def _put_down(self, x: dict[Any, Any], learns: bool = False) -> int:
        """Put columns and values where compiled code finds them; returns how many there are."""
        values, names = x.values(), tuple(x)
        try:
            if _PLAIN.issuperset(map(type, values)) and (
                not self._has_whole_keys or _WHOLE.issuperset(map(type, names))
            ):
                if names != self._last:
                    columns = map(self._keys.__getitem__, names)
                    self._last = ()  # in case that one is not known
                    self._packers[len(names)].pack_into(self._memory, self._columns_at, *columns)
                    self._last = names
                self._packers[len(names)].pack_into(self._memory, 0, *values)
                return len(names)
        except _MISFITS:
            pass
        return self._put_down_slowly(x, _checked(x), learns)

    def _put_down_slowly(self, x: dict[Any, Any], features: dict[str, float], learns: bool) -> int:
        """The same where a column, a number of columns or a type is new."""
        n = len(features)
        if learns:
            is_first = not self._layout.has_rows
            for name in self._layout.add(x, list(features)):
                self._add_column(name)
            if self.is_blend and is_first:
                self._start_blend()
            if x and _WHOLE.issuperset(map(type, x)):
                self._has_whole_keys = True
                known = self._columns
                self._keys |= {key: known[str(key)] for key in x if str(key) in known}
        if n not in self._packers:
            if self._arena.make_room(width=n):
                self._set_views()
            self._packers[n] = struct.Struct(f"={n}d")
        pack, known = self._packers[n].pack_into, self._columns
        pack(self._memory, self._columns_at, *[known.get(name, -1) for name in features])
        pack(self._memory, 0, *features.values())
        self._last = ()
        return n

    def _start_blend(self) -> None:
        """Its tiles see the columns of the first row."""
        tiles = self._arena.part(k.TILE)
        for tile, name in enumerate(self._layout.units, 1):
            tiles[self._columns[name]] = tile
        sizes = self._arena.sizes
        self._blend = OpenBlend.over(self._layout, sizes.lines - 1, sizes.columns, sizes.rows)

    def _blended(self, x: dict[Any, Any], n: int) -> tuple[float, ...]:
        """Returns the blend's probabilities of the row in the arena, by class."""
        assert self._blend is not None
        if self._layout.categories:
            self._blend.put_codes([self._layout.codes_of(x)])
        ints, addresses = self._arena.ints, self._blend.addresses
        if show_row(ints, self._arena.floats, addresses, n) < 0:
            self._refuse(x)
        if len(self.classes) == 1:
            return (1.0,)
        run_blend(addresses, ANSWER)
        self._answered = (self._last, self._memory[:n].tobytes())
        return self._blend.probabilities()

    def _learn_blend(self, n: int) -> int:
        """Have the blend learn the step that is full, then everyone else.

        A step of one row is often the row that was answered last: that answer still holds.
        """
        assert self._blend is not None
        if self._codes:
            self._blend.put_codes(self._codes, learns=True)
            self._codes = []
        ints, floats, addresses = self._arena.ints, self._arena.floats, self._blend.addresses
        is_answered = (
            ints[k.EVERY] == 1
            and self._last
            and not self._layout.categories
            and self._answered == (self._last, self._memory[:n].tobytes())
        )
        self._answered = None
        show_step(ints, floats, addresses, bool(is_answered))
        run_blend(addresses, CLOSE + LEARN + (FRESH if is_answered else ANSWER))
        return int(close_step(ints, floats))

    def _refuse(self, x: dict[Any, Any]) -> None:
        """Raises an error that names the invalid value."""
        numbers_of(x)
        raise AssertionError("compiled code refused a row that can be used")

    def _add_class(self, y: Any) -> int:
        check_class(self._strategy, len(self.classes), y)
        label = self._index[y] = len(self.classes)
        self.classes.append(y)
        self._arena.make_room(classes=len(self.classes))
        self._arena.ints[k.CLASSES] = len(self.classes)
        self._set_views()
        if self._histories is not None:
            self._histories.grow(self._names, len(self.classes))
            self._compare()
            choose(self._arena.ints, self._arena.floats)
        return label

    def _add_column(self, name: str) -> None:
        column = self._columns[name] = self._keys[name] = len(self._columns)
        if column == len(self._rank) and self._arena.make_room(columns=column + 1):
            self._set_views()
        place = bisect_left(self._names, name)
        self._names.insert(place, name)
        before = self._rank[:column]
        before += before >= place
        self._rank[column], self._kinds[column] = place, self._layout.kinds[name]

    def _make_room(self, n: int) -> None:
        """Have room for one more row of so many columns, and for a birth in every line."""
        ints, sizes = self._arena.ints, self._arena.sizes
        self._arena.make_room(
            rows=int(ints[k.ROWS]) + 1,
            entries=int(ints[k.ENTRIES]) + n,
            places=2 * int(ints[k.PLACES]) + sizes.lines,
            subroutines=max(self.n_subroutines) + 1,
            references=int(self._arena.part(k.REFERENCES)[:, k.NUMBER].max()) + 1,
        )
        self._set_views()

    def _open_next(self) -> None:
        """Take over what compiled code leaves to Python at the end of a step."""
        assert self._histories is not None
        births = self._arena.part(k.REFERENCES)[:, k.NUMBER]
        self._histories.close(self._open_rows(), births)
        self._compare()
        open_step(self._arena.ints, self._arena.floats)

    def _compare(self) -> None:
        assert self._histories is not None
        self._histories.compare(self._arena)

    def _open_rows(self) -> Rows:
        """The rows of the step that closes, as matrices, columns in the order of their names."""
        ints, rank = self._arena.ints, self._arena.part(k.RANK)
        rows, entries = int(ints[k.ROWS]), int(ints[k.ENTRIES])
        starts, labels = self._arena.part(k.OPEN_ROW)[: rows + 1].T
        numbers = np.zeros((rows, len(self._names)))
        places = np.repeat(np.arange(rows), np.diff(starts))
        columns = rank[self._arena.part(k.OPEN_COLUMN)[:entries]]
        values = k.OPEN_RAW if self._compares_raw else k.OPEN_VALUE
        numbers[places, columns] = self._arena.part(values)[:entries]
        none = np.empty((rows, 0), np.int64)
        return Rows(numbers, none, labels[:rows].copy(), Columns(tuple(self._names)))

    def _set_up(
        self, members: Sequence[Member], lengths: list[int | None], settings: PathSettings
    ) -> None:
        ints = self._arena.ints
        ints[k.EVERY], ints[k.LINES] = settings.every, len(members)
        ints[k.HISTORIES] = len(lengths)
        ints[k.MOST] = -1 if settings.most is None else settings.most
        ints[k.STRATEGY], ints[k.LEADER] = COMPILED[settings.strategy], len(members) - 1
        ints[k.COMPARES] = _COMPARES.get(settings.distance, k.OUTSIDE)
        lines, references = self._arena.part(k.LINE), self._arena.part(k.REFERENCES)
        lines[:, k.HISTORY] = [0 if m.is_marginal else lengths.index(m.steps) for m in members]
        references[:, k.LENGTH] = [-1 if h is None else h for h in lengths]
        numbers = self._arena.part(k.NUMBERS)
        numbers[k.POWER], numbers[k.LARGEST] = settings.power, LARGEST
        numbers[k.EIGHT_LOG_K] = 8.0 * math.log(len(members))
        # for the first step, as `choose` would: no subroutine, and members with the same loss
        lines[:, [k.CLOSEST, k.ANSWERS]] = -1
        of_lines = self._arena.part(k.LINE_NUMBER)
        of_lines[:, [k.THRESHOLD, k.LIMIT]] = [[m.threshold] for m in members]
        of_lines[:, k.VOTE] = 1.0 / len(members)
        ints[k.LAST] = -1
        if ints[k.STRATEGY] == k.FTL:
            of_lines[:, k.VOTE] = np.arange(len(members)) == ints[k.LEADER]

    def _set_views(self) -> None:
        """Look at the arrays where they stand now."""
        if self._blend is not None:
            sizes = self._arena.sizes
            self._blend.make_room(sizes.rows, sizes.columns, len(self.classes))
            tell_change(self._arena.ints, self._blend.addresses)
        self._memory = memoryview(self._arena.floats.data)
        self._rank, self._kinds = self._arena.part(k.RANK), self._arena.part(k.KIND)
        self._packers: dict[int, struct.Struct] = {}
        self._last = ()
        self._answered = None
        self._columns_at: int = 8 * self._arena.sizes.width
        self._output = struct.Struct(f"={len(self.classes)}d")
        self._output_at = 8 * int(self._arena.ints[k.SIDES + 4 * k.OUTPUT])


def _checked(x: dict[Any, Any]) -> dict[str, float]:
    """The row by names and numbers; as it is where it consists of nothing else."""
    values = x.values()
    is_plain = _BUILT_IN.issuperset(map(type, values)) and _TEXT.issuperset(map(type, x))
    if is_plain and x and min(values) > -LARGEST and max(values) < LARGEST:
        return numbers_of(x) if math.isnan(sum(values)) else x
    return numbers_of(x)
