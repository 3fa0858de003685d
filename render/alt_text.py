"""Alternative texts: a picture in words, in the space that Discord allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from render.face import Face
from render.formatting import format_cells
from render.scene import Conclusion, P, Scene
from rules import Phase, Position, Side

#: The longest text, in characters; Discord accepts 1,024.
LIMIT = 1023


def describe(face: Face[P], scene: Scene[P]) -> str:
    """The picture in words, in less than 1,024 characters."""
    return fit([[heading(scene)], players(scene), last_turn(face, scene), *face.clauses(scene)])


def fit(clauses: Sequence[Sequence[str]], limit: int = LIMIT) -> str:
    """Join the clauses to a text of at most ``limit`` characters; the first must fit on its own.

    Each clause is a list of wordings from the longest to the shortest. If they are too long together, the later clauses
    give way before the earlier ones: first by taking shorter wordings, then by being left out.
    """
    chosen = [list(wordings) for wordings in clauses if wordings]
    for shortest in (1, 0):
        for wordings in reversed(chosen[1:]):
            while len(wordings) > shortest and len(_joined(chosen)) > limit:
                wordings.pop(0)
    return _joined(chosen)


def _joined(clauses: Sequence[Sequence[str]]) -> str:
    return " ".join(wordings[0] for wordings in clauses if wordings)


def heading(scene: Scene[Position]) -> str:
    """Game, size, variant, and who is to play or has won."""
    position, ended, gettext = scene.position, scene.ended, scene.texts.gettext
    ruleset = position.ruleset
    if ruleset.variant == position.variants[0]:
        game = gettext("{game}, size {size}.").format(game=position.title, size=ruleset.size)
    else:
        game = gettext("{game}, size {size}, variant {variant}.").format(
            game=position.title, size=ruleset.size, variant=gettext(ruleset.variant)
        )
    return f"{game} {_state(scene) if ended is None else _conclusion(scene, ended)}"


def players(scene: Scene[Position]) -> list[str]:
    """Who plays which side, if that is known."""
    if scene.header is None:
        return []
    if scene.position.second_player is None:
        one, other = scene.header.names
        text = scene.texts.gettext("{one} opens, {other} chooses a side.")
        return [text.format(one=one, other=other)]
    text = scene.texts.gettext("{first} is {one}, {second} is {other}.")
    first, second = Side
    names = {"one": scene.player(first), "other": scene.player(second)}
    return [text.format(first=scene.side(first), second=scene.side(second), **names)]


def _conclusion(scene: Scene[Position], ended: Conclusion) -> str:
    gettext, reason = scene.texts.gettext, scene.texts.gettext(ended.reason)
    if scene.position.second_player is None or ended.abandoned:
        return gettext("Game over by {reason}.").format(reason=reason)
    if ended.winner is None:
        return gettext("Game over: a draw by {reason}.").format(reason=reason)
    return gettext("Game over: {side} won by {reason}.").format(side=scene.side(ended.winner), reason=reason)


def _state(scene: Scene[Position]) -> str:
    position, gettext = scene.awaiting, scene.texts.gettext
    first, second = (scene.side(side) for side in Side)
    match position.phase:
        case Phase.OPENING:
            return gettext(position.opening_rule).format(first=first, second=second)
        case Phase.CHOICE:
            return gettext("The second player chooses a side: {first} or {second}.").format(first=first, second=second)
    return gettext("{side} to play.").format(side=scene.side(position.turn_of))


def last_turn(face: Face[P], scene: Scene[P]) -> list[str]:
    """Wordings of what the last turn did or one would do, with and without lists of cells; none if there is no turn."""
    long, short = (face.turn_clauses(scene, with_cells) for with_cells in (True, False))
    gettext = scene.texts.gettext
    turn = gettext("Last turn: {done}.") if scene.before is None else gettext("This turn: {done}.")
    return [turn.format(done="; ".join(clauses)) for clauses in (long, short)] if long else []


def stones_clause(scene: Scene[Position], side: Side) -> list[str]:
    """Wordings of how many stones a side has, with and without their cells."""
    mask = scene.position.stones(side)
    count = mask.bit_count()
    clause = scene.texts.ngettext("{side} has {count} stone", "{side} has {count} stones", count)
    clause = clause.format(side=scene.side(side), count=count)
    return [f"{clause}: {format_cells(scene.position.board, mask)}.", f"{clause}."] if mask else [f"{clause}."]


def totals_clause(scene: Scene[Position], text: str, totals: Sequence[object]) -> list[str]:
    """A translated sentence about both sides, ``{first} {one}, {second} {two}``, with their numbers."""
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
