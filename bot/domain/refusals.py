"""The base of the domain's errors, and the values in their texts that only an adapter can put into words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar

from rules.text import Text


class Remedy(Enum):
    """What the player can turn to. The adapter says where: with a command, or with a link."""

    BOARD = auto()
    CHALLENGE = auto()
    CREATE_TOURNAMENT = auto()
    GAMES = auto()
    PLAY = auto()
    PUZZLE = auto()
    REPLAY = auto()
    SETTINGS = auto()


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel or thread by its Discord id."""

    id: int


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a server by its Discord id."""

    id: int


class DomainError(Exception):
    """Something that a player asked for and cannot have. ``text`` says why, in whole sentences for that player.

    A subclass has one ``template`` for its text, or passes on the one that fits. The values are of the domain: numbers,
    players, matches, times, what somebody typed, and those defined here. The adapter formats them by their type.
    """

    template: ClassVar[str]

    def __init__(self, template: str | None = None, /, **values: object) -> None:
        template = self.template if template is None else template
        self.text = Text(template, **values)
        super().__init__(template)  # without the values, since the log names nobody
