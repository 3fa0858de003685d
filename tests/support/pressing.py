"""Random turns, and how people play them without a command: step by step on a private card, or in a form."""

from __future__ import annotations

import random
import re

from simcord import ChannelHandle, MemberActor
from simcord.results import ResponseMessage

from bot.discord.ui.keypad import area_of
from rules import PASS, Position
from tests.support.club import Club, Seen, seen

STEP = re.compile("[-+*,]?[a-z0-9]+")
#: The boards on which every game is played, with how many turns of it are played here.
GAMES = [("dalen", 5), ("dendria", 7), ("fiodar", 5), ("hedu", 5), ("nadraz", 6)]


def shown(club: Club, card: ResponseMessage) -> Seen:
    return seen(club.env, card)


def offered(card: Seen) -> dict[str, str]:
    """The labels of the card's keys, each by the step or the part of the board that it stands for."""
    picks = [(custom_id, label) for label, custom_id in card.buttons.items() if "pick:" in custom_id]
    return {custom_id.partition(".")[2]: label for custom_id, label in picks}


async def pick(club: Club, who: MemberActor, choice: str, card: ResponseMessage) -> None:
    """Presses the key of a step or of a part of the board."""
    await club.press(who, offered(shown(club, card))[choice], on=card)


def any_turn(position: Position, chance: random.Random) -> str:
    """A random turn; one of several steps more often than not."""
    draft = position.draft()
    while not (draft.complete and (not draft.steps or chance.random() < 0.3)):
        steps = [step for step in draft.steps if step != PASS or chance.random() < 0.05]
        draft = position.draft(draft.text + chance.choice(steps or draft.steps))
    return draft.text


async def build(
    club: Club, who: MemberActor, position: Position, turn: str, where: ChannelHandle | None = None
) -> tuple[ResponseMessage, int]:
    """Puts a turn together by pressing; the private card that shows it, and how many presses that took."""
    game = await club.app.matches.game((await club.newest_match()).id)
    begin = STEP.findall(turn)[0]
    part = area_of(game.position, position.draft(), begin)
    beside = f":part:{game.match.id}:{game.step}:{part}"
    labels = [label for label, custom_id in club.card(where).buttons.items() if custom_id.endswith(beside)]
    card = (await club.press(who, (*labels, "Play")[0], on=club.last_card(where))).private_handle
    presses = 1
    made = ""
    for step in STEP.findall(turn):
        begun = made
        made += step
        if (await club.app.matches.draft(game.match, who.id)).startswith(made):
            continue  # there was nothing else to choose
        if step not in offered(shown(club, card)):
            await pick(club, who, f"area.{area_of(game.position, position.draft(begun), step)}", card)
            presses += 1
        await pick(club, who, step, card)
        presses += 1
    return card, presses


def confirmation(card: Seen) -> str:
    """The label of the button that plays the turn on the card."""
    return next(label for label, custom_id in card.buttons.items() if ":confirm:" in custom_id)


async def play_by_pressing(club: Club, who: MemberActor, position: Position, turn: str) -> int:
    """Plays a turn by pressing alone; how many presses that took."""
    if turn == PASS or turn in position.sides:
        label = f"Play {turn.capitalize()}" if turn in position.sides else "Pass"
        answer = await club.press(who, label)
        if answer.nothing:
            return 1
        # A pass that gives the game away is asked about.
        assert answer.private.startswith("### Pass?")
        await club.press(who, answer.messages[0].labels[0], on=answer.private_handle)
        return 2
    card, presses = await build(club, who, position, turn)
    if card.id not in club.env.backend.messages[card.channel_id]:
        return presses  # played at once
    confirm = confirmation(shown(club, card))
    assert confirm in (("Pass",) if turn == PASS else (f"Play {turn}", f"Play only {turn}"))
    await club.press(who, confirm, on=card)
    return presses + 1


async def play_by_typing(club: Club, who: MemberActor, turn: str) -> None:
    """Plays a turn with one press and one text."""
    form = await club.press(who, "Type it")
    assert form.form
    answer = await club.fill(who, form, turn=f" {turn.upper()} ")
    if not answer.nothing:
        assert "Do you mean this?" in answer.private
        await club.press(who, answer.messages[0].labels[0], on=answer.private_handle)
