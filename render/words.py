"""The alternative text of a picture: the position in words, as short as it must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rules import Board, Event, Flipped, Passed, Phase, Placed, Position, Side, SideChosen

#: The longest text; Discord takes 1,024 characters.
LIMIT = 1023


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended: the side that won, None for a draw or when no sides were chosen yet, and the reason."""

    winner: Side | None
    reason: str


def ending(position: Position, decided: Ending | None) -> Ending | None:
    """The ending of a game that is over: what the players decided, or else the outcome by the rules."""
    outcome = position.outcome
    if decided is not None or outcome is None:
        return decided
    return Ending(outcome.winner, outcome.reason)


def fit(clauses: Sequence[Sequence[str]], limit: int = LIMIT) -> str:
    """The clauses, one after the other, in at most ``limit`` characters; the first must fit on its own.

    Each clause is its wordings from the longest to the shortest. Where they are too long together, the later clauses
    give way before the earlier: first by taking shorter wordings, then by being left out.
    """
    chosen = [list(wordings) for wordings in clauses if wordings]
    for shortest in (1, 0):
        for wordings in reversed(chosen[1:]):
            while len(wordings) > shortest and len(_joined(chosen)) > limit:
                wordings.pop(0)
    return _joined(chosen)


def _joined(clauses: Sequence[Sequence[str]]) -> str:
    return " ".join(wordings[0] for wordings in clauses if wordings)


def cells(board: Board, mask: int) -> str:
    """The mask's cells column by column, neighbours in a column as a range: ``a1 b2-4,6``."""
    columns: dict[int, list[list[int]]] = {}
    letters: dict[int, str] = {}
    for cell in board.cells:
        if mask >> cell & 1:
            x, row = board.column(cell), board.row(cell) + 1
            letters[x] = board.name(cell).removesuffix(str(row))
            runs = columns.setdefault(x, [])
            if runs and runs[-1][1] == row - 1:
                runs[-1][1] = row
            else:
                runs.append([row, row])
    return " ".join(
        letters[x] + ",".join(str(low) if low == high else f"{low}-{high}" for low, high in columns[x])
        for x in sorted(columns)
    )


def side_name(position: Position, side: Side) -> str:
    return position.sides[side].capitalize()


def heading(position: Position, ended: Ending | None) -> str:
    """Game, size, variant, and who is to play or has won."""
    ruleset = position.ruleset
    variant = "" if ruleset.variant == position.variants[0] else f", variant {ruleset.variant}"
    game = f"{position.title}, size {ruleset.size}{variant}."
    if ended is not None:
        won = f"{side_name(position, ended.winner)} won" if ended.winner is not None else "a draw"
        return f"{game} Game over{'' if position.second_player is None else f': {won}'} by {ended.reason}."
    match position.phase:
        case Phase.OPENING:
            return f"{game} Opening: the first player places a {side_name(position, Side.FIRST)} stone on any cell."
        case Phase.CHOICE:
            first, second = (side_name(position, side) for side in Side)
            return f"{game} The second player chooses a side: {first} or {second}."
    return f"{game} {side_name(position, position.turn_of)} to play."


def last_turn(position: Position, events: Sequence[Event]) -> list[str]:
    """Wordings of what the last turn did: with and without the flipped cells; none when there was no turn."""
    done = []
    flipped: dict[Side, int] = {}
    for event in events:
        match event:
            case Placed(side, cell):
                done.append(f"{side_name(position, side)} on {position.board.name(cell)}")
            case Passed(side):
                done.append(f"{side_name(position, side)} passed")
            case SideChosen(side):
                done.append(f"the second player took {side_name(position, side)}")
            case Flipped(side, turned):
                flipped[side] = flipped.get(side, 0) | sum(1 << cell for cell in turned)
    if not done:
        return []
    counts = [
        f"{mask.bit_count()} stone{'s' * (mask.bit_count() > 1)} flipped to {side_name(position, side)}"
        for side, mask in flipped.items()
    ]
    lists = [f"{count} ({cells(position.board, mask)})" for count, mask in zip(counts, flipped.values(), strict=True)]
    return [f"Last turn: {'; '.join(done + said)}." for said in (lists, counts)]


def stones(position: Position, side: Side) -> str:
    """The number of the side's stones and their cells."""
    mask = position.stones(side)
    count = f"{side_name(position, side)} has {mask.bit_count()} stone{'s' * (mask.bit_count() != 1)}"
    return f"{count}: {cells(position.board, mask)}." if mask else f"{count}."


def listed(position: Position, title: str, of: Callable[[Side], int]) -> list[str]:
    """Which cells of each side, and how many, ``of`` gives as a mask, under a title."""
    masks = {side_name(position, side): of(side) for side in Side if of(side)}
    if not masks:
        return [f"{title}: none."]
    return [
        f"{title}: {'; '.join(f'{name} {cells(position.board, mask)}' for name, mask in masks.items())}.",
        f"{title}: {', '.join(f'{name} {mask.bit_count()}' for name, mask in masks.items())}.",
    ]
