from macro_engine.core.rows import Rows
from macro_engine.core.state import State
from macro_engine.discrepancy.base import Discrepancy


class Iid(Discrepancy[None]):
    """0 between any two histories: the bound that holds for independent data."""

    def describe(self, history: Rows) -> None:  # noqa: ARG002
        return None

    def between(self, now: None, reference: None) -> float:  # noqa: ARG002
        return 0.0

    def state(self, description: None) -> State:  # noqa: ARG002
        return {}

    def restored(self, state: State) -> None:  # noqa: ARG002
        return None
