"""The private card on which a turn is put together by choosing, step by step, and shown before it is played."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import discord

import render
from bot.discord.cards import words
from bot.discord.cards.match import footer
from bot.discord.messages import ActionButton, Form, Menu, Message, Picture, Press, compose, option_menu
from bot.domain.matches import Game
from bot.domain.preferences import Confirmation
from bot.texts import gettext as _
from bot.texts import translations
from render.areas import LARGEST, areas, middle, window
from render.geometry import board_geometry
from rules import MARKS, PASS, Draft, Phase, Tally, cells_of, steps_of

#: Cells on each side of the smallest window, and by how many a window has to be smaller than the board to help.
_SMALLEST, _WORTHWHILE = 4, 2
#: Cells on each side of the largest window in which names on the cells can be read on a phone.
_READABLE = 9
#: Characters of a turn that somebody types.
LONGEST_TURN = 1000
_COLOUR = 0xE8A33D


def digest(text: str) -> str:
    """A short name for a draft, by which a button knows whether the draft is still the one that it was shown with."""
    return hashlib.blake2s(text.encode(), digest_size=4).hexdigest() if text else ""


def asks(wish: Confirmation, game: Game, draft: Draft) -> bool:
    """Whether the player wants to be asked before this complete turn counts.

    Risky are a pass where something else could be done, a turn by which own pieces leave the board or change sides,
    and one that ends the game without winning it.
    """
    if wish is not Confirmation.RISKY:
        return wish is Confirmation.ALWAYS
    position = game.position
    if draft.text == PASS and position.draft().steps != (PASS,):
        return True
    outcome = draft.preview.outcome
    return Tally(draft.events).costs_pieces or (outcome is not None and outcome.winner is not position.turn_of)


def first_step(text: str) -> str:
    return "".join(steps_of(text)[:1])


def area_of(game: Game, step: str) -> int | None:
    """The area where a step is found among many; None when it is nowhere on the board."""
    cell = game.position.step_cell(step)
    return next((number for number, cells in enumerate(areas(game.position.board)) if cell in cells), None)


def in_parts(game: Game, draft: Draft) -> bool:
    """Whether a part of the board is chosen first: where there is too much to choose for a list or for a picture."""
    if len(draft.steps) > LARGEST:
        return True
    board = game.position.board
    cells = {cell for step in draft.steps if (cell := game.position.step_cell(step)) is not None}
    return board.size > _READABLE and len(cells) > 1 and (window(board, cells) or (0, board.size))[1] > _READABLE


def turn_form(game: Game, text: str) -> Form:
    """The field in which a turn can be typed, with what the player has of it."""
    field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
        custom_id="turn",
        default=text[:LONGEST_TURN] or None,
        max_length=LONGEST_TURN,
    )
    example = game.position.example.translate(translations())
    label: discord.ui.Label[discord.ui.Modal] = discord.ui.Label(
        text=_("Your turn"), description=_shortened(example[:1].upper() + example[1:], 100), component=field
    )
    title = _("{game}: type a turn").format(game=game.match.ruleset.game.title)
    return Form(Press("typed", game.match.id, game.step), title, label)


def turn_card(game: Game, draft: Draft, look: render.Look, *, area: int | None = None, note: str = "") -> Message:
    """What can be chosen next, or what the turn would do. This draws, so call it outside the event loop's thread.

    ``area`` is the part of the board to choose in, where there is more to choose than a list can hold; ``note`` is said
    first.
    """
    board = game.position.board
    steps = draft.steps
    if area is not None:
        steps = tuple(step for step in steps if game.position.step_cell(step) in areas(board)[area])
    if area is None and in_parts(game, draft):
        picture, options = _areas(game, draft, look)
        hint = _("Choose a part of the board by its number.")
    else:
        picture = _targets(game, draft, look, steps, digest(draft.text) + (f"-{area}" if area is not None else ""))
        options = [_option(game, draft, step) for step in sorted(steps, key=lambda step: _order(game, step))]
        hint = ""
    return compose(
        f"### {_heading(game, draft)}",
        note,
        _told(game, draft) if draft.text else "",
        " ".join(filter(None, [_question(game, draft) if draft.steps else "", hint])),
        picture=picture,
        footer=footer(game),
        menus=tuple(_menus(game, draft, options)),
        buttons=tuple(_buttons(game, draft, area)),
        colour=_COLOUR,
    )


def _order(game: Game, step: str) -> tuple[int, int, int]:
    """Where a step stands in a list: by its mark, then by letter and number, and words at the end."""
    board, cell = game.position.board, game.position.step_cell(step)
    return (len(MARKS), 0, 0) if cell is None else (MARKS.find(step[0]), board.column(cell), board.row(cell))


def _shown(game: Game, draft: Draft, look: render.Look, cells: set[int], smallest: int) -> render.Look:
    """The look with a window around the cells, where that shows them much larger."""
    board = game.position.board
    part = window(board, cells, smallest) if cells and smallest <= board.size - _WORTHWHILE else None
    return look if part is None or part[1] > board.size - _WORTHWHILE else replace(look, window=part)


def _picture(
    game: Game,
    draft: Draft,
    look: render.Look,
    name: str,
    targets: dict[int, str] | None = None,
    parts: dict[str, tuple[int, ...]] | None = None,
) -> Picture:
    """The board with what the draft does so far; before anything is done, with the last turn."""
    changed = draft.acts
    events = draft.events if changed else game.events
    data = render.picture(
        draft.preview if changed else game.position,
        events,
        None,
        look,
        targets=targets,
        areas=parts,
        before=game.position if changed else None,
    )
    return Picture(
        f"turn-{game.match.id}-{game.step}-{name or 'start'}.png",
        data,
        render.describe(draft.preview, events, None, look),
    )


def _areas(game: Game, draft: Draft, look: render.Look) -> tuple[Picture, list[discord.SelectOption]]:
    """The board divided into areas, and the options for those that have something to choose."""
    board = game.position.board
    cells = {cell for step in draft.steps if (cell := game.position.step_cell(step)) is not None}
    geometry = board_geometry(board.size, look.orientation)
    found = [(number, part) for number, part in enumerate(areas(board)) if cells & set(part)]
    # The numbers run as one reads, from the top, however the board is turned.
    found.sort(key=lambda each: geometry.centre(middle(board, each[1]))[::-1])
    parts, options = {}, []
    for shown, (number, part) in enumerate(found, 1):
        parts[str(shown)] = part
        label = _("{number} · around {cell}").format(number=shown, cell=board.name(middle(board, part)))
        options.append(discord.SelectOption(label=label, value=f"area.{number}"))
    options += [_option(game, draft, step) for step in draft.steps if game.position.step_cell(step) is None]
    # Where one may play almost anywhere, marks on every cell would tell nothing.
    marks = dict.fromkeys(cells, "") if game.position.phase is Phase.PLAY else {}
    return _picture(game, draft, look, f"{digest(draft.text)}-areas", marks | _begun(game, draft), parts), options


def _targets(game: Game, draft: Draft, look: render.Look, steps: tuple[str, ...], name: str) -> Picture:
    """The board with the steps named on it, close by; what the draft does shows too."""
    board = game.position.board
    targets = {cell: board.name(cell) for step in steps if (cell := game.position.step_cell(step)) is not None}
    begun = _begun(game, draft)
    cells = {*targets, *begun, *chain.from_iterable(map(cells_of, draft.events))}
    return _picture(game, draft, _shown(game, draft, look, cells, _SMALLEST if steps else 6), name, begun | targets)


def _begun(game: Game, draft: Draft) -> dict[int, str]:
    """A mark on the cell that was chosen first, while nothing else shows it."""
    first = game.position.step_cell(first_step(draft.text))
    return {} if first is None or draft.acts else {first: ""}


def _menus(game: Game, draft: Draft, options: list[discord.SelectOption]) -> Iterator[Menu]:
    for number in range(0, len(options), LARGEST):
        press = Press("pick", game.match.id, game.step, f"{digest(draft.text)}.{number}")
        whole = any(option.value.startswith("area.") for option in options)
        placeholder = _("Choose a part of the board…") if whole else _("Choose…")
        yield option_menu(press, options[number : number + LARGEST], placeholder)


def _buttons(game: Game, draft: Draft, area: int | None) -> Iterator[ActionButton]:
    subject, step, known = game.match.id, game.step, digest(draft.text)
    if draft.complete:
        name = words.named(game.position.turn_name(draft.text))
        label = name if draft.text == PASS else _("Play {turn}").format(turn=name)
        yield ActionButton(Press("confirm", subject, step, known), _shortened(label, 80), discord.ButtonStyle.success)
    if draft.text or area is not None:
        back = known if area is None else f"{known}.{area}"
        yield ActionButton(Press("back", subject, step, back), _("Back"))
    yield ActionButton(Press("cancel", subject, step, known), _("Cancel"))
    yield ActionButton(Press("type", subject, step), _("Type it"))


def _option(game: Game, draft: Draft, step: str) -> discord.SelectOption:
    then = game.position.draft(draft.text + step)
    does = words.effect(then.events)
    if then.preview.outcome is not None:
        does = " · ".join(filter(None, [does, _outcome(game, then)]))
    return discord.SelectOption(
        label=words.named(game.position.step_name(draft.text, step)),
        value=step,
        description=_shortened(does, 100) or None,
    )


def _question(game: Game, draft: Draft) -> str:
    """What is to be chosen next."""
    return game.position.question(draft).translate(translations())


def _heading(game: Game, draft: Draft) -> str:
    if draft.steps or not draft.complete:
        return _("Your turn")
    return (
        _("Pass?")
        if draft.text == PASS
        else _("Play {turn}?").format(turn=words.named(game.position.turn_name(draft.text)))
    )


def _told(game: Game, draft: Draft) -> str:
    """What the turn is so far, where more may follow, and what it does, in words."""
    if not draft.acts:
        return ""
    parts = [
        f"**{words.named(game.position.turn_name(draft.text))}**" if draft.steps else "",
        words.effect(draft.events),
    ]
    if draft.preview.outcome is not None:
        parts.append(_outcome(game, draft))
    return " · ".join(filter(None, parts))


def _outcome(game: Game, draft: Draft) -> str:
    """How a turn ends the game."""
    outcome = draft.preview.outcome
    assert outcome is not None
    if outcome.winner is None:
        return _("🤝 ends the game in a draw")
    return _("🏆 wins the game") if outcome.winner is game.position.turn_of else _("⚠️ loses the game")


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
