"""A command asks which of several matches is meant, and goes on with the choice."""

from __future__ import annotations

from typing import Any

import pytest
from discord import app_commands
from simcord import ChannelHandle

from bot.discord.ui.match_question import pack, unpack
from bot.discord.ui.presses import OutdatedPressError
from tests.support.discord.actions import quick_match
from tests.support.discord.club import Answer, Club
from tests.support.thorough import THOROUGH

FIRST, SECOND = "#1 Dalen against Bob", "#2 Dalen against Carol"


async def two_matches(club: Club) -> ChannelHandle:
    """Start matches of Alice against Bob and Carol, and return a channel in which she has to choose between them."""
    await club.match(turns=["e5", "light", "d4"])
    await club.match(club.alice, club.carol, turns=["e5", "light", "d4"])
    return club.guild.create_text_channel("elsewhere")


async def choose(
    club: Club, where: ChannelHandle, command: str, *, restart: bool = True, **options: Any
) -> tuple[Answer, Any]:
    asked = await club.slash(club.alice, command, where=where, **options)
    assert "Which one do you mean?" in asked.private
    assert asked.messages[0].labels == (FIRST, SECOND)
    if restart:
        await club.restart()
    return await club.press(club.alice, SECOND, on=asked.private_handle), asked.private_handle


#: Commands with what they say after the choice. Commands that change the match come last.
COMMANDS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("resign", {}, "Resign match #2?"),
    ("replay", {}, "Alice vs Carol"),
    ("undo", {}, "I have asked Carol."),
    ("try", {"turns": "e6 f4", "after": 2}, "Turn 4 · Alice (Dark) played `f4`"),
    ("board", {"overlay": "legal turns", "cell": "e5"}, "Match #2"),
    ("move", {"turn": "E5!"}, "is not a turn"),
    ("pass", {}, "pass"),
    ("move", {"turn": "a1"}, "Played `a1` in match #2"),
)


async def test_the_command_continues_with_the_chosen_match(club: Club) -> None:
    where = await two_matches(club)
    too_long = await club.slash(club.alice, "move", where=where, turn="e5" * 40)
    assert too_long.private.endswith("Choose one with `match`."), "a button has no room for it"
    before = await club.turns(1)
    for number, (command, options, said) in enumerate(COMMANDS):
        answer, card = await choose(club, where, command, restart=THOROUGH or number == 0, **options)
        assert answer.nothing, command
        assert said in club.seen(card).text
        assert not {FIRST, SECOND} & set(club.seen(card).labels), command
        assert await club.turns(1) == before, command


async def test_many_matches_are_offered_in_a_menu(club: Club) -> None:
    await club.match()
    for number in range(6):
        await quick_match(club, club.alice, club.join(f"Friend{number}"), 100 + number)
    asked = await club.slash(club.alice, "resign", where=club.guild.create_text_channel("elsewhere"))
    await club.restart()
    await club.choose(club.alice, "7", on=asked.private_handle)
    assert "Resign match #7?" in club.seen(asked.private_handle).text


async def test_the_options_of_a_command_read_back_from_a_button(club: Club) -> None:
    command = club.app.client.tree.get_command("try")
    assert isinstance(command, app_commands.Command)
    for options in ({}, {"turns": "e5 D4.ä"}, {"after": 3}, {"turns": "c7*d7-b7*a7", "after": 0}):
        assert unpack(command, pack(command, options)) == options
    for other in (("", "x"), ("", "-1"), ("", "5", "5"), ("", str(2**63))):
        with pytest.raises(OutdatedPressError):
            unpack(command, other)
