"""Loads what the card of a match needs, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import render
from bot.discord.cards import words
from bot.discord.cards.ending import final_card, final_pictures
from bot.discord.cards.match import board_picture, match_card
from bot.discord.cards.scenes import public_look
from bot.discord.channels import Channels
from bot.discord.languages import Languages
from bot.discord.messages import Message
from bot.domain.deliveries import MatchDelivery
from bot.domain.leaderboards import HeadToHead
from bot.domain.matches import Ending, Game
from bot.domain.players import Player
from bot.domain.preferences import BoardCards, Preferences, ServerSettings
from bot.domain.proposals import Proposal
from bot.services.matches import Matches
from bot.storage import Storage


@dataclass(frozen=True, slots=True)
class LoadedMatch:
    """A match with all that its card needs.

    ``preferences`` are those of whoever is called to it; ``newcomer`` has yet to see the hint for newcomers, and
    ``proposals`` have cards that show less than there is to show.
    """

    game: Game
    delivery: MatchDelivery | None
    board_cards: BoardCards
    look: render.Look
    language: str
    newcomer: Player | None
    preferences: Mapping[int, Preferences]
    ended_by: Proposal | None
    record: HeadToHead | None
    proposals: list[int]

    def draw_card(self, *, quiet: bool = True) -> Message:
        """The card of the match, with its pictures; call it outside the event loop."""
        if self.game.match.result is not None:
            return self.draw_final_card(quiet=quiet)
        board = board_picture(self.game, self.look)
        return match_card(self.game, board, quiet=quiet, hint=self.newcomer is not None)

    def draw_final_card(self, *, quiet: bool = True) -> Message:
        """The card of a match that is over, with its pictures; call it outside the event loop."""
        pictures = final_pictures(self.game, self.look)
        return final_card(self.game, pictures, self.record, quiet=quiet, ended_by=self.ended_by)


class MatchLoader:
    def __init__(self, matches: Matches, languages: Languages, channels: Channels, storage: Storage) -> None:
        self._matches = matches
        self._languages = languages
        self._channels = channels
        self._storage = storage

    async def load(self, match_id: int, loaded: Game | None = None) -> LoadedMatch:
        """Load what a card of the match needs; ``loaded`` is its game, which is used unless it has changed since."""
        async with self._storage.read() as tx:
            # Read before the match: a board that shows more than its version is shown anew, and does no harm.
            if loaded is None:
                delivery, changed, behind = await tx.deliveries.get(match_id), True, True
            else:
                delivery, changed, behind = await tx.deliveries.of_loaded(loaded.match)
            game = await self._matches.load(tx, match_id) if changed or loaded is None else loaded
            match, awaited = game.match, game.to_act
            settings = await tx.settings.server_settings(match.guild_id)
            called = [player.id for player in (match.players if awaited is None else (awaited,)) if not player.deleted]
            wishes = await tx.settings.preferences_and_hints(called, match.ruleset.game.name)
            newcomers = [player_id for player_id, (_, hinted) in wishes.items() if not hinted]
            ended_by = record = None
            if match.result is not None and match.result.ending is not Ending.RULES:
                ended_by = await tx.proposals.of_ending(match_id)
            if match.result is not None and match.result.counts:
                record = HeadToHead.of(match.first.id, await tx.history.winners(match))
            unshown = await tx.deliveries.unshown_proposals(match_id) if behind else []
        return LoadedMatch(
            game=game,
            delivery=delivery,
            board_cards=self.board_cards_of(delivery, settings),
            look=public_look(settings),
            language=await self._languages.of_server(match.guild_id, settings),
            newcomer=awaited if awaited is not None and awaited.id in newcomers else None,
            preferences={player_id: wished for player_id, (wished, _) in wishes.items()},
            ended_by=ended_by,
            record=record,
            proposals=unshown,
        )

    async def board_cards(self, match_id: int) -> BoardCards | None:
        """How a match is shown; None for one that is played outside Discord."""
        async with self._storage.read() as tx:
            delivery = await tx.deliveries.get(match_id)
            if delivery is None:
                return None
            settings = await tx.settings.server_settings(delivery.home.guild_id)
        return self.board_cards_of(delivery, settings)

    async def whereabouts(self, match_id: int | None, seen_from: int) -> str:
        """Where the match that came of a challenge or a proposal is played, in the current language."""
        if match_id is None:
            return ""
        async with self._storage.read() as tx:
            delivery, match = await tx.deliveries.get(match_id), await tx.matches.get(match_id)
        assert match is not None
        return "" if delivery is None else words.whereabouts(match, delivery, seen_from)

    def board_cards_of(self, delivery: MatchDelivery | None, settings: ServerSettings) -> BoardCards:
        """How a match is shown: as its players have chosen, or else as is usual in its channel."""
        if delivery is None:
            return settings.board_cards
        if delivery.board_cards is not None:
            return delivery.board_cards
        return settings.board_cards_in(self._channels.around(delivery))
