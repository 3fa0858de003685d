"""Fair play: no help with positions in running matches between people."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.domain.computer import SamePositionError
from bot.domain.matches import Game, Step, mainline
from bot.storage import Storage
from rules import Position, Ruleset

#: The number of matches replayed at once.
_BATCH = 10
#: The number of boards whose hashes are kept, at a hundred bytes each. Only changed boards are replayed.
_MOST_LIKENESSES = 20_000


@dataclass
class FairPlay:
    """Compares positions with running matches: the computer must help nobody against a person."""

    storage: Storage

    def __post_init__(self) -> None:
        #: Hashes by match and step, the earliest first.
        self._likeness_of: dict[tuple[int, int], int] = {}
        self._one_at_a_time = asyncio.Semaphore(1)

    async def check(self, player_id: int, *positions: Position) -> None:
        """Raise :class:`SamePositionError` if a running match of the player with a person has one of these positions.

        The positions are of one game, size and variant. The beginnings and the turns of the games do not matter.
        """
        wanted = {_likeness(each) for each in positions}
        async with self.storage.read() as tx:
            rulesets = await tx.matches.boards_against_people(player_id, positions[0].ruleset)
        boards = list(rulesets)
        for first in range(0, len(boards), _BATCH):
            found = await self._likenesses({board: rulesets[board] for board in boards[first : first + _BATCH]})
            for (match_id, _step), likeness in found.items():
                if likeness in wanted:
                    raise SamePositionError(match=match_id)

    async def check_imported(self, player_id: int, game: Game) -> None:
        """Check every position of an imported record: its owner may have made it up for help."""
        if game.match.imported is not None:
            await self.check(player_id, *await asyncio.to_thread(_positions_of, game))

    async def _likenesses(self, boards: Mapping[tuple[int, int], Ruleset]) -> dict[tuple[int, int], int]:
        """The hashes of matches' positions at a step. Other tasks can run between two calls."""
        async with self._one_at_a_time:
            found = {board: self._likeness_of[board] for board in boards if board in self._likeness_of}
            unknown = [board for board in boards if board not in found]
            if unknown:
                async with self.storage.read() as tx:
                    steps = await tx.matches.steps_of([match_id for match_id, _ in unknown])
                # Steps are only ever added, so the first ones are unchanged.
                then = {(match_id, step): steps[match_id][:step] for match_id, step in unknown}
                replayed = await asyncio.to_thread(_replay, boards, then)
                self._likeness_of |= replayed
                found |= replayed
            while len(self._likeness_of) > _MOST_LIKENESSES:
                del self._likeness_of[next(iter(self._likeness_of))]
        return found


def _positions_of(game: Game) -> list[Position]:
    positions = [game.match.ruleset.start()]
    for turn in game.turns:
        positions.append(positions[-1].play(turn)[0])
    return positions


def _replay(
    rulesets: Mapping[tuple[int, int], Ruleset], steps: Mapping[tuple[int, int], Sequence[Step]]
) -> dict[tuple[int, int], int]:
    return {
        board: _likeness(rulesets[board].replay([each.turn for each in mainline(own) if each.turn is not None]))
        for board, own in steps.items()
    }


def _likeness(position: Position) -> int:
    """A hash of the pieces and the side to play, whoever plays the sides and however the game began."""
    return hash((frozenset(position.pieces().items()), position.to_play))
