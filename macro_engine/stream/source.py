"""Where the rows of a stream come from: the contract, and the sources by name.

An `Origin` is a stream that was named and is not read yet. From it come the names of the columns
and the first rows, by which the options of a run are settled, and then the `Source` that is polled.
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
    "named",
    "register",
    "scheme_of",
]

Say = Callable[[str], None]
Wait = Callable[[str], None]


class Source(ABC):
    """The rows of a stream, as they come.

    Attributes
    ----------
    name
        What it is called in messages.
    ends
        Whether it is a recording: it holds all its rows from the beginning and gives them again,
        in the same order, to whoever restores a position. A recording is played at a pace; any
        other source is run as it comes, and what one poll gave is committed as a whole.
    can_rewind
        Whether a later run can read on from a position; else rows in between are lost.
    trouble
        In a few words, why there is nothing to read now; None if there is no trouble.
    has_more
        Whether there is likely something to read at once.
    is_idle
        Whether nothing came at the last poll, and nothing is known to wait.
    has_ended
        Whether nothing more will come.
    done
        The share that was read; None where there is no end.
    most_rows
        About how many rows the next poll should give at most, None for as many as there are: as
        many as are run in a moment, since a run commits between polls. It is set from outside; a
        source that gives more is waited for.
    behind
        How many messages wait that were not given out; None where nobody knows.
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
        """Open what is to be read, so that there is a position before the first row."""

    @abstractmethod
    def poll(self) -> list[Table]:
        """The rows that have come, with the columns that were asked for; none if there are none.

        It does not wait.
        """

    @abstractmethod
    def position(self) -> State | None:
        """Where to read on after the rows of the last poll, in JSON; None before it is known."""

    @abstractmethod
    def restore(self, position: State) -> None:
        """Go on from a position."""

    def close(self) -> None:  # noqa: B027
        """Give back what is open."""


@dataclass(frozen=True)
class Beginning:
    """What is known of a stream before its first row is run.

    Attributes
    ----------
    names
        The columns.
    sample
        Gives the first rows, with all columns, to infer from what no option says.
    description
        Settings that the stream carries in itself.
    read_as
        Settings that were found out by reading, such as a delimiter.
    notes
        Lines that the user should read.
    problem, proposals
        Why a run cannot begin with these names of columns, and options that would cure it.
    """

    names: list[str]
    sample: Callable[[], Table]
    description: dict[str, Any] | None = None
    read_as: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str | None = None
    proposals: dict[str, list[str]] = field(default_factory=dict)


class Origin(ABC):
    """A stream that was named and is not read yet.

    Attributes
    ----------
    path
        What messages name.
    paths
        The files that are read: settings are looked for beside the first, and no output may
        replace one.
    files
        Those of a recording, once it has begun.
    """

    path: Path
    paths: Sequence[Path] = ()
    files: Sequence[StreamFile] = ()

    @property
    def names(self) -> list[str]:
        """What is read, in a word each."""
        return [self.path.name]

    def identity(self) -> list[dict[str, Any]]:
        """What a resumed run must find again."""
        return [{"name": name} for name in self.names]  # it grows

    def await_it(self, wait: Wait) -> None:  # noqa: B027
        """Wait until there is something to look at, calling `wait` with the reason again and again.

        `wait` takes a moment, and may raise.
        """

    @abstractmethod
    def begin(self, settings: Settings, wait: Wait) -> Beginning:
        """Look at the first rows, given the settings that are known by now."""

    @abstractmethod
    def connect(self, names: list[str], spec: StreamSpec, settings: Settings, say: Say) -> Source:
        """The source, which gives `spec.columns`; `say` takes a line about what happens to it."""


@dataclass(frozen=True)
class StreamRequest:
    """What the user asked for.

    Attributes
    ----------
    text
        The name of the stream without its scheme, as in `//host/topic` of `kafka://host/topic`.
    from_now
        Whether to leave out what is there already.
    descriptor
        Of standard input.
    """

    text: str
    from_now: bool = False
    descriptor: int = 0


SOURCES: dict[str, Callable[[StreamRequest], Origin]] = {}
FILE, STANDARD_INPUT = "file", "stdin"


def register(scheme: str, opens: Callable[[StreamRequest], Origin]) -> None:
    """Make a source known by its scheme: `tail SCHEME:TEXT` opens it."""
    plain = scheme.replace("-", "").replace("+", "")
    if not (plain.isascii() and plain.isalnum() and scheme[0].isalpha()) or scheme in SOURCES:
        raise ValueError(f"'{scheme}' is taken, or is no name for a source")
    if not callable(opens):
        raise TypeError(f"'{scheme}' is registered with what cannot be called; give it a class")
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


def named(stream: str, from_now: bool = False, descriptor: int = 0) -> Origin:
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
