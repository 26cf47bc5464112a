"""The verdict: MACRO against the baseline, and where its lead comes from."""

from __future__ import annotations

from macro_engine.core.format import count_text, series_title, short_percent_text
from macro_engine.run.view import PAPER, standing
from macro_tui.view.comparison import short_lead_text
from macro_tui.view.curves import role_of
from macro_tui.view.metric_verdict import metric_verdict
from macro_tui.view.rows import Row, Span, fitting, row_width
from macro_tui.view.scene import Scene
from macro_tui.view.strategy_values import pull_of_macro

_AS_GOOD = 0.25  # points
_MOST_OF_IT = 0.8  # of the lead is explained by those who are named
_NAMED = 3
_ALL_USED = 0.995


def verdict(scene: Scene, width: int) -> Row:
    """MACRO against the baseline over the whole run, what stands beside it, and lately.

    It is cut to the width: first the opening has fewer words, then clauses are left out.
    """
    if scene.metric.name != "error":
        return metric_verdict(scene, width)
    name, history = scene.macro, scene.history
    recent = scene.recent_errors
    own, baseline = recent[history.index(name)], recent[history.index("marginal")]
    others = [other for other in history.strategies if other != name and other in PAPER]
    role = "good" if own <= baseline else "bad"
    origin, beside = _origin(scene), [_clause(scene, other) for other in scene.beside_macro]
    best = _best_baseline(scene)
    of_prediction = [other == scene.strategy for other in scene.beside_macro]
    chosen = [error for (error, _), is_it in zip(beside, of_prediction, strict=True) if is_it]
    wanted = [*chosen, *origin[:1], *best, *(error for error, _ in beside if error not in chosen)]
    pulls = [pulled for _, pulled in beside if pulled[0]]
    lately = (f"; lately {short_lead_text(own, baseline)}", role)
    errors = [_clause(scene, other)[0] for other in others]
    by_need = [*wanted, *pulls, *origin[1:], lately, *errors]
    as_read = [*origin, *best, *(span for clause in beside for span in clause if span[0])]
    row = _opening_in(scene, width, wanted)
    shown = fitting([*row, *by_need], width, least=len(row))[len(row) :]
    return [*row, *(span for span in [*as_read, lately, *errors] if span in shown)]


def _opening_in(scene: Scene, width: int, wanted: Row) -> Row:
    """As many words as leave room for what is wanted beside it, or as there is room for."""
    for against in (" than the baseline", " than base", ""):
        row = _opening(scene, against)
        if row_width([*row, *wanted]) <= width:
            return row
    return row if row_width(row) <= width else _opening(scene, "", is_short=True)


def _opening(scene: Scene, against: str, is_short: bool = False) -> Row:
    name, history, so_far = scene.macro, scene.history, scene.errors
    own, baseline = so_far[history.index(name)], so_far[history.index("marginal")]
    row: Row = [(f"{scene.macro_title} {own:.1f} %", role_of(name))]
    row += [] if is_short else _used(scene)
    match standing_of(scene):
        case "better":
            return [*row, (f", {baseline - own:.1f} points better{against}", "good")]
        case "worse":
            return [*row, (f", {own - baseline:.1f} points worse{against}", "bad")]
        case "level":
            return [*row, (", level with the baseline", "label")]
    rows = "" if is_short else f" ({count_text(int(scene.point.rows[0]), 'row')})"
    compared = f", baseline {baseline:.1f} %" if against else ""
    return [*row, (compared, "marginal"), (f": too early to tell{rows}", "strong")]


def standing_of(scene: Scene) -> str:
    """What may be said of MACRO's lead."""
    name, so_far = scene.macro, scene.errors
    lead = so_far[scene.history.index("marginal")] - so_far[scene.history.index(name)]
    return standing(lead, *scene.history.confidence(scene.moment, name))


def _used(scene: Scene) -> Row:
    """The share of rows that were used, where many were rejected."""
    snapshot = scene.snapshot
    if not snapshot.rejected:
        return []
    share = snapshot.rows / (snapshot.rows + snapshot.rejected)
    return [(f" on {share:.0%} of rows".replace("%", " %"), "bad")] if share < _ALL_USED else []


def _origin(scene: Scene) -> Row:
    """Which situations earned the lead, or cost it, and what they are."""
    sign = {"better": 1, "worse": -1}.get(standing_of(scene))
    if sign is None:
        return []
    points = sign * scene.usage.points(scene.macro)
    total = float(points.sum())
    order = [n for n in points.argsort()[::-1].tolist() if points[n] > 0][:_NAMED]
    while len(order) > 1 and points[order[:-1]].sum() >= _MOST_OF_IT * total:
        order.pop()
    if not order or not total > 0:
        return []
    share = float(points[order].sum()) / total
    part = "all" if share > _ALL_USED else f"{share:.0%}".replace("%", " %")
    *first, last = [f"#{n}" for n in sorted(order)]
    names = f"{', '.join(first)} and {last}" if first else last
    rows = scene.usage.rows[order].sum() / max(scene.usage.rows.sum(), 1)
    of_rows = f", {short_percent_text(float(rows))} of rows".replace("%", " %")
    situation = scene.history.situation_at_birth(scene.member, order[0])
    row: Row = [(f"; {part} of it from {names}", "strong"), (of_rows, "label")]
    return [*row, (f", as #{order[0]}: {situation}", "label")] if situation else row


def _best_baseline(scene: Scene) -> Row:
    """No-change, where it is the best of the baselines: it says nothing for the model."""
    history, so_far = scene.history, scene.errors
    best = so_far[history.index("no_change")]
    if best >= so_far[history.index("marginal")]:
        return []
    ahead = so_far[history.index(scene.macro)] - best
    how = "as good" if abs(ahead) < _AS_GOOD else "better" if ahead > 0 else "worse"
    return [(f"; no-change {best:.1f} %, {how}", "bad" if ahead >= -_AS_GOOD else "no_change")]


def _clause(scene: Scene, strategy: str) -> tuple[Span, Span]:
    """The error of a strategy; and MACRO's part in what pulls it, where it says so."""
    error = scene.errors[scene.history.index(strategy)]
    share = pull_of_macro(scene, strategy)
    title, role = series_title(strategy), role_of(strategy)
    pulls = "" if share is None else f", MACRO pulls {share:.0%} of {title}".replace("%", " %")
    return (f"; {title} {error:.1f} %", role), (pulls, role)
