"""The interface of a source of rows, and the registered sources.

An `Origin` is a stream before it is read. It returns the names of the columns and the first rows,
from which the options of a run are inferred, and then the `Source` to poll.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macro_engine.core import plugins
from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible

if TYPE_CHECKING:
    from macro_engine.core.state import State
    from macro_engine.options.settings import Settings
    from macro_engine.stream.recording import StreamFile
    from macro_engine.stream.spec import StreamSpec
    from macro_engine.stream.table import Table

__all__ = [
    "SOURCES",
    "Beginning",
    "Origin",
    "Source",
    "StreamRequest",
    "origin_of",
    "register",
    "scheme_of",
]

Say = Callable[[str], None]
Wait = Callable[[str], None]


class Source(ABC):
    """A source of the rows of a stream.

    Attributes
    ----------
    name
        The name in messages.
    ends
        Whether it is a recording: all rows exist from the beginning, and after `restore` the same
        rows follow in the same order. A recording is played at a pace; the rows of any other
        source run at once, and the rows of one poll are committed together.
    can_rewind
        Whether a later run can continue from a position; if not, the rows in between are lost.
    trouble
        Why there is nothing to read now, in a few words; None if there is no trouble.
    has_more
        Whether more rows are likely available at once.
    is_idle
        Whether the last poll returned nothing, and no rows are known to wait.
    has_ended
        Whether no more rows will come.
    done
        The share that was read; None for a source without an end.
    most_rows
        The number of rows that the next poll should return at most, roughly; None for no limit.
        The run sets it to the rows that it processes in a moment, since it commits between polls.
        A source may return more.
    behind
        The number of messages that wait; None if unknown.
    """

    name: str
    ends: bool = False
    can_rewind: bool = True
    trouble: str | None = None
    has_more: bool = False
    is_idle: bool = True
    has_ended: bool = False
    most_rows: int | None = None
    behind: int | None = None

    @property
    def done(self) -> float | None:
        return None

    def start(self) -> None:  # noqa: B027
        """Opens the source, so that it has a position before the first row."""

    @abstractmethod
    def poll(self) -> list[Table]:
        """Returns the new rows, with the requested columns, without waiting; may be empty."""

    @abstractmethod
    def position(self) -> State | None:
        """Returns the position after the rows of the last poll, as JSON; None if not known yet."""

    @abstractmethod
    def restore(self, position: State) -> None:
        """Continues from a position."""

    def close(self) -> None:  # noqa: B027
        """Closes what is open."""


@dataclass(frozen=True)
class Beginning:
    """The properties of a stream before its first row is run.

    Attributes
    ----------
    names
        The names of the columns.
    sample
        Returns the first rows, with all columns, to infer missing settings from.
    description
        The settings stored in the stream itself.
    read_as
        The settings found by reading, such as a delimiter.
    notes
        Remarks for the user.
    problem, proposals
        Why a run cannot begin with these column names, and options that fix it.
    """

    names: list[str]
    sample: Callable[[], Table]
    description: dict[str, Any] | None = None
    read_as: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str | None = None
    proposals: dict[str, list[str]] = field(default_factory=dict)


class Origin(ABC):
    """A stream that is not read yet.

    Attributes
    ----------
    path
        The path in messages.
    paths
        The files that the run reads: its TOML is looked for beside the first, and no output may
        replace one.
    files
        The files of a recording, after `begin`.
    """

    path: Path
    paths: Sequence[Path] = ()
    files: Sequence[StreamFile] = ()

    @property
    def names(self) -> list[str]:
        """The names of the inputs, for display."""
        return [self.path.name]

    def identity(self) -> list[dict[str, Any]]:
        """Returns what a resumed run compares, to check that the input is the same."""
        return [{"name": name} for name in self.names]  # it grows

    def await_it(self, wait: Wait) -> None:  # noqa: B027
        """Waits until the stream exists; calls `wait` repeatedly with the reason.

        `wait` blocks for a moment, and may raise.
        """

    @abstractmethod
    def begin(self, settings: Settings, wait: Wait) -> Beginning:
        """Reads the first rows, given the settings so far."""

    @abstractmethod
    def connect(self, names: list[str], spec: StreamSpec, settings: Settings, say: Say) -> Source:
        """Returns the source of `spec.columns`; it reports its events to `say`, a line each."""


@dataclass(frozen=True)
class StreamRequest:
    """A request to open a stream.

    Attributes
    ----------
    text
        The name of the stream without its scheme, as in `//host/topic` of `kafka://host/topic`.
    from_now
        Whether to skip what is there already.
    descriptor
        The file descriptor of standard input.
    """

    text: str
    from_now: bool = False
    descriptor: int = 0


SOURCES: dict[str, Callable[[StreamRequest], Origin]] = {}
FILE, STANDARD_INPUT = "file", "stdin"


def register(scheme: str, opens: Callable[[StreamRequest], Origin]) -> None:
    """Registers a source under a scheme: `tail SCHEME:TEXT` opens it."""
    plain = scheme.replace("-", "").replace("+", "")
    if not (plain.isascii() and plain.isalnum() and scheme[0].isalpha()) or scheme in SOURCES:
        raise ValueError(f"'{scheme}' is taken or is not a valid name for a source")
    if not callable(opens):
        raise TypeError(f"'{scheme}' cannot be called; register a class")
    SOURCES[scheme] = opens


def scheme_of(stream: str) -> tuple[str, str]:
    """The scheme of a stream's name and what follows it; without a scheme it is a file.

    >>> scheme_of("-"), scheme_of("live.csv"), scheme_of("kafka://host/topic")
    (('stdin', ''), ('file', 'live.csv'), ('kafka', '//host/topic'))
    """
    if stream == "-":
        return STANDARD_INPUT, ""
    scheme, colon, rest = stream.partition(":")
    if colon and (scheme in SOURCES or rest.startswith("//")):
        return scheme, rest
    return FILE, stream


def origin_of(stream: str, from_now: bool = False, descriptor: int = 0) -> Origin:
    """The stream that a user names, as in `live.csv`, `-` or `kafka://host/topic`."""
    failures = plugins.load()
    scheme, text = scheme_of(stream)
    may_be_plugin = scheme == FILE and failures and ":" in text and not Path(text).exists()
    if scheme not in SOURCES or may_be_plugin:
        name = visible(stream.partition(":")[0])
        known = f"there is no source '{name}'; known are {', '.join(SOURCES)}"
        raise UsageError(plugins.with_failures(f"{visible(stream)}: {known}"))
    opens = SOURCES[scheme]
    with plugins.failing_in_words(opens, f"the source {scheme}"):
        origin = opens(StreamRequest(text, from_now, descriptor))
    plugins.expect(origin, Origin, f"the source {scheme}: what was registered for it")
    return origin


# imported when they are asked for, with all that they need
def _file(asked: StreamRequest) -> Origin:
    from macro_engine.stream.live.beginning import FileOrigin

    return FileOrigin(Path(asked.text), asked.from_now)


def _standard_input(asked: StreamRequest) -> Origin:
    from macro_engine.stream.live.beginning import PipeOrigin
    from macro_engine.stream.live.standard_input import Pipe

    if asked.from_now:
        raise UsageError("--from-now: standard input always begins now; leave the option out")
    return PipeOrigin(Pipe(asked.descriptor))


def _kafka(asked: StreamRequest) -> Origin:
    from importlib.util import find_spec

    from macro_engine.core.extras import how_to_install
    from macro_engine.stream.live.kafka.beginning import TopicOrigin

    if find_spec("confluent_kafka") is None:
        raise UsageError(
            f"kafka: needs confluent-kafka; install it with: {how_to_install('kafka')}"
        )
    return TopicOrigin(asked)


register(FILE, _file)
register(STANDARD_INPUT, _standard_input)
register("kafka", _kafka)
