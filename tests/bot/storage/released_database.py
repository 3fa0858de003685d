"""A database that a release has stored, made by playing; every later version must open it.

``python -m pytest -n 0 tests/bot/storage/released_database.py`` plays, and writes two files to ``released``, named for
the version in ``pyproject.toml``: the rows as compressed SQL, and the buttons and menus that people had before their
eyes. A release that changes the tables or the custom ids gets files of its own. Those of a release are never written
again.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import discord
import pytest
from simcord import MemberActor

from bot.discord.ui.actions import More
from bot.domain.limits import NUDGE_AFTER
from bot.domain.matches import ProposalKind
from bot.storage.tables import metadata
from rules import GAMES
from tests.support.discord.actions import ask, beat, open_tournament, resigned
from tests.support.discord.cards import press_of
from tests.support.discord.club import Club
from tests.support.discord.known_puzzles import on_card, play
from tests.support.discord.turn_presses import any_turn, offered, pick
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import play_turn
from tests.support.services.released import Control, Released, ids_of, write

_DAY = timedelta(days=1)
_BUTTON = discord.ComponentType.button.value
#: How many buttons or menus of each action are stored.
_OF_EACH = 2


@pytest.fixture(scope="module")
def backend() -> str:
    return "sqlite"


async def test_everything_is_played_and_stored(club: Club) -> None:
    await _play(club)
    with closing(sqlite3.connect(club.app.database.url.database or "")) as connection:
        empty = [
            table.name
            for table in metadata.sorted_tables
            if connection.execute(f"SELECT 1 FROM {table.name}").fetchone() is None  # noqa: S608
        ]
        assert not empty, f"nobody has played in a way that fills {', '.join(empty)}"
        sql = "\n".join(connection.iterdump())
    write(Released(sql, club.env.now(), ids_of(club), await _running_cards(club), _controls(club)))


def _controls(club: Club) -> tuple[Control, ...]:
    """A few of the buttons and menus of each action that the bot has ever sent."""
    found: dict[str, dict[str, Control]] = {}
    for kind, _what, body in club.env.backend.transcript:
        for part in _parts(body) if kind == "HTTP" else ():
            custom_id = str(part["custom_id"])
            prefix, _colon, rest = custom_id.partition(":")
            if prefix == "hexgrove" and "type" in part:  # a form has none
                options = [each["value"] for each in part.get("options", ())]
                control = Control(custom_id, None if part["type"] == _BUTTON else options[-1:])
                found.setdefault(rest.partition(":")[0], {})[custom_id] = control
    return tuple(each for _, controls in sorted(found.items()) for each in [*controls.values()][-_OF_EACH:])


def _parts(body: Any) -> Iterator[dict[str, Any]]:
    """What has a custom id, at any depth."""
    if isinstance(body, dict) and "custom_id" in body:
        yield body
    if isinstance(body, dict | list | tuple):
        for each in body.values() if isinstance(body, dict) else body:
            yield from _parts(each)


async def _running_cards(club: Club) -> dict[int, dict[str, str]]:
    cards = {}
    for channel in (club.channel, *club.threads()):
        for card in club.cards(channel):
            for custom_id in card.buttons.values():
                more = press_of(custom_id, More)
                if more is not None:
                    cards[more.match_id] = card.buttons
    return cards


# Playing


async def _play(club: Club) -> None:
    """Do everything that is stored."""
    dan = club.join("Dan")
    manager = club.guild.add_member(
        club.env.create_user("mo", global_name="Mo"),
        roles=[club.guild.create_role("Mo", permissions=discord.Permissions(manage_guild=True, manage_messages=True))],
    )
    for step in (_set_up, _finish, _settle, _moderate, _try_out, _forget):
        await step(club, manager)
        await club.env.settle()
    await _compete(club, dan)
    await _leave_running(club)


async def _set_up(club: Club, manager: MemberActor) -> None:
    """Change settings of people and of the server."""
    panel = (await club.slash(club.alice, "settings")).private_handle
    await club.choose_in(club.alice, "my-theme", "light", on=panel)
    await club.choose_in(club.alice, "my-orientation", "my-side", on=panel)
    await club.press(club.alice, "Coordinates: on", on=panel)
    form = await club.press(club.alice, "Quiet hours and digest", on=panel)
    await club.fill(club.alice, form, zone="Berlin", quiet="22-8", digest="18:30")
    await club.press(club.alice, "Privacy", on=panel)
    await club.choose_in(club.carol, "block", club.bob, on=await _privacy(club, club.carol))
    elsewhere = club.guild.create_text_channel("elsewhere")
    panel = (await club.slash(manager, "setup")).private_handle
    await club.choose_in(manager, "server-channels", club.channel, elsewhere, on=panel)
    await club.choose_in(manager, "server-other-cards", elsewhere, on=panel)
    await club.choose_in(manager, "server-puzzle-channel", club.channel, on=panel)
    await club.env.advance_time(_DAY.total_seconds())


async def _privacy(club: Club, who: MemberActor) -> Any:
    settings = await club.slash(who, "settings")
    await club.press(who, "Privacy", settings.private_handle)
    return settings.private_handle


async def _finish(club: Club, _manager: MemberActor) -> None:
    """Play games to their ends: by the rules, by resignation, by agreement, by time, and against the computer."""
    chance = random.Random(1)
    await club.match(turns=WHOLE_GAME[:-1], rated=True)
    last = await club.app.matches.game(1)
    assert last.to_act is not None
    await club.move(club.member(last.to_act.id), WHOLE_GAME[-1])
    for winner, loser in ((club.alice, club.bob), (club.bob, club.alice), (club.carol, club.alice)):
        await beat(club, winner, loser)
    for name, game in GAMES.items():
        size = min(game.sizes)
        answer = await club.slash(club.alice, "challenge", game=name, size=size, level=1, first="challenger")
        assert answer.nothing, answer.private
        for _turn in range(3):
            await club.env.advance_time(10)  # the computer does not play faster
            game_now = await club.app.matches.game((await club.newest_match()).id)
            await club.move(club.alice, any_turn(game_now.position, chance))
            await club.env.settle()
        await resigned(club, club.alice)
    await club.match(game="hedu", turns=("e5", "white"), clock="1 day a turn")
    await ask(club, club.alice, ProposalKind.DRAW)
    await club.press(club.bob, "Accept")
    await club.match(clock="10 min + 30 s")
    await club.env.advance_time(timedelta(minutes=11).total_seconds())
    await club.press(club.bob, "Claim the win")
    await ask(club, club.alice, ProposalKind.REMATCH)
    await club.press(club.bob, "Accept")
    await resigned(club, club.alice)


async def _settle(club: Club, _manager: MemberActor) -> None:
    """Propose, answer, spend a day off, and challenge in vain."""
    await club.match(game="hedu", turns=("e5", "white"), clock="1 day a turn")
    await ask(club, club.alice, ProposalKind.TAKE_BACK)
    await club.press(club.bob, "Accept")
    await club.env.advance_time((_DAY + NUDGE_AFTER).total_seconds())
    await ask(club, club.bob, ProposalKind.DRAW)
    await club.press(club.alice, "Decline")
    games = (await club.slash(club.bob, "games")).private_handle
    nudge = [label for label in club.seen(games).labels if label.startswith("Nudge")]
    if nudge:
        await club.press(club.bob, nudge[0], on=games)
    await resigned(club, club.alice)
    replay = (await club.slash(club.alice, "replay", match="1")).private_handle
    await club.press(club.alice, "Share", on=replay)
    for label, who in (("Decline", club.bob), ("Withdraw", club.alice)):
        await club.challenge(club.alice, club.bob)
        await club.press(who, label)


async def _moderate(club: Club, manager: MemberActor) -> None:
    """Void a result that others were rated after."""
    board = (await club.slash(manager, "board", match="2")).private_handle
    question = await club.press(manager, "Void result", on=board)
    await club.press(manager, "Void the result", on=question.private_handle)


async def _try_out(club: Club, _manager: MemberActor) -> None:
    """Solve puzzles, try a line, and have a match reviewed."""
    card = (await club.slash(club.alice, "puzzle", game="dalen")).private_handle
    for turn in on_card(club.seen(card)).puzzle.solution[::2]:
        await play(club, club.alice, turn, card)
    await club.press(club.alice, "Next puzzle", on=card)
    await club.press(club.alice, "Show the solution", on=card)
    await club.slash(club.bob, "try", turns="e5 light", match="1", after=0)
    await club.open(club.bob, "replay", "Review", match="1")
    await club.slash(club.bob, "rules", game="hedu")
    await club.slash(club.bob, "learn", game="nadraz")
    await club.slash(club.bob, "profile")
    await club.slash(club.bob, "leaderboard")
    await club.slash(club.bob, "challenge", game="dalen", opponent=club.alice, size=5)
    await club.press(club.bob, "Withdraw")


async def _forget(club: Club, _manager: MemberActor) -> None:
    """Delete the data of a player who has done what a limit counts."""
    eve = club.join("Eve")
    await club.challenge(eve, club.alice)
    await club.press(eve, "Withdraw")
    panel = await _privacy(club, eve)
    await club.press(eve, "Delete my data", on=panel)
    await club.press(eve, "Yes, delete everything", on=panel)


async def _compete(club: Club, dan: MemberActor) -> None:
    await open_tournament(club, club.bob, dan, name="Cup", at_once=1)
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)


async def _leave_running(club: Club) -> None:
    """Leave matches of all games, challenges and a proposal open, and a turn half put together."""
    chance = random.Random(2)
    for name, game in GAMES.items():
        match = await club.match(game=name, size=min(game.sizes), clock="3 days + 1 day a turn")
        for _turn in range(4 if name != "dalen" else 1):
            now = await club.app.matches.game(match.id)
            assert now.to_act is not None
            await play_turn(club.app.matches, match.id, now.to_act.id, any_turn(now.position, chance))
        await club.app.match_presenter.show_match(match.id)
        await club.env.settle()
    await _begin_turn(club, chance)
    kind = discord.ChannelType.public_thread
    club.env.backend.create_thread(club.channel.id, "talk", club.carol.id, type=kind.value)
    thread = club.threads()[-1]
    await club.slash(club.carol, "challenge", where=thread, game="hedu", size=5, level=2, first="challenger")
    await club.challenge(club.carol, club.alice, game="fiodar")
    await club.challenge(club.bob, game="nadraz")


async def _begin_turn(club: Club, chance: random.Random) -> None:
    """Put part of a turn together, in the newest match."""
    game = await club.app.matches.game((await club.newest_match()).id)
    assert game.to_act is not None
    who = club.member(game.to_act.id)
    delivery = await club.delivery()
    (where,) = (each for each in (club.channel, *club.threads()) if each.id == delivery.channel_id)
    card = (await club.press(who, "Play", on=club.last_card(where))).private_handle
    await pick(club, who, chance.choice([*offered(club.seen(card))]), card)
    if not await club.app.matches.draft(game.match, who.id):  # it was a part of the board
        await pick(club, who, chance.choice([*offered(club.seen(card))]), card)
