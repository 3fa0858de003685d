"""The private card on which a turn is put together by choosing, step by step, and shown before it is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import discord

import render
from bot.discord.ui import words
from bot.discord.ui.keypad import (
    Keypad,
    Pick,
    Presses,
    areas_of,
    cells_of_steps,
    digest,
    end_key,
    part_keys,
    part_names,
    pass_key,
    shortened,
    step_keys,
)
from bot.discord.ui.links import AskHint, Close, SetConfirmation, hint_button
from bot.discord.ui.messages import ActionButton, Form, Message, Picture, Press, compose
from bot.discord.ui.scenes import footer, header
from bot.domain.matches import Game
from bot.domain.preferences import Confirmation
from bot.texts import gettext as _
from bot.texts import translations
from render.areas import Area, window, zoom
from render.geometry import Geometry, board_geometry
from rules import PASS, Draft, Event, Phase, Position, Side, Tally, steps_of
from rules.tasks import Overlay

#: Cells on each side of the smallest window, and by how many a window has to be smaller than the board to help.
_SMALLEST, _WORTHWHILE = 4, 2
#: Characters of a turn that somebody types.
LONGEST_TURN = 1000
COLOUR = 0xE8A33D


def asks(wish: Confirmation, game: Game, draft: Draft) -> bool:
    """Whether the player wants to be asked before this complete turn counts, however it is put together.

    Risky are a pass where something else could be done, a turn by which own pieces leave the board or change sides,
    and one that ends the game; but none that wins it.
    """
    if wish in (Confirmation.ALWAYS, Confirmation.NEVER):
        return wish is Confirmation.ALWAYS
    position, outcome = game.position, draft.preview.outcome
    if outcome is not None:
        return outcome.winner is not position.turn_of
    return Tally(draft.events).costs_pieces or (draft.text == PASS and position.draft().steps != (PASS,))


def at_once_offer() -> Message:
    """Offers a player to play turns without a last press."""
    return compose(
        _(
            "**Play at once?** A turn that you put together with buttons can be played as soon as it is complete. I "
            "still ask before risky turns."
        ),
        footer=_("{settings} changes it at any time.").format(settings=words.command("settings")),
        buttons=(
            ActionButton(
                SetConfirmation(Confirmation.AT_ONCE),
                _("Play at once"),
                discord.ButtonStyle.success,
            ),
            ActionButton(Close(), _("Keep asking")),
        ),
    )


def turn_form(game: Game, text: str) -> Form:
    """The field in which a turn can be typed, with what the player has of it."""
    return typing_form(Press("typed", game.match.id, game.step), game.position, text)


def typing_form(press: Press, position: Position, text: str = "") -> Form:
    """The field in which a turn of a position can be typed, with what there is of it."""
    field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
        custom_id="turn",
        default=text[:LONGEST_TURN] or None,
        max_length=LONGEST_TURN,
    )
    example = position.example.translate(translations())
    label: discord.ui.Label[discord.ui.Modal] = discord.ui.Label(
        text=_("Your turn"), description=shortened(example[:1].upper() + example[1:], 100), component=field
    )
    return Form(press, _("{game}: type a turn").format(game=position.title), label)


def turn_card(game: Game, draft: Draft, look: render.Look, *, area: int | None = None, note: str = "") -> Message:
    """What can be chosen next, or what the turn would do. This draws, so call it outside the event loop's thread.

    ``area`` is the number of the part of the board to choose in, where there is more to choose than fits on a keypad;
    ``note`` is said first.
    """
    presses = Presses(game.match.id, game.step, digest(draft.text))
    choice = next_choice(board_of(game), draft, look, presses.pick, area)
    told = [
        f"### {_heading(game, draft)}",
        note,
        told_of(game.position, draft, game.position.turn_of),
        choice.question,
    ]
    return compose(
        "\n".join(filter(None, told)),
        picture=choice.picture,
        footer=footer(game),
        keypad=choice.keypad,
        buttons=tuple(_buttons(game, draft, presses, choice.area)),
        colour=COLOUR,
    )


@dataclass(frozen=True, slots=True)
class TurnBoard:
    """The board on which a turn is put together: the position before it, and what else the pictures of it show.

    ``name`` begins the names of their files. Where steps are ``offered``, they are the first to choose from, legal or
    not. The pictures are enlarged around what can be chosen where that helps, unless they show the ``whole`` board,
    because no other picture does.
    """

    position: Position
    events: tuple[Event, ...]
    name: str
    header: render.Header | None = None
    overlay: Overlay | None = None
    offered: tuple[str, ...] = ()
    whole: bool = False


def board_of(game: Game) -> TurnBoard:
    """The board of a match."""
    return TurnBoard(game.position, game.events, f"turn-{game.match.id}-{game.step}", header(game))


@dataclass(frozen=True, slots=True)
class NextChoice:
    """What can be chosen next: the board, the keys, and the question in words; ``area`` is the part of the board that
    they are about, if one was chosen.
    """

    picture: Picture
    keypad: Keypad
    question: str
    area: int | None


def next_choice(board: TurnBoard, draft: Draft, look: render.Look, pick: Pick, area: int | None) -> NextChoice:
    """How to go on with a turn, whether it is to be played or only tried. This draws."""
    position, offered = board.position, () if draft.text else board.offered
    parts = () if offered else areas_of(position, draft)
    geometry = board_geometry(position.board.size, look.orientation)
    chosen = parts[area] if area is not None and area < len(parts) else None
    hint = ""
    if parts and chosen is None:
        picture = _divided(board, draft, look, parts, geometry)
        keypad = part_keys(position, draft, parts, geometry, pick)
        hint = _("Choose a part of the board.")
    else:
        steps = [step for step in offered or draft.steps if step != PASS]
        if chosen is not None:
            steps = [step for step in steps if position.step_cell(step) in chosen.cells]
        picture = _close_up(board, draft, look, steps, parts, chosen)
        keypad = step_keys(position, draft, steps, geometry, pick)
    question = " ".join(filter(None, [_question(position, draft) if draft.steps else "", hint]))
    return NextChoice(picture, keypad, question, None if chosen is None else area)


# --------------------------------------------------------------------------------------------------------------------
# The picture


def _divided(board: TurnBoard, draft: Draft, look: render.Look, parts: tuple[Area, ...], geometry: Geometry) -> Picture:
    """The whole board, with the parts of which one is to be chosen."""
    position = board.position
    cells = set(cells_of_steps(position, draft.steps))
    # Where one may play almost anywhere, marks on every cell would tell nothing.
    rare = position.phase is Phase.PLAY and 2 * len(cells) < position.empty.bit_count()
    marks = dict.fromkeys(cells, "") if rare else {}
    tiles = {name: parts[number].tile for name, number in part_names(position.board, parts, geometry).items()}
    return _picture(board, draft, look, f"{digest(draft.text)}-areas", marks | _begun(position, draft), tiles)


def _close_up(
    board: TurnBoard,
    draft: Draft,
    look: render.Look,
    steps: Sequence[str],
    parts: tuple[Area, ...],
    chosen: Area | None,
) -> Picture:
    """The board with the steps named on it, larger where that helps; what the draft does shows too."""
    position = board.position
    # Where whole turns are offered, they are named by their first and last cells.
    ends = (end for step in steps for end in (steps_of(step)[0], steps_of(step)[-1]))
    targets = {cell: position.board.name(cell) for cell in cells_of_steps(position, ends)}
    begun = _begun(position, draft)
    name = digest(draft.text)
    if chosen is not None:
        # All parts are shown at the same size.
        look = _shown(position, look, set(chosen.tile), zoom(position.board, parts))
        name += f"-{parts.index(chosen)}"
    elif not board.whole:
        cells = {*targets, *begun, *chain.from_iterable(event.changed_cells for event in draft.events)}
        look = _shown(position, look, cells, _SMALLEST if steps else 6)
    return _picture(board, draft, look, name, begun | targets)


def _shown(position: Position, look: render.Look, cells: set[int], smallest: int) -> render.Look:
    """The look with a window around the cells, where that shows them much larger."""
    board = position.board
    part = window(board, cells, smallest) if cells and smallest <= board.size - _WORTHWHILE else None
    return look if part is None or part[1] > board.size - _WORTHWHILE else replace(look, window=part)


def _picture(
    board: TurnBoard,
    draft: Draft,
    look: render.Look,
    name: str,
    targets: dict[int, str] | None = None,
    parts: dict[str, tuple[int, ...]] | None = None,
) -> Picture:
    """The board with what the draft does so far; before anything is done, with the last turn."""
    changed = draft.acts
    events, overlay = (draft.events, None) if changed else (board.events, board.overlay)
    before = board.position if changed else None
    data = render.picture(
        draft.preview if changed else board.position,
        events,
        None,
        look,
        overlay=overlay and overlay.name,
        cell=overlay and overlay.cell,
        targets=targets,
        areas=parts,
        before=before,
        header=board.header,
        overview=True,
    )
    description = render.describe(draft.preview, events, None, look, before=before)
    return Picture(f"{board.name}-{name or 'start'}.png", data, description)


def _begun(position: Position, draft: Draft) -> dict[int, str]:
    """A mark on the cell that was chosen first, while nothing else shows it."""
    first = position.step_cell("".join(steps_of(draft.text)[:1]))
    return {} if first is None or draft.acts else {first: ""}


# --------------------------------------------------------------------------------------------------------------------
# The buttons


def _buttons(game: Game, draft: Draft, presses: Presses, area: int | None) -> Iterator[ActionButton]:
    if draft.complete:
        yield end_key(game.position, draft, presses.of("confirm"))
    if PASS in draft.steps and area is None:
        yield pass_key(game.position, draft, presses.pick)
    if draft.text or area is not None:
        yield ActionButton(presses.of("back", "" if area is None else str(area)), _("Back"))
    if game.match.computer is not None and not draft.text and area is None:
        yield hint_button(AskHint(game.match.id, game.step))
    yield ActionButton(presses.of("cancel"), _("Cancel"))
    yield ActionButton(Press("type", game.match.id, game.step), _("Type it"))


# --------------------------------------------------------------------------------------------------------------------
# The words


def _question(position: Position, draft: Draft) -> str:
    """What is to be chosen next, or that there is nothing to choose."""
    if draft.steps == (PASS,):
        return _("{side} has no other turn left and must pass.").format(
            side=words.side(position.ruleset, position.turn_of)
        )
    return position.question(draft).translate(translations())


def _heading(game: Game, draft: Draft) -> str:
    if draft.steps or not draft.complete:
        return _("Your turn")
    return asked_of(game.position, draft)


def asked_of(position: Position, draft: Draft) -> str:
    """The question whether a turn that cannot go on is to be played."""
    if draft.text == PASS:
        return _("Pass?")
    return _("Play {turn}?").format(turn=words.turn(position, draft.text))


def told_of(position: Position, draft: Draft, reader: Side | None = None) -> str:
    """What the turn is so far, where more may follow, and what it does, for the side that reads it or anybody."""
    if not (draft.text and draft.acts):
        return ""
    parts = [
        _("So far: {turn}.").format(turn=words.turn(position, draft.text)) if draft.steps else "",
        words.consequences(draft.events, reader),
        how_it_ends(position, draft.preview),
    ]
    return " ".join(filter(None, parts))


def how_it_ends(position: Position, after: Position) -> str:
    """How a turn ends the game for the side that plays it; empty if it does not."""
    outcome = after.outcome
    if outcome is None:
        return ""
    if outcome.winner is None:
        return _("🤝 It ends the game in a draw.")
    return _("🏆 It wins the game.") if outcome.winner is position.turn_of else _("⚠️ It loses the game.")
