"""The alternative text of a picture: the position in words, as short as it must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from render.look import Ending, Scene
from rules import Board, Event, Moved, Passed, Phase, Placed, Position, Side, SideChosen, Sprouted, Tally

#: The longest text; Discord takes 1,024 characters.
LIMIT = 1023


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


def number(value: float) -> str:
    """A score; a half is written ``½``."""
    whole = int(value)
    return str(whole) if whole == value else f"{whole or ''}½"


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


def heading(scene: Scene) -> str:
    """Game, size, variant, and who is to play or has won."""
    position, ended, gettext = scene.position, scene.ended, scene.texts.gettext
    ruleset = position.ruleset
    if ruleset.variant == position.variants[0]:
        game = gettext("{game}, size {size}.").format(game=position.title, size=ruleset.size)
    else:
        game = gettext("{game}, size {size}, variant {variant}.").format(
            game=position.title, size=ruleset.size, variant=gettext(ruleset.variant)
        )
    return f"{game} {_state(scene) if ended is None else _ended(scene, ended)}"


def _ended(scene: Scene, ended: Ending) -> str:
    gettext, reason = scene.texts.gettext, scene.texts.gettext(ended.reason)
    if scene.position.second_player is None or ended.abandoned:
        return gettext("Game over by {reason}.").format(reason=reason)
    if ended.winner is None:
        return gettext("Game over: a draw by {reason}.").format(reason=reason)
    return gettext("Game over: {side} won by {reason}.").format(side=scene.side(ended.winner), reason=reason)


def _state(scene: Scene) -> str:
    position, gettext = scene.position, scene.texts.gettext
    first, second = (scene.side(side) for side in Side)
    match position.phase:
        case Phase.OPENING:
            return gettext(position.opening_rule).format(first=first, second=second)
        case Phase.CHOICE:
            return gettext("The second player chooses a side: {first} or {second}.").format(first=first, second=second)
    return gettext("{side} to play.").format(side=scene.side(position.turn_of))


def last_turn(scene: Scene) -> list[str]:
    """Wordings of what the last turn did: with and without the cells; none when there was no turn."""
    long, short = (_done(scene, with_cells) for with_cells in (True, False))
    turn = scene.texts.gettext("Last turn: {done}.")
    return [turn.format(done="; ".join(done)) for done in (long, short)] if long else []


def _done(scene: Scene, with_cells: bool) -> list[str]:
    """What the events of the last turn did, each in some words."""
    acts = [said for event in scene.events if (said := _act(scene, event))]
    return [*_placements(scene), *acts, *_changes(scene, with_cells)]


def _placements(scene: Scene) -> list[str]:
    on, gettext = scene.position.board, scene.texts.gettext
    placed: dict[Side, list[Placed]] = {}
    for event in scene.events:
        if isinstance(event, Placed):
            placed.setdefault(event.side, []).append(event)
    done = []
    for side, pieces in placed.items():
        where = cells(on, _mask(piece.cell for piece in pieces))
        if len(pieces) == 1 and pieces[0].height > 1:
            where = gettext("{cell}, {height} high").format(cell=where, height=pieces[0].height)
        done.append(gettext("{side} on {cells}").format(side=scene.side(side), cells=where))
    return done


def _act(scene: Scene, event: Event) -> str | None:
    gettext, on = scene.texts.gettext, scene.position.board
    match event:
        case Passed(side):
            return gettext("{side} passed").format(side=scene.side(side))
        case SideChosen(side):
            return gettext("the second player took {side}").format(side=scene.side(side))
        case Moved(side, start, stops):
            way = " ".join(on.name(cell) for cell in (start, *stops))
            return gettext("a Dryad of {side} moved {way}").format(side=scene.side(side), way=way)
        case Sprouted(side, cell):
            return gettext("the Seed on {cell} sprouted for {side}").format(cell=on.name(cell), side=scene.side(side))
    return None


def _changes(scene: Scene, with_cells: bool) -> list[str]:
    """What happened to pieces that stood there, counted by side."""
    on, ngettext, tally = scene.position.board, scene.texts.ngettext, Tally(scene.events)
    done = []

    def add(side: Side, of: int, said: str) -> None:
        if of:
            said = said.format(count=of.bit_count(), side=scene.side(side))
            done.append(f"{said} ({cells(on, of)})" if with_cells else said)

    for side in (Side.FIRST, Side.SECOND) if tally.mover is None else (tally.mover, tally.mover.other):
        of = tally.flipped[side]
        add(side, of, ngettext("{count} stone flipped to {side}", "{count} stones flipped to {side}", of.bit_count()))
        of = tally.captured[side]
        add(side, of, ngettext("{count} stone of {side} captured", "{count} stones of {side} captured", of.bit_count()))
        of = tally.germinated[side]
        grown = ngettext("{count} Seed became a Tree of {side}", "{count} Seeds became Trees of {side}", of.bit_count())
        add(side, of, grown)
    heights = tally.heights
    if heights:
        said = ngettext("{count} stack changed its height", "{count} stacks changed their heights", len(heights))
        said = said.format(count=len(heights))
        steps = (f"{on.name(cell)} {'→'.join(map(str, passed))}" for cell, passed in heights.items())
        done.append(f"{said} ({', '.join(steps)})" if with_cells else said)
    return done


def _mask(of: Iterable[int]) -> int:
    return sum(1 << cell for cell in set(of))


def stones(scene: Scene, side: Side) -> list[str]:
    """The number of the side's stones and their cells."""
    mask = scene.position.stones(side)
    count = mask.bit_count()
    said = scene.texts.ngettext("{side} has {count} stone", "{side} has {count} stones", count)
    said = said.format(side=scene.side(side), count=count)
    return [f"{said}: {cells(scene.position.board, mask)}.", f"{said}."] if mask else [f"{said}."]


def listed(scene: Scene, title: str, of: Callable[[Side], int]) -> list[str]:
    """Which cells of each side, and how many, ``of`` gives as a mask, under a title that is translated already."""
    masks = {scene.side(side): of(side) for side in Side if of(side)}
    if not masks:
        none = scene.texts.gettext("none")
        return [f"{title}: {none}."]
    on = scene.position.board
    return [
        f"{title}: {'; '.join(f'{name} {cells(on, mask)}' for name, mask in masks.items())}.",
        f"{title}: {', '.join(f'{name} {mask.bit_count()}' for name, mask in masks.items())}.",
    ]
