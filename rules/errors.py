"""Refusals: the reason why something is impossible, in a sentence for the player."""

from __future__ import annotations

from gettext import NullTranslations

from rules.text import Text


class Refusal(ValueError):
    """A refusal, with the reason in plain words: a text, or a template and its values."""

    def __init__(self, reason: Text | str, /, **values: object) -> None:
        self.text = Text(reason, **values) if isinstance(reason, str) else reason
        super().__init__(self.text)

    def __reduce__(self) -> tuple[object, ...]:
        # By default, an exception is unpickled by its initializer, without its keyword arguments.
        return ValueError.__new__, (type(self), *self.args), self.__dict__

    def translate(self, texts: NullTranslations) -> str:
        return self.text.translate(texts)


class TurnError(Refusal):
    """A turn that cannot be played; ``rule`` links to the section behind it, such as ``dalen/rules.md#passing``."""

    def __init__(self, reason: Text | str, /, *, rule: str = "README.md#writing-down-turns", **values: object) -> None:
        super().__init__(reason, **values)
        self.rule = rule


class NotATurn(TurnError):
    """A text that is not the notation of a turn in this position."""


class OffTheBoard(TurnError):
    """A cell that this board does not have."""


class IllegalTurn(TurnError):
    """A turn that breaks a rule; ``cells`` are the cells in question."""

    def __init__(self, reason: Text | str, cells: tuple[int, ...] = (), /, *, rule: str, **values: object) -> None:
        super().__init__(reason, rule=rule, **values)
        self.cells = cells


class GameOver(TurnError):
    """The game has ended, so no turn can be played."""


class UnknownRuleset(Refusal):
    """No game, size or variant has that name."""
