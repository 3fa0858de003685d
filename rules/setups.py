"""Setups: beginnings of games other than an empty board and the opening.

A setup is a text of words with spaces between them. It consists of

- the number of extra stones of a handicap, such as ``2``: they belong to the first side, which the first player keeps
  after the opening. With ``0``, the second player only gives up the choice of sides; or
- pieces, each written as its symbol and its cell, and the side to play, such as ``●e5 ○d4 light``;
- and turns, such as ``e5 light d4``, that were played before, after a handicap or pieces or without them.

A game from a setup is replayed and checked like any other. After pieces, the second player has the second side, and
earlier turns are unknown: earlier boards do not count as repeated, and earlier passes do not count.
"""

from __future__ import annotations

from dataclasses import replace

from rules.board import bits
from rules.errors import Refusal, TurnError
from rules.notation import plain
from rules.position import Phase, Position, Ruleset, split_setup
from rules.side import Side

#: Maximum characters of a setup; even a very long game has fewer.
LONGEST = 10_000


class SetupError(Refusal):
    """A text that is not a setup, or a setup that the rules do not allow."""


def with_setup(ruleset: Ruleset, text: str) -> Ruleset:
    """Return the ruleset with a setup in canonical form. Raises :class:`SetupError`."""
    _check_length(text)
    head, turns = split_setup(ruleset.game, plain(text).lower())
    ruleset = replace(ruleset, setup=_head(replace(ruleset, setup=""), head))
    position, played = ruleset.start(), []
    for number, typed in enumerate(turns, 1):
        try:
            turn = position.parse(typed)
            position, _ = position.play(turn)
        except TurnError as error:
            raise SetupError("turn {number} of the setup: {reason}", number=number, reason=error.text) from error
        played.append(turn)
    return continued(ruleset, tuple(played))


def continued(ruleset: Ruleset, turns: tuple[str, ...]) -> Ruleset:
    """Return the ruleset of a game that begins after the turns. Raises :class:`SetupError` if they ended it."""
    following = replace(ruleset, setup=" ".join(filter(None, (ruleset.setup, *turns))))
    _check_length(following.setup)
    if following.start().phase is Phase.OVER:
        raise SetupError("a match cannot begin from a finished position")
    return following


def ruleset_from(position: Position) -> Ruleset:
    """Return the ruleset of a game that begins with the pieces of a position and its side to play."""
    pieces = (f"{position.symbol(cell)}{position.board.name(cell)}" for cell in bits(position.first | position.second))
    side = position.sides[position.turn_of]
    return replace(position.ruleset, setup=" ".join([*pieces, side]))


def _check_length(setup: str) -> None:
    if len(setup) > LONGEST:
        raise SetupError("the setup is longer than {most} characters", most=LONGEST)


def _head(ruleset: Ruleset, words: list[str]) -> str:
    """The canonical form of a handicap, or of pieces and a side."""
    game = ruleset.game
    if not words:
        return ""
    *pieces, last = words
    if not pieces:
        handicaps = game.handicaps(ruleset.variant)
        stones = int(last) if last.isascii() and len(last) < 3 else -1
        if stones not in handicaps:
            raise SetupError(
                "a handicap in {game} has {numbers} extra stones",
                game=game.title,
                numbers=", ".join(map(str, handicaps)),
            )
        return str(stones)
    if last not in game.sides:
        raise SetupError(
            "the side to play comes after the pieces: {first} or {second}", first=game.sides[0], second=game.sides[1]
        )
    start, found = ruleset.start(), dict[int, str]()
    for word in pieces:
        try:
            cell = start.cell_named(word[1:])
        except TurnError as error:
            raise SetupError(error.text) from error
        if cell in found:
            raise SetupError("two pieces stand on {cell}", cell=start.board.name(cell))
        found[cell] = word[0]
    position = start.set_up(found, Side(game.sides.index(last)))
    if not position.can_stand():
        raise SetupError("the rules of {game} do not allow these pieces on these cells", game=game.title)
    return ruleset_from(position).setup
