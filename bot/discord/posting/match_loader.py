"""Loads what the card of a match needs, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import render
from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.ending import final_card, final_pictures
from bot.discord.posting.cards.match import board_picture, match_card
from bot.discord.posting.channels import Channels
from bot.discord.ui import words
from bot.discord.ui.messages import Message
from bot.discord.ui.scenes import public_look
from bot.domain.computer import NO_EXCHANGE, Exchange, exchange, steps_on_past_card
from bot.domain.deliveries import MatchDelivery
from bot.domain.leaderboards import HeadToHead
from bot.domain.matches import Ending, Game, Match
from bot.domain.players import Player
from bot.domain.preferences import BoardCards, Preferences, ServerSettings
from bot.domain.proposals import Proposal
from bot.domain.ratings import Rating
from bot.services.computer_games import level_for
from bot.services.matches import Matches
from bot.services.ratings import Ratings
from bot.storage import Storage


@dataclass(frozen=True, slots=True)
class LoadedMatch:
    """A match with all that its card needs.

    ``preferences`` are those of whoever is called to it; ``newcomer`` does not know the game yet, and
    ``proposals`` have cards that show less than there is to show.

    Of a match against the computer, ``exchange`` is what it has just done there, ``ahead`` the number of boards that
    it thinks about first; when the match is over, ``level_rating`` is that of its level and ``suggested`` the level to
    play next. Of any match that is over, ``play_on`` tells whether one of its people plays others.
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
    exchange: Exchange = NO_EXCHANGE
    earlier: tuple[Game, ...] = ()
    ahead: int = 0
    level_rating: Rating | None = None
    suggested: int | None = None
    play_on: bool = False

    def draw_card(self, *, quiet: bool = True) -> Message:
        """The card of the match, with its pictures; call it outside the event loop."""
        if self.game.match.result is not None:
            return self.draw_final_card(quiet=quiet)
        board = board_picture(self.game, self.look)
        newcomer = self.newcomer is not None
        return match_card(self.game, board, quiet=quiet, newcomer=newcomer, earlier=self.earlier, ahead=self.ahead)

    def draw_final_card(self, *, quiet: bool = True) -> Message:
        """The card of a match that is over, with its pictures; call it outside the event loop."""
        pictures = final_pictures(self.game, self.look)
        return final_card(
            self.game,
            pictures,
            self.record,
            quiet=quiet,
            ended_by=self.ended_by,
            earlier=self.earlier,
            level_rating=self.level_rating,
            suggested=self.suggested,
            play_on=self.play_on,
        )


@dataclass
class MatchLoader:
    """``ahead_of`` tells how many boards the computer thinks about before that of a person's match at a level."""

    matches: Matches
    ratings: Ratings
    languages: Languages
    channels: Channels
    storage: Storage
    ahead_of: Callable[[int, int, int], int]

    async def load(self, match_id: int, loaded: Game | None = None, *, but: Collection[int] = ()) -> LoadedMatch:
        """Load what a card of the match needs; ``loaded`` is its game, which is used unless it has changed since.

        If it is, proposals that its last turn let lapse are left out, and those in ``but``.
        """
        async with self.storage.read() as tx:
            # Read before the match: a board that shows more than its version is shown anew, and does no harm.
            if loaded is None:
                delivery, changed, behind = await tx.deliveries.get(match_id), True, True
            else:
                but = {*but, *(each.proposal.id for each in loaded.lapsed)}
                delivery, changed, behind = await tx.deliveries.of_loaded(loaded.match, but=but)
            game = await self.matches.load(tx, match_id) if changed or loaded is None else loaded
            match, awaited = game.match, game.to_act
            settings = await tx.settings.server_settings(match.guild_id)
            called = [player.id for player in (match.players if awaited is None else (awaited,)) if player.reachable]
            wishes = await tx.settings.preferences_and_known(called, match.ruleset.game.name)
            newcomers = [player_id for player_id, (_, known) in wishes.items() if not known]
            ended_by = record = None
            if match.result is not None and match.result.ending is not Ending.RULES:
                ended_by = await tx.proposals.of_ending(match_id)
            if match.result is not None and match.result.counts:
                record = HeadToHead.of(match.first.id, await tx.history.winners(match))
            suggested = None
            if match.result is not None and match.computer is not None:
                person = match.opponent_of(match.computer.id)
                suggested = await level_for(tx, person.id, match.ruleset.game.name)
            people = [player.id for player in match.players if player.reachable]
            play_on = match.result is not None and bool(people) and await tx.matches.any_play(people)
            unshown = await tx.deliveries.unshown_proposals(match_id) if changed or behind else []
            steps = () if match.computer is None else (await tx.matches.steps(match_id))[: match.step]
        happened = exchange(game, steps)
        language = await self.languages.of_match(match, settings)
        with texts.in_language(language):  # the pictures have words too
            look = public_look(settings)
        return LoadedMatch(
            game=game,
            delivery=delivery,
            board_cards=self.board_cards_of(delivery, settings),
            look=look,
            language=language,
            newcomer=awaited if awaited is not None and awaited.id in newcomers else None,
            preferences={player_id: wished for player_id, (wished, _) in wishes.items()},
            ended_by=ended_by,
            record=record,
            proposals=[each for each in unshown if changed or each not in but],
            exchange=happened,
            earlier=await self._past_games(match, happened.before),
            ahead=self._boards_ahead(match),
            level_rating=None if match.result is None else await self._level_rating(match),
            suggested=suggested,
            play_on=play_on,
        )

    def _boards_ahead(self, match: Match) -> int:
        computer = match.computer
        if computer is None or computer.level is None:
            return 0
        return self.ahead_of(match.opponent_of(computer.id).id, computer.level, match.id)

    async def told_before(self, match: Match, step: int) -> tuple[Game, ...]:
        """The games whose last turns are told, before that of the ``step``, on a card that is replaced."""
        if match.computer is None:
            return ()
        async with self.storage.read() as tx:
            steps = await tx.matches.steps(match.id)
        return await self._past_games(match, steps_on_past_card(match, steps[:step]))

    async def _past_games(self, match: Match, steps: range) -> tuple[Game, ...]:
        return tuple([await self.matches.past_game(match, step) for step in steps])

    async def _level_rating(self, match: Match) -> Rating | None:
        if match.computer is None or match.computer.level is None:
            return None
        level = match.computer.level
        return (await self.ratings.levels(match.ruleset.game.name, [level])).get(level)

    async def board_cards(self, match_id: int) -> BoardCards | None:
        """How a match is shown; None for one that is played outside Discord."""
        async with self.storage.read() as tx:
            delivery = await tx.deliveries.get(match_id)
            if delivery is None:
                return None
            settings = await tx.settings.server_settings(delivery.home.guild_id)
        return self.board_cards_of(delivery, settings)

    async def whereabouts(self, match_id: int | None, seen_from: int) -> str:
        """Where the match that came of a challenge or a proposal is played, in the current language."""
        if match_id is None:
            return ""
        async with self.storage.read() as tx:
            delivery, match = await tx.deliveries.get(match_id), await tx.matches.get(match_id)
        assert match is not None
        return "" if delivery is None else words.whereabouts(match, delivery, seen_from)

    def board_cards_of(self, delivery: MatchDelivery | None, settings: ServerSettings) -> BoardCards:
        """How a match is shown: as its players have chosen, or else as is usual in its channel."""
        if delivery is None:
            return settings.board_cards
        if delivery.board_cards is not None:
            return delivery.board_cards
        return settings.board_cards_in(self.channels.around(delivery))
