"""What everybody sees of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.computer import LAST_RESULTS, Exchange, exchange, suggested_level
from bot.domain.deliveries import LapsedProposal, MatchDelivery
from bot.domain.leaderboards import HeadToHead
from bot.domain.matches import Ending, Game
from bot.domain.players import Player
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.proposals import Proposal
from bot.domain.ratings import Rating
from bot.storage import Transaction


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match as everybody sees it; ``preferences`` belong to the people it pings.

    The ``newcomer`` does not know the game yet. The last turn ended the ``lapsed_proposals``; the cards of
    ``unshown_proposals`` are outdated. After a match, ``play_on`` tells whether a player still plays others.

    Against the computer, ``exchange`` is what it has just done; the final turns of the ``earlier`` games are listed
    above the last turn. After the match, ``level_rating`` is the rating of its level, and ``suggested_level`` the next
    level.
    """

    game: Game
    delivery: MatchDelivery
    settings: ServerSettings
    preferences: Mapping[int, Preferences]
    newcomer: Player | None
    unshown_proposals: tuple[int, ...]
    lapsed_proposals: tuple[LapsedProposal, ...]
    exchange: Exchange
    ended_by: Proposal | None
    record: HeadToHead | None
    suggested_level: int | None
    play_on: bool
    earlier: tuple[Game, ...] = ()
    level_rating: Rating | None = None


async def read_view(
    tx: Transaction, game: Game, delivery: MatchDelivery, unshown: Iterable[int], lapsed: Sequence[LapsedProposal] = ()
) -> MatchView:
    """The view of a match that was just loaded, without ``earlier`` and ``level_rating``."""
    match, awaited = game.match, game.to_act
    computer, over, game_name = match.computer, match.result, match.ruleset.game.name
    people = [player for player in match.players if player.reachable]
    called = people if awaited is None else [each for each in people if each == awaited]
    wishes = await tx.settings.preferences_and_known([each.id for each in called], game_name)
    return MatchView(
        game=game,
        delivery=delivery,
        settings=await tx.settings.server_settings(match.guild_id),
        preferences={player_id: wished for player_id, (wished, _) in wishes.items()},
        newcomer=awaited if awaited is not None and not wishes.get(awaited.id, (None, True))[1] else None,
        unshown_proposals=tuple(each for each in unshown if each not in {one.proposal.id for one in lapsed}),
        lapsed_proposals=tuple(lapsed),
        exchange=exchange(game, () if computer is None else (await tx.matches.steps(match.id))[: match.step]),
        ended_by=await tx.proposals.of_ending(match.id) if over and over.ending is not Ending.RULES else None,
        record=HeadToHead.of(match.first.id, await tx.searches.winners(match)) if over and over.counts else None,
        suggested_level=await level_for(tx, match.opponent_of(computer.id).id, game_name)
        if over and computer
        else None,
        play_on=bool(over and people) and await tx.matches.any_play([each.id for each in people]),
    )


async def level_for(tx: Transaction, player_id: int, game: str) -> int:
    """The level that suits the player in a game, by past results."""
    return suggested_level(await tx.searches.level_results(player_id, game, LAST_RESULTS))
