"""A turn under construction: its elements, the elements that may follow, the way back, and its risk."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bot.domain.preferences import Confirmation
from rules import PASS, Draft, Phase, Position, Tally, elements_of, without_last_element


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """A turn under construction, for playing, trying and puzzles; ``offered`` elements come first, legal or not.

    ``area`` is the number of the chosen area of the board. A turn is ``done`` when its player ends it, or has to.
    """

    position: Position
    draft: Draft
    offered: tuple[str, ...] = ()
    area: int | None = None
    done: bool = False

    @classmethod
    def begin(
        cls, position: Position, text: str = "", offered: tuple[str, ...] = (), area: int | None = None
    ) -> TurnEntry:
        """The entry with the elements in ``text``. Raises :class:`rules.TurnError` if no legal turn begins so."""
        return cls(position, position.draft(text), offered, area)

    @property
    def text(self) -> str:
        """The notation of the chosen elements; empty before the first one."""
        return self.draft.text

    @property
    def next(self) -> tuple[str, ...]:
        """The elements that the player can choose next."""
        return self.draft.next if self.text or not self.offered else self.offered

    @property
    def complete(self) -> bool:
        """Whether the turn may end here."""
        return self.draft.complete

    @property
    def finished(self) -> bool:
        """Whether the turn has to end here."""
        return self.complete and not self.draft.next

    @property
    def must_pass(self) -> bool:
        """Whether the only legal turn is a pass."""
        return self.draft.next == (PASS,)

    @property
    def _is_forced_pass(self) -> bool:
        return self.text == PASS and TurnEntry.begin(self.position).must_pass

    @property
    def is_risky(self) -> bool:
        """Whether a complete turn is an unnecessary pass, costs own pieces, or ends the game without a win.

        A forced pass is not risky, whatever it leads to.
        """
        outcome = self.draft.preview.outcome
        if self._is_forced_pass:
            return False
        if outcome is not None:
            return outcome.winner is not self.position.turn_of
        return self.text == PASS or Tally(self.draft.events).costs_pieces

    @property
    def loses(self) -> bool:
        """Whether a complete turn loses the game."""
        outcome = self.draft.preview.outcome
        return outcome is not None and outcome.winner is self.position.turn_of.other

    def is_asked_about(self, wish: Confirmation) -> bool:
        """Whether the bot asks before playing this complete turn, even if it was typed."""
        return wish is Confirmation.ALWAYS or (wish is not Confirmation.NEVER and self.is_risky)

    def goes_at_once(self, wish: Confirmation) -> bool:
        """Whether a turn put together on a keypad or a page is played as soon as it is finished.

        A side and a forced pass are chosen by name, so they need no second press.
        """
        by_name = self._is_forced_pass or self.position.phase is Phase.CHOICE
        at_once = by_name or wish in (Confirmation.AT_ONCE, Confirmation.NEVER)
        return self.finished and at_once and not self.is_asked_about(wish)

    def on_cell(self, cell: int | None) -> list[str]:
        """The next elements on a cell."""
        return [element for element in self.next if cell is not None and self.position.element_cell(element) == cell]

    def choose(self, element: str) -> TurnEntry:
        """The entry with another element, and with the following elements that have no alternative.

        Raises :class:`rules.TurnError` if no legal turn begins with them.
        """
        return self._up_to_choice(self.text + element)

    def back(self) -> tuple[TurnEntry, str]:
        """The entry before the last element that had an alternative, and that element.

        An offered element may stand for several elements of the rules, so going back from it leads to the beginning.
        """
        fewer = "" if self.offered else without_last_element(self.text)
        while fewer and self._up_to_choice(fewer).text == self.text:
            fewer = without_last_element(fewer)
        return self._at(fewer), elements_of(self.text[len(fewer) :])[0]

    def _up_to_choice(self, text: str) -> TurnEntry:
        entry = self._at(text)
        while not entry.complete and len(entry.draft.next) == 1:
            entry = self._at(entry.text + entry.draft.next[0])
        return entry

    def _at(self, text: str) -> TurnEntry:
        return TurnEntry.begin(self.position, text, self.offered)


def digest(text: str, size: int = 4) -> str:
    """A short hash of a text; buttons recognise their turn by it."""
    return hashlib.blake2s(text.encode(), digest_size=size).hexdigest() if text else ""
