"""The progress of a run: snapshots for other threads, and the final numbers."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic, time
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.core.metrics import measured, rarest
from macro_engine.core.rows import Block
from macro_engine.run.alarms.checker import AlarmChecker
from macro_engine.run.compiling.warming import must_wait
from macro_engine.run.identity import plain
from macro_engine.run.open_step import OpenStepTracker
from macro_engine.run.pending import Pending, PendingRows
from macro_engine.run.pipeline import Pipeline
from macro_engine.run.playing.pace import Pace
from macro_engine.run.rate import Rate
from macro_engine.run.report import Report
from macro_engine.run.score.lead import exceptional
from macro_engine.run.score.scoreboard import Scoreboard
from macro_engine.run.snapshot import COMPILING, ENDED, Snapshot
from macro_engine.strategies import macro_of
from macro_engine.stream.awaited_labels import KINDS
from macro_engine.stream.label import class_titles
from macro_engine.stream.opening import Opened
from macro_engine.stream.reader import Reader

_REST = 30  # times what a look at the rows that wait costs, until the next one


class RunProgress:
    """Publishes where a run stands.

    Attributes
    ----------
    snapshot
        The newest, for other threads.
    done
        The share of a recording that has been played; None for a live stream.
    closed
        When the newest step was closed, or the run began.
    full_since
        Since when the run waits for its recorder; None if it does not.
    open_step
        What is said of the open step's rows, where they are looked at.
    """

    def __init__(
        self,
        opened: Opened,
        reader: Reader,
        pipeline: Pipeline,
        pace: Pace,
        report: Report,
        alarm_checker: AlarmChecker,
    ) -> None:
        self.opened = opened
        self.reader = reader
        self.pipeline = pipeline
        self.pace = pace
        self.report = report
        self.alarm_checker = alarm_checker
        self.done: float | None = None if reader.is_live else 0.0
        self.rate = Rate()
        self.closed = time()
        self.full_since: float | None = None
        self.open_step: OpenStepTracker | None = None
        self.snapshot = Snapshot(path=pipeline.path)
        self.pending_rows = PendingRows()
        self.pending, self.next_look = Pending(), 0.0

    @property
    def classes(self) -> tuple[str, ...]:
        return self.reader.encoder.classes or self.pipeline.classes

    @property
    def titles(self) -> tuple[str, ...]:
        """The display names of the classes."""
        return class_titles(self.classes, str(self.opened.settings["label"]))

    @property
    def to_tell(self) -> Snapshot:
        """The snapshot without the time of silence, which a viewer computes itself."""
        snapshot = self.snapshot
        if snapshot.state == "waiting" and self.reader.source.trouble is not None:
            return replace(snapshot, words=f"{self.reader.source.trouble}, waiting")
        return replace(snapshot, words="quiet") if snapshot.state == "quiet" else snapshot

    @property
    def rows_come(self) -> int:
        """Rows that were run; of a live feed also those of the open step and of waiting ones."""
        reader = self.reader
        return reader.rows + reader.maker.open_rows if reader.is_live else self.pipeline.rows

    def publish(self, state: str, words: str) -> None:
        """Publishes a new snapshot."""
        pipeline, is_live = self.pipeline, self.reader.is_live
        board, recorder = pipeline.scoreboard, self.report.recorder
        has_rows = board is not None and board.rows > 0
        self.snapshot = Snapshot(
            state=state,
            words=words,
            steps=pipeline.steps,
            rows=pipeline.rows,
            time=pipeline.time,
            done=self.done,
            rate=0.0 if state in ENDED else self.rate.of(self.rows_come),
            speed=str(self.pace.speed or ""),
            path=pipeline.path,
            rejected=self.report.rejections.count,
            late=self.reader.late,
            unanswered=pipeline.unanswered,
            references=pipeline.reference_count,
            distance_share=pipeline.distance_share,
            errors=board.errors if board and has_rows else {},
            strategy=pipeline.strategy,
            member_errors=tuple(board.member_errors) if board and has_rows else (),
            subroutines=tuple(board.subroutines.tolist()) if board else (),
            came=self.reader.came if is_live else None,
            closed=self.closed if is_live else None,
            gone=self.reader.trouble_since if is_live else None,
            behind=self.reader.behind if is_live else None,
            open_rows=self.reader.maker.open_rows if is_live else 0,
            open_errors=self.open_step.errors() if self.open_step else {},
            said=self.open_step.newest(self.titles) if self.open_step else {},
            seen=self.full_since,
            recording="" if recorder is None else visible(recorder.path.name),
            trouble="" if recorder is None else recorder.trouble or "",
            warming=self._warming() if state not in ENDED else "",
            alarms=self.alarm_checker.alarms.as_texts(),
            **self._late(state),
        )

    def took(self, block: Block) -> None:
        """A block has been run: steps were closed and completed, and labels have come."""
        waiting = self.pipeline.waiting
        if waiting is not None:
            self.pending_rows.follow(waiting.steps, waiting.completed, block.outcomes)

    def say_trouble(self, trouble: str) -> None:
        """Reports why the end of a run is not in its file yet; empty if it is."""
        if trouble != self.snapshot.trouble:
            self.snapshot = replace(self.snapshot, trouble=trouble)

    def _warming(self) -> str:
        pipeline = self.pipeline
        if pipeline.warming is not None:
            return pipeline.warming_words
        if pipeline.ensemble is None and pipeline.needed is not None and must_wait(pipeline.needed):
            return COMPILING
        return ""

    def _late(self, state: str) -> dict[str, Any]:
        """What a snapshot tells of labels that come late; looked up now and then."""
        pipeline, board, now = self.pipeline, self.pipeline.scoreboard, monotonic()
        if pipeline.waiting is None:
            return {}
        if board is None:  # no step has been completed
            return {"pending_rows": max(self.reader.rows - pipeline.rows, 0)}
        stands = state in ENDED or (self.pace.paused and self.pace.target is None)
        if now >= self.next_look or stands:
            named = self.opened.settings.get("class")
            rare = None if not board.rows else rarest(board.tally.labels)
            self.pending = self.pending_rows.seen(
                [*pipeline.waiting.steps],
                pipeline.strategy,
                self.classes,
                pipeline.names,
                rare if named is None else self.classes.index(named),
            )
            self.next_look = now + _REST * (monotonic() - now)
        pending = self.pending
        return {
            "pending_rows": pending.rows,
            "pending_oldest": pending.oldest,
            "pending_class": pending.rare,
            "pending_expected": pending.expected,
            "pending_likely": pending.likely,
            "errors_at_once": self._errors_at_once(),
        }

    def _errors_at_once(self) -> dict[str, float]:
        """By series, with every label known at once; empty where that is not of the same rows."""
        at_once = self.pipeline.at_once
        if at_once is None or at_once.rows != self.pipeline.rows:
            return {}
        return at_once.errors

    def summary(self) -> dict[str, Any]:
        """The run in numbers."""
        pipeline = self.pipeline
        board, lead = pipeline.scoreboard, pipeline.lead
        assert board is not None
        assert lead is not None
        assert pipeline.ensemble is not None
        family = pipeline.ensemble.family
        return {
            "rows": board.rows,
            "steps": board.steps,
            "classes": list(self.classes),
            "seconds": pipeline.seconds,
            "path": pipeline.path,
            "errors": board.errors,
            "metrics": self._metrics(board),
            "confusion": {"strategy": pipeline.strategy, "rows": board.confusion.tolist()},
            "thresholds": [
                {
                    "history": member.history,
                    "threshold": plain(member.threshold),
                    "error": error,
                    "subroutines": int(subroutines),
                    **exceptional(usage.uses, family.updates(k)),
                }
                for k, (member, error, subroutines, usage) in enumerate(
                    zip(
                        pipeline.members,
                        board.member_errors,
                        board.subroutines,
                        lead.usage,
                        strict=True,
                    )
                )
            ],
            "lead": lead.document(macro_of(pipeline.strategy, lead.strategies), self.titles),
            "rejected": self.report.rejections.count,
            "late": self.reader.late,
            "held": self.reader.held,
            **self._late_labels(),
            "unanswered": pipeline.unanswered,
            "references": pipeline.reference_count,
            "distance_share": pipeline.distance_share,
            "labels": board.labels.tolist(),
            "notes": [
                *self.reader.maker.notes(),
                *map(_alike_in_words, board.identical_members),
                *self._price_of_waiting(board.errors),
            ],
            "alarms": self.alarm_checker.alarms.rung,
            "stopped_at": self.done if self.snapshot.state == "stopped" else None,
            "settings": plain(
                self.opened.settled(self.reader)
                | {"strategies": pipeline.strategies, "strategy": pipeline.strategy}
            ),
        }

    def _metrics(self, board: Scoreboard) -> dict[str, Any]:
        """The metrics over the whole run and over the last steps."""
        named = self.opened.settings.get("class")
        of = rarest(board.tally.labels) if named is None else self.classes.index(named)
        return {
            "class": self.classes[of],
            "all": measured(board.tally, of),
            "recent": measured(board.recent.tally, of),
            "recent_steps": board.recent.steps,
        }

    def _late_labels(self) -> dict[str, Any]:
        """Where labels come late: how many rows wait for them, and what was odd about labels."""
        awaited = self.reader.maker.awaited
        if awaited is None:
            return {}
        waiting = awaited.waiting_rows
        counts = {"waiting": waiting} | {kind: awaited.counts[kind] for kind in KINDS}
        at_once = self._errors_at_once()
        return {"late_labels": counts} | ({"errors_at_once": at_once} if at_once else {})

    def _price_of_waiting(self, errors: dict[str, float]) -> list[str]:
        """In words, what each series would have got wrong with labels at once."""
        at_once = self._late_labels().get("errors_at_once", {})
        prices = [
            f"{name} {error:.2%}, waiting adds {100 * (errors[name] - error):+z.2f} points"
            for name, error in at_once.items()
        ]
        return [f"with labels at once: {'; '.join(prices)}"] if prices else []


def _alike_in_words(members: list[str]) -> str:
    return (
        f"{', '.join(members[:-1])} and {members[-1]} did the same in every step: one of them is "
        "enough; other --thresholds, or a longer --history, would tell more situations apart"
    )
