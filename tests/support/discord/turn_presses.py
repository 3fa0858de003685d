"""Random turns, played without a command: key by key on a private card, or in a form."""

from __future__ import annotations

import random
import re

from simcord import ChannelHandle, MemberActor
from simcord.results import ResponseMessage

import rules
from bot.discord.features.study.learn import TaskKey
from bot.discord.features.study.puzzle import PuzzleKey
from bot.discord.features.study.try_ import LineKey
from bot.discord.features.turns.move import TurnKey
from bot.discord.ui.actions import OpenTurn
from bot.discord.ui.keypad import ControlKey, Key, area_of
from bot.domain.turn_entry import TurnEntry
from rules import PASS, Position
from tests.support.discord.cards import press_of
from tests.support.discord.club import Club, Seen
from tests.support.thorough import THOROUGH

ELEMENT = re.compile("[-+*,]?[a-z0-9]+")
#: Every game with its smallest board.
GAMES = [(name, game.sizes[0]) for name, game in rules.GAMES.items()]
#: The games for tests that whole games cover too: only games with turns of several elements, unless tests are thorough.
SOME_GAMES = GAMES if THOROUGH else [("dendria", 7), ("nadraz", 6)]


def keys(card: Seen) -> dict[Key, str]:
    """The labels of the card's keys, by the keys' meanings."""
    found: dict[Key, str] = {}
    for label, custom_id in card.buttons.items():
        press = press_of(custom_id, TurnKey, LineKey, PuzzleKey, TaskKey)
        if isinstance(press, TurnKey | LineKey | PuzzleKey | TaskKey):
            found[press.key] = label
    return found


def offered(card: Seen) -> dict[str | int, str]:
    """The labels of the keys for choices, by their elements or the numbers of their areas."""
    return {key: label for key, label in keys(card).items() if not isinstance(key, ControlKey)}


async def pick(club: Club, who: MemberActor, choice: str | int, card: ResponseMessage) -> None:
    """Press the key of an element or of an area."""
    await club.press(who, offered(club.seen(card))[choice], on=card)


def area_key(position: Position, begun: str, element: str) -> int:
    """The number of the area that contains an element."""
    area = area_of(TurnEntry.begin(position, begun), element)
    assert area is not None
    return area


def any_turn(position: Position, chance: random.Random) -> str:
    """A random turn, more often than not with several elements."""
    draft = position.draft()
    while not (draft.complete and (not draft.next or chance.random() < 0.3)):
        elements = [element for element in draft.next if element != PASS or chance.random() < 0.05]
        draft = position.draft(draft.text + chance.choice(elements or draft.next))
    return draft.text


async def build(
    club: Club, who: MemberActor, position: Position, turn: str, where: ChannelHandle | None = None
) -> tuple[ResponseMessage, int]:
    """Compose a turn with keys; return the private card that shows it, and the number of presses."""
    game = await club.app.matches.game((await club.newest_match()).id)
    area = area_of(TurnEntry.begin(position), ELEMENT.findall(turn)[0])
    beside = area is not None and OpenTurn(game.match.id, game.step, area).custom_id
    labels = [label for label, custom_id in club.card(where).buttons.items() if custom_id == beside]
    card = (await club.press(who, (*labels, "Play")[0], on=club.last_card(where))).private_handle
    presses = 1
    made = ""
    for element in ELEMENT.findall(turn):
        begun = made
        made += element
        if (await club.app.matches.draft(game.match, who.id)).startswith(made):
            continue  # there was no other choice
        if element not in offered(club.seen(card)):
            await pick(club, who, area_key(position, begun, element), card)
            presses += 1
        await pick(club, who, element, card)
        presses += 1
    return card, presses


def confirmation(card: Seen) -> str:
    """The label of the button that plays the card's turn."""
    return keys(card)[ControlKey.END]


async def play_by_pressing(club: Club, who: MemberActor, position: Position, turn: str) -> int:
    """Play a turn with keys alone, and return the number of presses."""
    if turn == PASS or turn in position.sides:
        label = f"Play {turn.capitalize()}" if turn in position.sides else "Pass"
        answer = await club.press(who, label)
        if answer.nothing:
            return 1
        # The bot asks before a pass that loses the game.
        assert answer.private.startswith("### Pass?")
        await club.press(who, answer.messages[0].labels[0], on=answer.private_handle)
        return 2
    card, presses = await build(club, who, position, turn)
    if card.id not in club.env.backend.messages[card.channel_id]:
        return presses  # played without a question
    confirm = confirmation(club.seen(card))
    assert confirm in (("Pass",) if turn == PASS else (f"Play {turn}", f"Play only {turn}"))
    await club.press(who, confirm, on=card)
    return presses + 1


async def play_some_way(club: Club, turn: str, way: int) -> None:
    """Play a turn of the newest match with the command, in the form or by pressing, in rotation."""
    game = await club.app.matches.game((await club.newest_match()).id)
    assert game.to_act is not None
    who = club.member(game.to_act.id)
    if way % 3 == 0:
        await club.move(who, turn)
    elif way % 3 == 1 and "Type it" in club.card().labels:
        await _play_by_typing(club, who, turn)
    else:
        assert await play_by_pressing(club, who, game.position, turn) <= 2 + 2 * len(ELEMENT.findall(turn))
    assert await club.app.matches.draft(await club.newest_match(), who.id) == ""


async def _play_by_typing(club: Club, who: MemberActor, turn: str) -> None:
    """Play a turn with one press and one text."""
    form = await club.press(who, "Type it")
    assert form.form
    answer = await club.fill(who, form, turn=f" {turn.upper()} ")
    if not answer.nothing:
        assert "Do you mean this?" in answer.private
        await club.press(who, answer.messages[0].labels[0], on=answer.private_handle)
