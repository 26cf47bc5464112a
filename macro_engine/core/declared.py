"""Declared states: each value has a name, type, shape and limits.

A class says once what it remembers, and is written down and restored by that:

>>> class Tally:
...     remembers = Declared(Integer("steps"), Array("wrong", np.int64, ("series",), low=0))
...     def __init__(self):
...         self.steps, self.wrong = 3, np.array([1, 2])
>>> state = Tally.remembers.state_of(Tally())
>>> state
{'steps': 3, 'wrong': array([1, 2])}
>>> Tally.remembers.restore(Tally(), state, series=5)
Traceback (most recent call last):
...
macro_engine.core.state.DamagedError: in its state 'wrong' is invalid

Lengths in shapes, and limits, may have names. Who restores gives their values; a length that is
not given is that of the first array that has it, and later ones must agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from macro_engine.core.smallest_type import smallest_unsigned
from macro_engine.core.state import (
    DamagedError,
    State,
    array,
    child,
    flag,
    indices,
    number,
    octets,
    texts,
    whole,
)

Lengths: TypeAlias = dict[str, int]


class Field(ABC):
    """One value of a state, which its owner has as an attribute of the same name."""

    name: str
    optional: bool  # whether it may be None

    def stored(self, value: Any) -> Any:
        """Returns the stored form of a value of the owner."""
        return value

    @abstractmethod
    def taken(self, state: State, lengths: Lengths) -> Any:
        """The owner's value from a state, checked; may add to the lengths that are known."""


@dataclass(frozen=True)
class Integer(Field):
    """A whole number from `low` up to `below`, which is not reached; limits may name it."""

    name: str
    low: int = 0
    below: int | str = 1 << 62
    optional: bool = False

    def taken(self, state: State, lengths: Lengths) -> int:
        value = whole(state, self.name, self.low, _value(self.below, lengths) - 1)
        lengths[self.name] = value
        return value


@dataclass(frozen=True)
class Number(Field):
    """A finite number."""

    name: str
    optional: bool = False

    def taken(self, state: State, lengths: Lengths) -> float:  # noqa: ARG002
        return number(state, self.name)


@dataclass(frozen=True)
class Flag(Field):
    """True or false."""

    name: str
    optional: bool = False

    def taken(self, state: State, lengths: Lengths) -> bool:  # noqa: ARG002
        return flag(state, self.name)


@dataclass(frozen=True)
class Text(Field):
    """A text."""

    name: str
    optional: bool = False

    def taken(self, state: State, lengths: Lengths) -> str:  # noqa: ARG002
        value = state.get(self.name)
        if not isinstance(value, str):
            raise DamagedError(f"in its state '{self.name}' is not text")
        return value


@dataclass(frozen=True)
class Texts(Field):
    """A list of texts."""

    name: str
    length: int | str | None = None
    optional: bool = False

    def stored(self, value: Iterable[str]) -> list[str]:
        return list(value)

    def taken(self, state: State, lengths: Lengths) -> list[str]:
        value = texts(state, self.name)
        if not _agrees(len(value), self.length, lengths):
            raise DamagedError(f"in its state '{self.name}' has {len(value)} texts")
        return value


@dataclass(frozen=True)
class ByteString(Field):
    """Bytes."""

    name: str
    optional: bool = False

    def stored(self, value: bytes) -> str:
        return value.hex()

    def taken(self, state: State, lengths: Lengths) -> bytes:  # noqa: ARG002
        return octets(state, self.name)


@dataclass(frozen=True)
class Array(Field):
    """An array.

    Parameters
    ----------
    shape
        A length, its name, or None for any length, along each axis.
    low, below
        Limits of whole numbers; `below` is not reached.
    shared
        Whether a state may hold the owner's own array, because nobody ever changes its values.
    as_list
        Whether the owner has a list.
    """

    name: str
    dtype: type
    shape: tuple[int | str | None, ...]
    low: int | None = None
    below: int | str | None = None
    shared: bool = False
    as_list: bool = False
    optional: bool = False

    def stored(self, value: Any) -> Any:
        return value if self.shared else np.array(value, self.dtype)

    def taken(self, state: State, lengths: Lengths) -> Any:
        value = array(state, self.name, self.dtype, (None,) * len(self.shape))
        _check_shape(self.name, value.shape, self.shape, lengths)
        if value.size and (
            (self.low is not None and value.min() < self.low)
            or (self.below is not None and value.max() >= _value(self.below, lengths))
        ):
            raise DamagedError(f"in its state '{self.name}' is out of range")
        return value.tolist() if self.as_list else value


@dataclass(frozen=True)
class Indices(Field):
    """Whole numbers from 0 up to `below`, stored in the smallest type that holds them."""

    name: str
    shape: tuple[int | str | None, ...]
    below: int | str = 1 << 62
    optional: bool = False

    def stored(self, value: Any) -> Any:
        return smallest_unsigned(value)

    def taken(self, state: State, lengths: Lengths) -> Any:
        below = _value(self.below, lengths)
        value = indices(state, self.name, (None,) * len(self.shape), below)
        _check_shape(self.name, value.shape, self.shape, lengths)
        return value


@dataclass(frozen=True)
class StatePart:
    """Something that has a state of its own; None where the owner has no such part."""

    name: str


class Declared:
    """The declared state of a class."""

    def __init__(self, *fields: Field | StatePart) -> None:
        self.fields = [field for field in fields if not isinstance(field, StatePart)]
        self.parts = [field for field in fields if isinstance(field, StatePart)]

    def state_of(self, owner: object) -> State:
        """Returns the state of the owner."""
        state: State = {}
        for field in self.fields:
            value = getattr(owner, field.name)
            is_absent = field.optional and value is None
            state[field.name] = None if is_absent else field.stored(value)
        for part in self.parts:
            value = getattr(owner, part.name)
            state[part.name] = None if value is None else value.state()
        return state

    def read(self, state: State, **lengths: int) -> dict[str, Any]:
        """The values of a state by name, checked; raises `DamagedError` where they cannot be."""
        values: dict[str, Any] = {}
        for field in self.fields:
            is_absent = field.optional and state.get(field.name) is None
            values[field.name] = None if is_absent else field.taken(state, lengths)
        return values

    def restore(self, owner: Any, state: State, **lengths: int) -> None:
        """Restores the state of the owner."""
        for name, value in self.read(state, **lengths).items():
            setattr(owner, name, value)
        for part in self.parts:
            if getattr(owner, part.name) is not None:
                getattr(owner, part.name).restore(child(state, part.name))


def _value(limit: int | str, lengths: Lengths) -> int:
    return lengths[limit] if isinstance(limit, str) else limit


def _check_shape(
    name: str, shape: tuple[int, ...], wanted: tuple[int | str | None, ...], lengths: Lengths
) -> None:
    if not all(_agrees(n, axis, lengths) for n, axis in zip(shape, wanted, strict=True)):
        raise DamagedError(f"in its state '{name}' is invalid")


def _agrees(length: int, wanted: int | str | None, lengths: Lengths) -> bool:
    """Whether a length is as wanted; one whose name is not known yet is, and gets known."""
    if wanted is None:
        return True
    if isinstance(wanted, str):
        wanted = lengths.setdefault(wanted, length)
    return length == wanted
