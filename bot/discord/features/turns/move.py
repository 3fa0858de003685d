"""``/move``, ``/pass`` and ``/resign``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import discord
from discord import app_commands

from bot.discord.features.matches.proposals import ask_to_abandon
from bot.discord.features.turns.turn_buttons import TurnButtons
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import NumberError, sentence
from bot.discord.interaction.feature import Feature, handles, loads_preferences
from bot.discord.interaction.interactions import Choices, Interaction, suggestions
from bot.discord.interaction.languages import speak_language_of
from bot.discord.interaction.options.match import MATCH_NUMBER, MatchToEnd, OwnMatch, other_match
from bot.discord.interaction.options.turn import offered_turns, refusal
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.cards.match import offered
from bot.discord.posting.cards.proposal import Propose
from bot.discord.posting.presenter import Presenter
from bot.discord.transport import replies
from bot.discord.ui import words
from bot.discord.ui.links import Close, OnBoard, Resign
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.turn_entry import LONGEST_TURN
from bot.domain.matches import Game, MovedOnError, NotAPlayerError
from bot.domain.play import check_running
from bot.domain.proposals import ProposalKind
from bot.domain.refusals import DomainError
from bot.services.matches import Matches, Turn
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules import PASS


class ConfirmResignation(OnBoard, action="resign-now"):
    pass


def resign_question(game: Game, player_id: int) -> Message:
    """Asks the player to confirm, and offers the other ways to end the match."""
    match, others = game.match, []
    if not match.waiting:
        label = _("Accept the draw") if offered(match, ProposalKind.DRAW, player_id) else _("Offer a draw")
        others.append(ActionButton(Propose(match.id, game.step, ProposalKind.DRAW), label))
    footer = _("Both players have to agree to abandon a match.")
    if match.rated:
        footer = _("An abandoned match does not count; both players have to agree.")
    label = _("Agree to abandon") if offered(match, ProposalKind.ABANDON, player_id) else _("Propose to abandon")
    if match.computer is not None:
        footer, label = _("If you abandon the match, nobody wins."), _("Abandon")
    others.append(ActionButton(Propose(match.id, game.step, ProposalKind.ABANDON), label))
    question, opponent = _("Resign match #{match}? **{opponent}** wins."), words.name(match.opponent_of(player_id))
    return compose(
        question.format(match=match.id, opponent=opponent),
        footer=footer,
        buttons=(
            ActionButton(ConfirmResignation(match.id, game.step), _("Yes, resign"), discord.ButtonStyle.danger),
            *others,
            ActionButton(Close(), _("Keep playing")),
        ),
    )


@dataclass
class MoveCommands(Feature):
    matches: Matches
    access: Access
    presenter: Presenter
    turn_buttons: TurnButtons
    private_cards: PrivateCards

    @suggestions
    async def turns(self, interaction: Interaction, typed: str) -> Choices:
        try:
            game = (await self._find(interaction, other_match(interaction))).game
        except (DomainError, NumberError) as error:
            return [refusal(words.plain(sentence(error) or ""), typed)]
        match, awaited = game.match, game.to_act
        if awaited is None or awaited.id != interaction.user.id:
            text = _("match #{match}: it is over") if awaited is None else _("match #{match}: it is {player}'s turn")
            player = "" if awaited is None else words.plain_name(awaited)
            return [refusal(text.format(match=match.id, player=player), typed)]
        return await asyncio.to_thread(offered_turns, game, typed)

    @app_commands.command(description=gettext_noop("Play a turn: a cell, or a side after the opening"))
    @app_commands.describe(turn=gettext_noop("A cell such as e5, or a side"), match=MATCH_NUMBER)
    @app_commands.autocomplete(turn=turns)
    @loads_preferences
    async def move(
        self, interaction: Interaction, turn: app_commands.Range[str, 1, LONGEST_TURN], match: OwnMatch | None = None
    ) -> None:
        await self.turn_buttons.submit(interaction, await self._find(interaction, match), turn)

    @app_commands.command(name="pass", description=gettext_noop("Pass, if the rules of the game allow it"))
    @app_commands.describe(match=MATCH_NUMBER)
    @loads_preferences
    async def pass_turn(self, interaction: Interaction, match: OwnMatch | None = None) -> None:
        await self.turn_buttons.submit(interaction, await self._find(interaction, match), PASS)

    @app_commands.command(description=gettext_noop("Resign a match, or end one that is stuck; I will ask first"))
    @app_commands.describe(match=MATCH_NUMBER)
    async def resign(self, interaction: Interaction, match: MatchToEnd | None = None) -> None:
        try:
            found = (await self._find(interaction, match)).game
        except NotAPlayerError as error:
            await ask_to_abandon(interaction, self.access, error.match)
            return
        check_running(found.match, interaction.user.id)
        await self.private_cards.show(interaction, resign_question(found, interaction.user.id), found.match)

    @handles(Resign)
    async def ask_to_resign(self, interaction: Interaction, press: Resign) -> None:
        async with self.turn_buttons.retiring(interaction, press):
            try:
                game = await self.matches.game(press.match_id)
                check_running(game.match, interaction.user.id, press.step)
            except NotAPlayerError as error:
                await ask_to_abandon(interaction, self.access, error.match)
            else:
                await self.private_cards.show(interaction, resign_question(game, interaction.user.id), game.match)

    @handles(ConfirmResignation)
    async def resign_now(self, interaction: Interaction, press: ConfirmResignation) -> None:
        try:
            await self.matches.resign(press.match_id, interaction.user.id, seen_step=press.step)
        except MovedOnError:
            await replies.replace(interaction, _("The board has moved on since you asked, so you did not resign."))
            return
        shown = await self.presenter.show_match(press.match_id, interaction)
        if shown is not None and shown.channel_id == interaction.channel_id:
            await replies.finish(interaction)
        else:
            await replies.replace(interaction, _("You resigned."))

    @handles(Close)
    async def keep_playing(self, interaction: Interaction, _press: Close) -> None:
        await replies.finish(interaction)

    async def _find(self, interaction: Interaction, number: int | None) -> Turn:
        """The running match that the user means, with their preferences. Their language is spoken from now on."""
        turn = await self.matches.find_turn(self.access.viewer_of(interaction), number)
        speak_language_of(interaction, turn.preferences)
        return turn
