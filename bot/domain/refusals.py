"""The base class of the domain's errors, and values in their texts that only an adapter can format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from rules.text import Text


class Remedy(Enum):
    """A part of the bot that can help, by its name in templates; the adapter tells the player where to find it."""

    BOARD = "board"
    CHALLENGE = "challenge"
    GAMES = "games"
    LADDER = "ladder"
    PLAY = "play"
    PUZZLE = "puzzle"
    REPLAY = "replay"
    SETTINGS = "settings"
    TOURNAMENT = "tournament"


_REMEDIES = {remedy.value: remedy for remedy in Remedy}


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel or thread by its Discord id."""

    id: int


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a server by its Discord id."""

    id: int


class DomainError(Exception):
    """A refusal of a player's request. ``text`` gives the player the reason, in whole sentences.

    A subclass has a ``template`` for its text, or ``templates`` by case. Values are numbers, players, matches, times,
    typed texts and the values defined here, which the adapter formats by type; remedies need not be passed.
    """

    template: ClassVar[str]
    templates: ClassVar[Mapping[object, str]] = {}

    def __init__(self, case: object = None, /, **values: object) -> None:
        template = self.template if case is None else self.templates[case]
        self.text = Text(template, **{**_REMEDIES, **values})
        super().__init__(template)  # without values, because the log names nobody
