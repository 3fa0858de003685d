"""Puzzles: positions in which only one turn wins, or is far better than all others.

Each game has them in ``puzzles.jsonl``, one JSON object a line, written by ``python -m rules.search.workshop.mine``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from rules.events import Event
from rules.games import GAMES
from rules.position import Position, Ruleset

#: From easy to hard.
DIFFICULTIES = range(1, 4)


@dataclass(frozen=True)
class Puzzle:
    """A position with a line to find.

    ``turns`` lead from the opening to the position. ``solution`` alternates between the solver's turns and the
    opponent's best replies, and ends with the solver's. If ``proven``, only the solver's turns win; otherwise a deep
    search finds them far better than all others.
    """

    ruleset: Ruleset
    turns: tuple[str, ...]
    solution: tuple[str, ...]
    difficulty: int
    proven: bool

    @cached_property
    def key(self) -> str:
        """The stored name of the puzzle, which does not depend on other puzzles."""
        return sha256(" ".join((self.ruleset.id, *self.turns)).encode()).hexdigest()[:8]

    @cached_property
    def position(self) -> Position:
        return self.ruleset.replay(self.turns)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events of the turn before the position."""
        *before, last = self.turns
        return self.ruleset.replay(tuple(before)).play(last)[1]

    def after(self, ply: int) -> Position:
        """The position before the turn ``solution[ply]``, or after the last one."""
        position = self.position
        for turn in self.solution[:ply]:
            position, _ = position.play(turn)
        return position

    def solves(self, ply: int, turn: str) -> bool:
        """Whether a turn leads to the same position as ``solution[ply]``. Raises like :meth:`Position.play`."""
        return self.after(ply).same_turn(turn, self.solution[ply])

    def as_json(self) -> str:
        return json.dumps(
            {
                "size": self.ruleset.size,
                "turns": " ".join(self.turns),
                "solution": " ".join(self.solution),
                "difficulty": self.difficulty,
                "proven": self.proven,
            }
        )


def file_of(game: str) -> Path:
    return GAMES[game].folder() / "puzzles.jsonl"


@cache
def puzzles(game: str) -> tuple[Puzzle, ...]:
    """The puzzles of a game, easy ones first; none without a file."""
    return tuple(sorted(read(game, file_of(game)), key=lambda puzzle: puzzle.difficulty))


def read(game: str, file: Path) -> list[Puzzle]:
    """The puzzles in a file, in order; none without the file."""
    kind, found = GAMES[game], []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        values = json.loads(line)
        ruleset = Ruleset(kind, values["size"], kind.variants[0])
        turns, solution = tuple(values["turns"].split()), tuple(values["solution"].split())
        found.append(Puzzle(ruleset, turns, solution, values["difficulty"], values["proven"]))
    return found


def find_puzzle(key: str) -> Puzzle | None:
    """The puzzle with that key; None if there is none."""
    return next((puzzle for game in GAMES for puzzle in puzzles(game) if puzzle.key == key), None)
