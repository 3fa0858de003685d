"""Alternative texts: pictures in words, within Discord's limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from render.scene import P, Scene
from rules import Board, Event, Passed, Phase, Placed, Position, Side, SideChosen, bits

#: Maximum characters of a text; Discord accepts 1,024.
LIMIT = 1023


def describe(scene: Scene[P]) -> str:
    """The picture in words, in fewer than 1,024 characters."""
    return fit([[_heading(scene)], _players(scene), _last_turn(scene), *scene.face.clauses(scene)])


def fit(clauses: Sequence[Sequence[str]], limit: int = LIMIT) -> str:
    """Join the clauses into a text of at most ``limit`` characters; the first must fit on its own.

    Each clause is a list of wordings, longest first. If the text is too long, clauses get shorter wordings, from the
    last clause on; if that is not enough, the last clauses are left out.
    """
    chosen = [list(wordings) for wordings in clauses if wordings]
    for shortest in (1, 0):
        for wordings in reversed(chosen[1:]):
            while len(wordings) > shortest and len(_join(chosen)) > limit:
                wordings.pop(0)
    return _join(chosen)


def _join(clauses: Sequence[Sequence[str]]) -> str:
    return " ".join(wordings[0] for wordings in clauses if wordings)


def _heading(scene: Scene[Position]) -> str:
    """Game, size, variant, and the side to play or the winner."""
    position, gettext = scene.position, scene.texts.gettext
    ruleset = position.ruleset
    if ruleset.variant == position.variants[0]:
        game = gettext("{game}, size {size}.").format(game=position.title, size=ruleset.size)
    else:
        game = gettext("{game}, size {size}, variant {variant}.").format(
            game=position.title, size=ruleset.size, variant=gettext(ruleset.variant)
        )
    return f"{game} {_state(scene)}"


def _players(scene: Scene[Position]) -> list[str]:
    """The players and their sides, as far as they are known."""
    if scene.header is None:
        return []
    if scene.position.second_player is None:
        one, other = scene.header.names
        text = scene.texts.gettext("{one} opens, {other} chooses a side.")
        return [text.format(one=one, other=other)]
    return totals_clause(scene, scene.texts.gettext("{first} is {one}, {second} is {two}."), map(scene.player, Side))


def _state(scene: Scene[Position]) -> str:
    position, conclusion, gettext = scene.awaiting, scene.conclusion, scene.texts.gettext
    if conclusion is not None:
        reason = gettext(conclusion.reason)
        if scene.position.second_player is None or conclusion.abandoned:
            return gettext("Game over {reason}.").format(reason=reason)
        if conclusion.winner is None:
            return gettext("Game over: a draw {reason}.").format(reason=reason)
        return gettext("Game over: {side} won {reason}.").format(side=scene.side(conclusion.winner), reason=reason)
    first, second = map(scene.side, Side)
    match position.phase:
        case Phase.OPENING:
            return gettext(position.opening_rule).format(first=first, second=second)
        case Phase.CHOICE:
            return gettext("The second player chooses a side: {first} or {second}.").format(first=first, second=second)
    return gettext("{side} to play.").format(side=scene.side(position.turn_of))


def _last_turn(scene: Scene[P]) -> list[str]:
    """Wordings of the last turn or preview, with and without lists of cells; none without a turn."""
    long, short = (scene.face.turn_clauses(scene, with_cells) for with_cells in (True, False))
    gettext = scene.texts.gettext
    turn = gettext("Last turn: {done}.") if scene.before is None else gettext("This turn: {done}.")
    return [turn.format(done="; ".join(clauses)) for clauses in (long, short)] if long else []


def placement_clauses(scene: Scene[Position]) -> list[str]:
    """The new pieces of each side in words."""
    board, gettext = scene.position.board, scene.texts.gettext
    clauses = []
    for side, pieces in placements(scene).items():
        where = format_cells(board, sum(1 << piece.cell for piece in pieces))
        if len(pieces) == 1 and pieces[0].height > 1:
            where = gettext("{cell}, {height} high").format(cell=where, height=pieces[0].height)
        clauses.append(gettext("{side} on {cells}").format(side=scene.side(side), cells=where))
    return clauses


def placements(scene: Scene[Position]) -> dict[Side, list[Placed]]:
    """The new pieces of each side, in order."""
    placed: dict[Side, list[Placed]] = {}
    for event in scene.events:
        if isinstance(event, Placed):
            placed.setdefault(event.side, []).append(event)
    return placed


def choice_clauses(scene: Scene[Position]) -> list[str]:
    """A pass or the choice of a side in words."""
    texts: dict[type[Event], str] = {
        Passed: scene.texts.gettext("{side} passed"),
        SideChosen: scene.texts.gettext("the second player took {side}"),
    }
    return [texts[type(event)].format(side=scene.side(event.side)) for event in scene.events if type(event) in texts]


def change_clauses(scene: Scene[Position], masks: Sequence[int], words: tuple[str, str], with_cells: bool) -> list[str]:
    """The changes to each side's pieces, given as masks, first for the side that took the turn.

    ``words`` are templates for one piece and for several.
    """
    clauses, mover = [], scene.tally.mover or Side.FIRST
    for side in (mover, mover.other):
        if mask := masks[side]:
            count = mask.bit_count()
            clause = scene.texts.ngettext(*words, count).format(count=count, side=scene.side(side))
            clauses.append(f"{clause} ({format_cells(scene.position.board, mask)})" if with_cells else clause)
    return clauses


def stones_clause(scene: Scene[Position], side: Side) -> list[str]:
    """Wordings of the number of a side's stones, with and without their cells."""
    mask = scene.position.stones(side)
    count = mask.bit_count()
    clause = scene.texts.ngettext("{side} has {count} stone", "{side} has {count} stones", count)
    clause = clause.format(side=scene.side(side), count=count)
    return [f"{clause}: {format_cells(scene.position.board, mask)}.", f"{clause}."] if mask else [f"{clause}."]


def totals_clause(scene: Scene[Position], text: str, totals: Iterable[object]) -> list[str]:
    """A sentence about both sides and their numbers, such as ``{first} {one}, {second} {two}``, translated."""
    (first, second), (one, two) = map(scene.side, Side), totals
    return [text.format(first=first, second=second, one=one, two=two)]


def cells_clause(scene: Scene[Position], title: str, of: Callable[[Side], int]) -> list[str]:
    """Wordings of the cells of each side, listed and counted, below a translated title; ``of`` returns a mask."""
    masks = {scene.side(side): of(side) for side in Side if of(side)}
    if not masks:
        none = scene.texts.gettext("none")
        return [f"{title}: {none}."]
    board = scene.position.board
    return [
        f"{title}: {'; '.join(f'{name} {format_cells(board, mask)}' for name, mask in masks.items())}.",
        f"{title}: {', '.join(f'{name} {mask.bit_count()}' for name, mask in masks.items())}.",
    ]


def format_cells(board: Board, mask: int) -> str:
    """The mask's cells column by column, neighbours in a column as a range: ``a1 b2-4,6``."""
    columns: dict[int, list[list[int]]] = {}
    letters: dict[int, str] = {}
    for cell in bits(mask):
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
