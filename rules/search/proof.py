"""Proofs that a side can force a win: a depth-first proof-number search (df-pn).

Proof numbers estimate how many positions are still to be decided. The search goes where there are the fewest, so that
narrow lines are read to the end of the game. A position counts as won only if the game ends with a win, not a draw.
"""

from __future__ import annotations

from rules import Position, Side
from rules.search.knowledge import MOST_TURNS, positions_after

_DECIDED = 1 << 30


class TooHard(Exception):
    """The proof would need more positions than are allowed."""


class Prover:
    """A search for proofs that one side, the solver, wins; all positions share its results.

    It visits at most ``most`` positions altogether; ``visits`` counts them.
    """

    def __init__(self, solver: Side, most: int) -> None:
        self.solver = solver
        self.most = most
        self.visits = 0
        #: The proof and disproof numbers of each position from the view of its side to play: the solver aims to win,
        #: and the other side to prevent that.
        self._numbers: dict[Position, tuple[int, int]] = {}
        self._children: dict[Position, tuple[Position, ...]] = {}

    def wins(self, position: Position) -> bool:
        """Whether the solver can force a win. Raises :class:`TooHard`."""
        if position.outcome is not None:
            return position.outcome.winner is self.solver
        try:
            self._search(position, _DECIDED, _DECIDED)
        except RecursionError:  # Dryads can wander for longer than the stack is deep
            raise TooHard from None
        return (self._numbers[position][0] == 0) is (position.turn_of is self.solver)

    def winning_turn(self, position: Position) -> str | None:
        """A turn of the solver that wins; None if none does. Raises :class:`TooHard`."""
        if not self.wins(position):
            return None
        return next(turn for turn, after in successors(position).items() if self._numbers_of(after)[1] == 0)

    def winning_turns(self, position: Position, most: int = 2) -> list[str]:
        """The solver's winning turns, at most ``most``; turns that lead to the same position count as one."""
        found = []
        for turn, after in successors(position).items():
            if self.wins(after):
                found.append(turn)
                if len(found) == most:
                    break
        return found

    def _numbers_of(self, position: Position) -> tuple[int, int]:
        numbers = self._numbers.get(position)
        if numbers is None:
            numbers = (1, 1)
            if position.outcome is not None:
                won = (position.outcome.winner is self.solver) is (position.turn_of is self.solver)
                numbers = (0, _DECIDED) if won else (_DECIDED, 0)
            self._numbers[position] = numbers
        return numbers

    def _expanded(self, position: Position) -> tuple[Position, ...]:
        children = self._children.get(position)
        if children is None:
            after = positions_after(position)
            if len(after) == MOST_TURNS:  # a turn that matters could be missing
                raise TooHard
            children = self._children[position] = tuple(dict.fromkeys(after.values()))
            self.visits += len(children)
            if self.visits > self.most:
                raise TooHard
        return children

    def _search(self, position: Position, most_to_win: int, most_to_fail: int) -> None:
        """Search until one of the two numbers of a position is decided or has reached its limit."""
        children = self._expanded(position)
        while True:
            least = second = _DECIDED
            to_fail, best = 0, children[0]
            for child in children:
                theirs, ours = self._numbers_of(child)
                to_fail += theirs
                if ours < least:
                    least, second, best = ours, least, child
                elif ours < second:
                    second = ours
            if least >= most_to_win or to_fail >= most_to_fail or not least or not to_fail:
                self._numbers[position] = (least, to_fail)
                return
            theirs, _ = self._numbers_of(best)
            self._search(best, most_to_fail - to_fail + theirs, min(most_to_win, second + 1))


def successors(position: Position) -> dict[str, Position]:
    """The positions that the turns lead to, by turn; only the first of several turns to the same position."""
    found: dict[Position, str] = {}
    for turn, after in positions_after(position).items():
        found.setdefault(after, turn)
    return {turn: after for after, turn in found.items()}
