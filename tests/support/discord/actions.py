"""Actions of people that many tests on Discord share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import Any

from simcord import ChannelHandle, MemberActor

from bot.domain.challenges import First
from bot.domain.matches import Match, ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from rules import ruleset
from tests.support.discord.club import Club, Seen
from tests.support.services.matches import PLAYED, start, store_turns


async def quick_match(club: Club, first: MemberActor, second: MemberActor, channel_id: int = 77) -> Match:
    """Store a match of the server that has not been shown yet."""
    one, other = (Player(who.id, who.user.global_name or "") for who in (first, second))
    return await start(club.app.matches, one, other, Place(club.guild.id, channel_id))


async def stored_match(
    club: Club,
    turns: Iterable[str] = (),
    first: MemberActor | None = None,
    second: MemberActor | None = None,
    game: str = "dalen",
    size: int = 5,
) -> Match:
    """Store a match of two people (Alice and Bob by default) after some turns, without cards."""
    seats = club.player(first or club.alice), club.player(second or club.bob)
    match = await start(club.app.matches, *seats, Place(club.guild.id, club.channel.id), ruleset=ruleset(game, size))
    return await _after(club, match, turns)


async def _after(club: Club, match: Match, turns: Iterable[str]) -> Match:
    async with club.app.storage.transaction(shown_by_caller=True) as tx:
        await store_turns(tx, club.app.matches, match.id, turns, club.env.now())
    return await club.app.matches.match(match.id)


async def finished_match(club: Club, turns: Iterable[str] = (), **how: Any) -> Match:
    """Store such a match, resigned by its first player."""
    match = await stored_match(club, turns, **how)
    return (await club.app.matches.resign(match.id, match.first.id, shown_by_caller=True)).match


async def computer_match(
    club: Club,
    turns: Iterable[str] = (),
    who: MemberActor | None = None,
    *,
    where: ChannelHandle | None = None,
    game: str = "dalen",
    size: int = 5,
    level: int = 3,
    first: First = First.CHALLENGER,
) -> Match:
    """Store a match against the computer after some turns, without cards."""
    place = Place(club.guild.id, (where or club.channel).id)
    player, terms = club.player(who or club.alice), ruleset(game, size)
    match = await club.app.computer_games.start(place, player, level, terms, first, shown_by_caller=True)
    return await _after(club, match, turns)


async def beat(club: Club, winner: MemberActor, loser: MemberActor, **options: Any) -> Seen:
    """Play a game that counts, and return its last card."""
    match = await club.match(loser, winner, turns=PLAYED, **options)
    await club.resign(loser, match.id)
    return club.card()


async def second_match(club: Club) -> Match:
    """Start a match of Alice and Carol while the channel has another."""
    return await club.accepted_challenge(club.alice, club.carol, size=5, first="challenger")


async def resign(club: Club, match: Match) -> None:
    """Let the first player resign, and show the last card."""
    await club.resign(match.first, match.id)


async def ask(club: Club, who: MemberActor, kind: ProposalKind) -> Seen:
    """Propose something, and return its card."""
    if kind is ProposalKind.DRAW:
        answer = await club.slash(who, "draw")
    elif kind is ProposalKind.TAKE_BACK:
        answer = await club.slash(who, "undo")
    elif kind is ProposalKind.ABANDON:
        question = await club.slash(who, "resign")
        answer = await club.press(who, "Call it off", on=question.private_handle)
    else:
        answer = await club.press(who, "Rematch")
    assert answer.nothing
    return club.card()


async def resigned(club: Club, who: MemberActor) -> None:
    await club.open(who, "resign", "Yes, resign")


async def restart_and_count(club: Club) -> int:
    """Restart the bot and return how many cards that posts. A second restart must post and edit none."""
    before, requests = club.everything(), len(club.env.http_requests)
    await club.restart()
    after = club.everything()
    if after != before or club.requests("PATCH", ".*", requests):
        requests = len(club.env.http_requests)
        await club.restart()
        assert club.everything() == after
        assert club.requests("PATCH", ".*", requests) == []
    return len(after) - len(before)


async def rest(club: Club, hours: float = 8) -> None:
    """Start quiet hours for Bob."""
    now = club.env.now()
    begin = now.hour * 60 + now.minute
    quiet = (begin, (begin + round(hours * 60)) % 1440)
    await club.app.reminders.change_times(
        Player(club.bob.id, "Bob"), time_zone=UTC, quiet=quiet, digest_at=None, language="en"
    )


async def open_tournament(
    club: Club, *people: MemberActor, name: str = "", where: ChannelHandle | None = None, **terms: Any
) -> int:
    """Store a Dalen tournament by Alice that these people join, with its card, without commands or presses."""
    made = await club.app.tournaments.create(
        Place(club.guild.id, (where or club.channel).id), name, club.player(club.alice), ruleset("dalen", 5), **terms
    )
    for who in people:
        await club.app.tournaments.join(made.id, club.player(who))
    await club.app.tournament_presenter.show(made.id)
    return made.id


async def start_tournament(club: Club, tournament_id: int = 1) -> None:
    """Start Alice's tournament and its first matches."""
    await club.app.tournaments.start(tournament_id, club.alice.id)
    await advance_tournaments(club)


async def advance_tournaments(club: Club) -> None:
    """Advance tournaments after a test has ended their matches."""
    await club.env.advance_time(5)
