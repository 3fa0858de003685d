"""What people on Discord see of a match that is played in no channel."""

from __future__ import annotations

from bot.domain.matches import Ending, Match, Result
from bot.domain.players import Player
from rules import ruleset
from tests.support.actions import restart_and_count
from tests.support.club import Club
from tests.support.games import WHOLE_GAME


async def unseen_match(club: Club, turns: tuple[str, ...] = ()) -> Match:
    """A match of Alice and Bob on the server, without a channel."""
    alice, bob = (Player(who.id, who.user.global_name or "") for who in (club.alice, club.bob))
    match = await club.app.matches.start(ruleset("dalen", 5), alice, bob, guild_id=club.guild.id)
    return (await club.play_quietly(match.id, turns)).match


async def test_a_start_shows_nothing_of_it(club: Club) -> None:
    await unseen_match(club, ("e5",))
    await unseen_match(club, WHOLE_GAME)
    assert await restart_and_count(club) == 0
    await club.app.backlog.catch_up()
    assert club.cards() == []
    assert await restart_and_count(club) == 0


async def test_its_players_play_it_by_typing_and_nobody_else_is_shown_anything(club: Club) -> None:
    match = await unseen_match(club)
    answer = await club.slash(club.alice, "move", turn="e5", match=str(match.id))
    assert answer.private == f"Played `e5` in match #{match.id}."
    answer = await club.slash(club.bob, "move", turn="light")
    assert answer.private == f"You chose **Light** in match #{match.id}."
    assert await club.turns(match.id) == ("e5", "light")
    assert club.cards() == []
    await club.match(club.bob, club.carol)
    assert "Carol" in club.card().text, "the channel is free for others"


async def test_only_its_players_look_at_it(club: Club) -> None:
    match = await unseen_match(club, ("e5", "light"))
    moderator = club.join_as_moderator("Dan")
    for command in ("board", "replay", "export"):
        own = await club.slash(club.alice, command, match=str(match.id))
        assert "Alice" in (own.private or own.messages[0].text)
        for who in (club.carol, moderator):
            assert (await club.slash(who, command, match=str(match.id))).private.startswith("There is no match")
    assert "Dalen against Bob" in (await club.slash(club.alice, "games")).private
    assert "<#" not in (await club.slash(club.alice, "games")).private
    theirs = await club.slash(club.carol, "games", player=club.alice)
    assert "against Bob" not in theirs.private


async def test_its_players_end_it_in_private(club: Club) -> None:
    resigned, drawn = await unseen_match(club, ("e5", "light")), await unseen_match(club, ("e5", "light"))
    question = await club.slash(club.alice, "resign", match=str(resigned.id))
    await club.press(club.alice, "Yes, resign", on=question.private_handle)
    assert (await club.slash(club.alice, "draw", match=str(drawn.id))).private == "I have asked Bob."
    await club.app.backlog.catch_up()
    assert (await club.slash(club.bob, "draw", match=str(drawn.id))).private == "You agreed with Alice."
    results = [(await club.app.matches.match(match.id)).result for match in (resigned, drawn)]
    assert results == [Result(club.bob.id, Ending.RESIGNATION), Result(None, Ending.AGREEMENT)]
    assert await restart_and_count(club) == 0
    assert club.cards() == []
